//! One trial in the worker: load the kernel, check what it does at every size, then time it.

use super::compare;
use super::data::{self, Poison};
use super::protocol::{
    BufferSlot, Call, Check, Kernel, Reference, Role, Slot, Tolerance, Trial, Tried,
};
use super::timing;
use super::worker::{Parent, fault};
use bico_core::device::Facts;
use bico_device::measure::{Argument, Buffer, Bytes, Code, Device, Invocation, Lap};
use bico_device::os;
use bico_search::search::Failure;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Bytes of buffers and references that a worker keeps for the next trial.
const KEPT_BYTES: usize = 1 << 30;

/// The function that the generated shim defines.
pub(crate) const ENTRY: &str = "bico_call";

/// What a worker keeps between requests.
pub(super) struct Session {
    pub(super) device: Box<dyn Device>,
    /// Buffers by the call they were made for, the latest last.
    calls: Vec<Prepared>,
    /// Outputs that were read from files, the latest last.
    known: Vec<(PathBuf, Vec<Known>)>,
    /// Threads of the worker itself.
    pub(super) threads: usize,
}

/// One output that is compared with.
struct Known {
    bytes: Bytes,
    magnitude: f64,
}

/// The buffers of one call.
pub(super) struct Prepared {
    call: Call,
    arguments: Vec<Argument>,
    buffers: Vec<Filled>,
    bytes: usize,
}

struct Filled {
    slot: BufferSlot,
    buffer: Buffer,
    /// What it holds before each run, if anything in particular.
    original: Option<Bytes>,
}

impl Session {
    pub(super) fn new(device: Box<dyn Device>) -> Session {
        Session {
            device,
            calls: Vec::new(),
            known: Vec::new(),
            threads: os::threads(),
        }
    }

    pub(super) fn load(&mut self, kernel: &Kernel) -> Result<Code, Failure> {
        self.device
            .load(&kernel.path, &kernel.entry)
            .map_err(Failure::Compile)
    }

    pub(super) fn is_gpu(&self) -> bool {
        matches!(self.device.facts(), Facts::Cuda(_))
    }

    /// A kernel did not come to its end. On a GPU nothing works any more in this process then.
    pub(super) fn crashed(&self, parent: &mut Parent, why: String) -> Failure {
        if self.is_gpu() {
            parent.die(why);
        }
        Failure::Crash(why)
    }

    /// Holds what a kernel may take of the memory. A GPU has its own, and its driver maps more addresses
    /// than there is memory.
    pub(super) fn limit_memory(&self, bytes: u64) {
        if !self.is_gpu() {
            os::limit_memory(bytes);
        }
    }

    /// The buffers for a call: those of an earlier trial, or new ones.
    fn prepare(&mut self, call: &Call) -> Result<Prepared, Failure> {
        if let Some(at) = self
            .calls
            .iter()
            .position(|prepared| prepared.call == *call)
        {
            return Ok(self.calls.remove(at));
        }
        let mut prepared = Prepared {
            call: call.clone(),
            arguments: Vec::new(),
            buffers: Vec::new(),
            bytes: 0,
        };
        let made = self.allocate(&mut prepared);
        if let Err(failure) = made {
            self.release(&prepared);
            return Err(failure);
        }
        Ok(prepared)
    }

    fn allocate(&mut self, prepared: &mut Prepared) -> Result<(), Failure> {
        for slot in &prepared.call.slots {
            let argument = match slot {
                Slot::Scalar(bits) => Argument::Scalar(scalar_bytes(*bits)),
                Slot::Buffer(slot) => {
                    let memory = |error| Failure::Memory(format!("`{}`: {error}", slot.name));
                    let bytes = slot
                        .bytes()
                        .ok_or_else(|| memory(format!("{} elements are too many", slot.len)))?;
                    let buffer = self.device.allocate(bytes).map_err(memory)?;
                    let original = if slot.role.is_filled() {
                        Some(data::input(slot).map_err(fault)?)
                    } else {
                        None
                    };
                    if let Some(original) = &original {
                        self.device
                            .write(buffer, original.as_slice())
                            .map_err(fault)?;
                    }
                    prepared.bytes += bytes;
                    prepared.buffers.push(Filled {
                        slot: slot.clone(),
                        buffer,
                        original,
                    });
                    Argument::Buffer(buffer)
                }
            };
            prepared.arguments.push(argument);
        }
        Ok(())
    }

    fn release(&mut self, prepared: &Prepared) {
        for filled in &prepared.buffers {
            self.device.free(filled.buffer);
        }
    }

    /// Keeps buffers for the next trial, as far as memory goes.
    pub(super) fn keep(&mut self, prepared: Prepared) {
        self.calls.push(prepared);
        while self
            .calls
            .iter()
            .map(|prepared| prepared.bytes)
            .sum::<usize>()
            > KEPT_BYTES
            && self.calls.len() > 1
        {
            let oldest = self.calls.remove(0);
            self.release(&oldest);
        }
    }

    /// The outputs in a file.
    fn known(&mut self, path: &Path, prepared: &Prepared) -> Result<usize, Failure> {
        if let Some(at) = self.known.iter().position(|(known, _)| known == path) {
            return Ok(at);
        }
        let read = |error| fault(format!("could not read `{}`: {error}", path.display()));
        let mut file = std::fs::File::open(path).map_err(read)?;
        let mut outputs = Vec::new();
        for filled in prepared.checked() {
            let mut bytes = Bytes::zeroed(filled.slot.bytes().unwrap_or(0));
            file.read_exact(bytes.as_mut_slice()).map_err(read)?;
            let magnitude = compare::magnitude(filled.slot.element, bytes.as_slice());
            outputs.push(Known { bytes, magnitude });
        }
        let size = |outputs: &[Known]| {
            outputs
                .iter()
                .map(|known| known.bytes.as_slice().len())
                .sum::<usize>()
        };
        while self
            .known
            .iter()
            .map(|(_, outputs)| size(outputs))
            .sum::<usize>()
            > KEPT_BYTES
        {
            self.known.remove(0);
        }
        self.known.push((path.to_path_buf(), outputs));
        Ok(self.known.len() - 1)
    }

    /// What of the outputs differs from those in a file.
    fn difference(
        &mut self,
        prepared: &Prepared,
        path: &Path,
        tolerance: Tolerance,
    ) -> Result<Option<String>, Failure> {
        let at = self.known(path, prepared)?;
        let (_, outputs) = &self.known[at];
        for (filled, known) in prepared.checked().zip(outputs) {
            let got = self.device.contents(filled.buffer).map_err(fault)?;
            let slot = &filled.slot;
            let want = known.bytes.as_slice();
            let found = compare::difference(
                &slot.name,
                slot.element,
                &got,
                want,
                tolerance,
                known.magnitude,
            );
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// Poisons outputs and scratch buffers, unless those are to be zeroed; restores what is in/out.
    fn reset(&mut self, prepared: &Prepared, poison: Poison) -> Result<(), Failure> {
        for filled in &prepared.buffers {
            match (&filled.original, filled.slot.role) {
                (Some(original), Role::InOut) => self
                    .device
                    .write(filled.buffer, original.as_slice())
                    .map_err(fault)?,
                (None, role) => {
                    let mut bytes = Bytes::zeroed(filled.slot.bytes().unwrap_or(0));
                    if role != Role::Zeroed {
                        poison.fill(filled.slot.element, bytes.as_mut_slice());
                    }
                    self.device
                        .write(filled.buffer, bytes.as_slice())
                        .map_err(fault)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Puts back what the kernel changed of its in/out buffers.
    pub(super) fn restore(&mut self, prepared: &Prepared) -> Result<(), Failure> {
        for filled in prepared
            .buffers
            .iter()
            .filter(|filled| filled.slot.role == Role::InOut)
        {
            let original = filled.original.as_ref().map_or(&[][..], Bytes::as_slice);
            self.device.write(filled.buffer, original).map_err(fault)?;
        }
        Ok(())
    }

    /// Whether a guard zone, an input or a zeroed buffer was changed, which no tolerance excuses.
    pub(super) fn trespass(&mut self, prepared: &Prepared) -> Result<(), Failure> {
        for filled in &prepared.buffers {
            let slot = &filled.slot;
            if let Some(violation) = self.device.violation(filled.buffer).map_err(fault)? {
                let size = slot.element.size() as i64;
                let index = violation.offset.div_euclid(size);
                let side = if violation.offset < 0 {
                    "before"
                } else {
                    "behind"
                };
                return Err(Failure::OutOfBounds(format!(
                    "it writes {side} `{}`: at element {index} of {}",
                    slot.name, slot.len
                )));
            }
        }
        for filled in prepared
            .buffers
            .iter()
            .filter(|filled| filled.slot.role == Role::Input)
        {
            let Some(original) = &filled.original else {
                continue;
            };
            let now = self.device.contents(filled.buffer).map_err(fault)?;
            if *now != *original.as_slice() {
                let byte = now
                    .iter()
                    .zip(original.as_slice())
                    .position(|(a, b)| a != b)
                    .unwrap_or(0);
                let element = byte / filled.slot.element.size();
                drop(now);
                self.device
                    .write(filled.buffer, original.as_slice())
                    .map_err(fault)?;
                return Err(Failure::Wrong(format!(
                    "it changes its input `{}`: at element {element}",
                    filled.slot.name
                )));
            }
        }
        self.dirty(prepared)
    }

    /// Zeroed buffers that are not as the next run must find them.
    fn dirty(&self, prepared: &Prepared) -> Result<(), Failure> {
        for filled in prepared
            .buffers
            .iter()
            .filter(|filled| filled.slot.role == Role::Zeroed)
        {
            let slot = &filled.slot;
            let now = self.device.contents(filled.buffer).map_err(fault)?;
            if let Some(byte) = now.iter().position(|byte| *byte != 0) {
                return Err(Failure::Wrong(format!(
                    "scratch `{}` is not zero when the kernel ends: at element {} of {}",
                    slot.name,
                    byte / slot.element.size(),
                    slot.len
                )));
            }
        }
        Ok(())
    }

    /// Outputs' elements that no run writes: still poisoned, whichever poison it was.
    fn unwritten(
        &mut self,
        code: Code,
        prepared: &Prepared,
        parent: &mut Parent,
    ) -> Result<(), Failure> {
        let mut suspects = Vec::new();
        for (index, filled) in prepared
            .buffers
            .iter()
            .enumerate()
            .filter(|(_, f)| f.slot.role == Role::Output)
        {
            let bytes = self.device.contents(filled.buffer).map_err(fault)?;
            let left = Poison::First.left(filled.slot.element, &bytes);
            if !left.is_empty() {
                suspects.push((index, left));
            }
        }
        if suspects.is_empty() {
            return Ok(());
        }
        self.reset(prepared, Poison::Second)?;
        self.device
            .run(code, prepared.invocation())
            .map_err(|why| self.crashed(parent, why))?;
        parent.only_me();
        for (index, suspects) in suspects {
            let slot = &prepared.buffers[index].slot;
            let bytes = self
                .device
                .contents(prepared.buffers[index].buffer)
                .map_err(fault)?;
            let left = Poison::Second.left(slot.element, &bytes);
            if let Some(first) = suspects.iter().find(|at| left.binary_search(at).is_ok()) {
                return Err(Failure::Unwritten(format!(
                    "it leaves {} of {} element{} of `{}` unwritten, the first is {first}",
                    left.len(),
                    slot.len,
                    if slot.len == 1 { "" } else { "s" },
                    slot.name
                )));
            }
        }
        Ok(())
    }

    /// Runs a kernel once on fresh buffers, and looks at everything but its results.
    pub(super) fn run_once(
        &mut self,
        code: Code,
        prepared: &Prepared,
        parent: &mut Parent,
    ) -> Result<Lap, Failure> {
        self.reset(prepared, Poison::First)?;
        let lap = self
            .device
            .time(code, prepared.invocation(), 1)
            .map_err(|why| self.crashed(parent, why))?;
        parent.only_me();
        self.trespass(prepared)?;
        self.unwritten(code, prepared, parent)?;
        Ok(lap)
    }

    /// Writes the outputs of a call to a file.
    fn save(&self, prepared: &Prepared, path: &Path) -> Result<(), Failure> {
        let written = || -> std::io::Result<()> {
            // Under another name first: another build may read it already.
            let temporary = path.with_extension(format!("{}.tmp", std::process::id()));
            let mut file = std::fs::File::create(&temporary)?;
            for filled in prepared.checked() {
                file.write_all(
                    &self
                        .device
                        .contents(filled.buffer)
                        .map_err(std::io::Error::other)?,
                )?;
            }
            drop(file);
            std::fs::rename(&temporary, path)
        };
        written().map_err(|error| fault(format!("could not write `{}`: {error}", path.display())))
    }

    /// Runs a kernel at one size and checks it there. `opinions` loses those that it contradicts.
    pub(super) fn check(
        &mut self,
        parent: &mut Parent,
        code: Code,
        check: &Check,
        tolerance: Tolerance,
        opinions: &mut [bool],
    ) -> Result<(Prepared, Lap), Failure> {
        parent.step(check.label.clone(), check.allow + preparing(&check.call));
        let prepared = self.prepare(&check.call)?;
        let result = self.run_once(code, &prepared, parent);
        let result = result.and_then(|lap| {
            self.judge(&prepared, check, tolerance, opinions)
                .map(|()| lap)
        });
        match result {
            Ok(lap) => Ok((prepared, lap)),
            Err(failure) => {
                self.keep(prepared);
                Err(at(failure, &check.label))
            }
        }
    }

    /// Compares the outputs that are in the buffers.
    pub(super) fn judge(
        &mut self,
        prepared: &Prepared,
        check: &Check,
        tolerance: Tolerance,
        opinions: &mut [bool],
    ) -> Result<(), Failure> {
        if let Some(reference) = &check.reference {
            return match self.difference(prepared, reference, tolerance)? {
                Some(text) => Err(Failure::Wrong(text)),
                None => Ok(()),
            };
        }
        for (opinion, alive) in check.opinions.iter().zip(opinions.iter_mut()) {
            if let (Some(path), true) = (opinion, *alive) {
                *alive = self.difference(prepared, path, tolerance)?.is_none();
            }
        }
        match &check.save {
            Some(path) => self.save(prepared, path),
            None => Ok(()),
        }
    }
}

impl Prepared {
    /// What a kernel is given to run on these buffers.
    pub(super) fn invocation(&self) -> Invocation<'_> {
        Invocation {
            arguments: &self.arguments,
            dims: self.call.dims,
        }
    }

    fn checked(&self) -> impl Iterator<Item = &Filled> {
        self.buffers
            .iter()
            .filter(|filled| filled.slot.role.is_checked())
    }

    /// The call that its buffers are for.
    pub(super) fn call(&self) -> &Call {
        &self.call
    }

    /// Whether they are for this one.
    pub(super) fn is_for(&self, call: &Call) -> bool {
        self.call == *call
    }

    /// Whether a run changes what the next one starts from.
    pub(super) fn is_in_place(&self) -> bool {
        self.buffers
            .iter()
            .any(|filled| filled.slot.role == Role::InOut)
    }
}

/// Seconds that filling, reading and comparing the buffers of a call may take in an unoptimised build.
pub(super) fn preparing(call: &Call) -> f64 {
    let elements: u64 = call
        .slots
        .iter()
        .map(|slot| match slot {
            Slot::Scalar(_) => 0,
            Slot::Buffer(slot) => slot.len,
        })
        .sum();
    2.0 + 500e-9 * elements as f64
}

/// A scalar as the kernel finds it at the address it is given.
fn scalar_bytes(bits: u64) -> [u8; 8] {
    bits.to_ne_bytes()
}

/// Says at which size it happened.
fn at(failure: Failure, label: &str) -> Failure {
    let with = |text: String| {
        if label.is_empty() {
            text
        } else {
            format!("{text}, at {label}")
        }
    };
    match failure {
        Failure::Wrong(text) => Failure::Wrong(with(text)),
        Failure::OutOfBounds(text) => Failure::OutOfBounds(with(text)),
        Failure::Unwritten(text) => Failure::Unwritten(with(text)),
        Failure::Memory(text) => Failure::Memory(with(text)),
        other => other,
    }
}

/// Verifies one config, and times it where that is asked for.
pub(super) fn run(
    session: &mut Session,
    parent: &mut Parent,
    trial: &Trial,
) -> Result<Tried, Failure> {
    session.limit_memory(trial.memory);
    let Some((problem, small)) = trial.checks.split_last() else {
        return Err(fault("a trial without a size"));
    };
    parent.step("loading", preparing(&problem.call));
    let code = session.load(&trial.kernel)?;
    let mut opinions = vec![true; problem.opinions.len()];
    let mut tried = || -> Result<Tried, Failure> {
        for check in small {
            let (prepared, _) =
                session.check(parent, code, check, trial.tolerance, &mut opinions)?;
            session.keep(prepared);
        }
        let (prepared, lap) =
            session.check(parent, code, problem, trial.tolerance, &mut opinions)?;
        let Some(timing) = &trial.timing else {
            session.keep(prepared);
            let opinion = opinions.iter().position(|alive| *alive);
            let times = None;
            return Ok(Tried { times, opinion });
        };
        let times = timing::trial(session, parent, code, &prepared, lap, timing);
        let times = times.and_then(|times| {
            session.trespass(&prepared)?;
            // What was right once must still be right after many runs.
            let again = Check {
                save: None,
                ..problem.clone()
            };
            session.judge(&prepared, &again, trial.tolerance, &mut opinions.clone())?;
            Ok(Some(times))
        });
        session.keep(prepared);
        let opinion = opinions.iter().position(|alive| *alive);
        times
            .map(|times| Tried { times, opinion })
            .map_err(|failure| at(failure, &problem.label))
    };
    let result = tried();
    session.device.unload(code);
    result
}

/// Runs the reference once and keeps its outputs in a file.
pub(super) fn reference(
    session: &mut Session,
    parent: &mut Parent,
    wanted: &Reference,
) -> Result<f64, Failure> {
    session.limit_memory(wanted.memory);
    parent.step(wanted.label.clone(), wanted.allow + preparing(&wanted.call));
    let code = session.load(&wanted.kernel)?;
    let prepared = session.prepare(&wanted.call)?;
    let start = Instant::now();
    let result = session.run_once(code, &prepared, parent).and_then(|lap| {
        session.save(&prepared, &wanted.out)?;
        Ok(lap.wall.min(start.elapsed().as_secs_f64()))
    });
    session.keep(prepared);
    session.device.unload(code);
    result.map_err(|failure| at(failure, &wanted.label))
}

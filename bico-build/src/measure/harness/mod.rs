//! What a worker keeps between requests, and what it does with a kernel.

mod fouls;
mod judge;
mod kept;
mod known;
mod prepared;

pub(super) use judge::try_out;
pub(super) use kept::Kept;
pub(super) use prepared::{Prepared, preparing};

use super::lockfile::{Hold, Lock};
use super::poison::Poison;
use super::protocol::{Case, Check, Inputs, Loadable, Role, Terms};
use super::slot::BufferSlot;
use super::trial::at;
use super::worker::Parent;
use crate::arguments::shim::ENTRY;
use bico_core::device::Facts;
use bico_device::measure::{Bytes, Code, Contents, Device, Lap, Place};
use bico_device::os;
use bico_search::search::Failure;
use known::Known;
use prepared::{Filled, Room};
use std::path::PathBuf;
use std::rc::Rc;

/// Bytes of buffers that a worker keeps for the next trial; and of inputs, and of references, on a GPU more where there is much memory:
/// to bring them back takes longer there than all else.
const KEPT_BYTES: usize = 1 << 30;
const MOST_KEPT_BYTES: usize = 8 << 30;
/// The part of the host's memory that they may take.
const KEPT_PART: u64 = 16;

/// What a worker keeps between requests.
pub(super) struct Harness {
    pub(super) device: Box<dyn Device>,
    pub(super) parent: Rc<Parent>,
    /// Buffers, those used last at the end.
    rooms: Vec<Rc<Room>>,
    /// What inputs hold, the latest last.
    inputs: Vec<(BufferSlot, Inputs, Rc<Kept>)>,
    /// Outputs that were read from files, the latest last.
    known: Vec<(PathBuf, Vec<Known>)>,
    /// Where judges are called.
    bench: Option<Box<Harness>>,
    /// Threads of the worker itself.
    threads: usize,
    /// Bytes of inputs, and of references, that it keeps.
    kept: usize,
}

impl Harness {
    pub(super) fn new(device: Box<dyn Device>, parent: Rc<Parent>) -> Harness {
        let part = crate::os::available_memory().unwrap_or(0) / KEPT_PART;
        let kept = match device.looks() {
            Some(_) => (part as usize).clamp(KEPT_BYTES, MOST_KEPT_BYTES),
            None => KEPT_BYTES,
        };
        Harness {
            kept,
            device,
            parent,
            rooms: Vec::new(),
            inputs: Vec::new(),
            known: Vec::new(),
            bench: None,
            threads: os::threads(),
        }
    }

    pub(super) fn load(&mut self, kernel: &Loadable) -> Result<Code, Failure> {
        let code = self
            .device
            .load(&kernel.path, &kernel.entries, &kernel.variables);
        let code = code.and_then(|code| {
            if let Some(path) = &kernel.drive {
                self.device.drive(code, path, ENTRY)?;
            }
            Ok(code)
        });
        code.map_err(|mut text| {
            if text.contains("undefined symbol") {
                text.push_str(": what defines it belongs into `source`, or into `link`");
            }
            Failure::Compile(text)
        })
    }

    /// Whether kernels have started threads that still run.
    pub(super) fn is_threaded(&self) -> bool {
        os::threads() > self.threads
    }

    pub(super) fn is_gpu(&self) -> bool {
        matches!(self.device.facts(), Facts::Cuda(_))
    }

    /// Holds what a kernel may take of the memory. A GPU has its own, and its driver maps more addresses
    /// than there is memory.
    pub(super) fn limit_memory(&self, bytes: u64) {
        if !self.is_gpu() {
            os::limit_memory(bytes);
        }
    }

    /// Begins what a request asks for.
    pub(super) fn accept(&self, terms: &Terms) {
        self.limit_memory(terms.memory);
        self.parent.patience.set(terms.patience);
        self.parent.asks.set(terms.asks);
        if let Some(lock) = &terms.lock {
            self.parent.lock.replace(lock.clone());
        }
    }

    /// Keeps others from timing while kernels run that are not timed, as long as what it gives lives. On a GPU nobody may run
    /// kernels beside them: they would share its multiprocessors, and a run that rejects a config is not that rough.
    pub(super) fn take_part(&self) -> Option<Lock> {
        self.parent.wait(match self.is_gpu() {
            true => Hold::Alone,
            false => Hold::Shared,
        })
    }

    fn write(&mut self, filled: &Filled, bytes: &Bytes) -> Result<(), Failure> {
        let written = self.device.write(filled.buffer, bytes.as_slice());
        written.map_err(Failure::Worker)
    }

    fn contents(&self, filled: &Filled) -> Result<Contents<'_>, Failure> {
        self.device.contents(filled.buffer).map_err(Failure::Worker)
    }

    /// Poisons outputs and scratch buffers, unless those are to be zeroed, and what calls find on the stack; gives the
    /// inputs. What the module's variables hold is what it was loaded with.
    pub(super) fn reset(
        &mut self,
        code: Code,
        prepared: &Prepared,
        poison: &Poison,
    ) -> Result<(), Failure> {
        self.device.restore(code).map_err(Failure::Worker)?;
        self.give(prepared)?;
        self.poison_outputs(prepared, poison)?;
        for filled in prepared.with(Role::Zeroed) {
            self.fill(filled, [0; 8])?;
        }
        for filled in prepared.with(Role::Scratch) {
            self.poison(filled, poison)?;
        }
        Ok(())
    }

    fn poison(&mut self, filled: &Filled, poison: &Poison) -> Result<(), Failure> {
        match filled.slot.columns.as_slice() {
            [column] => self.fill(filled, poison.pattern(column.element())),
            _ => self.write(filled, &poison.bytes(&filled.slot)),
        }
    }

    fn fill(&mut self, filled: &Filled, pattern: [u8; 8]) -> Result<(), Failure> {
        let written = self.device.fill(filled.buffer, pattern);
        written.map_err(Failure::Worker)
    }

    /// Poisons what a call must write.
    pub(super) fn poison_outputs(
        &mut self,
        prepared: &Prepared,
        poison: &Poison,
    ) -> Result<(), Failure> {
        for filled in prepared.with(Role::Output) {
            self.poison(filled, poison)?;
        }
        Ok(())
    }

    /// Gives the inputs, and those that are outputs too.
    pub(super) fn give(&mut self, prepared: &Prepared) -> Result<(), Failure> {
        for filled in &prepared.buffers {
            if let Some(original) = &filled.original {
                self.give_kept(filled, original)?;
            }
        }
        Ok(())
    }

    /// Puts back what the kernel changed of its in/out buffers.
    pub(super) fn restore(&mut self, prepared: &Prepared) -> Result<(), Failure> {
        for filled in prepared.with(Role::InOut) {
            if let Some(original) = &filled.original {
                self.give_kept(filled, original)?;
            }
        }
        Ok(())
    }

    /// Runs a kernel several times in a row. When it does not come to its end, nothing works any more in this
    /// process on a GPU.
    pub(super) fn lap(&mut self, code: Code, on: &Prepared, calls: u32) -> Result<Lap, Failure> {
        let lap = self.device.time(code, &on.passes(), calls);
        self.parent.only_me();
        lap.map_err(|why| match self.is_gpu() {
            true => self.parent.die(why),
            false => Failure::Crash(why),
        })
    }

    /// Runs a kernel once on fresh buffers, and looks at everything but its results.
    pub(super) fn run_once(
        &mut self,
        code: Code,
        prepared: &Prepared,
        poison: &Poison,
    ) -> Result<Lap, Failure> {
        self.reset(code, prepared, poison)?;
        os::soil_stack(poison.byte());
        let lap = self.lap(code, prepared, 1)?;
        self.trespass(prepared)?;
        self.unwritten(code, prepared, poison)?;
        Ok(lap)
    }

    /// Runs a kernel at one size as it will be timed there, and checks that. `opinions` loses those that it contradicts.
    pub(super) fn check(
        &mut self,
        code: Code,
        check: &Check,
        opinions: &mut [bool],
    ) -> Result<(Rc<Prepared>, Lap), Failure> {
        let case = &check.timed;
        self.begin(check, case);
        let prepared = self.prepare(&case.call)?;
        self.settle(&prepared, Place::Apart)?;
        let lap = self.run_once(code, &prepared, &Poison::FIRST);
        let lap = lap.and_then(|lap| {
            self.judge(&prepared, case, opinions, true)?;
            Ok(lap)
        });
        let lap = lap.map_err(|failure| at(failure, &check.label))?;
        Ok((prepared, lap))
    }

    /// Runs a kernel at one size in all the ways that show what it must not do: with buffers that end, then with buffers
    /// that begin at a page that nobody may touch, after NaNs and after large numbers, and each time once more with
    /// other inputs in the same buffers, over whatever the call before left in its outputs and in scratch.
    pub(super) fn scrutinise(
        &mut self,
        code: Code,
        check: &Check,
        opinions: &mut [bool],
    ) -> Result<(), Failure> {
        let ways = [
            (Place::End, Poison::FIRST, Inputs::Others),
            (Place::Start, Poison::LARGE, Inputs::Special),
        ];
        for (turn, (place, poison, inputs)) in ways.into_iter().enumerate() {
            self.begin(check, &check.timed);
            let prepared = self.prepare(&check.timed.call)?;
            self.settle(&prepared, place)?;
            let run = self.run_once(code, &prepared, &poison);
            let right = run.and_then(|_| self.judge(&prepared, &check.timed, opinions, turn == 0));
            right.map_err(|failure| at(failure, &check.label))?;
            let next = check
                .others
                .iter()
                .filter(|case| case.call.inputs == inputs);
            for case in next {
                self.go_on(code, check, case, opinions)?;
            }
        }
        Ok(())
    }

    /// The next call: other inputs in the same buffers, and nothing else is new.
    pub(super) fn go_on(
        &mut self,
        code: Code,
        check: &Check,
        case: &Case,
        opinions: &mut [bool],
    ) -> Result<(), Failure> {
        self.begin(check, case);
        let prepared = self.prepare(&case.call)?;
        let mut right = || {
            self.give(&prepared)?;
            self.lap(code, &prepared, 1)?;
            self.trespass(&prepared)?;
            self.judge(&prepared, case, opinions, true)
        };
        right().map_err(|failure| at(failure, &case.label(&check.label)))
    }

    /// Says what begins.
    pub(super) fn begin(&self, check: &Check, case: &Case) {
        let allow = check.allow + preparing(&case.call);
        self.parent.step(&case.label(&check.label), allow);
    }

    /// Compares the outputs that are in the buffers; `is_first` if they are those of the first call of this case.
    pub(super) fn judge(
        &mut self,
        prepared: &Prepared,
        case: &Case,
        opinions: &mut [bool],
        is_first: bool,
    ) -> Result<(), Failure> {
        if let Some(judge) = &case.judge {
            let outputs = self.outputs(prepared)?;
            let why = self.verdict(case, judge, &outputs)?;
            return why.map_or(Ok(()), |why| Err(Failure::Wrong(why)));
        }
        // Without a reference its own first outputs are to be repeated.
        let own = case.save.as_ref().filter(|_| !is_first);
        if let Some(known) = case.reference.as_ref().or(own) {
            let found = self.difference(prepared, known)?;
            return found.map_or(Ok(()), |text| Err(Failure::Wrong(text)));
        }
        for (opinion, alive) in case.opinions.iter().zip(opinions.iter_mut()) {
            if let (Some(path), true) = (opinion, *alive) {
                *alive = self.difference(prepared, path)?.is_none();
            }
        }
        match case.save.as_ref().filter(|_| is_first) {
            Some(path) => self.save(prepared, path),
            None => Ok(()),
        }
    }
}

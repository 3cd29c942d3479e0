//! What a worker keeps between requests, and what it does with a kernel.

mod fouls;
mod known;
mod prepared;

pub(super) use prepared::{Prepared, preparing};

use super::poison::Poison;
use super::protocol::{Check, Loadable, Role, Tolerance};
use super::trial::at;
use super::worker::Parent;
use bico_core::device::Facts;
use bico_device::measure::{Bytes, Code, Contents, Device, Lap};
use bico_device::os;
use bico_search::search::Failure;
use known::Known;
use prepared::Filled;
use std::path::PathBuf;
use std::rc::Rc;

/// Bytes of buffers and references that a worker keeps for the next trial.
const KEPT_BYTES: usize = 1 << 30;

/// What a worker keeps between requests.
pub(super) struct Harness {
    pub(super) device: Box<dyn Device>,
    pub(super) parent: Rc<Parent>,
    /// Buffers by the call they were made for, the latest last.
    calls: Vec<Rc<Prepared>>,
    /// Outputs that were read from files, the latest last.
    known: Vec<(PathBuf, Vec<Known>)>,
    /// Threads of the worker itself.
    pub(super) threads: usize,
}

impl Harness {
    pub(super) fn new(device: Box<dyn Device>, parent: Rc<Parent>) -> Harness {
        Harness {
            device,
            parent,
            calls: Vec::new(),
            known: Vec::new(),
            threads: os::threads(),
        }
    }

    pub(super) fn load(&mut self, kernel: &Loadable) -> Result<Code, Failure> {
        let code = self.device.load(&kernel.path, &kernel.entry);
        code.map_err(Failure::Compile)
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

    fn write(&mut self, filled: &Filled, bytes: &Bytes) -> Result<(), Failure> {
        let written = self.device.write(filled.buffer, bytes.as_slice());
        written.map_err(Failure::Worker)
    }

    fn contents(&self, filled: &Filled) -> Result<Contents<'_>, Failure> {
        self.device.contents(filled.buffer).map_err(Failure::Worker)
    }

    /// Poisons outputs and scratch buffers, unless those are to be zeroed; restores what is in/out.
    fn reset(&mut self, prepared: &Prepared, poison: &Poison) -> Result<(), Failure> {
        self.restore(prepared)?;
        let unfilled = prepared.buffers.iter().filter(|f| f.original.is_none());
        for filled in unfilled {
            let slot = &filled.slot;
            let mut bytes = Bytes::zeroed(slot.bytes().unwrap_or(0));
            if slot.role != Role::Zeroed {
                poison.fill(slot.element, bytes.as_mut_slice());
            }
            self.write(filled, &bytes)?;
        }
        Ok(())
    }

    /// Puts back what the kernel changed of its in/out buffers.
    pub(super) fn restore(&mut self, prepared: &Prepared) -> Result<(), Failure> {
        for filled in prepared.with(Role::InOut) {
            if let Some(original) = &filled.original {
                self.write(filled, original)?;
            }
        }
        Ok(())
    }

    /// Runs a kernel several times in a row. When it does not come to its end, nothing works any more in this
    /// process on a GPU.
    pub(super) fn lap(&mut self, code: Code, on: &Prepared, calls: u32) -> Result<Lap, Failure> {
        let lap = self.device.time(code, on.invocation(), calls);
        self.parent.only_me();
        lap.map_err(|why| match self.is_gpu() {
            true => self.parent.die(why),
            false => Failure::Crash(why),
        })
    }

    /// Runs a kernel once on fresh buffers, and looks at everything but its results.
    pub(super) fn run_once(&mut self, code: Code, prepared: &Prepared) -> Result<Lap, Failure> {
        self.reset(prepared, &Poison::FIRST)?;
        let lap = self.lap(code, prepared, 1)?;
        self.trespass(prepared)?;
        self.unwritten(code, prepared)?;
        Ok(lap)
    }

    /// Runs a kernel at one size and checks it there. `opinions` loses those that it contradicts.
    pub(super) fn check(
        &mut self,
        code: Code,
        check: &Check,
        tolerance: Tolerance,
        opinions: &mut [bool],
    ) -> Result<(Rc<Prepared>, Lap), Failure> {
        let allow = check.allow + preparing(&check.call);
        self.parent.step(&check.label, allow);
        let prepared = self.prepare(&check.call)?;
        let lap = self.run_once(code, &prepared).and_then(|lap| {
            self.judge(&prepared, check, tolerance, opinions)?;
            Ok(lap)
        });
        let lap = lap.map_err(|failure| at(failure, &check.label))?;
        Ok((prepared, lap))
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
            let found = self.difference(prepared, reference, tolerance)?;
            return found.map_or(Ok(()), |text| Err(Failure::Wrong(text)));
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

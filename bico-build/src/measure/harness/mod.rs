//! What a worker keeps between requests, and what it does with a kernel.

mod fouls;
mod known;
mod prepared;

pub(super) use prepared::{Prepared, preparing};

use super::poison::Poison;
use super::protocol::{Check, Loadable, Role, Tolerance};
use super::trial::at;
use super::worker::{Parent, fault};
use bico_core::device::Facts;
use bico_device::measure::{Bytes, Code, Device, Lap};
use bico_device::os;
use bico_search::search::Failure;
use known::Known;
use std::path::PathBuf;

/// Bytes of buffers and references that a worker keeps for the next trial.
const KEPT_BYTES: usize = 1 << 30;

/// What a worker keeps between requests.
pub(super) struct Harness {
    pub(super) device: Box<dyn Device>,
    /// Buffers by the call they were made for, the latest last.
    calls: Vec<Prepared>,
    /// Outputs that were read from files, the latest last.
    known: Vec<(PathBuf, Vec<Known>)>,
    /// Threads of the worker itself.
    pub(super) threads: usize,
}

impl Harness {
    pub(super) fn new(device: Box<dyn Device>) -> Harness {
        Harness {
            device,
            calls: Vec::new(),
            known: Vec::new(),
            threads: os::threads(),
        }
    }

    pub(super) fn load(&mut self, kernel: &Loadable) -> Result<Code, Failure> {
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
        for filled in prepared.with(Role::InOut) {
            let original = filled.original.as_ref().map_or(&[][..], Bytes::as_slice);
            self.device.write(filled.buffer, original).map_err(fault)?;
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

//! The buffers of one call.

use super::{Harness, KEPT_BYTES};
use crate::measure::data;
use crate::measure::protocol::{BufferSlot, Call, Role, Slot};
use bico_device::measure::{Argument, Buffer, Bytes, Invocation};
use bico_search::search::Failure;
use std::rc::Rc;

/// The buffers of one call.
pub(crate) struct Prepared {
    /// What its buffers are for.
    pub(crate) call: Call,
    arguments: Vec<Argument>,
    pub(super) buffers: Vec<Filled>,
}

/// A buffer in the device's memory.
pub(super) struct Filled {
    pub(super) slot: BufferSlot,
    pub(super) buffer: Buffer,
    /// What it holds before each run, if anything in particular.
    pub(super) original: Option<Bytes>,
}

impl Prepared {
    /// What a kernel is given to run on these buffers.
    pub(crate) fn invocation(&self) -> Invocation<'_> {
        Invocation {
            arguments: &self.arguments,
            dims: self.call.dims,
        }
    }

    /// Its outputs.
    pub(super) fn checked(&self) -> impl Iterator<Item = &Filled> {
        let buffers = self.buffers.iter();
        buffers.filter(|filled| filled.slot.role.is_checked())
    }

    /// The buffers with which a kernel does this.
    pub(super) fn with(&self, role: Role) -> impl Iterator<Item = &Filled> {
        let buffers = self.buffers.iter();
        buffers.filter(move |filled| filled.slot.role == role)
    }

    /// Whether a run changes what the next one starts from.
    pub(crate) fn is_in_place(&self) -> bool {
        self.with(Role::InOut).next().is_some()
    }
}

impl Harness {
    /// The buffers for a call: those of an earlier trial, or new ones.
    pub(crate) fn prepare(&mut self, call: &Call) -> Result<Rc<Prepared>, Failure> {
        if let Some(at) = self.calls.iter().position(|kept| kept.call == *call) {
            let kept = self.calls.remove(at);
            self.calls.push(Rc::clone(&kept));
            return Ok(kept);
        }
        self.make_room();
        let mut prepared = Prepared {
            call: call.clone(),
            arguments: Vec::new(),
            buffers: Vec::new(),
        };
        if let Err(failure) = self.allocate(&mut prepared) {
            self.release(&prepared);
            return Err(failure);
        }
        let prepared = Rc::new(prepared);
        self.calls.push(Rc::clone(&prepared));
        Ok(prepared)
    }

    fn allocate(&mut self, prepared: &mut Prepared) -> Result<(), Failure> {
        for slot in &prepared.call.slots {
            let slot = match slot {
                Slot::Buffer(slot) => slot,
                Slot::Scalar(bits) => {
                    let scalar = Argument::Scalar(bits.to_ne_bytes());
                    prepared.arguments.push(scalar);
                    continue;
                }
            };
            let memory = |error| Failure::Memory(format!("`{}`: {error}", slot.name));
            let too_many = || memory(format!("{} elements are too many", slot.len));
            let bytes = slot.bytes().ok_or_else(too_many)?;
            let buffer = self.device.allocate(bytes).map_err(memory)?;
            prepared.arguments.push(Argument::Buffer(buffer));
            let mut filled = Filled {
                slot: slot.clone(),
                buffer,
                original: None,
            };
            if matches!(slot.role, Role::Input | Role::InOut) {
                let original = data::input(slot).map_err(Failure::Worker)?;
                self.write(&filled, &original)?;
                filled.original = Some(original);
            }
            prepared.buffers.push(filled);
        }
        Ok(())
    }

    fn release(&mut self, prepared: &Prepared) {
        for filled in &prepared.buffers {
            self.device.free(filled.buffer);
        }
    }

    /// Gives back buffers that nobody uses, the oldest first, where they are too much to be kept.
    fn make_room(&mut self) {
        let bytes = |prepared: &Rc<Prepared>| -> usize {
            let buffers = prepared.call.buffers();
            buffers.filter_map(BufferSlot::bytes).sum()
        };
        let mut kept: usize = self.calls.iter().map(bytes).sum();
        while kept > KEPT_BYTES
            && let Some(at) = self.calls.iter().position(|c| Rc::strong_count(c) == 1)
        {
            let oldest = self.calls.remove(at);
            kept -= bytes(&oldest);
            self.release(&oldest);
        }
    }
}

/// Seconds that filling, reading and comparing the buffers of a call may take in an unoptimised build.
pub(crate) fn preparing(call: &Call) -> f64 {
    let elements: u64 = call.buffers().map(|slot| slot.len).sum();
    2.0 + 500e-9 * elements as f64
}

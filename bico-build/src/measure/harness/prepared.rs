//! The buffers of one call.

use super::{Harness, KEPT_BYTES};
use crate::measure::data;
use crate::measure::protocol::{BufferSlot, Call, Role, Slot};
use crate::measure::worker::fault;
use bico_device::measure::{Argument, Buffer, Bytes, Invocation};
use bico_search::search::Failure;

/// The buffers of one call.
pub(crate) struct Prepared {
    call: Call,
    arguments: Vec<Argument>,
    pub(super) buffers: Vec<Filled>,
    bytes: usize,
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

    /// The call that its buffers are for.
    pub(crate) fn call(&self) -> &Call {
        &self.call
    }

    /// Whether they are for this one.
    pub(crate) fn is_for(&self, call: &Call) -> bool {
        self.call == *call
    }

    /// Whether a run changes what the next one starts from.
    pub(crate) fn is_in_place(&self) -> bool {
        self.with(Role::InOut).next().is_some()
    }
}

impl Harness {
    /// The buffers for a call: those of an earlier trial, or new ones.
    pub(crate) fn prepare(&mut self, call: &Call) -> Result<Prepared, Failure> {
        if let Some(at) = self.calls.iter().position(|kept| kept.is_for(call)) {
            return Ok(self.calls.remove(at));
        }
        let mut prepared = Prepared {
            call: call.clone(),
            arguments: Vec::new(),
            buffers: Vec::new(),
            bytes: 0,
        };
        match self.allocate(&mut prepared) {
            Ok(()) => Ok(prepared),
            Err(failure) => {
                self.release(&prepared);
                Err(failure)
            }
        }
    }

    fn allocate(&mut self, prepared: &mut Prepared) -> Result<(), Failure> {
        for slot in &prepared.call.slots {
            let argument = match slot {
                Slot::Scalar(bits) => Argument::Scalar(bits.to_ne_bytes()),
                Slot::Buffer(slot) => {
                    let memory = |error| Failure::Memory(format!("`{}`: {error}", slot.name));
                    let bytes = slot
                        .bytes()
                        .ok_or_else(|| memory(format!("{} elements are too many", slot.len)))?;
                    let buffer = self.device.allocate(bytes).map_err(memory)?;
                    let original = slot.role.is_filled().then(|| data::input(slot));
                    let original = original.transpose().map_err(fault)?;
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
    pub(crate) fn keep(&mut self, prepared: Prepared) {
        self.calls.push(prepared);
        let bytes = |calls: &[Prepared]| calls.iter().map(|call| call.bytes).sum::<usize>();
        while bytes(&self.calls) > KEPT_BYTES && self.calls.len() > 1 {
            let oldest = self.calls.remove(0);
            self.release(&oldest);
        }
    }
}

/// Seconds that filling, reading and comparing the buffers of a call may take in an unoptimised build.
pub(crate) fn preparing(call: &Call) -> f64 {
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

//! The buffers of one call.

use super::{Harness, KEPT_BYTES, Kept};
use crate::measure::data;
use crate::measure::protocol::{Call, Inputs, Pass, Reply, Role, Slot};
use crate::measure::slot::BufferSlot;
use bico_core::Lists;
use bico_device::measure::{Argument, Buffer, Fence, Invocation, Place, Trespass};
use bico_search::search::Failure;
use std::cell::Cell;
use std::rc::Rc;

/// One call, ready to be made.
pub(crate) struct Prepared {
    /// What its buffers are for.
    pub(crate) call: Call,
    pub(super) room: Rc<Room>,
    pub(super) buffers: Vec<Filled>,
    /// What the kernel of each pass gets, in its order.
    given: Vec<Vec<Argument>>,
}

/// Buffers, which calls that differ in their inputs only share.
pub(super) struct Room {
    shape: Vec<Slot>,
    arguments: Vec<Argument>,
    bytes: usize,
    /// Where they lie.
    pub(super) place: Cell<Place>,
}

/// A buffer in the device's memory.
pub(super) struct Filled {
    pub(super) slot: BufferSlot,
    pub(super) buffer: Buffer,
    /// What it holds before each run, if anything in particular.
    pub(super) original: Option<Rc<Kept>>,
}

impl Prepared {
    /// What each pass is given to run on these buffers.
    pub(crate) fn passes(&self) -> Vec<Invocation<'_>> {
        let passes = self.given.iter().zip(&self.call.passes);
        let passes = passes.map(|(arguments, pass)| Invocation {
            arguments,
            dims: pass.dims,
        });
        passes.collect_vec()
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

    /// What its buffers hold before each run.
    pub(super) fn originals(&self) -> impl Iterator<Item = &Kept> {
        let buffers = self.buffers.iter();
        buffers.filter_map(|filled| filled.original.as_deref())
    }

    /// Whether a run changes what the next one starts from.
    pub(crate) fn is_in_place(&self) -> bool {
        self.with(Role::InOut).next().is_some()
    }
}

impl Room {
    fn buffers(&self) -> impl Iterator<Item = Buffer> {
        self.arguments.iter().filter_map(Argument::buffer)
    }
}

impl Harness {
    /// A call with buffers for it: those of an earlier trial, or new ones.
    pub(crate) fn prepare(&mut self, call: &Call) -> Result<Rc<Prepared>, Failure> {
        let shape = call.shape();
        let known = self.rooms.iter().position(|room| room.shape == shape);
        let room = match known {
            Some(at) => self.rooms.remove(at),
            None => {
                self.make_room();
                Rc::new(match self.allocate(shape.clone()) {
                    // What is only kept goes first.
                    Err(Failure::Memory(_)) if self.clear() => self.allocate(shape)?,
                    room => room?,
                })
            }
        };
        self.rooms.push(Rc::clone(&room));
        let mut buffers = Vec::new();
        for (slot, buffer) in call.buffers().zip(room.buffers()) {
            let original = match slot.role {
                Role::Input | Role::InOut => Some(self.input(slot, call.inputs)?),
                _ => None,
            };
            buffers.push(Filled {
                slot: slot.clone(),
                buffer,
                original,
            });
        }
        let given = |pass: &Pass| {
            let given = pass.given.iter();
            given.map(|at| room.arguments[*at].clone()).collect_vec()
        };
        Ok(Rc::new(Prepared {
            given: call.passes.iter().map(given).collect_vec(),
            call: call.clone(),
            room,
            buffers,
        }))
    }

    /// What an input holds.
    fn input(&mut self, slot: &BufferSlot, inputs: Inputs) -> Result<Rc<Kept>, Failure> {
        let is_it = |(known, of, _): &(BufferSlot, Inputs, _)| known == slot && *of == inputs;
        if let Some((.., kept)) = self.inputs.iter().find(|known| is_it(known)) {
            return Ok(Rc::clone(kept));
        }
        let bytes = data::input(slot, inputs).map_err(Failure::Worker)?;
        self.drop_inputs(self.kept);
        let kept = Rc::new(self.keep(bytes));
        self.inputs.push((slot.clone(), inputs, Rc::clone(&kept)));
        Ok(kept)
    }

    /// Forgets inputs that no call has, the oldest first, until the others are no more than so many bytes.
    fn drop_inputs(&mut self, most: usize) {
        let size = |(.., kept): &(_, _, Rc<Kept>)| kept.bytes.as_slice().len();
        let mut all: usize = self.inputs.iter().map(size).sum();
        while all > most
            && let Some(at) = self
                .inputs
                .iter()
                .position(|(.., kept)| Rc::strong_count(kept) == 1)
        {
            let oldest = self.inputs.remove(at);
            all -= size(&oldest);
            self.forget(&oldest.2);
        }
    }

    /// Forgets all that no call has; whether there was anything.
    fn clear(&mut self) -> bool {
        let before = (self.inputs.len(), self.known.len());
        self.drop_inputs(0);
        self.drop_known(0);
        before != (self.inputs.len(), self.known.len())
    }

    fn allocate(&mut self, shape: Vec<Slot>) -> Result<Room, Failure> {
        let mut room = Room {
            shape: Vec::new(),
            arguments: Vec::new(),
            bytes: 0,
            place: Cell::new(Place::Apart),
        };
        for slot in &shape {
            let argument = match slot {
                Slot::Scalar(bits) => Ok(Argument::Scalar(bits.to_ne_bytes())),
                Slot::Tensor(map) => match room.arguments.get(map.of) {
                    Some(Argument::Buffer(buffer)) => {
                        Ok(Argument::Tensor(*buffer, map.kind, map.numbers.clone()))
                    }
                    _ => Err(Failure::Worker(format!("`{}` is no buffer", map.name))),
                },
                Slot::Buffer(slot) => {
                    let bytes = slot.bytes();
                    room.bytes += bytes.unwrap_or(0);
                    let buffer = bytes
                        .ok_or_else(|| format!("{} elements are too many", slot.len))
                        .and_then(|bytes| self.device.allocate(bytes, slot.align));
                    let failed = |error| Failure::Memory(format!("`{}`: {error}", slot.name));
                    let argument = |buffer| match &slot.symbol {
                        Some(symbol) if self.is_gpu() => Argument::Constant(buffer, symbol.clone()),
                        _ if slot.by_value => Argument::Value(buffer),
                        _ => Argument::Buffer(buffer),
                    };
                    buffer.map(argument).map_err(failed)
                }
            };
            match argument {
                Ok(argument) => room.arguments.push(argument),
                Err(failure) => {
                    self.release(&room);
                    return Err(failure);
                }
            }
        }
        room.shape = shape;
        Ok(room)
    }

    fn release(&mut self, room: &Room) {
        for buffer in room.buffers() {
            self.device.free(buffer);
        }
    }

    /// Gives back buffers that nobody uses, the oldest first, where they are too much to be kept.
    fn make_room(&mut self) {
        let mut kept: usize = self.rooms.iter().map(|room| room.bytes).sum();
        while kept > KEPT_BYTES
            && let Some(at) = self
                .rooms
                .iter()
                .position(|room| Rc::strong_count(room) == 1)
        {
            let oldest = self.rooms.remove(at);
            kept -= oldest.bytes;
            self.release(&oldest);
        }
    }

    /// Puts the buffers of a call to a place. Whoever touches what lies around them ends this process, with a word of what it
    /// was; while they are not as calls will have them, so does who writes to an input.
    pub(crate) fn settle(&mut self, prepared: &Prepared, place: Place) -> Result<(), Failure> {
        let mut alarms = Vec::new();
        for filled in &prepared.buffers {
            let slot = &filled.slot;
            let is_input = slot.role == Role::Input;
            if place != prepared.room.place.get() {
                let placed =
                    self.device
                        .place(filled.buffer, place, is_input && place != Place::Apart);
                placed.map_err(Failure::Worker)?;
            }
            for Fence { range, means } in self.device.fences(filled.buffer) {
                let failure = trespassed(&slot.name, means);
                alarms.push((range, self.parent.line(&Reply::Trespassed(failure))));
            }
        }
        prepared.room.place.set(place);
        if !alarms.is_empty() {
            self.parent.alarm(alarms);
        }
        Ok(())
    }
}

/// What is said of a kernel that touched what lies around a buffer.
fn trespassed(name: &str, means: Trespass) -> Failure {
    match means {
        Trespass::Before => Failure::OutOfBounds(format!("it reads or writes before `{name}`")),
        Trespass::Behind => Failure::OutOfBounds(format!("it reads or writes behind `{name}`")),
        Trespass::Inside => Failure::Wrong(format!("it writes to its input `{name}`")),
    }
}

/// Seconds that filling, reading and comparing the buffers of a call may take in an unoptimised build.
pub(crate) fn preparing(call: &Call) -> f64 {
    let elements: u64 = call.buffers().map(BufferSlot::numbers).sum();
    2.0 + 500e-9 * elements as f64
}

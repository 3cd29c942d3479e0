//! A call, as it is made in the worker: its arguments, and the kernels that it runs.

use super::protocol::{Fill, Inputs, Slot};
use super::slot::BufferSlot;
use bico_core::device::Dims;
use bico_core::json_struct;

json_struct! {
    /// A call of a config or of the reference.
    #[derive(Clone, PartialEq)]
    pub(super) struct Call {
        /// The wrapper's buffers and scalars, then the scratch buffers, then what else the kernels get.
        pub(super) slots: Vec<Slot>,
        /// What it runs, in order.
        pub(super) passes: Vec<Pass>,
        /// What its inputs hold.
        pub(super) inputs: Inputs,
    }

    /// One kernel of a call.
    #[derive(Clone, PartialEq)]
    pub(super) struct Pass {
        /// What it gets, in its order: indices of slots.
        pub(super) given: Vec<usize>,
        /// How it is launched, on a GPU.
        pub(super) dims: Option<Dims>,
    }
}

impl Call {
    /// The slots of its buffers.
    pub(super) fn buffers(&self) -> impl Iterator<Item = &BufferSlot> {
        self.slots.iter().filter_map(|slot| match slot {
            Slot::Buffer(slot) => Some(slot),
            Slot::Scalar(_) => None,
        })
    }

    /// The same for calls that differ only in what their inputs hold.
    pub(super) fn shape(&self) -> Vec<Slot> {
        let mut slots = self.slots.clone();
        for slot in &mut slots {
            if let Slot::Buffer(slot) = slot {
                (slot.fill, slot.seed) = (Fill::Usual, 0);
            }
        }
        slots
    }

    /// This call with other inputs; `None` where they would hold the same.
    pub(super) fn with(&self, inputs: Inputs) -> Option<Call> {
        let differs = self.buffers().any(|slot| slot.differs(inputs));
        differs.then(|| Call {
            inputs,
            ..self.clone()
        })
    }
}

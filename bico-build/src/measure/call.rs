//! A call, as it is made in the worker: its arguments, and the kernels that it runs.

use super::fill::{Fill, Stored};
use super::protocol::{Inputs, Slot};
use super::slot::BufferSlot;
use bico_core::device::Dims;
use bico_core::json::{Error, FromJson, Item, Json, ToJson};
use bico_core::{Value, json_struct};
use bico_syntax::bind::{Numbers, PassPlan};
use std::ops::Deref;
use std::sync::{Arc, OnceLock};
use std::vec;

/// So many calls are kept for those who come with the same.
const MOST_SHARED: usize = 64;

/// The lengths of a call's buffers, in elements.
#[derive(Debug, Clone, PartialEq)]
pub struct CallPlan {
    /// The kernel that is called, by its place among the tunable's.
    pub kernel: usize,
    /// Lengths of the wrapper's buffers, in order.
    pub buffers: Vec<u64>,
    /// The numbers of `#[init(..)]`, for each of them.
    pub fillings: Vec<Option<Numbers>>,
    /// The files that hold the content of some of them.
    pub stored: Vec<Option<Stored>>,
    /// Lengths of the scratch buffers, in order.
    pub scratch: Vec<u64>,
    /// What is run, in order.
    pub passes: Vec<PassPlan>,
    /// How the reference is launched there.
    pub reference_dims: Option<Dims>,
}

impl CallPlan {
    /// How its passes are launched on a GPU.
    pub fn launches(&self) -> impl Iterator<Item = &Dims> {
        self.passes.iter().filter_map(|pass| pass.dims.as_ref())
    }

    /// How the first of them is, if none of them has blocks and threads.
    pub(super) fn launches_nothing(&self) -> Option<Dims> {
        let nothing = self.launches().all(Dims::is_empty);
        self.launches().next().copied().filter(|_| nothing)
    }
}

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
        /// Whether a judge looks at its outputs, and says what may be left alone.
        pub(super) judged: bool,
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

/// A call that is asked for again and again: at the same size most configs are called alike. It is copied, compared and
/// written for each of them.
#[derive(Clone)]
pub(super) struct SharedCall(Arc<Written>);

/// A call, and what it is in JSON once somebody wanted that.
struct Written {
    call: Call,
    text: OnceLock<String>,
}

impl SharedCall {
    /// What it is in JSON.
    pub(super) fn text(&self) -> &str {
        let Written { call, text } = &*self.0;
        text.get_or_init(|| call.to_json().compact())
    }
}

impl From<Call> for SharedCall {
    fn from(call: Call) -> SharedCall {
        let text = OnceLock::new();
        SharedCall(Arc::new(Written { call, text }))
    }
}

/// The calls that were asked for last, by what they are made from: to make one, and to look for its like, is most of what a
/// check takes.
#[derive(Default)]
pub(super) struct SharedCalls(Vec<Kept>);

/// A call, and what it is made from.
struct Kept {
    scalars: Vec<Value>,
    plan: CallPlan,
    inputs: Inputs,
    /// `None` where these inputs would hold what others do.
    call: Option<SharedCall>,
}

impl SharedCalls {
    fn place(&self, scalars: &[Value], plan: &CallPlan, inputs: Inputs) -> Option<usize> {
        self.0
            .iter()
            .position(|of| of.scalars == scalars && of.inputs == inputs && of.plan == *plan)
    }

    /// A call that was kept; `None` inside where these inputs would hold what others do.
    pub(super) fn known(
        &self,
        scalars: &[Value],
        plan: &CallPlan,
        inputs: Inputs,
    ) -> Option<Option<SharedCall>> {
        let at = self.place(scalars, plan, inputs)?;
        Some(self.0[at].call.clone())
    }

    /// Keeps a call, shared with who came with the same before.
    pub(super) fn keep(
        &mut self,
        scalars: &[Value],
        plan: &CallPlan,
        inputs: Inputs,
        call: Option<Call>,
    ) -> Option<SharedCall> {
        let call = call.map(|call| {
            let mut known = self.0.iter().filter_map(|of| of.call.as_ref());
            let known = known.find(|known| ***known == call).cloned();
            known.unwrap_or_else(|| call.into())
        });
        match self.place(scalars, plan, inputs) {
            Some(before) => drop(self.0.remove(before)),
            None => self.0.truncate(MOST_SHARED - 1),
        }
        let kept = Kept {
            scalars: scalars.to_vec(),
            plan: plan.clone(),
            inputs,
            call: call.clone(),
        };
        self.0.insert(0, kept);
        call
    }
}

impl Deref for SharedCall {
    type Target = Call;

    fn deref(&self) -> &Call {
        &self.0.call
    }
}

impl ToJson for SharedCall {
    fn to_json(&self) -> Json {
        Json::Plain(self.text().to_string())
    }
}

impl FromJson for SharedCall {
    fn from_json(item: Item<'_>) -> Result<SharedCall, Error> {
        Call::from_json(item).map(SharedCall::from)
    }
}

impl Call {
    /// The slots of its buffers.
    pub(super) fn buffers(&self) -> vec::IntoIter<&BufferSlot> {
        let mut buffers = Vec::with_capacity(self.slots.len());
        for slot in &self.slots {
            if let Slot::Buffer(slot) = slot {
                buffers.push(slot);
            }
        }
        buffers.into_iter()
    }

    /// Bytes of its buffers.
    pub(super) fn bytes(&self) -> u64 {
        let bytes = |slot: &BufferSlot| slot.len.saturating_mul(slot.size() as u64);
        self.buffers().map(bytes).fold(0, u64::saturating_add)
    }

    /// The slots of its results.
    pub(super) fn results(&self) -> impl Iterator<Item = &BufferSlot> {
        self.buffers().filter(|slot| slot.role.is_checked())
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

//! The arguments of a call, for programs that launch kernels themselves.

use super::protocol::{Inputs, Role, Slot};
use super::slot::BufferSlot;
use super::{CallPlan, data, plan};
use bico_core::device::TensorKind;
use bico_core::{Lists, Value};
use bico_device::measure::Bytes;
use bico_syntax::{Callee, Element, TunableSpec};

/// One argument of a kernel.
#[derive(Debug, Clone)]
pub enum Argument {
    /// The bits of a number, as the machine stores it.
    Scalar([u8; 8]),
    /// A buffer to be allocated.
    Buffer(Buffer),
    /// Such a buffer as a tensor of this kind, with its numbers for [`TensorKind::tensor`].
    Tensor(Buffer, TensorKind, Vec<i64>),
}

/// What a kernel expects of a buffer.
#[derive(Debug, Clone)]
pub struct Buffer {
    slot: BufferSlot,
}

impl Buffer {
    /// The argument's name, or that of the scratch buffer.
    pub fn name(&self) -> &str {
        &self.slot.name
    }

    /// The type of its numbers; of structures, that of the first one.
    pub fn element(&self) -> Element {
        let first = self.slot.columns.first();
        first.map_or(Element::U8, |column| column.element())
    }

    /// Its length in bytes; `None` where no address space holds it.
    pub fn bytes(&self) -> Option<usize> {
        self.slot.bytes()
    }

    /// Whether what the kernel leaves in it is a result.
    pub fn is_output(&self) -> bool {
        self.slot.role.is_checked()
    }

    /// Whether it belongs to bico, which gives it to the kernel full of zeros.
    pub fn is_scratch(&self) -> bool {
        matches!(self.slot.role, Role::Scratch | Role::Zeroed)
    }

    /// What it holds before the kernel runs, as `#[init(..)]` says; outputs that the kernel must write are
    /// full of NaNs. Another seed gives other random numbers.
    ///
    /// # Errors
    ///
    /// There is no generator for its elements.
    pub fn contents(&self, seed: u64) -> Result<Bytes, String> {
        if self.slot.role == Role::Output {
            let mut bytes = Bytes::zeroed(self.bytes().ok_or("the buffer is too long")?);
            bytes.as_mut_slice().fill(0xff);
            return Ok(bytes);
        }
        let slot = BufferSlot {
            seed: self.slot.seed ^ seed.rotate_left(32),
            ..self.slot.clone()
        };
        data::input(&slot, Inputs::Timed)
    }

    /// What is wrong with a result by the tunable's tolerance, for people; `None`: nothing.
    pub fn difference(&self, got: &[u8], want: &[u8]) -> Option<String> {
        let magnitudes = self.slot.magnitudes(want);
        self.slot.difference(got, want, &magnitudes, Inputs::Timed)
    }
}

/// What each pass of a tunable gets at some sizes, in order; its reference, which does without scratch, if
/// `reference`.
///
/// # Errors
///
/// The plan does not fit the tunable, a value does not fit its type, `inputs(..)` fills the buffers, a `__constant__` variable is to be filled, or a structure is passed by value.
pub fn arguments(
    spec: &TunableSpec,
    plan: &CallPlan,
    scalars: &[Value],
    reference: bool,
) -> Result<Vec<Vec<Argument>>, String> {
    if let Some(inputs) = &spec.inputs {
        let entry = &inputs.entry;
        return Err(format!(
            "`{entry}` fills the buffers, and only a build calls it"
        ));
    }
    let callee = match reference {
        true => Callee::Reference,
        false => Callee::Kernel(plan.kernel),
    };
    let call = plan::call(spec, plan, scalars, callee, 0)?;
    if let Some(slot) = call
        .buffers()
        .find(|slot| slot.symbol.is_some() || slot.by_value)
    {
        let name = &slot.name;
        return Err(format!(
            "`{name}` is a structure by value, or what a `__constant__` variable holds"
        ));
    }
    let argument = |at: &usize| match call.slots[*at].clone() {
        Slot::Scalar(bits) => Ok(Argument::Scalar(bits.to_ne_bytes())),
        Slot::Buffer(slot) => Ok(Argument::Buffer(Buffer { slot })),
        Slot::Tensor(map) => match call.slots[map.of].clone() {
            Slot::Buffer(slot) => Ok(Argument::Tensor(Buffer { slot }, map.kind, map.numbers)),
            _ => Err(format!("`{}` is no buffer", map.name)),
        },
    };
    let passes = call.passes.iter();
    let passes = passes.map(|pass| pass.given.iter().map(argument).try_collect_vec());
    passes.try_collect_vec()
}

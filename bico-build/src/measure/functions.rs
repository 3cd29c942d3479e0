//! The calls of an author's functions in C that go with a kernel's: what fills its buffers, and what judges its results.

use super::column::Column;
use super::fill::Fill;
use super::plan::{self, CallPlan, also};
use super::protocol::{Call, Inputs, Pass, Role, Slot};
use super::slot::BufferSlot;
use bico_core::{Lists, Value};
use bico_syntax::{Argument, Callee, Element, TunableSpec};

/// Bytes in which a judge says why results are wrong.
const ROOM: u64 = 256;

/// The call of the author's function that fills buffers: what a kernel reads is its result, and nothing else may change.
/// Where it leaves something alone, that stays as it usually is; of other inputs the first half, as ever.
///
/// # Errors
///
/// As [`plan::call`].
pub(super) fn filling(
    spec: &TunableSpec,
    plan: &CallPlan,
    scalars: &[Value],
    seed: u64,
    inputs: Inputs,
) -> Result<Call, String> {
    let mut call = plan::call(spec, plan, scalars, Callee::Inputs, seed)?;
    call.inputs = inputs;
    for slot in &mut call.slots {
        if let Slot::Buffer(slot) = slot {
            slot.role = match slot.role {
                Role::Output => Role::Input,
                _ => Role::InOut,
            };
            if slot.fill == Fill::Usual {
                slot.fill = Fill::Calm;
            }
        }
    }
    // None of them is 0, of which some generators make nothing but zeros.
    let number = 1 + u64::from(inputs == Inputs::Others);
    let seed = (seed << 1).wrapping_add(number);
    let seed = also(&mut call.slots, seed);
    for pass in &mut call.passes {
        pass.given.push(seed);
    }
    Ok(call)
}

/// The call of the author's judge of a kernel's call: it reads the arguments, with results in the place of outputs, what
/// in/out buffers held before, and what is right if `expected`. Then it may say why they are wrong.
pub(super) fn judging(spec: &TunableSpec, call: &Call, expected: bool) -> Call {
    let is_passed = |of: &&Argument| of.kind.layout().is_some() || of.kind.by_value().is_some();
    let mut slots = call.slots.clone();
    slots.truncate(spec.arguments.iter().filter(is_passed).count());
    let (mut before, mut right) = (Vec::new(), Vec::new());
    for slot in &mut slots {
        let Slot::Buffer(slot) = slot else { continue };
        if slot.role == Role::InOut {
            let role = Role::Input;
            before.push(Slot::Buffer(BufferSlot {
                role,
                ..slot.clone()
            }));
        }
        if slot.role.is_checked() {
            slot.role = Role::Output;
            right.push(Slot::Buffer(slot.clone()));
        }
    }
    let said = |element: Element, len: u64| {
        Slot::Buffer(BufferSlot {
            name: "what it says".into(),
            columns: Column::plain(element),
            len,
            role: Role::Output,
            fill: Fill::Zeros,
            seed: 0,
            align: element.size(),
            symbol: None,
            by_value: false,
        })
    };
    slots.extend(before);
    slots.extend(right.into_iter().filter(|_| expected));
    slots.extend([
        said(Element::U8, ROOM),
        Slot::Scalar(ROOM),
        said(Element::I32, 1),
    ]);
    let pass = Pass {
        given: (0..slots.len()).collect_vec(),
        dims: None,
    };
    Call {
        slots,
        passes: vec![pass],
        ..*call
    }
}

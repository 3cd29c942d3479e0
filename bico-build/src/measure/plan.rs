//! From a tunable's arguments and the lengths at some sizes to a call that the worker can make.

pub use super::call::CallPlan;
pub use super::candidates::Candidates;
use super::column::Column;
use super::data::by_type;
use super::fill::Fill;
use super::half::Half;
use super::protocol::{Call, Case, Inputs, Pass, Role, Slot, TensorSlot};
use super::slot::BufferSlot;
use super::tolerance::Tolerance;
use bico_core::device::TENSOR_ALIGN;
use bico_core::{Lists, Value};
use bico_device::os;
use bico_syntax::bind::PassPlan;
use bico_syntax::{ArgumentKind, Callee, Element, KernelArgument, Scratch, TensorMap, TunableSpec};

/// Small sizes per config.
pub(super) const MOST_SIZES: usize = 16;

/// Elements of the largest buffer at a small size.
pub(super) const LARGEST_BUFFER: u64 = 1_000_000;

/// Elements of all scratch buffers at an awkward size: to fill more, a dozen times, takes longer than to time a config.
pub(super) const LARGEST_SCRATCH: u64 = 16_000_000;

/// Address space that a kernel may use beyond its buffers.
const SPARE: u64 = 4 << 30;

/// The least of it, however little memory is free.
const LEAST_SPARE: u64 = 512 << 20;

/// `m = 1, n = 3`
pub(super) fn label(spec: &TunableSpec, scalars: &[Value]) -> String {
    let parts = bico_syntax::bind::scalars(spec).into_iter().zip(scalars);
    let parts: Vec<String> = parts
        .map(|(name, value)| format!("{name} = {value}"))
        .collect_vec();
    match parts.is_empty() {
        true => "its only size".to_string(),
        false => parts.join(", "),
    }
}

/// The call of a config, or of the reference, which does without scratch. `seed` is that of all inputs.
///
/// # Errors
///
/// The plan does not fit the tunable, or a value does not fit its type.
pub(super) fn call(
    spec: &TunableSpec,
    plan: &CallPlan,
    scalars: &[Value],
    callee: Callee,
    seed: u64,
) -> Result<Call, String> {
    let (mut slots, places) = argument_slots(spec, plan, scalars, callee, seed)?;
    let of = |dims| {
        let passed = Vec::new();
        [PassPlan { passed, dims }]
    };
    let (reference, alone) = (of(plan.reference_dims), of(None));
    let (scratch, plans) = match callee {
        Callee::Kernel(_) => (&spec.scratch[..], &plan.passes[..]),
        Callee::Reference => (&[][..], &reference[..]),
        Callee::Inputs | Callee::Judge | Callee::Drive => (&[][..], &alone[..]),
    };
    let on_gpu = plans.iter().any(|plan| plan.dims.is_some());
    // What fills a variable is no parameter, but goes with those of the first pass.
    let is_constant = |slot: &Slot| matches!(slot, Slot::Buffer(of) if of.symbol.is_some());
    let constants = (0..slots.len()).filter(|at| on_gpu && is_constant(&slots[*at]));
    let mut constants: Vec<usize> = constants.collect_vec();
    let first_scratch = slots.len();
    slots.extend(scratch_slots(scratch, plan, on_gpu)?);
    // Where a buffer or an argument is; what `args` computes comes behind them.
    let lies = |given: &KernelArgument| match given {
        KernelArgument::Argument(at) => Some(places[*at]),
        KernelArgument::Scratch(at) => Some(first_scratch + at),
        _ => None,
    };
    let (mut passes, mut computed) = (Vec::new(), Vec::new());
    for (passed, own) in spec.kernel_arguments(callee).into_iter().zip(plans) {
        let mut values = own.passed.iter();
        let mut given = Vec::new();
        for passed in passed {
            if let Some(at) = lies(&passed) {
                given.push(at);
                continue;
            }
            let slot = match passed {
                KernelArgument::Tensor(map) => {
                    let of = lies(&map.buffer).ok_or("a tensor map is a view of a buffer")?;
                    tensor_slot(spec, &map, of, &mut values)
                }
                KernelArgument::Value(text, element) => {
                    let value = values.next().ok_or("`args` has no values at these sizes")?;
                    let bits = bits(element, *value);
                    Slot::Scalar(bits.map_err(|why| format!("`{text}` in `args`: {why}"))?)
                }
                _ => Slot::Scalar(0),
            };
            slots.push(slot);
            computed.push(slots.len() - 1);
            given.extend(computed.last());
        }
        given.append(&mut constants);
        let lengths = plan.buffers.iter().filter(|_| spec.gets_slices(callee));
        given.extend(lengths.map(|len| also(&mut slots, *len)));
        let dims = own.dims;
        passes.push(Pass { given, dims });
    }
    if let (Callee::Kernel(_), true) = (callee, spec.drive.is_some()) {
        // On a GPU it launches what the others say, as they say.
        if !on_gpu {
            passes.clear();
        }
        let given = spec.kernel_arguments(Callee::Drive).into_iter().flatten();
        let given = given.filter_map(|given| lies(&given));
        // What `args` computes is no business of the driver's: its launchers know it.
        let given = given.chain(computed).collect_vec();
        passes.push(Pass { given, dims: None });
    }
    Ok(Call {
        slots,
        passes,
        inputs: Inputs::Timed,
        judged: spec.verify.judge.is_some(),
    })
}

/// The wrapper's buffers and scalars, and the place of each argument among them.
fn argument_slots(
    spec: &TunableSpec,
    plan: &CallPlan,
    scalars: &[Value],
    callee: Callee,
    seed: u64,
) -> Result<(Vec<Slot>, Vec<usize>), String> {
    let (mut lengths, mut values) = (plan.buffers.iter(), scalars.iter());
    let (mut fillings, mut stored) = (plan.fillings.iter(), plan.stored.iter());
    let mut slots = Vec::new();
    let mut places = Vec::with_capacity(spec.arguments.len());
    for (at, argument) in spec.arguments.iter().enumerate() {
        let name = &argument.name.text;
        let missing = || format!("`{name}` has no value at these sizes");
        places.push(slots.len());
        match &argument.kind {
            ArgumentKind::Buffer {
                layout,
                mutable,
                init,
                align,
                symbol,
                ..
            } => {
                slots.push(Slot::Buffer(BufferSlot {
                    name: name.clone(),
                    columns: Column::all(layout, |element| match mutable {
                        true => Tolerance::of(spec, name, element),
                        false => Tolerance::EXACT,
                    }),
                    len: *lengths.next().ok_or_else(missing)?,
                    role: role(*mutable, init.is_some()),
                    fill: match (stored.next().cloned().flatten(), fillings.next()) {
                        (Some(stored), _) => Fill::Stored(stored),
                        (None, numbers) => Fill::new(init.as_ref(), numbers.copied().flatten()),
                    },
                    seed: seed.rotate_left(32) ^ at as u64,
                    align: match spec.is_mapped(at) {
                        true => align.bytes(layout).max(TENSOR_ALIGN as usize),
                        false => align.bytes(layout),
                    },
                    symbol: symbol.clone(),
                    by_value: false,
                }));
            }
            ArgumentKind::Scalar(element) | ArgumentKind::Value { element, .. } => {
                let bits = bits(*element, *values.next().ok_or_else(missing)?);
                let bits = bits.map_err(|text| format!("`{name}`: {text}"))?;
                slots.push(Slot::Scalar(bits));
            }
            ArgumentKind::Structure(layout) => slots.push(Slot::Buffer(BufferSlot {
                name: name.clone(),
                columns: Column::all(layout, |_| Tolerance::EXACT),
                len: 1,
                role: Role::Input,
                fill: Fill::Usual,
                // Another one at each size.
                seed: seed.rotate_left(32) ^ (number(scalars) << 8) ^ at as u64,
                align: layout.align,
                symbol: None,
                // Who fills it gets its address.
                by_value: callee != Callee::Inputs,
            })),
            ArgumentKind::Stream | ArgumentKind::Selector(_) => {}
        }
    }
    Ok((slots, places))
}

/// A tensor map of what is in the slot `of`, with its numbers from those that `args` computes.
fn tensor_slot<'a>(
    spec: &TunableSpec,
    map: &TensorMap,
    of: usize,
    values: &mut impl Iterator<Item = &'a Value>,
) -> Slot {
    let numbers = values.take(map.numbers().len());
    let numbers = numbers.filter_map(|value| match value {
        Value::Int(value) => Some(*value),
        _ => None,
    });
    Slot::Tensor(TensorSlot {
        of,
        name: spec.viewed(map).to_string(),
        kind: map.kind(),
        numbers: numbers.collect_vec(),
    })
}

/// A number that differs between sizes, mostly.
fn number(scalars: &[Value]) -> u64 {
    let mix = |sum: u64, value: &Value| match value {
        Value::Int(size) => sum.wrapping_mul(31).wrapping_add(*size as u64),
        _ => sum,
    };
    scalars.iter().fold(0, mix)
}

/// What a kernel does with an argument.
fn role(mutable: bool, is_filled: bool) -> Role {
    match (mutable, is_filled) {
        (false, _) => Role::Input,
        (true, true) => Role::InOut,
        (true, false) => Role::Output,
    }
}

/// The scratch buffers of a kernel.
fn scratch_slots(scratch: &[Scratch], plan: &CallPlan, on_gpu: bool) -> Result<Vec<Slot>, String> {
    let mut slots = Vec::new();
    let mut lengths = plan.scratch.iter();
    for scratch in scratch {
        let name = &scratch.name.text;
        let missing = || format!("scratch `{name}` has no length at these sizes");
        slots.push(Slot::Buffer(BufferSlot {
            name: name.clone(),
            columns: Column::plain(scratch.element),
            len: *lengths.next().ok_or_else(missing)?,
            role: match scratch.zeroed {
                true => Role::Zeroed,
                false => Role::Scratch,
            },
            // No input: what it holds goes by its role.
            fill: Fill::Zeros,
            seed: 0,
            // As programs give it to kernels.
            align: if on_gpu { 256 } else { 64 },
            symbol: None,
            by_value: false,
        }));
    }
    Ok(slots)
}

/// One more number for the kernel, and where it is.
pub(super) fn also(slots: &mut Vec<Slot>, bits: u64) -> usize {
    slots.push(Slot::Scalar(bits));
    slots.len() - 1
}

/// A value in the first bytes of a word, as the machine stores it.
#[allow(clippy::unnecessary_cast)] // Not for every type.
pub(super) fn bits(element: Element, value: Value) -> Result<u64, String> {
    let mut bytes = [0; 8];
    let mut put = |from: &[u8]| bytes[..from.len()].copy_from_slice(from);
    let misfit = || format!("{value} is no {}", element.name());
    let float = match value {
        Value::Float(value) => Some(value),
        Value::Int(value) => Some(value as f64),
        Value::Bool(_) | Value::Str(_) => None,
    };
    match (value, float) {
        (Value::Bool(value), _) if element == Element::Bool => put(&[u8::from(value)]),
        (Value::Int(value), _) if element.is_integer() => by_type!(
            element,
            Number => {
                let number = value as Number;
                if number as i128 != i128::from(value) {
                    return Err(misfit());
                }
                put(&number.to_ne_bytes());
            },
            _ => return Err(misfit())
        ),
        (_, Some(value)) if element == Element::F32 => put(&(value as f32).to_ne_bytes()),
        (_, Some(value)) if element == Element::F64 => put(&value.to_ne_bytes()),
        (_, Some(value)) => {
            let half = Half::of(element).ok_or_else(misfit)?;
            put(&half.bits(value).to_ne_bytes());
        }
        _ => return Err(misfit()),
    }
    Ok(u64::from_ne_bytes(bytes))
}

/// Bytes of memory for a call: its buffers, what inputs are filled from, and what results are compared with.
pub(super) fn needed(call: &Call) -> u64 {
    call.bytes().saturating_mul(2).saturating_add(LEAST_SPARE)
}

/// Bytes of address space for a call: its buffers, what they are filled and compared with, and
/// something for the kernel itself, but not so much that a greedy one takes the machine down.
pub(super) fn memory(call: &Call) -> u64 {
    let spare = match crate::os::available_memory() {
        Some(free) => SPARE.min(free / 2).max(LEAST_SPARE),
        None => SPARE,
    };
    call.bytes().saturating_mul(4).saturating_add(spare)
}

/// The same for a case, with what its judge needs.
pub(super) fn memory_of(case: &Case) -> u64 {
    let judge = case.judge.iter().map(|judge| memory(&judge.call));
    judge.fold(memory(&case.call), u64::saturating_add)
}

/// Bytes of address space that lie around the buffers of a call, and hold nothing.
pub(super) fn fences(call: &Call) -> u64 {
    call.buffers().count() as u64 * 2 * os::GUARD as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_stored_as_the_machine_does() {
        let first = |element, value| bits(element, value).unwrap().to_ne_bytes();
        assert_eq!(first(Element::U32, Value::Int(7))[..4], 7_u32.to_ne_bytes());
        assert_eq!(first(Element::I8, Value::Int(-1))[0], 255);
        assert_eq!(
            first(Element::F32, Value::Float(0.5))[..4],
            0.5_f32.to_ne_bytes()
        );
        assert_eq!(
            first(Element::F16, Value::Float(0.5))[..2],
            0x3800_u16.to_ne_bytes()
        );
        assert_eq!(
            first(Element::Bf16, Value::Int(1))[..2],
            0x3f80_u16.to_ne_bytes()
        );
        assert_eq!(first(Element::Bool, Value::Bool(true))[0], 1);
        assert!(
            bits(Element::U8, Value::Int(256))
                .unwrap_err()
                .contains("256 is no u8")
        );
        assert!(bits(Element::I32, Value::Bool(true)).is_err());
    }
}

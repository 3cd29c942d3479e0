//! From a tunable's arguments and the lengths at some sizes to a call that the worker can make.

use super::data;
use super::half::Half;
use super::protocol::{BufferSlot, Call, Fill, Role, Slot};
use bico_core::Value;
use bico_core::device::Dims;
use bico_syntax::{ArgumentKind, Element, TunableSpec};

/// Small sizes per config.
pub(super) const MOST_SIZES: usize = 8;

/// Elements of the largest buffer at a small size.
pub(super) const LARGEST_BUFFER: u64 = 1_000_000;

/// Address space that a kernel may use beyond its buffers.
const SPARE: u64 = 4 << 30;

/// The least of it, however little memory is free.
const LEAST_SPARE: u64 = 512 << 20;

/// The lengths of a call's buffers, in elements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallPlan {
    /// Lengths of the wrapper's buffers, in order.
    pub buffers: Vec<u64>,
    /// Lengths of the scratch buffers, in order.
    pub scratch: Vec<u64>,
    /// How the kernel is launched, on a GPU.
    pub dims: Option<Dims>,
    /// How the reference is launched there.
    pub reference_dims: Option<Dims>,
}

impl CallPlan {
    /// The length of the largest buffer.
    pub(super) fn largest(&self) -> u64 {
        self.buffers
            .iter()
            .chain(&self.scratch)
            .copied()
            .max()
            .unwrap_or(0)
    }
}

/// `m = 1, n = 3`
pub(super) fn label(spec: &TunableSpec, scalars: &[Value]) -> String {
    let parts = bico_bind::scalars(spec).into_iter().zip(scalars);
    let parts: Vec<String> = parts
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    if parts.is_empty() {
        "its only size".to_string()
    } else {
        parts.join(", ")
    }
}

/// The call of the kernel, or of the reference, which does without scratch. `seed` is that of all inputs.
///
/// # Errors
///
/// The plan does not fit the tunable, or a value does not fit its type.
pub(super) fn call(
    spec: &TunableSpec,
    plan: &CallPlan,
    scalars: &[Value],
    with_scratch: bool,
    seed: u64,
) -> Result<Call, String> {
    let (mut lengths, mut scalars) = (plan.buffers.iter(), scalars.iter());
    let mut slots = Vec::new();
    for (at, argument) in spec.arguments.iter().enumerate() {
        let name = &argument.name.text;
        let missing = || format!("`{name}` has no value at these sizes");
        match &argument.kind {
            ArgumentKind::Buffer {
                element,
                mutable,
                init,
                ..
            } => {
                let role = match (*mutable, init) {
                    (false, _) => Role::Input,
                    (true, Some(_)) => Role::InOut,
                    (true, None) => Role::Output,
                };
                slots.push(Slot::Buffer(BufferSlot {
                    name: name.clone(),
                    element: *element,
                    len: *lengths.next().ok_or_else(missing)?,
                    role,
                    fill: init.map_or_else(|| data::default_fill(*element), Fill::from),
                    seed: seed.rotate_left(32) ^ at as u64,
                }));
            }
            ArgumentKind::Scalar(element) => {
                let value = scalars.next().ok_or_else(missing)?;
                slots.push(Slot::Scalar(
                    bits(*element, *value).map_err(|text| format!("`{name}`: {text}"))?,
                ));
            }
            ArgumentKind::Stream | ArgumentKind::Selector(_) => {}
        }
    }
    if with_scratch {
        let mut lengths = plan.scratch.iter();
        for scratch in &spec.scratch {
            let name = &scratch.name.text;
            let len = *lengths
                .next()
                .ok_or_else(|| format!("scratch `{name}` has no length at these sizes"))?;
            slots.push(Slot::Buffer(BufferSlot {
                name: name.clone(),
                element: scratch.element,
                len,
                role: match scratch.zeroed {
                    true => Role::Zeroed,
                    false => Role::Scratch,
                },
                // No input: what it holds goes by its role.
                fill: Fill::Zeros,
                seed: 0,
            }));
        }
    }
    Ok(Call {
        slots,
        dims: if with_scratch {
            plan.dims
        } else {
            plan.reference_dims
        },
    })
}

/// A value in the first bytes of a word, as the machine stores it.
fn bits(element: Element, value: Value) -> Result<u64, String> {
    let mut bytes = [0; 8];
    let mut put = |from: &[u8]| bytes[..from.len()].copy_from_slice(from);
    let misfit = || format!("{value} is no {}", element.name());
    macro_rules! whole {
        ($number:ty, $value:expr) => {
            put(&<$number>::try_from($value)
                .map_err(|_| misfit())?
                .to_ne_bytes())
        };
    }
    match (element, value) {
        (Element::F32, Value::Float(value)) => put(&(value as f32).to_ne_bytes()),
        (Element::F32, Value::Int(value)) => put(&(value as f32).to_ne_bytes()),
        (Element::F64, Value::Float(value)) => put(&value.to_ne_bytes()),
        (Element::F64, Value::Int(value)) => put(&(value as f64).to_ne_bytes()),
        (Element::Bool, Value::Bool(value)) => put(&[u8::from(value)]),
        (Element::I8, Value::Int(value)) => whole!(i8, value),
        (Element::I16, Value::Int(value)) => whole!(i16, value),
        (Element::I32, Value::Int(value)) => whole!(i32, value),
        (Element::I64, Value::Int(value)) => put(&value.to_ne_bytes()),
        (Element::Isize, Value::Int(value)) => whole!(isize, value),
        (Element::U8, Value::Int(value)) => whole!(u8, value),
        (Element::U16, Value::Int(value)) => whole!(u16, value),
        (Element::U32, Value::Int(value)) => whole!(u32, value),
        (Element::U64, Value::Int(value)) => whole!(u64, value),
        (Element::Usize, Value::Int(value)) => whole!(usize, value),
        _ => {
            let half = Half::of(element).ok_or_else(misfit)?;
            let value = match value {
                Value::Float(value) => value,
                Value::Int(value) => value as f64,
                Value::Bool(_) | Value::Str(_) => return Err(misfit()),
            };
            put(&half.bits(value).to_ne_bytes());
        }
    }
    Ok(u64::from_ne_bytes(bytes))
}

/// Bytes of address space for a call: its buffers, what they are filled and compared with, and
/// something for the kernel itself, but not so much that a greedy one takes the machine down.
pub(super) fn memory(call: &Call) -> u64 {
    let buffers: u64 = call
        .slots
        .iter()
        .map(|slot| match slot {
            Slot::Scalar(_) => 0,
            Slot::Buffer(slot) => slot.len.saturating_mul(slot.element.size() as u64),
        })
        .fold(0, u64::saturating_add);
    let spare = match crate::os::available_memory() {
        Some(free) => SPARE.min(free / 2).max(LEAST_SPARE),
        None => SPARE,
    };
    buffers.saturating_mul(4).saturating_add(spare)
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

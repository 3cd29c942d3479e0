//! What is in buffers before a kernel runs: inputs that every run of every build makes alike, and
//! the poison that shows which outputs a kernel left alone.

use super::half::Half;
use super::protocol::{BufferSlot, Fill};
use bico_device::measure::{Bytes, numbers, numbers_mut};
use bico_syntax::Element;

/// Uniform values repeat after this many elements, a prime, so that no tile or row length divides
/// it. Drawing is slow in unoptimised builds; copying is not.
const PERIOD: usize = 1_048_573;

/// The fixed seed; the argument's own number is added to it.
const SEED: u64 = 0x6269_636f;

/// The contents of an input.
///
/// # Errors
///
/// There is no generator for the type, or no memory.
pub(super) fn input(slot: &BufferSlot) -> Result<Bytes, String> {
    let len = usize::try_from(slot.len).map_err(|_| format!("`{}` is too long", slot.name))?;
    let mut bytes = Bytes::zeroed(
        slot.bytes()
            .ok_or_else(|| format!("`{}` is too long", slot.name))?,
    );
    let to = bytes.as_mut_slice();
    match slot.fill {
        Fill::Zeros => {}
        Fill::Ones => constant(slot, to)?,
        Fill::Iota => iota(slot, to)?,
        Fill::Uniform(low, high) => {
            let first = len.min(PERIOD) * slot.element.size();
            uniform(slot, low, high, &mut to[..first])?;
            repeat(to, first);
        }
    }
    Ok(bytes)
}

/// Copies the first bytes over the rest, again and again.
fn repeat(to: &mut [u8], first: usize) {
    let mut done = first;
    while done < to.len() {
        let step = (to.len() - done).min(done);
        let (from, rest) = to.split_at_mut(done);
        rest[..step].copy_from_slice(&from[..step]);
        done += step;
    }
}

fn unsupported(slot: &BufferSlot) -> String {
    format!(
        "`{}`: elements of type {} cannot be measured",
        slot.name,
        slot.element.name()
    )
}

/// Runs a block once for the type of an element, as the alias `$number` of a type of that width.
macro_rules! by_type {
    ($slot:expr, $number:ident => $body:expr) => {
        match $slot.element {
            Element::F32 => {
                type $number = f32;
                $body
            }
            Element::F64 => {
                type $number = f64;
                $body
            }
            Element::I8 => {
                type $number = i8;
                $body
            }
            Element::I16 => {
                type $number = i16;
                $body
            }
            Element::I32 => {
                type $number = i32;
                $body
            }
            Element::I64 | Element::Isize => {
                type $number = i64;
                $body
            }
            Element::U8 | Element::Bool => {
                type $number = u8;
                $body
            }
            Element::U16 => {
                type $number = u16;
                $body
            }
            Element::U32 => {
                type $number = u32;
                $body
            }
            Element::U64 | Element::Usize => {
                type $number = u64;
                $body
            }
            // The 16-bit floats are numbers of no Rust type: `halves`.
            Element::F16 | Element::Bf16 | Element::Str => return Err(unsupported($slot)),
        }
    };
}

/// Writes 16-bit floats, one value after the other.
fn halves(half: Half, to: &mut [u8], mut value: impl FnMut(u64) -> f64) {
    let to = numbers_mut::<u16>(to);
    let mut at = 0;
    while at < to.len() {
        to[at] = half.bits(value(at as u64));
        at += 1;
    }
}

fn constant(slot: &BufferSlot, to: &mut [u8]) -> Result<(), String> {
    if let Some(half) = Half::of(slot.element) {
        halves(half, to, |_| 1.0);
        return Ok(());
    }
    by_type!(slot, Number => numbers_mut::<Number>(to).fill(1 as Number));
    Ok(())
}

/// 0, 1, 2, ...; what is too narrow to count on starts again at 0, truth values alternate.
#[allow(clippy::unnecessary_cast)] // Not for every type.
fn iota(slot: &BufferSlot, to: &mut [u8]) -> Result<(), String> {
    if let Some(half) = Half::of(slot.element) {
        halves(half, to, |at| (at % half.last_integer()) as f64);
        return Ok(());
    }
    let mask = if slot.element == Element::Bool {
        1
    } else {
        u64::MAX
    };
    by_type!(slot, Number => {
        let to = numbers_mut::<Number>(to);
        // Signed integers stay at 0 and above.
        let limit = if slot.element.is_float() { u64::MAX } else { Number::MAX as u64 };
        let mask = mask & limit;
        let mut at = 0;
        while at < to.len() {
            to[at] = (at as u64 & mask) as Number;
            at += 1;
        }
    });
    Ok(())
}

/// Values in `[low, high)`. Floats take the upper 53 bits of each draw; integers are rounded down;
/// truth values are drawn evenly.
fn uniform(slot: &BufferSlot, low: f64, high: f64, to: &mut [u8]) -> Result<(), String> {
    let mut state = SEED.wrapping_add(slot.seed);
    let width = high - low;
    let element = slot.element;
    if element == Element::Bool {
        for byte in to {
            *byte = (draw(&mut state) >> 63) as u8;
        }
        return Ok(());
    }
    let mut next =
        || low + width * ((draw(&mut state) >> 11) as f64 * (1.0 / (1_u64 << 53) as f64));
    if let Some(half) = Half::of(element) {
        halves(half, to, |_| next());
        return Ok(());
    }
    by_type!(slot, Number => {
        let to = numbers_mut::<Number>(to);
        let mut at = 0;
        while at < to.len() {
            let value = next();
            // `as` saturates, so what the type cannot hold becomes its nearest value.
            to[at] = if element.is_float() { value as Number } else { value.floor() as Number };
            at += 1;
        }
    });
    Ok(())
}

/// SplitMix64: a counter, scrambled.
fn draw(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// How a buffer without `#[init]` is filled.
pub(super) fn default_fill(element: Element) -> Fill {
    match element {
        Element::U8 | Element::U16 | Element::U32 | Element::U64 | Element::Usize => {
            Fill::Uniform(0.0, 16.0)
        }
        _ if element.is_integer() => Fill::Uniform(-8.0, 8.0),
        _ => Fill::Uniform(-1.0, 1.0),
    }
}

/// What outputs hold before a run: odd integers, and as floats signaling NaNs, which any arithmetic
/// turns into others. An element that a kernel wrote may equal one of the two poisons, but not both
/// in two runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Poison {
    First,
    Second,
}

impl Poison {
    fn word(self) -> u32 {
        match self {
            Poison::First => 0x7fa5_c3a9,
            Poison::Second => 0xff9a_3c56,
        }
    }

    fn double_word(self) -> u64 {
        match self {
            Poison::First => 0x7ff4_a9c3_657f_c3a9,
            Poison::Second => 0xfff1_563c_9a80_3c56,
        }
    }

    /// For 16-bit floats. The halves of the word are no NaNs of theirs.
    fn half_word(self, element: Element) -> u16 {
        match (self, element) {
            (Poison::First, Element::F16) => 0x7da9,
            (Poison::Second, Element::F16) => 0xfc56,
            (Poison::First, _) => 0x7fa9,
            (Poison::Second, _) => 0xff96,
        }
    }

    /// What memory holds, again and again.
    fn pattern(self, element: Element) -> [u8; 8] {
        let mut pattern = [0; 8];
        let mut lay = |piece: &[u8]| {
            for to in pattern.chunks_exact_mut(piece.len()) {
                to.copy_from_slice(piece);
            }
        };
        match element {
            Element::F16 | Element::Bf16 => lay(&self.half_word(element).to_ne_bytes()),
            _ if element.size() == 8 => lay(&self.double_word().to_ne_bytes()),
            _ => lay(&self.word().to_ne_bytes()),
        }
        pattern
    }

    /// Fills memory of such elements.
    pub(super) fn fill(self, element: Element, to: &mut [u8]) {
        let pattern = self.pattern(element);
        let first = to.len().min(pattern.len());
        to[..first].copy_from_slice(&pattern[..first]);
        repeat(to, first);
    }

    /// The elements that still hold it, in order.
    pub(super) fn left(self, element: Element, bytes: &[u8]) -> Vec<usize> {
        let mut found = Vec::new();
        let pattern = u64::from_ne_bytes(self.pattern(element));
        macro_rules! look {
            ($number:ty) => {{
                let (elements, bytes) = (numbers::<$number>(bytes), pattern.to_ne_bytes());
                let poison: [$number; 8 / size_of::<$number>()] = std::array::from_fn(|at| {
                    let from = at * size_of::<$number>();
                    let piece = bytes[from..].first_chunk().copied();
                    <$number>::from_ne_bytes(piece.unwrap_or_default())
                });
                let mut at = 0;
                while at < elements.len() {
                    if elements[at] == poison[at % poison.len()] {
                        found.push(at);
                    }
                    at += 1;
                }
            }};
        }
        match element.size() {
            1 => look!(u8),
            2 => look!(u16),
            4 => look!(u32),
            _ => look!(u64),
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::super::protocol::Role;
    use super::*;

    fn slot(element: Element, len: u64, fill: Fill) -> BufferSlot {
        BufferSlot {
            name: "x".into(),
            element,
            len,
            role: Role::Input,
            fill,
            seed: 1,
        }
    }

    #[test]
    fn inputs_are_in_range_and_alike_every_time() {
        let wanted = slot(Element::F32, 1000, Fill::Uniform(-1.0, 1.0));
        let bytes = input(&wanted).unwrap();
        let values = numbers::<f32>(bytes.as_slice());
        assert!(values.iter().all(|v| (-1.0..1.0).contains(v)));
        let mean = values.iter().sum::<f32>() / 1000.0;
        assert!(mean.abs() < 0.1, "{mean}");
        assert_eq!(bytes.as_slice(), input(&wanted).unwrap().as_slice());
        let other = input(&BufferSlot { seed: 2, ..wanted }).unwrap();
        assert_ne!(bytes.as_slice(), other.as_slice());
        // The generator is part of what a lock's results rest on.
        assert_eq!(draw(&mut 0), 0xe220_a839_7b1d_cdaf);
    }

    #[test]
    fn every_type_and_fill() {
        let ints =
            |fill| numbers::<i32>(input(&slot(Element::I32, 5, fill)).unwrap().as_slice()).to_vec();
        assert_eq!(ints(Fill::Iota), [0, 1, 2, 3, 4]);
        assert_eq!(ints(Fill::Ones), [1; 5]);
        assert!(
            ints(Fill::Uniform(-3.0, 3.0))
                .iter()
                .all(|v| (-3..3).contains(v))
        );
        let bools = input(&slot(Element::Bool, 100, Fill::Uniform(-1.0, 1.0))).unwrap();
        assert!(bools.as_slice().iter().all(|v| *v <= 1) && bools.as_slice().contains(&1));
        let bytes = input(&slot(Element::I8, 300, Fill::Iota)).unwrap();
        assert!(numbers::<i8>(bytes.as_slice()).iter().all(|v| *v >= 0));
        assert_eq!(
            numbers::<f64>(
                input(&slot(Element::F64, 2, Fill::Ones))
                    .unwrap()
                    .as_slice()
            ),
            [1.0, 1.0]
        );
    }

    #[test]
    fn floats_of_16_bits() {
        for (element, one, wraps) in [(Element::F16, 0x3c00, 2048), (Element::Bf16, 0x3f80, 256)] {
            let half = Half::of(element).unwrap();
            let values = |len, fill| -> Vec<f32> {
                let bytes = input(&slot(element, len, fill)).unwrap();
                let bits = numbers::<u16>(bytes.as_slice()).iter();
                bits.map(|bits| half.value(*bits)).collect()
            };
            let ones = input(&slot(element, 3, Fill::Ones)).unwrap();
            assert_eq!(numbers::<u16>(ones.as_slice()), [one; 3]);
            assert_eq!(values(3, Fill::Zeros), [0.0; 3]);
            let iota = values(2050, Fill::Iota);
            assert_eq!(iota[..4], [0.0, 1.0, 2.0, 3.0]);
            assert!(iota[wraps - 1] == wraps as f32 - 1.0 && iota[wraps] == 0.0);
            let drawn = values(1000, Fill::Uniform(-1.0, 1.0));
            assert!(drawn.iter().all(|v| (-1.0..=1.0).contains(v)));
            let mean = drawn.iter().sum::<f32>() / 1000.0;
            assert!(mean.abs() < 0.1, "{mean}");
            let wide = values(1000, Fill::Uniform(-1000.0, 1000.0));
            assert!(wide.iter().any(|v| *v < -900.0) && wide.iter().any(|v| *v > 900.0));
        }
    }

    #[test]
    fn long_inputs_repeat_a_prime_number_of_elements() {
        let bytes = input(&slot(
            Element::F32,
            PERIOD as u64 + 10,
            Fill::Uniform(-1.0, 1.0),
        ))
        .unwrap();
        let values = numbers::<f32>(bytes.as_slice());
        assert_eq!(values[..10], values[PERIOD..]);
    }

    #[test]
    fn poison_is_found_where_it_is_left() {
        for poison in [Poison::First, Poison::Second] {
            for element in [
                Element::I8,
                Element::U16,
                Element::F16,
                Element::Bf16,
                Element::F32,
                Element::F64,
            ] {
                let size = element.size();
                let mut bytes = Bytes::zeroed(20 * size);
                poison.fill(element, bytes.as_mut_slice());
                assert_eq!(poison.left(element, bytes.as_slice()).len(), 20);
                bytes.as_mut_slice()[..19 * size].fill(0);
                assert_eq!(poison.left(element, bytes.as_slice()), [19], "{element:?}");
            }
            for element in [Element::F16, Element::Bf16] {
                // A NaN, and a signaling one: the first bit of its fraction is not set.
                let half = Half::of(element).unwrap();
                let quiet = half.bits(f64::NAN) & !half.bits(f64::INFINITY);
                let bits = poison.half_word(element);
                assert!(half.value(bits).is_nan() && bits & quiet == 0, "{bits:#x}");
            }
            let (float, double) = (
                f32::from_bits(poison.word()),
                f64::from_bits(poison.double_word()),
            );
            assert!(float.is_nan() && double.is_nan());
            let (float, double) = (
                std::hint::black_box(float) + 1.0,
                std::hint::black_box(double) + 1.0,
            );
            assert!(float.to_bits() != poison.word() && double.to_bits() != poison.double_word());
        }
        let differ = |a: &[u8], b: &[u8]| a.iter().zip(b).all(|(a, b)| a != b);
        assert!(differ(
            &Poison::First.word().to_ne_bytes(),
            &Poison::Second.word().to_ne_bytes()
        ));
        for element in [Element::F16, Element::Bf16] {
            let [first, second] = [Poison::First, Poison::Second].map(|p| p.pattern(element));
            assert!(differ(&first, &second), "{element:?}");
        }
        assert!(differ(
            &Poison::First.double_word().to_ne_bytes(),
            &Poison::Second.double_word().to_ne_bytes()
        ));
    }
}

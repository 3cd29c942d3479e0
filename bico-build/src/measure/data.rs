//! What is in inputs before a kernel runs: every run of every build makes them alike.

use super::fill::{Fill, Stored};
use super::half::Half;
use super::plan::bits;
use super::protocol::Inputs;
use super::slot::BufferSlot;
use crate::files::could_not;
use bico_core::Value;
use bico_device::measure::{Bytes, numbers_mut, repeat};
use bico_syntax::Element;
use std::f64::consts::TAU;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

/// Uniform values repeat after this many elements, a prime, so that no tile or row length divides
/// it. Drawing is slow in unoptimised builds (1 to 4 ms for so many); copying is not.
const PERIOD: usize = 65_521;

/// The fixed seed; the argument's own number is added to it.
const SEED: u64 = 0x6269_636f;

/// Gives an expression for the type of an element, as the alias `$number` of a type of that width. The 16-bit
/// floats are numbers of no Rust type: [`Half`].
macro_rules! by_type {
    (@ $type:ty, $number:ident => $value:expr) => {{
        type $number = $type;
        $value
    }};
    ($element:expr, $number:ident => $value:expr, _ => $other:expr) => {
        match $element {
            Element::F32 => by_type!(@ f32, $number => $value),
            Element::F64 => by_type!(@ f64, $number => $value),
            Element::I8 => by_type!(@ i8, $number => $value),
            Element::I16 => by_type!(@ i16, $number => $value),
            Element::I32 => by_type!(@ i32, $number => $value),
            Element::I64 | Element::Isize => by_type!(@ i64, $number => $value),
            Element::U8 | Element::Bool => by_type!(@ u8, $number => $value),
            Element::U16 => by_type!(@ u16, $number => $value),
            Element::U32 => by_type!(@ u32, $number => $value),
            Element::U64 | Element::Usize => by_type!(@ u64, $number => $value),
            Element::F16 | Element::Bf16 | Element::Str => $other,
        }
    };
}
pub(super) use by_type;

/// What is changed of a seed for other numbers.
const OTHER: u64 = 0x6f74_6865_7200_0000;

/// The contents of an input.
///
/// # Errors
///
/// There is no generator for the type, or no memory.
pub(super) fn input(slot: &BufferSlot, inputs: Inputs) -> Result<Bytes, String> {
    let too_long = || format!("`{}` is too long", slot.name);
    let mut bytes = Bytes::zeroed(slot.bytes().ok_or_else(too_long)?);
    let to = bytes.as_mut_slice();
    if let Fill::Stored(Stored { path, offset, .. }) = &slot.fill {
        let mut read = || {
            let mut file = File::open(path)?;
            file.seek(SeekFrom::Start(*offset))?;
            file.read_exact(to)
        };
        read().map_err(could_not("read", path))?;
        return Ok(bytes);
    }
    for (at, column) in slot.columns.iter().enumerate() {
        let mut numbers = column.room(to.len());
        let element = column.element();
        // Fields of one type differ, too.
        let seed = slot.seed ^ (at as u64) << 16;
        let filled = match slot.differs(inputs) {
            true => differing(element, &slot.fill, seed, inputs, &mut numbers),
            false => timed(element, &slot.fill, seed, &mut numbers),
        };
        filled.map_err(|why| format!("`{}`: {why}", slot.name))?;
        column.write(numbers.as_slice(), to);
    }
    Ok(bytes)
}

/// What numbers are in other calls than those that are timed.
fn differing(
    element: Element,
    fill: &Fill,
    seed: u64,
    inputs: Inputs,
    bytes: &mut Bytes,
) -> Result<(), String> {
    timed(element, fill, seed, bytes)?;
    let size = element.size();
    let len = bytes.as_slice().len() / size;
    if inputs == Inputs::Special {
        let specials = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
        for (at, special) in specials.iter().enumerate().filter(|_| element.is_float()) {
            let bits = bits(element, Value::Float(*special))?;
            let from = len * (2 * at + 1) / 6 * size;
            bytes.as_mut_slice()[from..from + size].copy_from_slice(&bits.to_ne_bytes()[..size]);
        }
        return Ok(());
    }
    let wild = match fill {
        Fill::Usual if element.is_float() => &Fill::Wide,
        fill => fill,
    };
    let mut other = Bytes::zeroed(bytes.as_slice().len());
    timed(element, wild, seed ^ OTHER, &mut other)?;
    let half = len / 2 * size;
    bytes.as_mut_slice()[half..].copy_from_slice(&other.as_slice()[half..]);
    Ok(())
}

/// What numbers are in calls that are timed.
#[allow(clippy::unnecessary_cast)] // Not for every type.
fn timed(element: Element, how: &Fill, seed: u64, bytes: &mut Bytes) -> Result<(), String> {
    let mut state = SEED.wrapping_add(seed);
    let fill_with = match how {
        Fill::Usual | Fill::Calm => Fill::usual(element),
        other => other.clone(),
    };
    match fill_with {
        Fill::Zeros | Fill::Usual | Fill::Calm | Fill::Stored(_) => {}
        // Evenly over the exponents, with signs, and some zeros. Products of these have sums in every format.
        Fill::Wide => {
            let (least, decades) = match element {
                Element::F16 => (-2.0, 3.0),
                _ => (-3.0, 6.0),
            };
            fill(element, bytes, PERIOD, &mut |_| {
                let drawn = draw(&mut state);
                let size = 10_f64.powf(least + decades * part(drawn));
                match drawn & 15 {
                    0 => 0.0,
                    odd if odd & 1 == 1 => -size,
                    _ => size,
                }
            })?;
        }
        Fill::Ones => fill(element, bytes, 1, &mut |_| 1.0)?,
        // 0, 1, 2, ...; what is too narrow to count on starts again at 0, truth values alternate. Signed
        // integers stay at 0 and above.
        Fill::Iota => {
            let mask = match Half::of(element) {
                Some(half) => half.last_integer() - 1,
                None if element == Element::Bool => 1,
                None => by_type!(element, Number => Number::MAX as u64, _ => 0),
            };
            fill(element, bytes, usize::MAX, &mut |at| (at & mask) as f64)?;
        }
        Fill::Uniform(..) if element == Element::Bool => {
            fill(element, bytes, PERIOD, &mut |_| {
                (draw(&mut state) >> 63) as f64
            })?;
        }
        // In `[low, high)`. Floats take the upper 53 bits of each draw; integers are rounded down.
        Fill::Uniform(low, high) => {
            let (width, is_whole) = (high - low, element.is_integer());
            fill(element, bytes, PERIOD, &mut |_| {
                let value = low + width * part(draw(&mut state));
                if is_whole { value.floor() } else { value }
            })?;
        }
        // Box and Muller, "A note on the generation of random normal deviates", 1958: of each pair the first.
        Fill::Normal(mean, deviation) => {
            fill(element, bytes, PERIOD, &mut |_| {
                let radius = (-2.0 * (1.0 - part(draw(&mut state))).ln()).sqrt();
                mean + deviation * radius * (TAU * part(draw(&mut state))).cos()
            })?;
        }
    }
    Ok(())
}

/// Writes the first `period` elements one after the other, and copies of them behind. `as` saturates, so what
/// a type cannot hold becomes its nearest value.
#[allow(clippy::unnecessary_cast)] // Not for every type.
fn fill(
    element: Element,
    to: &mut Bytes,
    period: usize,
    value: &mut dyn FnMut(u64) -> f64,
) -> Result<(), String> {
    fn each<T>(to: &mut [T], mut value: impl FnMut(u64) -> T) {
        let mut at = 0;
        while at < to.len() {
            to[at] = value(at as u64);
            at += 1;
        }
    }
    let to = to.as_mut_slice();
    let first = to.len().min(period.saturating_mul(element.size()));
    let part = &mut to[..first];
    match Half::of(element) {
        Some(half) => each(numbers_mut::<u16>(part), |at| half.bits(value(at))),
        None => by_type!(
            element,
            Number => each(numbers_mut::<Number>(part), |at| value(at) as Number),
            _ => return Err(format!("elements of type {} cannot be measured", element.name()))
        ),
    }
    repeat(to, first);
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

/// The upper 53 bits of a draw, in `[0, 1)`.
fn part(drawn: u64) -> f64 {
    (drawn >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
}

#[cfg(test)]
mod tests {
    use super::super::column::Column;
    use super::super::protocol::Role;
    use super::*;
    use bico_device::measure::numbers;

    fn slot(element: Element, len: u64, fill: Fill) -> BufferSlot {
        BufferSlot {
            name: "x".into(),
            columns: Column::plain(element),
            len,
            role: Role::Input,
            fill,
            seed: 1,
            align: element.size(),
            symbol: None,
            by_value: false,
        }
    }

    fn timed(slot: &BufferSlot) -> Result<Bytes, String> {
        input(slot, Inputs::Timed)
    }

    #[test]
    fn inputs_are_in_range_and_alike_every_time() {
        let wanted = slot(Element::F32, 1000, Fill::Uniform(-1.0, 1.0));
        let bytes = timed(&wanted).unwrap();
        let values = numbers::<f32>(bytes.as_slice());
        assert!(values.iter().all(|v| (-1.0..1.0).contains(v)));
        let mean = values.iter().sum::<f32>() / 1000.0;
        assert!(mean.abs() < 0.1, "{mean}");
        assert_eq!(bytes.as_slice(), timed(&wanted).unwrap().as_slice());
        let other = timed(&BufferSlot { seed: 2, ..wanted }).unwrap();
        assert_ne!(bytes.as_slice(), other.as_slice());
        // The generator is part of what a lock's results rest on.
        assert_eq!(draw(&mut 0), 0xe220_a839_7b1d_cdaf);
    }

    #[test]
    fn every_type_and_fill() {
        let ints =
            |fill| numbers::<i32>(timed(&slot(Element::I32, 5, fill)).unwrap().as_slice()).to_vec();
        assert_eq!(ints(Fill::Iota), [0, 1, 2, 3, 4]);
        assert_eq!(ints(Fill::Ones), [1; 5]);
        assert!(
            ints(Fill::Uniform(-3.0, 3.0))
                .iter()
                .all(|v| (-3..3).contains(v))
        );
        let bools = timed(&slot(Element::Bool, 100, Fill::Uniform(-1.0, 1.0))).unwrap();
        assert!(bools.as_slice().iter().all(|v| *v <= 1) && bools.as_slice().contains(&1));
        let bytes = timed(&slot(Element::I8, 300, Fill::Iota)).unwrap();
        assert!(numbers::<i8>(bytes.as_slice()).iter().all(|v| *v >= 0));
        assert_eq!(
            numbers::<f64>(
                timed(&slot(Element::F64, 2, Fill::Ones))
                    .unwrap()
                    .as_slice()
            ),
            [1.0, 1.0]
        );
    }

    #[test]
    fn normal_numbers_have_their_mean_and_deviation() {
        let share = |of: &[f64], within: f64| {
            let within = of
                .iter()
                .filter(|value| (**value - 3.0).abs() < 2.0 * within);
            within.count() as f64 / of.len() as f64
        };
        let bytes = timed(&slot(Element::F64, 100_000, Fill::Normal(3.0, 2.0))).unwrap();
        let values = numbers::<f64>(bytes.as_slice());
        let mean = values.iter().sum::<f64>() / 1e5;
        assert!((mean - 3.0).abs() < 0.03, "{mean}");
        for (within, wanted) in [(1.0, 0.6827), (2.0, 0.9545), (3.0, 0.9973)] {
            let found = share(values, within);
            assert!((found - wanted).abs() < 0.005, "{within}: {found}");
        }
        assert!(values.iter().all(|value| value.is_finite()));
    }

    #[test]
    fn floats_of_16_bits() {
        for (element, one, wraps) in [(Element::F16, 0x3c00, 2048), (Element::Bf16, 0x3f80, 256)] {
            let half = Half::of(element).unwrap();
            let values = |len, fill| -> Vec<f32> {
                let bytes = timed(&slot(element, len, fill)).unwrap();
                let bits = numbers::<u16>(bytes.as_slice()).iter();
                bits.map(|bits| half.value(*bits)).collect()
            };
            let ones = timed(&slot(element, 3, Fill::Ones)).unwrap();
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
        let bytes = timed(&slot(
            Element::F32,
            PERIOD as u64 + 10,
            Fill::Uniform(-1.0, 1.0),
        ))
        .unwrap();
        let values = numbers::<f32>(bytes.as_slice());
        assert_eq!(values[..10], values[PERIOD..]);
    }

    #[test]
    fn other_inputs_begin_alike() {
        let input = |slot: &BufferSlot, inputs| input(slot, inputs).unwrap();
        let usual = slot(Element::F32, 1000, Fill::Usual);
        let [timed, others, special] = [Inputs::Timed, Inputs::Others, Inputs::Special]
            .map(|inputs| numbers::<f32>(input(&usual, inputs).as_slice()).to_vec());
        assert_eq!(timed[..500], others[..500]);
        assert!(timed[500..].iter().zip(&others[500..]).all(|(a, b)| a != b));
        let large = others.iter().filter(|value| value.abs() > 10.0).count();
        let small = others.iter().filter(|value| value.abs() < 0.1).count();
        assert!(large > 100 && small > 100, "{large} and {small}");
        assert!(others.contains(&0.0) && others.iter().all(|value| value.abs() <= 1e3));
        let finite = special.iter().filter(|value| value.is_finite());
        assert_eq!(finite.count(), 997);
        assert!(special.iter().any(|value| value.is_nan()));
        // A single one, too.
        let one = slot(Element::F64, 1, Fill::Usual);
        assert_ne!(
            input(&one, Inputs::Timed).as_slice(),
            input(&one, Inputs::Others).as_slice()
        );
    }

    #[test]
    fn what_the_attribute_says_of_inputs_holds_for_all_of_them() {
        let input = |slot: &BufferSlot, inputs| input(slot, inputs).unwrap();
        for fill in [
            Fill::Ones,
            Fill::Iota,
            Fill::Uniform(0.0, 1.0),
            Fill::Normal(0.5, 0.01),
        ] {
            let of = slot(Element::F32, 100, fill.clone());
            let others = input(&of, Inputs::Others);
            let values = numbers::<f32>(others.as_slice());
            let timed = input(&of, Inputs::Timed);
            match fill {
                Fill::Uniform(..) | Fill::Normal(..) => {
                    assert_ne!(timed.as_slice(), others.as_slice());
                    assert!(values.iter().all(|value| (0.0..1.0).contains(value)));
                }
                _ => assert_eq!(timed.as_slice(), others.as_slice()),
            }
            assert_eq!(input(&of, Inputs::Special).as_slice(), timed.as_slice());
        }
        let of = slot(Element::I8, 100, Fill::Usual);
        let others = input(&of, Inputs::Others);
        assert!(
            numbers::<i8>(others.as_slice())
                .iter()
                .all(|v| (-8..8).contains(v))
        );
    }
}

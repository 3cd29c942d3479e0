//! What arguments that are no sizes are given while configs are checked: others than the problem's.

use crate::compile::Hash;
use bico_core::{Lists, Value};
use bico_syntax::Element;
use bico_syntax::bind::Allowed;

/// The scalars with other values for those that are no sizes: draws that lengths may forbid, then smaller ones. They hang on
/// the scalars and `turn` alone, so that all configs have the same.
pub(super) fn drawn(
    allowed: &[Option<Allowed>],
    scalars: &[Value],
    turn: usize,
) -> Vec<Vec<Value>> {
    if allowed.iter().all(Option::is_none) {
        return vec![scalars.to_vec()];
    }
    let seed = Hash::of(format!("{scalars:?} {turn}")).0 as u64;
    let mut random = fastrand::Rng::with_seed(seed);
    let mut all: Vec<Vec<Value>> = Vec::new();
    for reach in [Reach::All, Reach::Near, Reach::Least] {
        let own = allowed.iter().zip(scalars);
        let own = own.map(|(allowed, own)| match allowed {
            Some(allowed) => value(*allowed, reach, &mut random),
            None => *own,
        });
        all.push(own.collect_vec());
    }
    all
}

/// How far from nothing a value may lie.
#[derive(Clone, Copy, PartialEq)]
enum Reach {
    All,
    Near,
    Least,
}

fn value((element, range): Allowed, reach: Reach, random: &mut fastrand::Rng) -> Value {
    if element == Element::Bool {
        return Value::Bool(random.bool());
    }
    if element.is_float() {
        // Exact in every format.
        return Value::Float(f64::from(random.i32(-128..=128)) / 64.0);
    }
    let (low, high) = range.unwrap_or_else(|| limits(element));
    let near = match range {
        Some(_) => low,
        None => 0,
    };
    let far = near.saturating_add(16).min(high);
    Value::Int(match (reach, random.u8(0..4)) {
        (Reach::Least, _) => near,
        (Reach::Near, _) => random.i64(near..=far),
        (Reach::All, 0) => high,
        (Reach::All, 1) => low,
        (Reach::All, _) => random.i64(low..=high),
    })
}

/// The least and the largest number of a type, as far as expressions know them.
fn limits(element: Element) -> (i64, i64) {
    let unused = 64 - 8 * element.size() as u32;
    match element.name().starts_with('i') {
        true => (i64::MIN >> unused, i64::MAX >> unused),
        false => (0, (u64::MAX >> unused).min(i64::MAX as u64) as i64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Value::{Bool, Float, Int};

    #[test]
    fn values_are_others_and_within_their_limits() {
        let allowed = [
            None,
            Some((Element::U8, None)),
            Some((Element::I64, Some((-3, 4)))),
            Some((Element::U64, None)),
            Some((Element::F16, None)),
            Some((Element::Bool, None)),
        ];
        let own = [Int(7), Int(1), Int(2), Int(3), Float(0.5), Bool(true)];
        let mut seen = [const { Vec::new() }; 6];
        for turn in 0..200 {
            let all = drawn(&allowed, &own, turn);
            assert_eq!(all, drawn(&allowed, &own, turn));
            for values in &all {
                assert_eq!(values[0], Int(7));
                let Int(byte) = values[1] else { panic!() };
                let Int(within) = values[2] else { panic!() };
                let Int(word) = values[3] else { panic!() };
                assert!((0..=255).contains(&byte) && (-3..=4).contains(&within) && word >= 0);
                let Float(float) = values[4] else { panic!() };
                assert!(float.abs() <= 2.0);
                for (seen, value) in seen.iter_mut().zip(values) {
                    if !seen.contains(value) {
                        seen.push(*value);
                    }
                }
            }
            let (Int(near), Int(least)) = (all[1][3], all[2][3]) else {
                panic!()
            };
            assert!(near <= 16 && least == 0 && all[2][2] == Int(-3));
        }
        let [_, bytes, within, words, floats, bools] = seen;
        assert!(bytes.len() > 50 && bytes.contains(&Int(0)) && bytes.contains(&Int(255)));
        assert_eq!((within.len(), bools.len()), (8, 2));
        assert!(words.contains(&Int(i64::MAX)) && floats.len() > 50);
    }

    #[test]
    fn sizes_alone_stay() {
        let own = [Int(7), Bool(true)];
        assert_eq!(drawn(&[None, None], &own, 0), [own]);
    }

    #[test]
    fn limits_are_those_of_the_type() {
        assert_eq!(limits(Element::I8), (-128, 127));
        assert_eq!(limits(Element::U32), (0, u32::MAX.into()));
        assert_eq!(limits(Element::I64), (i64::MIN, i64::MAX));
        assert_eq!(limits(Element::Usize), (0, i64::MAX));
    }
}

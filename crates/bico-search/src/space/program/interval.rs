//! Interval bounds of integer operations: what can't fail needs no check, and what is out of reach is known early.

use super::act::{Kind, One, Two};
use bico_syntax::{BinaryOp, Method, UnaryOp};

/// Smallest and greatest value.
pub(crate) type Interval = (i64, i64);

/// Far enough from the ends of `i64` that no value within is `UNKNOWN`.
const LIMIT: i128 = 1 << 62;

/// The bounds as an interval, if all within fits well into an `i64`.
pub(crate) fn sound(low: i128, high: i128) -> Option<Interval> {
    (-LIMIT < low && high < LIMIT).then_some((low as i64, high as i64))
}

fn corners(a: Interval, b: Interval, f: &dyn Fn(i128, i128) -> i128) -> (i128, i128) {
    let of = |a: i64, b: i64| f(a.into(), b.into());
    let (mut low, mut high) = (of(a.0, b.0), of(a.0, b.0));
    for other in [of(a.0, b.1), of(a.1, b.0), of(a.1, b.1)] {
        (low, high) = (low.min(other), high.max(other));
    }
    (low, high)
}

/// The smallest whole number that is not below the quotient.
fn ceil(a: i128, b: i128) -> i128 {
    a / b + i128::from(a % b != 0 && (a < 0) == (b < 0))
}

/// The bounds of the result; `None` where the operation may fail, or they are not [sound].
pub(super) fn two(op: Two, a: Interval, b: Interval) -> Option<Interval> {
    use BinaryOp::{Add, And, Div, Eq, Ge, Gt, Le, Lt, Mul, Ne, Or, Rem, Sub};
    let divides = b.0 > 0 || b.1 < 0;
    let wide = |(low, high): Interval| (i128::from(low), i128::from(high));
    let (low, high) = match op {
        Two::Binary(Add) => Some(corners(a, b, &|a, b| a + b)),
        Two::Binary(Sub) => Some(corners(a, b, &|a, b| a - b)),
        Two::Binary(Mul) => Some(corners(a, b, &|a, b| a * b)),
        // Monotone in each operand while the divisor keeps its sign.
        Two::Binary(Div) => divides.then(|| corners(a, b, &|a, b| a / b)),
        Two::Method(Method::DivCeil) => divides.then(|| corners(a, b, &ceil)),
        Two::Binary(Rem) => divides.then(|| {
            let ((low, high), (first, last)) = (wide(a), wide(b));
            let most = first.abs().max(last.abs()) - 1;
            (low.clamp(-most, 0), high.clamp(0, most))
        }),
        Two::Binary(Eq | Ne | Lt | Le | Gt | Ge | And | Or) => Some((0, 1)),
        Two::Method(Method::IsMultipleOf) => Some((0, 1)),
        Two::Method(Method::Min) => Some(wide((a.0.min(b.0), a.1.min(b.1)))),
        Two::Method(Method::Max) => Some(wide((a.0.max(b.0), a.1.max(b.1)))),
        Two::Method(Method::Pow) if a.0 >= 1 && (0..63).contains(&b.0) && b.1 < 63 => {
            let power = |(base, exponent): (i64, i64)| {
                i128::from(base).checked_pow(u32::try_from(exponent).ok()?)
            };
            Some((power((a.0, b.0))?, power((a.1, b.1))?))
        }
        Two::Method(_) => None,
    }?;
    sound(low, high)
}

/// As [`two`].
pub(super) fn one(op: One, kind: Kind, a: Interval) -> Option<Interval> {
    let (low, high) = (i128::from(a.0), i128::from(a.1));
    let (low, high) = match op {
        One::Unary(UnaryOp::Not) => Some((0, 1)),
        One::Unary(UnaryOp::Neg) => Some((-high, -low)),
        One::AsInt => Some((low, high)),
        One::Method(Method::Abs) if low >= 0 => Some((low, high)),
        One::Method(Method::Abs) => Some((0, high.max(-low))),
        One::Method(Method::IsPowerOfTwo) if kind == Kind::Int => Some((0, 1)),
        One::Method(Method::Ilog2) if low > 0 => Some((low.ilog2().into(), high.ilog2().into())),
        One::Method(Method::NextPowerOfTwo) if low >= 0 => Some((1, 2 * high.max(1))),
        One::Method(_) | One::AsFloat => None,
    }?;
    sound(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bico_core::Value;
    use proptest::prelude::*;

    const BINARY: [BinaryOp; 11] = [
        BinaryOp::Add,
        BinaryOp::Sub,
        BinaryOp::Mul,
        BinaryOp::Div,
        BinaryOp::Rem,
        BinaryOp::Eq,
        BinaryOp::Ne,
        BinaryOp::Lt,
        BinaryOp::Le,
        BinaryOp::Gt,
        BinaryOp::Ge,
    ];

    fn all_two() -> impl Iterator<Item = Two> {
        let methods = Method::all().filter(|method| method.arity() == 1);
        BINARY
            .map(Two::Binary)
            .into_iter()
            .chain(methods.map(Two::Method))
    }

    fn all_one() -> impl Iterator<Item = One> {
        let methods = Method::all().filter(|method| method.arity() == 0);
        methods
            .map(One::Method)
            .chain([One::Unary(UnaryOp::Neg), One::AsInt])
    }

    fn number(value: Value) -> i128 {
        match value {
            Value::Int(v) => v.into(),
            Value::Bool(v) => v.into(),
            other => panic!("{other}"),
        }
    }

    fn bounds() -> impl Strategy<Value = Interval> {
        let end = prop_oneof![-9i64..9, any::<i64>()];
        (end.clone(), end).prop_map(|(a, b)| (a.min(b), a.max(b)))
    }

    fn within(range: Interval, at: u64) -> i64 {
        let width = range.1.abs_diff(range.0);
        range.0.wrapping_add((at % width.saturating_add(1)) as i64)
    }

    proptest! {
        /// What is said never to fail does not fail, and stays within its bounds.
        #[test]
        fn bounds_hold(a in bounds(), b in bounds(), at: u64, bt: u64) {
            let (x, y) = (within(a, at), within(b, bt));
            for op in all_two() {
                if let Some((low, high)) = two(op, a, b) {
                    let value = op.apply(Value::Int(x), Value::Int(y)).map(number);
                    prop_assert!(value.is_ok_and(|v| (low.into()..=high.into()).contains(&v)), "{op:?} {x} {y}");
                }
            }
            for op in all_one() {
                if let Some((low, high)) = one(op, Kind::Int, a) {
                    let value = op.apply(Value::Int(x)).map(number);
                    prop_assert!(value.is_ok_and(|v| (low.into()..=high.into()).contains(&v)), "{op:?} {x}");
                }
            }
        }
    }
}

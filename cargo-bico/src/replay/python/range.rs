//! Between which numbers a Python expression lies.

use super::tree::{Expr, Function, Operator};
use bico_core::Value;

/// Whole numbers up to here are exact as `f64`.
pub(super) const EXACT: f64 = 9_007_199_254_740_992.0;

/// The lowest and the highest number that an expression can be, over all values of its parameters;
/// `None` where that is not known, is no number, or is beyond what `f64` counts exactly.
pub(super) fn range(expr: &Expr, domains: &[&[Value]]) -> Option<(f64, f64)> {
    let inner = |expr: &Expr| range(expr, domains);
    let (low, high) = match expr {
        Expr::Value(value) => around([number(*value)?])?,
        Expr::Name(name) => {
            let values: Option<Vec<f64>> =
                domains.get(*name)?.iter().copied().map(number).collect();
            around(values?)?
        }
        Expr::Negative(a) => {
            let (low, high) = inner(a)?;
            (-high, -low)
        }
        Expr::Not(_) | Expr::Chain(..) => (0.0, 1.0),
        Expr::List(_) => return None,
        Expr::Arithmetic(operator, a, b) => arithmetic(*operator, inner(a)?, inner(b)?)?,
        Expr::And(items) | Expr::Or(items) => union(items.iter().map(inner))?,
        Expr::If(parts) => union([inner(&parts[1]), inner(&parts[2])])?,
        Expr::Call(function, items) => match function {
            Function::Bool => (0.0, 1.0),
            Function::Float => inner(items.first()?)?,
            Function::Int => {
                let (low, high) = inner(items.first()?)?;
                (low.trunc(), high.trunc())
            }
            Function::Abs => {
                let (low, high) = inner(items.first()?)?;
                let least = if low <= 0.0 && high >= 0.0 {
                    0.0
                } else {
                    low.abs().min(high.abs())
                };
                (least, low.abs().max(high.abs()))
            }
            Function::Min | Function::Max => union(items.iter().map(inner))?,
        },
    };
    (low.abs() <= EXACT && high.abs() <= EXACT).then_some((low, high))
}

fn number(value: Value) -> Option<f64> {
    match value {
        Value::Bool(value) => Some(u8::from(value).into()),
        Value::Int(value) => Some(value as f64),
        Value::Float(value) => Some(value),
        Value::Str(_) => None,
    }
}

fn around(values: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    let mut bounds = (f64::INFINITY, f64::NEG_INFINITY);
    for value in values {
        if value.is_nan() {
            return None;
        }
        bounds = (bounds.0.min(value), bounds.1.max(value));
    }
    (bounds.0 <= bounds.1).then_some(bounds)
}

fn union(parts: impl IntoIterator<Item = Option<(f64, f64)>>) -> Option<(f64, f64)> {
    let mut ends = Vec::new();
    for part in parts {
        let (low, high) = part?;
        ends.extend([low, high]);
    }
    around(ends)
}

fn arithmetic(operator: Operator, a: (f64, f64), b: (f64, f64)) -> Option<(f64, f64)> {
    let corners = |apply: fn(f64, f64) -> f64| {
        around([
            apply(a.0, b.0),
            apply(a.0, b.1),
            apply(a.1, b.0),
            apply(a.1, b.1),
        ])
    };
    match operator {
        Operator::Add => Some((a.0 + b.0, a.1 + b.1)),
        Operator::Sub => Some((a.0 - b.1, a.1 - b.0)),
        Operator::Mul => corners(|x, y| x * y),
        // A divisor of 0 is an error there and here: what it would give matters to nobody. Whole
        // divisors have the magnitude 1 at least, but fractions may be as small as they like.
        Operator::True | Operator::Floor if b.0 > 0.0 || b.1 < 0.0 => {
            let (low, high) = corners(|x, y| x / y)?;
            Some((low.floor(), high.ceil()))
        }
        Operator::True | Operator::Floor => None,
        Operator::Modulo if b.0 >= 0.0 => Some((0.0, b.1)),
        Operator::Modulo => Some((b.0.min(0.0), b.1.max(0.0))),
        Operator::Power if a.0 >= 1.0 && b.0 >= 0.0 => corners(f64::powf),
        Operator::Power if a.0 >= 0.0 && b.0 >= 0.0 => Some((0.0, a.1.powf(b.1).max(1.0))),
        Operator::Power => None,
    }
}

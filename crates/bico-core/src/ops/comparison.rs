//! Which of two values is the greater one, and whether they are equal.

use super::{Outcome, fail};
use crate::{EvalError, Fault, Operation, Value};
use core::cmp::Ordering;

/// The order of two numbers; `None` only with NaN, which a `const` of the file may be.
#[inline(always)]
fn order(a: Value, b: Value) -> Result<Option<Ordering>, EvalError> {
    match (a, b) {
        (Value::Int(x), Value::Int(y)) => Ok(Some(x.cmp(&y))),
        (Value::Float(x), Value::Float(y)) => Ok(x.partial_cmp(&y)),
        (Value::Int(x), Value::Float(y)) => Ok(int_float(x, y)),
        (Value::Float(x), Value::Int(y)) => Ok(int_float(y, x).map(Ordering::reverse)),
        _ => fail(Operation::Compare, a, Some(b), Fault::NotANumber),
    }
}

/// Exact also where `i64` has more digits than `f64`.
fn int_float(x: i64, y: f64) -> Option<Ordering> {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    if y.is_nan() {
        None
    } else if y >= LIMIT {
        Some(Ordering::Less)
    } else if y < -LIMIT {
        Some(Ordering::Greater)
    } else {
        let whole = y.trunc();
        Some(
            x.cmp(&(whole as i64))
                .then(0.0_f64.total_cmp(&(y - whole + 0.0))),
        )
    }
}

#[inline(always)]
fn equal(a: Value, b: Value) -> Result<bool, EvalError> {
    match (a, b) {
        (Value::Bool(x), Value::Bool(y)) => Ok(x == y),
        (Value::Str(x), Value::Str(y)) => Ok(x == y),
        (Value::Bool(_) | Value::Str(_), _) | (_, Value::Bool(_) | Value::Str(_)) => {
            fail(Operation::Compare, a, Some(b), Fault::DifferentTypes)
        }
        _ => Ok(order(a, b)? == Some(Ordering::Equal)),
    }
}

/// `a == b`
#[inline(always)]
pub fn eq(a: Value, b: Value) -> Outcome {
    equal(a, b).map(Value::Bool)
}

/// `a != b`
#[inline(always)]
pub fn ne(a: Value, b: Value) -> Outcome {
    equal(a, b).map(|equal| Value::Bool(!equal))
}

macro_rules! comparisons {
    ($($(#[$doc:meta])* $name:ident => $pattern:pat,)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        pub fn $name(a: Value, b: Value) -> Outcome {
            Ok(Value::Bool(matches!(order(a, b)?, $pattern)))
        }
    )*};
}

comparisons! {
    /// `a < b`
    lt => Some(Ordering::Less),
    /// `a <= b`
    le => Some(Ordering::Less | Ordering::Equal),
    /// `a > b`
    gt => Some(Ordering::Greater),
    /// `a >= b`
    ge => Some(Ordering::Greater | Ordering::Equal),
}

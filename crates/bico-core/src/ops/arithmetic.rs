//! Sums, products, quotients, and what else two numbers make.

use super::{Outcome, fail, float, int, mixed};
use crate::{Fault, Operation, Value};

macro_rules! arithmetic {
    ($($(#[$doc:meta])* $name:ident $operation:expr, |$x:ident, $y:ident| $int:expr, $float:expr $(, on zero $zero:ident)?;)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        pub fn $name(a: Value, b: Value) -> Outcome {
            match (a, b) {
                $((Value::Int(_), Value::Int(0)) | (Value::Float(_), Value::Float(0.0)) => {
                    fail($operation, a, Some(b), Fault::$zero)
                })?
                (Value::Int($x), Value::Int($y)) => int($operation, a, Some(b), $int, Fault::Overflow),
                (Value::Float($x), Value::Float($y)) => float($operation, a, Some(b), $float),
                _ => mixed($operation, a, b),
            }
        }
    )*};
}

arithmetic! {
    /// `a + b`
    add Operation::Add, |x, y| x.checked_add(y), x + y;
    /// `a - b`
    sub Operation::Sub, |x, y| x.checked_sub(y), x - y;
    /// `a * b`
    mul Operation::Mul, |x, y| x.checked_mul(y), x * y;
    /// `a / b`; integers truncate.
    div Operation::Div, |x, y| x.checked_div(y), x / y, on zero DivisionByZero;
    /// `a % b`, with the sign of `a`.
    rem Operation::Rem, |x, y| x.checked_rem(y), x % y, on zero DivisionByZero;
    /// The smallest whole number that is not below the quotient.
    div_ceil Operation::Method("div_ceil"), |x, y| ceil(x, y), (x / y).ceil(), on zero DivisionByZero;
}

#[inline(always)]
fn ceil(x: i64, y: i64) -> Option<i64> {
    let quotient = x.checked_div(y)?;
    // Truncation rounds a negative quotient up already.
    Some(quotient + i64::from(x % y != 0 && (x < 0) == (y < 0)))
}

/// `-a`
#[inline(always)]
pub fn neg(a: Value) -> Outcome {
    match a {
        Value::Int(x) => int(Operation::Neg, a, None, x.checked_neg(), Fault::Overflow),
        Value::Float(x) => Ok(Value::Float(-x)),
        _ => fail(Operation::Neg, a, None, Fault::NotANumber),
    }
}

/// The absolute value.
#[inline(always)]
pub fn abs(a: Value) -> Outcome {
    let operation = Operation::Method("abs");
    match a {
        Value::Int(x) => int(operation, a, None, x.checked_abs(), Fault::Overflow),
        Value::Float(x) => Ok(Value::Float(x.abs())),
        _ => fail(operation, a, None, Fault::NotANumber),
    }
}

/// The smaller one.
#[inline(always)]
pub fn min(a: Value, b: Value) -> Outcome {
    match (a, b) {
        (Value::Int(x), Value::Int(y)) => Ok(Value::Int(x.min(y))),
        (Value::Float(x), Value::Float(y)) => Ok(Value::Float(x.min(y))),
        _ => mixed(Operation::Method("min"), a, b),
    }
}

/// The greater one.
#[inline(always)]
pub fn max(a: Value, b: Value) -> Outcome {
    match (a, b) {
        (Value::Int(x), Value::Int(y)) => Ok(Value::Int(x.max(y))),
        (Value::Float(x), Value::Float(y)) => Ok(Value::Float(x.max(y))),
        _ => mixed(Operation::Method("max"), a, b),
    }
}

/// Whether `b` divides `a`. Only zero is a multiple of zero.
#[inline(always)]
pub fn is_multiple_of(a: Value, b: Value) -> Outcome {
    match (a, b) {
        (Value::Int(x), Value::Int(0)) => Ok(Value::Bool(x == 0)),
        // Wrapping: `i64::MIN % -1` is zero, but the plain operator overflows on its way.
        (Value::Int(x), Value::Int(y)) => Ok(Value::Bool(x.wrapping_rem(y) == 0)),
        (Value::Float(x), Value::Float(0.0)) => Ok(Value::Bool(x == 0.0)),
        (Value::Float(x), Value::Float(y)) => Ok(Value::Bool(x % y == 0.0)),
        _ => mixed(Operation::Method("is_multiple_of"), a, b),
    }
}

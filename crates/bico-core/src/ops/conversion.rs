//! Values as other kinds of values, and what a result has to be.

use super::{Outcome, fail};
use crate::{EvalError, Fault, Operation, Value};

/// `!a`, of a bool.
#[inline(always)]
pub fn not(a: Value) -> Outcome {
    match a {
        Value::Bool(x) => Ok(Value::Bool(!x)),
        _ => fail(Operation::Not, a, None, Fault::NotABool),
    }
}

/// `a as f64`
#[inline(always)]
pub fn as_f64(a: Value) -> Outcome {
    match a {
        Value::Int(x) => Ok(Value::Float(x as f64)),
        Value::Float(_) => Ok(a),
        Value::Bool(x) => Ok(Value::Float(f64::from(u8::from(x)))),
        Value::Str(_) => fail(Operation::Cast("f64"), a, None, Fault::NotANumber),
    }
}

/// `a as i64`: truncates; what does not fit is an error.
#[inline(always)]
pub fn as_i64(a: Value) -> Outcome {
    match a {
        Value::Int(_) => Ok(a),
        Value::Float(x) if (-9.223_372_036_854_776e18..9.223_372_036_854_776e18).contains(&x) => {
            Ok(Value::Int(x as i64))
        }
        Value::Float(_) => fail(Operation::Cast("i64"), a, None, Fault::Overflow),
        Value::Bool(x) => Ok(Value::Int(i64::from(x))),
        Value::Str(_) => fail(Operation::Cast("i64"), a, None, Fault::NotANumber),
    }
}

/// The truth of a condition.
#[inline(always)]
pub fn truth(a: Value) -> Result<bool, EvalError> {
    match a {
        Value::Bool(x) => Ok(x),
        _ => fail(Operation::Condition, a, None, Fault::NotABool),
    }
}

/// A leaf of real arithmetic (`score`, `work`): an integer becomes a real number, all else stays.
/// The result of `as i64` is such a leaf, too.
#[inline(always)]
pub fn real(a: Value) -> Value {
    match a {
        Value::Int(x) => Value::Float(x as f64),
        _ => a,
    }
}

/// A result that has to be a number, as a real one.
#[inline(always)]
pub fn number(a: Value) -> Result<f64, EvalError> {
    match a {
        Value::Int(x) => Ok(x as f64),
        Value::Float(x) => Ok(x),
        _ => fail(Operation::Cast("f64"), a, None, Fault::NotANumber),
    }
}

/// A result that has to be a number of elements.
#[inline(always)]
pub fn length(a: Value) -> Result<i64, EvalError> {
    match a {
        Value::Int(x) if x >= 0 => Ok(x),
        Value::Int(_) => fail(Operation::Length, a, None, Fault::Negative),
        _ => fail(Operation::Length, a, None, Fault::NotAnInteger),
    }
}

/// A result that has to be blocks, threads or bytes of a launch.
#[inline(always)]
pub fn extent(a: Value) -> Result<u32, EvalError> {
    match a {
        Value::Int(x) => match u32::try_from(x) {
            Ok(x) => Ok(x),
            Err(_) if x < 0 => fail(Operation::Extent, a, None, Fault::Negative),
            Err(_) => fail(Operation::Extent, a, None, Fault::BeyondU32),
        },
        _ => fail(Operation::Extent, a, None, Fault::NotAnInteger),
    }
}

/// The error of a `match` without an arm for `a`.
pub fn no_arm(a: Value) -> EvalError {
    EvalError {
        operation: Operation::Match,
        left: a,
        right: None,
        fault: Fault::NoArm,
    }
}

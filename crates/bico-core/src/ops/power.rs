//! Powers and logarithms.

use super::{Outcome, fail, float, int, mixed};
use crate::{Fault, Operation, Value};

/// `a` to the power of `b`. An integer takes no negative exponent.
#[inline(always)]
pub fn pow(a: Value, b: Value) -> Outcome {
    let operation = Operation::Method("pow");
    match (a, b) {
        (Value::Int(_), Value::Int(y)) if y < 0 => {
            fail(operation, a, Some(b), Fault::NegativeExponent)
        }
        (Value::Int(x), Value::Int(y)) => {
            int(operation, a, Some(b), int_pow(x, y), Fault::Overflow)
        }
        (Value::Float(x), Value::Float(y)) => float(operation, a, Some(b), x.powf(y)),
        _ => mixed(operation, a, b),
    }
}

#[inline(always)]
fn int_pow(x: i64, y: i64) -> Option<i64> {
    match u32::try_from(y) {
        Ok(y) => x.checked_pow(y),
        // Only these survive such an exponent.
        Err(_) => match x {
            0 | 1 => Some(x),
            -1 => Some(if y % 2 == 0 { 1 } else { -1 }),
            _ => None,
        },
    }
}

/// Whether it is 1, 2, 4, 8, ...
#[inline(always)]
pub fn is_power_of_two(a: Value) -> Outcome {
    let operation = Operation::Method("is_power_of_two");
    match a {
        Value::Int(x) => Ok(Value::Bool(x > 0 && x & (x - 1) == 0)),
        Value::Float(x) => Ok(Value::Bool(x >= 1.0 && x.is_finite() && mantissa(x) == 0)),
        _ => fail(operation, a, None, Fault::NotANumber),
    }
}

/// The greatest whole number that is not above the logarithm to base two.
#[inline(always)]
pub fn ilog2(a: Value) -> Outcome {
    let operation = Operation::Method("ilog2");
    match a {
        Value::Int(x) => {
            let log = x.checked_ilog2().map(i64::from);
            int(operation, a, None, log, Fault::NotPositive)
        }
        Value::Float(x) if x > 0.0 && x.is_finite() => Ok(Value::Float(exponent(x))),
        Value::Float(_) => fail(operation, a, None, Fault::NotPositive),
        _ => fail(operation, a, None, Fault::NotANumber),
    }
}

/// The smallest of 1, 2, 4, 8, ... that is not below `a`.
#[inline(always)]
pub fn next_power_of_two(a: Value) -> Outcome {
    let operation = Operation::Method("next_power_of_two");
    match a {
        Value::Int(x) if x < 0 => fail(operation, a, None, Fault::Negative),
        Value::Int(x) => {
            let next = x.unsigned_abs().next_power_of_two().try_into().ok();
            int(operation, a, None, next, Fault::Overflow)
        }
        Value::Float(x) if x < 0.0 => fail(operation, a, None, Fault::Negative),
        Value::Float(x) if !x.is_finite() => fail(operation, a, None, Fault::NotFinite),
        Value::Float(x) if x <= 1.0 => Ok(Value::Float(1.0)),
        Value::Float(x) if mantissa(x) == 0 => Ok(a),
        Value::Float(x) => float(operation, a, None, (exponent(x) + 1.0).exp2()),
        _ => fail(operation, a, None, Fault::NotANumber),
    }
}

const MANTISSA: u64 = (1 << 52) - 1;

#[inline(always)]
fn mantissa(x: f64) -> u64 {
    x.to_bits() & MANTISSA
}

/// The floor of log2 of a positive finite number, read off its bits: `f64::log2` differs by platform.
#[inline(always)]
fn exponent(x: f64) -> f64 {
    let biased = |x: f64| ((x.to_bits() >> 52) & 0x7ff) as f64 - 1023.0;
    if x >= f64::MIN_POSITIVE {
        biased(x)
    } else {
        biased(x * 64_f64.exp2()) - 64.0
    }
}

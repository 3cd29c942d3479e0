//! What each operation of an expression means: the one definition, for the macro's closures and
//! for the build's interpreter.
//!
//! Integers are `i64` and every result that does not fit is an error. Real numbers follow IEEE 754
//! as long as the result is finite; infinity and NaN are errors, so that nothing downstream has to
//! think of them. `Int` and `Float` do not mix but in comparisons, which compare the numbers. On
//! whole numbers the real counterpart of a method gives the same number.

mod arithmetic;
mod comparison;
mod conversion;
mod device;
mod power;
#[cfg(test)]
mod tests;

pub use arithmetic::{abs, add, div, div_ceil, is_multiple_of, max, min, mul, neg, rem, sub};
pub use comparison::{eq, ge, gt, le, lt, ne};
pub use conversion::{as_f64, as_i64, extent, length, no_arm, not, number, real, truth};
pub use device::{field, has};
pub use power::{ilog2, is_power_of_two, next_power_of_two, pow};

use crate::{EvalError, Fault, Operation, Value};

type Outcome = Result<Value, EvalError>;

// Errors are made in place: what throws them away (`long_enough`) then has nothing left of them, and
// where they are kept, what turns them into words is the cold part.

/// The error of an operation on one operand or two.
#[inline(always)]
pub(crate) fn fail<T>(
    operation: Operation,
    left: Value,
    right: Option<Value>,
    fault: Fault,
) -> Result<T, EvalError> {
    Err(EvalError {
        operation,
        left,
        right,
        fault,
    })
}

/// That of operands which are not two numbers of one kind.
#[inline(always)]
fn mixed(operation: Operation, a: Value, b: Value) -> Outcome {
    let number = |v| matches!(v, Value::Int(_) | Value::Float(_));
    let fault = match number(a) && number(b) {
        true => Fault::DifferentTypes,
        false => Fault::NotANumber,
    };
    fail(operation, a, Some(b), fault)
}

/// An integer, or the fault of not having one.
#[inline(always)]
fn int(
    operation: Operation,
    a: Value,
    b: Option<Value>,
    result: Option<i64>,
    fault: Fault,
) -> Outcome {
    match result {
        Some(v) => Ok(Value::Int(v)),
        None => fail(operation, a, b, fault),
    }
}

#[inline(always)]
fn float(operation: Operation, a: Value, b: Option<Value>, result: f64) -> Outcome {
    if result.is_finite() {
        Ok(Value::Float(result))
    } else {
        fail(operation, a, b, Fault::NotFinite)
    }
}

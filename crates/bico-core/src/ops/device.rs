//! What an expression asks of the device.

use super::{Outcome, fail};
use crate::device::Facts;
use crate::{Fault, Operation, Value};

/// `device.NAME`
pub fn field(device: &Facts, name: &'static str) -> Outcome {
    match device.field(name) {
        Some(value) => Ok(value),
        None => fail(
            Operation::Device(name),
            Value::Str(name),
            None,
            Fault::NoSuchField,
        ),
    }
}

/// `device.has(a)`
pub fn has(device: &Facts, a: Value) -> Outcome {
    match a {
        Value::Str(name) => Ok(Value::Bool(device.has(name))),
        _ => fail(Operation::Method("has"), a, None, Fault::NotAString),
    }
}

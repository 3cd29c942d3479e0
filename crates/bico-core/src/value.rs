//! Values of parameters and of expressions, and what each operation on them means.

use crate::StoredValue;
use core::fmt;

/// A value of a parameter, a size or an expression.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    /// An integer.
    Int(i64),
    /// A real number.
    Float(f64),
    /// A truth value.
    Bool(bool),
    /// A string.
    Str(&'static str),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        StoredValue::from(*self).fmt(f)
    }
}

/// A value as a compiler sees it, in a flag or a `-D`: booleans as 0 and 1, strings bare.
pub fn written(value: Value) -> String {
    match value {
        Value::Bool(v) => i32::from(v).to_string(),
        other => bare(other),
    }
}

/// A value for people and for C++: strings without quotes.
pub fn bare(value: Value) -> String {
    match value {
        Value::Str(text) => text.into(),
        other => other.to_string(),
    }
}

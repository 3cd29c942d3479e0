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

//! Values of parameters and of expressions, and what each operation on them means.

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
        match self {
            Value::Int(v) => v.fmt(f),
            // `{:?}` keeps the point (`2.0`), so that a float never reads like an integer.
            Value::Float(v) => fmt::Debug::fmt(v, f),
            Value::Bool(v) => v.fmt(f),
            Value::Str(v) => fmt::Debug::fmt(v, f),
        }
    }
}

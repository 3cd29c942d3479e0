//! Values as keys of tables.

#![allow(missing_docs)] // for our own crates

use bico_core::Value;

/// A value that can be hashed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Key {
    Int(i64),
    Float(u64),
    Bool(bool),
    Str(&'static str),
}

impl Key {
    pub fn of(value: Value) -> Key {
        match value {
            Value::Int(v) => Key::Int(v),
            // 0.0 and -0.0 are equal as values.
            Value::Float(v) => Key::Float(if v == 0.0 { 0 } else { v.to_bits() }),
            Value::Bool(v) => Key::Bool(v),
            Value::Str(v) => Key::Str(v),
        }
    }
}

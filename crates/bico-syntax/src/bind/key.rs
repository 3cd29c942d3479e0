//! Values as keys of tables.

#![allow(missing_docs)] // for our own crates

use bico_core::Value;

/// A value that can be hashed and sorted: its kind, and what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(u8, u64, &'static str);

impl Key {
    pub fn of(value: Value) -> Key {
        match value {
            Value::Int(v) => Key(0, v as u64, ""),
            // 0.0 and -0.0 are equal as values.
            Value::Float(v) => Key(1, if v == 0.0 { 0 } else { v.to_bits() }, ""),
            Value::Bool(v) => Key(2, v.into(), ""),
            Value::Str(v) => Key(3, 0, v),
        }
    }
}

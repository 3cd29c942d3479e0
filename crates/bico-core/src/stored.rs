//! A value as files hold it.

use crate::Value;
use core::fmt;

/// A value of a parameter or of a constant that was read from a file: a [`Value`] that owns its text.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub enum StoredValue {
    Int(i64),
    Float(f64),
    Bool(bool),
    Str(String),
}

impl From<Value> for StoredValue {
    fn from(value: Value) -> StoredValue {
        match value {
            Value::Int(value) => StoredValue::Int(value),
            Value::Float(value) => StoredValue::Float(value),
            Value::Bool(value) => StoredValue::Bool(value),
            Value::Str(value) => StoredValue::Str(value.to_string()),
        }
    }
}

impl PartialEq<Value> for StoredValue {
    fn eq(&self, other: &Value) -> bool {
        match (self, other) {
            (StoredValue::Int(a), Value::Int(b)) => a == b,
            (StoredValue::Float(a), Value::Float(b)) => a == b,
            (StoredValue::Bool(a), Value::Bool(b)) => a == b,
            (StoredValue::Str(a), Value::Str(b)) => a == b,
            _ => false,
        }
    }
}

impl fmt::Display for StoredValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoredValue::Int(value) => value.fmt(f),
            // As in an attribute: `{:?}` keeps the point (`2.0`), so that a float never reads like an integer.
            StoredValue::Float(value) => fmt::Debug::fmt(value, f),
            StoredValue::Bool(value) => value.fmt(f),
            StoredValue::Str(value) => fmt::Debug::fmt(value, f),
        }
    }
}

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

/// What people call a parameter of the config of these values; `None` where it has none of it. A tunable of several variants
/// has `blocked.TILE` and `plain.TILE` behind its first parameter, which names the variant.
pub fn own_name<'a>(parameter: &'a str, values: &[Value]) -> Option<&'a str> {
    let Some((variant, own)) = parameter.split_once('.') else {
        return Some(parameter);
    };
    matches!(values.first(), Some(Value::Str(of)) if *of == variant).then_some(own)
}

/// The parameters of a config as people know them, with its values: those of other variants are left out.
pub fn own<'a>(
    names: &'a [impl AsRef<str>],
    values: &'a [Value],
) -> impl Iterator<Item = (&'a str, Value)> {
    let all = names.iter().zip(values);
    all.filter_map(|(name, value)| Some((own_name(name.as_ref(), values)?, *value)))
}

/// A value for people and for C++: strings without quotes.
pub fn bare(value: Value) -> String {
    match value {
        Value::Str(text) => text.into(),
        other => other.to_string(),
    }
}

//! Configs outside of a space: for people and for programs.

use bico_build::lock::{Config, Value};
use std::collections::BTreeMap;
use std::fmt::Display;

/// The values of a config, as JSON holds them.
pub(crate) type Values = BTreeMap<String, serde_json::Value>;

/// A config of the lock.
pub(crate) fn values(config: &Config) -> Values {
    let json = |value: &Value| match value {
        Value::Int(value) => (*value).into(),
        Value::Float(value) => (*value).into(),
        Value::Bool(value) => (*value).into(),
        Value::Str(text) => text.as_str().into(),
    };
    let values = config.iter();
    values
        .map(|(name, value)| (name.clone(), json(value)))
        .collect()
}

/// A config for people, in the order in which the attribute has its parameters; what it does not have comes last.
pub(crate) fn in_order(values: &Values, parameters: &[String]) -> String {
    let mut config: Vec<_> = values.iter().collect();
    let place = |name: &String| parameters.iter().position(|of| of == name);
    config.sort_by_key(|(name, _)| place(name).unwrap_or(usize::MAX));
    assignment(config)
}

/// A config for people: `MR=8 NR=48 ISA=x86-64-v4`.
pub(crate) fn assignment<'a, N: Display>(
    values: impl IntoIterator<Item = (N, &'a serde_json::Value)>,
) -> String {
    let pair = |(name, value): (N, &serde_json::Value)| match value.as_str() {
        Some(text) => format!("{name}={text}"),
        None => format!("{name}={value}"),
    };
    let pairs: Vec<String> = values.into_iter().map(pair).collect();
    pairs.join(" ")
}

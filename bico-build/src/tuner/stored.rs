//! Configs as the lock stores them.

use crate::lock::{self, Config, Entry, Trial};
use bico_bind::intern;
use bico_core::Value;
use bico_syntax::TunableSpec;

/// The values of a config, in the order of the parameters.
pub type Values = Vec<Value>;

/// Every config that an entry names, the winner first.
pub fn trials(entry: &Entry) -> impl Iterator<Item = &Trial> {
    std::iter::once(&entry.winner)
        .chain(&entry.trials)
        .chain(&entry.first)
        .chain(&entry.ranked)
}

/// A config of the lock in the order of the parameters; `None` if it has other parameters.
pub fn values(spec: &TunableSpec, config: &Config) -> Option<Values> {
    if config.len() != spec.parameters.len() {
        return None;
    }
    let parameters = spec.parameters.iter();
    parameters
        .map(|p| config.get(&p.name.text).map(value))
        .collect()
}

/// A value of the lock.
pub(super) fn value(value: &lock::Value) -> Value {
    match value {
        lock::Value::Int(value) => Value::Int(*value),
        lock::Value::Float(value) => Value::Float(*value),
        lock::Value::Bool(value) => Value::Bool(*value),
        lock::Value::Str(text) => Value::Str(intern(text)),
    }
}

/// A config as the lock holds it.
#[cfg(feature = "tune")]
pub(super) fn config(spec: &TunableSpec, values: &[Value]) -> Config {
    let names = spec.parameters.iter().map(|p| p.name.text.clone());
    let values = values.iter().map(|value| lock::Value::from(*value));
    names.zip(values).collect()
}

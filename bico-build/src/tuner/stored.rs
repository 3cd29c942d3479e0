//! Configs as the lock stores them.

use crate::lock::{self, Config, Entry, Trial};
use bico_core::{Value, own_name};
use bico_syntax::bind::intern;
use bico_syntax::{ExprKind, Parameter, TunableSpec};

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
    let mut values = Vec::new();
    let mut known = 0;
    for parameter in &spec.parameters {
        let Some(name) = own_name(&parameter.name.text, &values) else {
            values.push(elsewhere(parameter)?);
            continue;
        };
        known += 1;
        values.push(value(config.get(name)?));
    }
    (known == config.len()).then_some(values)
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

/// The value of a parameter in configs of other variants.
fn elsewhere(parameter: &Parameter) -> Option<Value> {
    Some(match &parameter.elsewhere.as_ref()?.kind {
        ExprKind::Int(value) => Value::Int(*value),
        ExprKind::Float(value) => Value::Float(*value),
        ExprKind::Bool(value) => Value::Bool(*value),
        ExprKind::Str(text) => Value::Str(intern(text)),
        _ => return None,
    })
}

/// A config as the lock holds it: without the parameters of other variants.
#[cfg(feature = "tune")]
pub(super) fn config(spec: &TunableSpec, values: &[Value]) -> Config {
    let all = spec.parameters.iter().zip(values);
    let own = all.filter_map(|(parameter, value)| {
        let name = own_name(&parameter.name.text, values)?;
        Some((name.to_string(), lock::Value::from(*value)))
    });
    own.collect()
}

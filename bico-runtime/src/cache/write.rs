//! What is kept -> text: the same state gives the same bytes.

use super::file::VERSION;
use super::record::{ArmRecord, Record};
use super::subject::Name;
use bico_core::StoredValue as Value;
use serde_json::{Map, Value as Json};

/// The text of a file. What JSON cannot hold was taken out before ([`kept`]).
pub(super) fn text(name: &Name, facts: &Json, records: &[Record]) -> String {
    let subject = object([
        ("device", name.device.as_str().into()),
        ("driver", name.driver.as_str().into()),
        ("hash", name.hash.as_str().into()),
        ("tunable", name.tunable.as_str().into()),
    ]);
    let file = object([
        ("facts", facts.clone()),
        ("records", records.iter().map(record).collect()),
        ("subject", subject),
        ("version", VERSION.into()),
    ]);
    format!("{file:#}\n")
}

/// An object whose keys are sorted, whatever features of serde_json the program has switched on.
pub(super) fn object<'a>(fields: impl IntoIterator<Item = (&'a str, Json)>) -> Json {
    let mut fields: Vec<(&str, Json)> = fields.into_iter().collect();
    fields.sort_by_key(|(name, _)| *name);
    let fields = fields
        .into_iter()
        .map(|(name, value)| (name.to_string(), value));
    Json::Object(Map::from_iter(fields))
}

fn record(record: &Record) -> Json {
    object([
        ("arms", record.arms.iter().map(arm).collect()),
        ("bucket", record.bucket.as_slice().into()),
        ("consts", values(&record.consts)),
        ("settled", record.settled.into()),
        (
            "sizes",
            object(record.sizes.iter().map(|(n, v)| (n.as_str(), (*v).into()))),
        ),
    ])
}

fn arm(arm: &ArmRecord) -> Json {
    object([
        ("config", values(&arm.config)),
        ("mean", arm.mean.into()),
        ("pulls", arm.pulls.into()),
        ("seconds", arm.seconds.into()),
        ("variance", arm.variance.into()),
    ])
}

fn values(pairs: &[(String, Value)]) -> Json {
    object(pairs.iter().map(|(name, value)| {
        let value = match value {
            Value::Int(value) => (*value).into(),
            Value::Float(value) => (*value).into(),
            Value::Bool(value) => (*value).into(),
            Value::Str(value) => value.as_str().into(),
        };
        (name.as_str(), value)
    }))
}

/// What a file can hold of a record, in the file's order: the arms that were timed and whose numbers are
/// numbers. `None` if that is nothing.
pub(super) fn kept(record: &Record) -> Option<Record> {
    let finite = |value: &Value| !matches!(value, Value::Float(value) if !value.is_finite());
    let is_sound = |arm: &ArmRecord| {
        super::read::sound(arm).is_none() && arm.config.iter().all(|(_, value)| finite(value))
    };
    if !record.consts.iter().all(|(_, value)| finite(value)) {
        return None;
    }
    let settled = record.settled.and_then(|arm| record.arms.get(arm));
    let mut kept = record.clone();
    kept.arms.retain(is_sound);
    kept.settled =
        settled.and_then(|settled| kept.arms.iter().position(|arm| arm.same_config(settled)));
    kept.sort();
    (!kept.arms.is_empty()).then_some(kept)
}

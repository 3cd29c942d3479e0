//! What is kept -> text: the same state gives the same bytes.

use super::file::VERSION;
use super::record::{ArmRecord, Record};
use super::subject::Name;
use bico_core::StoredValue as Value;
use bico_core::json::{Json, ToJson};

/// The text of a file. What JSON cannot hold was taken out before ([`kept`]).
pub(super) fn text(name: &Name, facts: &Json, records: &[Record]) -> String {
    let subject = Json::object([
        ("device", name.device.to_json()),
        ("driver", name.driver.to_json()),
        ("hash", name.hash.to_json()),
        ("tunable", name.tunable.to_json()),
    ]);
    let file = Json::object([
        ("facts", facts.clone()),
        ("records", Json::List(records.iter().map(record).collect())),
        ("subject", subject),
        ("version", VERSION.to_json()),
    ]);
    file.to_text() + "\n"
}

fn record(record: &Record) -> Json {
    Json::object([
        ("arms", Json::List(record.arms.iter().map(arm).collect())),
        ("bucket", record.bucket.to_json()),
        ("consts", values(&record.consts)),
        ("settled", record.settled.to_json()),
        ("sizes", values(&record.sizes)),
    ])
}

fn arm(arm: &ArmRecord) -> Json {
    Json::object([
        ("config", values(&arm.config)),
        ("mean", arm.mean.to_json()),
        ("pulls", arm.pulls.to_json()),
        ("seconds", arm.seconds.to_json()),
        ("variance", arm.variance.to_json()),
    ])
}

fn values<T: ToJson>(pairs: &[(String, T)]) -> Json {
    Json::object(pairs.iter().map(|(name, value)| (name, value.to_json()))).with_sorted_keys()
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

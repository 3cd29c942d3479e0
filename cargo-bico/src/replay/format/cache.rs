//! Kernel Tuner's cache files.
//!
//! `cache` holds an object per config: its parameters, `time` in milliseconds or the name of an
//! error, `times` of the single runs, and what compiling and measuring took.

use super::super::table::{Entry, Record, Status, Table};
use super::json::{Json, Object, number, own, own_failure, spread, text};
use super::value::{Domain, of_json, places};
use super::{Error, MILLI, Raw};
use std::path::Path;

pub(super) fn read(path: &Path, object: &Object, cut: bool) -> Result<Raw, Error> {
    let entries = object.get("cache").and_then(Json::as_object);
    let entries = entries.ok_or_else(|| {
        Error::new(path, "`cache` is no object")
            .help("a Kernel Tuner cache holds its configs there")
    })?;
    let mut domains = parameters(path, object)?;
    let mut table = Table::default();
    for (key, entry) in entries {
        let wrong = |what: String| Error::new(path, format!("config `{key}` of `cache`: {what}"));
        let entry = entry.as_object();
        let entry = entry.ok_or_else(|| wrong("is no object".into()))?;
        let config = places(&mut domains, entry, &|name, value| {
            wrong(match value {
                None => format!("has no `{name}`"),
                Some(_) => format!("its `{name}` is not among the values of `tune_params`"),
            })
        })?;
        let record = outcome(entry);
        table.rows.push(Entry { config, record });
    }
    if cut {
        table.notes.push(format!(
            "the file has no end, as an aborted run leaves it: {} whole configs were read",
            table.rows.len()
        ));
    }
    let named = |key: &str| text(object, key).unwrap_or_default().to_string();
    table.kernel = named("kernel_name");
    table.device = named("device_name");
    own(object, &mut table);
    Ok((domains, table))
}

/// The parameters in the order of `tune_params_keys`, with the values of `tune_params`.
fn parameters(path: &Path, object: &Object) -> Result<Vec<Domain>, Error> {
    let values = object.get("tune_params").and_then(Json::as_object);
    let names: Vec<&str> = match (object.get("tune_params_keys"), values) {
        (Some(keys), _) => keys
            .as_array()
            .and_then(|list| list.iter().map(Json::as_str).collect())
            .ok_or_else(|| Error::new(path, "`tune_params_keys` is no list of names"))?,
        (None, Some(values)) => values.keys().map(String::as_str).collect(),
        (None, None) => {
            return Err(
                Error::new(path, "has neither `tune_params_keys` nor `tune_params`")
                    .help("a Kernel Tuner cache names its parameters there"),
            );
        }
    };
    let mut domains: Vec<Domain> = Vec::with_capacity(names.len());
    for name in names {
        if domains.iter().any(|known| known.name == name) {
            let message = format!("parameter `{name}` is named twice");
            return Err(Error::new(path, message));
        }
        let list = values.and_then(|values| values.get(name)?.as_array());
        let declared = list.and_then(|list| list.iter().map(of_json).collect());
        domains.push(Domain::new(name, declared));
    }
    Ok(domains)
}

fn outcome(entry: &Object) -> Record {
    // Old files have the error in place of the time, new ones (also) under a key of its own.
    let error = own_failure(entry)
        .or_else(|| text(entry, "__error__"))
        .or_else(|| text(entry, "time"));
    let record = Record {
        time: number(entry, "time").map(|time| time * MILLI),
        status: error.map_or(Status::Ok, |error| Status::Failed(error.into())),
        compiling: number(entry, "compile_time"),
        measuring: number(entry, "benchmark_time"),
        ..spread(entry.get("times"))
    };
    record.checked(MILLI)
}

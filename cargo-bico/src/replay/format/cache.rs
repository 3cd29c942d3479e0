//! Kernel Tuner's cache files.
//!
//! `cache` holds an object per config: its parameters, `time` in milliseconds or the name of an
//! error, `times` of the single runs, and what compiling and measuring took.

use super::super::table::{Entry, Record, Status, Table};
use super::Error;
use super::fields::{MILLI, duration, record};
use super::json::{Json, Object, number, text};
use super::text::Name;
use super::value::{Domain, finish, of_json};
use std::path::Path;

pub(super) fn read(path: &Path, object: &Object, cut: bool) -> Result<Table, Error> {
    let name = Name::of(path, true);
    let entries = object.get("cache").and_then(Json::object).ok_or_else(|| {
        Error::new(path, "`cache` is no object")
            .help("a Kernel Tuner cache holds its configs there")
    })?;
    let mut domains = parameters(path, object)?;
    let mut rows = Vec::with_capacity(entries.len());
    for (key, entry) in entries {
        let wrong = |what: String| Error::new(path, format!("config `{key}` of `cache`: {what}"));
        let entry = entry.object().ok_or_else(|| wrong("is no object".into()))?;
        let mut config = Vec::with_capacity(domains.len());
        for domain in &mut domains {
            let value = entry
                .get(&domain.name)
                .ok_or_else(|| wrong(format!("has no `{}`", domain.name)))?;
            let place = of_json(value).and_then(|value| domain.place(value));
            config.push(place.ok_or_else(|| {
                wrong(format!(
                    "its `{}` is not among the values of `tune_params`",
                    domain.name
                ))
            })?);
        }
        rows.push(Entry {
            config,
            record: outcome(entry),
        });
    }
    let mut notes = Vec::new();
    if cut {
        notes.push(format!(
            "the file has no end, as an aborted run leaves it: {} whole configs were read",
            rows.len()
        ));
    }
    let named = |key: &str| text(object, key).filter(|text| !text.is_empty());
    Ok(Table {
        name: name.whole,
        kernel: named("kernel_name").map_or(name.kernel, String::from),
        device: named("device_name").map_or(name.device, String::from),
        parameters: finish(domains, &mut rows),
        restrictions: None,
        rows,
        notes,
        ..Table::default()
    })
}

/// The parameters in the order of `tune_params_keys`, with the values of `tune_params`.
fn parameters(path: &Path, object: &Object) -> Result<Vec<Domain>, Error> {
    let values = object.get("tune_params").and_then(Json::object);
    let names: Vec<&str> = match (object.get("tune_params_keys"), values) {
        (Some(keys), _) => {
            let names: Option<Vec<&str>> = keys
                .list()
                .and_then(|list| list.iter().map(Json::text).collect());
            names.ok_or_else(|| Error::new(path, "`tune_params_keys` is no list of names"))?
        }
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
            return Err(Error::new(
                path,
                format!("parameter `{name}` is named twice"),
            ));
        }
        let declared: Option<Vec<_>> = values
            .and_then(|values| values.get(name)?.list())
            .and_then(|list| list.iter().map(of_json).collect());
        domains.push(match declared {
            Some(values) => Domain::declared(name, values),
            None => Domain::open(name),
        });
    }
    Ok(domains)
}

fn outcome(entry: &Object) -> Record {
    let number = |key: &str| number(entry, key);
    // Old files have the error in place of the time, new ones (also) under a key of its own.
    let error = ["__error__", "time"]
        .iter()
        .find_map(|key| text(entry, key));
    let status = error.map_or(Status::Ok, |error| Status::Failed(error.into()));
    let times: Vec<f64> = entry
        .get("times")
        .and_then(Json::list)
        .unwrap_or_default()
        .iter()
        .filter_map(Json::number)
        .collect();
    let (fastest, deviation, runs) = spread(&times);
    Record {
        fastest: duration(fastest, MILLI),
        deviation: duration(deviation, MILLI),
        runs,
        compiling: duration(number("compile_time"), MILLI),
        measuring: duration(number("benchmark_time"), MILLI),
        ..record(number("time").map(|time| time * MILLI), status)
    }
}

/// The fastest run, the standard deviation and the number of runs.
pub(super) fn spread(times: &[f64]) -> (Option<f64>, Option<f64>, Option<u32>) {
    if times.is_empty() {
        return (None, None, None);
    }
    let count = times.len() as f64;
    let mean = times.iter().sum::<f64>() / count;
    let squares: f64 = times.iter().map(|time| (time - mean).powi(2)).sum();
    (
        times.iter().copied().reduce(f64::min),
        Some((squares / count).sqrt()),
        u32::try_from(times.len()).ok(),
    )
}

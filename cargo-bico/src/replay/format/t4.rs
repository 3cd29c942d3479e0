//! Results in the T4 format of the autotuning community: a list of objects with `configuration`,
//! `measurements`, `times` and `invalidity`.

use super::super::table::{Entry, Record, Status, Table};
use super::json::{Json, Object, own, own_failure, spread, text};
use super::value::{Domain, places};
use super::{Error, MILLI, Raw};
use std::path::Path;

pub(super) fn read(path: &Path, object: &Object) -> Result<Raw, Error> {
    let results = object.get("results").and_then(Json::as_array);
    let results = results.ok_or_else(|| {
        Error::new(path, "`results` is no list").help("T4 results list their configs there")
    })?;
    let unit = object
        .get("metadata")
        .and_then(|metadata| seconds(metadata.get("timeunit")?.as_str()?))
        .unwrap_or(MILLI);
    let mut domains: Vec<Domain> = Vec::new();
    let mut table = Table::default();
    for (at, result) in results.iter().enumerate() {
        let wrong = |what: String| Error::new(path, format!("`results[{at}]` {what}"));
        let result = result.as_object();
        let result = result.ok_or_else(|| wrong("is no object".into()))?;
        let values = result.get("configuration").and_then(Json::as_object);
        let values = values.ok_or_else(|| wrong("has no `configuration`".into()))?;
        if at == 0 {
            domains = values.keys().map(|name| Domain::new(name, None)).collect();
        }
        let config = places(&mut domains, values, &|name, value| {
            wrong(match value.map(Json::kind) {
                None => format!("has no value of `{name}`"),
                Some(kind) => format!("has {kind} for `{name}`, no number, string or truth value"),
            })
        })?;
        let is_new = |name: &&String| !domains.iter().any(|domain| domain.name == **name);
        if let Some(name) = values.keys().find(is_new) {
            let what = format!("has a parameter `{name}` that `results[0]` has not");
            return Err(wrong(what));
        }
        let record = outcome(result, unit);
        table.rows.push(Entry { config, record });
    }
    own(object, &mut table);
    Ok((domains, table))
}

fn outcome(result: &Object, unit: f64) -> Record {
    let times = result.get("times");
    let number = |name: &str| times?.get(name)?.as_f64();
    let record = Record {
        time: time(result, unit),
        status: match text(result, "invalidity") {
            None | Some("correct") => Status::Ok,
            Some(why) => Status::Failed(own_failure(result).unwrap_or(why).into()),
        },
        compiling: number("compilation_time").or_else(|| number("compilation")),
        measuring: number("benchmark_time").or_else(|| number("benchmark")),
        ..spread(times.and_then(|times| times.get("runtimes")))
    };
    record.checked(unit)
}

/// The objective's measurement in seconds; `time` where the objective is none in seconds.
fn time(result: &Object, unit: f64) -> Option<f64> {
    let measurements = result.get("measurements")?.as_array()?;
    let objective = result
        .get("objectives")
        .and_then(|list| list.as_array()?.first()?.as_str());
    let value = |name: &str| {
        let is = |one: &&Json| one.get("name").and_then(Json::as_str) == Some(name);
        let measurement = measurements.iter().find(is)?;
        let unit = match measurement.get("unit").and_then(Json::as_str) {
            None | Some("") => unit,
            Some(text) => seconds(text)?,
        };
        Some(measurement.get("value")?.as_f64()? * unit)
    };
    objective.and_then(value).or_else(|| value("time"))
}

/// The seconds of a unit of time.
fn seconds(unit: &str) -> Option<f64> {
    match unit {
        "s" | "sec" | "second" | "seconds" => Some(1.0),
        // The hub's files have the misspelling.
        "ms" | "millisecond" | "milliseconds" | "miliseconds" => Some(MILLI),
        "us" | "µs" | "microsecond" | "microseconds" => Some(1e-6),
        "ns" | "nanosecond" | "nanoseconds" => Some(1e-9),
        _ => None,
    }
}

//! Results in the T4 format of the autotuning community: a list of objects with `configuration`,
//! `measurements`, `times` and `invalidity`.

use super::super::table::{Entry, Record, Status, Table};
use super::Error;
use super::cache::spread;
use super::fields::{MILLI, duration, record};
use super::json::{Json, Object, text};
use super::text::Name;
use super::value::{Domain, finish, of_json};
use std::path::Path;

pub(super) fn read(path: &Path, object: &Object) -> Result<Table, Error> {
    let name = Name::of(path, true);
    let results = object.get("results").and_then(Json::list).ok_or_else(|| {
        Error::new(path, "`results` is no list").help("T4 results list their configs there")
    })?;
    let unit = object
        .get("metadata")
        .and_then(|metadata| seconds(metadata.get("timeunit")?.text()?))
        .unwrap_or(MILLI);
    let mut domains: Vec<Domain> = Vec::new();
    let mut rows = Vec::with_capacity(results.len());
    for (at, result) in results.iter().enumerate() {
        let wrong = |what: String| Error::new(path, format!("`results[{at}]` {what}"));
        let result = result
            .object()
            .ok_or_else(|| wrong("is no object".into()))?;
        let configuration = result
            .get("configuration")
            .and_then(Json::object)
            .ok_or_else(|| wrong("has no `configuration`".into()))?;
        if at == 0 {
            domains = configuration.keys().map(Domain::open).collect();
        }
        let mut config = Vec::with_capacity(domains.len());
        for domain in &mut domains {
            let value = configuration
                .get(&domain.name)
                .ok_or_else(|| wrong(format!("has no value of `{}`", domain.name)))?;
            let place = of_json(value).and_then(|value| domain.place(value));
            config.push(place.ok_or_else(|| {
                wrong(format!(
                    "has {} for `{}`, no number, string or truth value",
                    value.kind(),
                    domain.name
                ))
            })?);
        }
        if let Some(name) = configuration
            .keys()
            .find(|name| !domains.iter().any(|domain| domain.name == **name))
        {
            return Err(wrong(format!(
                "has a parameter `{name}` that `results[0]` has not"
            )));
        }
        rows.push(Entry {
            config,
            record: outcome(result, unit),
        });
    }
    Ok(Table {
        name: name.whole,
        kernel: name.kernel,
        device: name.device,
        parameters: finish(domains, &mut rows),
        restrictions: None,
        rows,
        ..Table::default()
    })
}

fn outcome(result: &Object, unit: f64) -> Record {
    let status = match text(result, "invalidity") {
        None | Some("correct") => Status::Ok,
        Some(why) => Status::Failed(why.into()),
    };
    let times = result.get("times");
    let number = |names: [&str; 2]| {
        let times = times?;
        names.iter().find_map(|name| times.get(name)?.number())
    };
    let runs: Vec<f64> = times
        .and_then(|times| times.get("runtimes")?.list())
        .unwrap_or_default()
        .iter()
        .filter_map(Json::number)
        .collect();
    let (fastest, deviation, count) = spread(&runs);
    Record {
        fastest: duration(fastest, unit),
        deviation: duration(deviation, unit),
        runs: count,
        compiling: duration(number(["compilation_time", "compilation"]), unit),
        measuring: duration(number(["benchmark_time", "benchmark"]), unit),
        ..record(time(result, unit), status)
    }
}

/// The objective's measurement in seconds; `time` where the objective is none in seconds.
fn time(result: &Object, unit: f64) -> Option<f64> {
    let measurements = result.get("measurements")?.list()?;
    let objective = result
        .get("objectives")
        .and_then(|list| list.list()?.first()?.text());
    let value = |name: &str| {
        let measurement = measurements
            .iter()
            .find(|one| one.get("name").and_then(Json::text) == Some(name))?;
        let unit = match measurement.get("unit").and_then(Json::text) {
            None | Some("") => unit,
            Some(text) => seconds(text)?,
        };
        Some(measurement.get("value")?.number()? * unit)
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

//! Recorded spaces as text, in the formats that they are read from.
//!
//! Kernel Tuner's words for a failure, and those of T4, are fewer than bico's: bico's own stands beside them, and so do
//! the device's key and the problem's.

use super::super::table::{Entry, Record, Status, Table};
use super::MILLI;
use super::json::{FAILURE, Json, OWN, Object};
use crate::Error;
use bico_core::Value;
use serde_json::Value as Plain;

/// A format that is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Written {
    /// Rows; parameters and all else stand in [`sidecar`].
    Csv,
    /// A cache file of Kernel Tuner.
    KernelTuner,
    /// T4 results.
    T4,
}

/// The text of a table. `device` is what another tool calls the device.
///
/// # Errors
///
/// A text that could not be made, which no table gives cause for.
pub(crate) fn text(table: &Table, format: Written, device: &str) -> Result<String, Error> {
    match format {
        Written::Csv => csv(table),
        Written::KernelTuner => cache(table, device),
        Written::T4 => t4(table),
    }
}

/// The text of the sidecar that a CSV has.
///
/// # Errors
///
/// As [`text`].
pub(crate) fn sidecar(table: &Table) -> Result<String, Error> {
    let params = table.parameters.iter().map(|(name, values)| {
        let values = values.iter().map(|value| json(*value)).collect();
        object([("name", string(name)), ("values", Json::Array(values))])
    });
    let file = object([
        ("kernel", string(&table.kernel)),
        ("device_name", string(&table.device)),
        ("params", Json::Array(params.collect())),
        (OWN, own(table)),
    ]);
    let text = serde_json::to_string_pretty(&file).map_err(Error::work)?;
    Ok(text + "\n")
}

fn csv(table: &Table) -> Result<String, Error> {
    let names = table.parameters.iter().map(|(name, _)| name.as_str());
    let measured = [
        "time_ms",
        "status",
        "time_min_ms",
        "time_std_ms",
        "n_runs",
        "compile_ms",
        "bench_ms",
    ];
    let mut rows = csv::Writer::from_writer(Vec::new());
    rows.write_record(names.chain(measured))
        .map_err(Error::work)?;
    for row in &table.rows {
        let Record {
            time,
            status,
            fastest,
            deviation,
            runs,
            compiling,
            measuring,
        } = &row.record;
        let milli = |seconds: &Option<f64>| {
            seconds.map_or(String::new(), |seconds| (seconds / MILLI).to_string())
        };
        let values = table.values(row).into_iter().map(bico_syntax::bind::bare);
        let status = match status {
            Status::Ok => "ok",
            Status::Failed(why) => why,
            Status::Missing => continue,
        };
        let measured = [
            milli(time),
            status.to_string(),
            milli(fastest),
            milli(deviation),
            runs.map_or(String::new(), |runs| runs.to_string()),
            milli(compiling),
            milli(measuring),
        ];
        rows.write_record(values.chain(measured))
            .map_err(Error::work)?;
    }
    let bytes = rows.into_inner().map_err(Error::work)?;
    String::from_utf8(bytes).map_err(Error::work)
}

/// As Kernel Tuner 1.5 writes it: an entry per line, and in the end what it takes for a file that was closed.
fn cache(table: &Table, device: &str) -> Result<String, Error> {
    let params = table.parameters.iter().map(|(name, values)| {
        let values = values.iter().map(|value| json(defined(*value)));
        (name.as_str(), Json::Array(values.collect()))
    });
    let keys = table.parameters.iter().map(|(name, _)| string(name));
    let head = [
        ("device_name", string(device)),
        ("kernel_name", string(&table.kernel)),
        ("tune_params_keys", Json::Array(keys.collect())),
        ("tune_params", object(params)),
        ("objective", string("time")),
        (OWN, own(table)),
    ];
    let mut text = String::from("{\n");
    for (key, value) in head {
        text += &format!("\"{key}\": {},\n", compact(&value)?);
    }
    text += "\"cache\": {";
    let mut comma = "\n";
    for row in &table.rows {
        let values = table.values(row).into_iter().map(defined);
        let values: Vec<Value> = values.collect();
        let key: Vec<String> = values.iter().map(|value| python(*value)).collect();
        let (key, entry) = (string(&key.join(",")), cached(table, row, values));
        text += &format!("{comma}{}: {}", compact(&key)?, compact(&entry)?);
        comma = ",\n";
    }
    Ok(text + "}\n}")
}

fn cached(table: &Table, row: &Entry, values: Vec<Value>) -> Json {
    let record = &row.record;
    let milli = |name, seconds: Option<f64>| Some((name, number(seconds? / MILLI)));
    let names = table.parameters.iter().map(|(name, _)| name.clone());
    let mut entry: Object = names.zip(values.into_iter().map(json)).collect();
    let mut fields = Vec::new();
    match (&record.status, record.time) {
        (Status::Failed(why), _) => {
            let error = string(kernel_tuner_error(why));
            fields.extend([("time", error.clone()), ("__error__", error)]);
            fields.push((FAILURE, string(why)));
        }
        (_, time) => fields.extend(milli("time", time)),
    }
    fields.extend(milli("compile_time", record.compiling));
    fields.extend(milli("benchmark_time", record.measuring));
    entry.extend(fields.into_iter().map(|(name, value)| (name.into(), value)));
    Json::Object(entry)
}

fn t4(table: &Table) -> Result<String, Error> {
    let results = table.rows.iter().map(|row| {
        let record = &row.record;
        let (invalidity, own) = match &record.status {
            Status::Failed(why) => (t4_invalidity(why), Some(why)),
            _ => ("correct", None),
        };
        let value = match (own, record.time) {
            (None, Some(time)) => number(time / MILLI),
            (why, _) => string(kernel_tuner_error(why.map_or("", String::as_str))),
        };
        let time = [
            ("name", string("time")),
            ("value", value),
            ("unit", string("ms")),
        ];
        let milli = |name, seconds: Option<f64>| Some((name, number(seconds? / MILLI)));
        let times = milli("compilation", record.compiling).into_iter();
        let times = times.chain(milli("benchmark", record.measuring));
        let times = times.chain([("runtimes", Json::Array(Vec::new()))]);
        let wrong = invalidity == "correctness";
        let fields = [
            ("configuration", Json::Object(values(table, row))),
            ("times", object(times)),
            ("invalidity", string(invalidity)),
            ("correctness", number(if wrong { 0.0 } else { 1.0 })),
            ("measurements", Json::Array(vec![object(time)])),
            ("objectives", Json::Array(vec![string("time")])),
        ];
        let failure = own.map(|why| (FAILURE, string(why)));
        object(fields.into_iter().chain(failure))
    });
    let file = object([
        ("schema_version", string("1.0.0")),
        ("metadata", object([("timeunit", string("milliseconds"))])),
        (OWN, self::own(table)),
        ("results", Json::Array(results.collect())),
    ]);
    let text = serde_json::to_string_pretty(&file).map_err(Error::work)?;
    Ok(text + "\n")
}

/// What Kernel Tuner calls a failure.
fn kernel_tuner_error(why: &str) -> &'static str {
    match t4_invalidity(why) {
        "compile" => "CompilationFailedConfig",
        "constraints" => "InvalidConfig",
        _ => "RuntimeFailedConfig",
    }
}

/// What T4 calls a failure, whoever named it.
fn t4_invalidity(why: &str) -> &'static str {
    match why {
        "compile" | "CompilationFailedConfig" => "compile",
        "timeout" => "timeout",
        "wrong" | "unwritten" | "correctness" => "correctness",
        "unlaunchable" | "constraints" | "InvalidConfig" => "constraints",
        _ => "runtime",
    }
}

fn own(table: &Table) -> Json {
    object([
        ("kernel", string(&table.kernel)),
        ("device", string(&table.device)),
        ("problem", string(&table.problem)),
    ])
}

fn values(table: &Table, row: &Entry) -> Object {
    let names = table.parameters.iter().map(|(name, _)| name.clone());
    names.zip(table.values(row).into_iter().map(json)).collect()
}

/// What Kernel Tuner can define for a compiler of C, to which `True` is nothing.
fn defined(value: Value) -> Value {
    match value {
        Value::Bool(value) => Value::Int(value.into()),
        other => other,
    }
}

/// As Python's `str` writes it: that is how Kernel Tuner names a config.
fn python(value: Value) -> String {
    match value {
        Value::Float(value) => {
            let text = format!("{value:?}");
            match text.split_once('e') {
                None => text,
                Some((digits, power)) => match power.strip_prefix('-') {
                    Some(power) => format!("{digits}e-{power:0>2}"),
                    None => format!("{digits}e+{power:0>2}"),
                },
            }
        }
        other => bico_syntax::bind::bare(other),
    }
}

fn json(value: Value) -> Json {
    Json::Plain(match value {
        Value::Int(value) => value.into(),
        Value::Float(value) => value.into(),
        Value::Bool(value) => value.into(),
        Value::Str(value) => value.into(),
    })
}

fn string(text: &str) -> Json {
    Json::Plain(Plain::String(text.to_string()))
}

fn number(number: f64) -> Json {
    Json::Plain(number.into())
}

fn object<'a>(fields: impl IntoIterator<Item = (&'a str, Json)>) -> Json {
    let fields = fields.into_iter();
    Json::Object(
        fields
            .map(|(name, value)| (name.to_string(), value))
            .collect(),
    )
}

fn compact(value: &Json) -> Result<String, Error> {
    serde_json::to_string(value).map_err(Error::work)
}

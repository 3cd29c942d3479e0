//! [`Lock`] -> text: the same lock gives the same bytes, made to be read in a review.

use super::model::VERSION;
use super::text::{self, PARAMETER, TUNABLE};
use super::{Config, Entry, Hashes, Lock, Ratio, Trial, Value};
use bico_core::device::{Facts, Usage};
use bico_core::json::{Json, ToJson};
use bico_core::{Lists, Map};
use std::borrow::Borrow;

/// The text of a lock.
///
/// # Errors
///
/// The lock holds what no reader would take back: a text with a quote, a time that is not finite,
/// a device without facts.
pub fn to_text(lock: &Lock) -> Result<String, String> {
    let devices = block(&lock.devices, |_, of| facts(of))?;
    let kernels = block(&lock.kernels, |key, kernel| {
        text::check(TUNABLE, key)?;
        block(kernel, |device, problems| {
            if lock.devices.get(device).is_none() {
                return Err(format!("there are no facts of the device `{device}`"));
            }
            block(problems, |_, of| entry(of))
        })
        .map_err(|fault| format!("{key}: {fault}"))
    })?;
    let lock = Json::object(vec![
        ("devices", devices),
        ("kernels", kernels),
        ("version", VERSION.to_json()),
    ]);
    Ok(lock.to_text() + "\n")
}

pub(super) fn block<K: Borrow<str>, T>(
    map: &Map<K, T>,
    mut value: impl FnMut(&str, &T) -> Result<Json, String>,
) -> Result<Json, String> {
    let mut fields = Vec::new();
    for (key, of) in map {
        let key = key.borrow();
        if key.is_empty() {
            return Err("an empty key".to_string());
        }
        plain(key)?;
        fields.push((key.to_string().into(), value(key, of)?));
    }
    Ok(Json::Object(fields))
}

/// Whether a reader takes a text.
fn plain(text: &str) -> Result<(), String> {
    match text::fault(text) {
        Some(fault) => Err(format!("\"{}\" holds {fault}", text.escape_debug())),
        None => Ok(()),
    }
}

/// Whether a reader takes all texts.
pub(super) fn checked(json: Json) -> Result<Json, String> {
    fn check(json: &Json) -> Result<(), String> {
        match json {
            Json::Null | Json::Plain(_) => Ok(()),
            Json::Text(text) => plain(text),
            Json::Object(fields) => fields.iter().try_for_each(|(_, value)| check(value)),
            Json::List(elements) => elements.iter().try_for_each(check),
            Json::Line(json) => check(json),
        }
    }
    check(&json)?;
    Ok(json)
}

/// Facts with lists in one line.
fn facts(facts: &Facts) -> Result<Json, String> {
    Ok(match checked(facts.to_json())? {
        Json::Object(mut fields) => {
            for (_, value) in &mut fields {
                *value = std::mem::replace(value, Json::Null).in_one_line();
            }
            Json::Object(fields)
        }
        other => other,
    })
}

fn entry(entry: &Entry) -> Result<Json, String> {
    let evaluations = count(entry.budget.evaluations)?;
    let limit = seconds(entry.budget.seconds)?;
    let budget = Json::object(vec![("evaluations", evaluations), ("seconds", limit)]);
    let resources = entry.resources.as_ref();
    if let Some(used) = resources {
        count(used.on_chip_bytes)?;
    }
    let marked = |kept: &Option<Trial>| kept.as_ref().map(trial).transpose();
    let trials = entry.trials.iter().map(trial).try_collect_vec()?;
    let [low, high] = entry.interval;
    let interval = vec![seconds(low)?, seconds(high)?];
    let short = |used: &Usage| used.to_json().with_sorted_keys().in_one_line();
    let mut winner = vec![
        ("config", config(&entry.winner.config)?),
        ("interval_seconds", Json::List(interval)),
        ("seconds", seconds(entry.winner.seconds)?),
    ];
    winner.extend(
        entry
            .ratio
            .as_ref()
            .map(ratio)
            .transpose()?
            .map(|of| ("ratio", of)),
    );
    winner.extend(entry.tested.as_ref().map(|of| ("tested", of.to_json())));
    winner.extend(entry.timed.as_ref().map(|of| ("timed", of.to_json())));
    let winner = Json::object(winner);
    let verified = entry.verified.name(entry.rules);
    let fields = [
        ("budget", Some(budget.in_one_line())),
        ("evaluations", Some(count(entry.evaluations)?)),
        ("first", marked(&entry.first)?),
        ("hashes", Some(hashes(&entry.hashes))),
        ("ranked", marked(&entry.ranked)?),
        ("resources", resources.map(short)),
        ("source", entry.source.as_ref().map(ToJson::to_json)),
        ("space_size", Some(count(entry.space_size)?)),
        ("strategy", Some(entry.strategy.to_json())),
        ("toolchain", Some(entry.toolchain.to_json())),
        ("trials", Some(Json::List(trials))),
        ("verified", Some(verified.to_json())),
        ("winner", Some(winner.in_one_line())),
    ];
    let mut there = Vec::new();
    for (name, value) in fields {
        there.extend(value.map(|value| (name, value)));
    }
    checked(Json::object(there))
}

fn ratio(ratio: &Ratio) -> Result<Json, String> {
    let [low, high] = ratio.interval;
    let to = if ratio.to_reference {
        Ratio::REFERENCE
    } else {
        Ratio::FIRST
    };
    Ok(Json::object(vec![
        ("interval", Json::List(vec![seconds(low)?, seconds(high)?])),
        ("to", to.to_json()),
        ("value", seconds(ratio.value)?),
    ]))
}

fn hashes(hashes: &Hashes) -> Json {
    let headers = hashes.headers.iter();
    let headers = headers.map(|(name, hash)| (name.clone().into(), hash.to_json()));
    let headers = headers.collect_vec();
    let mut fields = vec![("flags", hashes.flags.to_json())];
    if !headers.is_empty() {
        fields.push(("headers", Json::Object(headers)));
    }
    fields.extend(vec![
        ("launch", hashes.launch.to_json()),
        ("source", hashes.source.to_json()),
        ("space", hashes.space.to_json()),
        ("verify", hashes.verify.to_json()),
    ]);
    Json::object(fields)
}

pub(super) fn trial(trial: &Trial) -> Result<Json, String> {
    let (config, seconds) = (config(&trial.config)?, seconds(trial.seconds)?);
    Ok(Json::object(vec![("config", config), ("seconds", seconds)]).in_one_line())
}

fn config(config: &Config) -> Result<Json, String> {
    let fields = config.iter().map(|(name, value)| {
        text::check(PARAMETER, name)?;
        let json = match value {
            Value::Float(value) if !value.is_finite() => return Err(format!("{name} is {value}")),
            // With the digits of an attribute.
            Value::Float(_) => Json::Plain(value.to_string()),
            other => other.to_json(),
        };
        Ok((name.clone().into(), json))
    });
    fields.try_collect_vec().map(Json::Object)
}

/// A time as the lock keeps it: four significant digits.
pub fn rounded(seconds: f64) -> f64 {
    format!("{seconds:.3e}").parse().unwrap_or(seconds)
}

fn count(count: u64) -> Result<Json, String> {
    let fits = i64::try_from(count).map(|count| count.to_json());
    fits.map_err(|_| format!("{count} is too large"))
}

fn seconds(seconds: f64) -> Result<Json, String> {
    if !seconds.is_finite() || seconds < 0.0 {
        return Err(format!("a time of {seconds} seconds"));
    }
    // Never with an exponent, so that columns can be compared by eye; `abs` for -0.
    Ok(Json::Plain(rounded(seconds).abs().to_string()))
}

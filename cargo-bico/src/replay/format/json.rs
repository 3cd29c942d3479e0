//! JSON that programs in Python leave behind: with `NaN`, or cut off in the middle.

use super::super::table::{Record, Table};
use super::Error;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::Path;

/// Where files that bico wrote name device and problem.
pub(super) const OWN: &str = "bico";

/// Where they say why a config failed.
pub(super) const FAILURE: &str = "bico_failure";

/// An object that keeps the order of its keys: parameters have one. Of a key that stands there twice the last
/// value counts, as everywhere.
pub(super) type Object = IndexMap<String, Json>;

/// A JSON value whose objects keep their order.
#[derive(Clone, Deserialize, Serialize)]
#[serde(untagged)]
pub(super) enum Json {
    Object(Object),
    Array(Vec<Json>),
    /// A number, string, truth value or null.
    Plain(Value),
}

impl Json {
    pub(super) fn get(&self, key: &str) -> Option<&Json> {
        self.as_object()?.get(key)
    }

    pub(super) fn as_object(&self) -> Option<&Object> {
        match self {
            Json::Object(object) => Some(object),
            _ => None,
        }
    }

    pub(super) fn as_array(&self) -> Option<&Vec<Json>> {
        match self {
            Json::Array(list) => Some(list),
            _ => None,
        }
    }

    /// What is no object and no list.
    pub(super) fn plain(&self) -> &Value {
        match self {
            Json::Plain(value) => value,
            _ => &Value::Null,
        }
    }

    pub(super) fn as_str(&self) -> Option<&str> {
        self.plain().as_str()
    }

    pub(super) fn as_f64(&self) -> Option<f64> {
        self.plain().as_f64()
    }

    /// What it is, for messages.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Json::Object(_) => "an object",
            Json::Array(_) => "a list",
            Json::Plain(Value::Null) => "null",
            Json::Plain(Value::Bool(_)) => "a truth value",
            Json::Plain(Value::Number(_)) => "a number",
            Json::Plain(_) => "a string",
        }
    }
}

/// The text of a key.
pub(super) fn text<'a>(object: &'a Object, key: &str) -> Option<&'a str> {
    object.get(key)?.as_str()
}

/// The number of a key.
pub(super) fn number(object: &Object, key: &str) -> Option<f64> {
    object.get(key)?.as_f64()
}

/// What files that bico wrote say besides: the device's key and the problem's, which other tools have no place for.
pub(super) fn own(object: &Object, table: &mut Table) {
    let text = |key: &str| object.get(OWN)?.get(key)?.as_str().map(str::to_string);
    for (part, key) in [
        (&mut table.kernel, "kernel"),
        (&mut table.device, "device"),
        (&mut table.problem, "problem"),
    ] {
        *part = text(key).unwrap_or(std::mem::take(part));
    }
}

/// Why a config failed, in bico's own word, where the file is one of bico's.
pub(super) fn own_failure(object: &Object) -> Option<&str> {
    text(object, FAILURE)
}

/// What a list of single runs says: the fastest, the standard deviation and how many.
pub(super) fn spread(runs: Option<&Json>) -> Record {
    let times = runs.and_then(Json::as_array).into_iter().flatten();
    let times: Vec<f64> = times.filter_map(Json::as_f64).collect();
    if times.is_empty() {
        return Record::default();
    }
    let count = times.len() as f64;
    let mean = times.iter().sum::<f64>() / count;
    let squares: f64 = times.iter().map(|time| (time - mean).powi(2)).sum();
    Record {
        fastest: times.iter().copied().reduce(f64::min),
        deviation: Some((squares / count).sqrt()),
        runs: u32::try_from(times.len()).ok(),
        ..Record::default()
    }
}

/// The object that is the whole file, and whether its end had to be supplied: an aborted tuning run
/// leaves its cache file open, perhaps in the middle of an entry.
pub(super) fn object(path: &Path, text: &str) -> Result<(Object, bool), Error> {
    let text = without_nan(text);
    match serde_json::from_str(&text) {
        Ok(Json::Object(object)) => Ok((object, false)),
        Ok(other) => Err(
            Error::new(path, format!("is {}, no recorded space", other.kind()))
                .help("a recorded space in JSON is an object with `cache` or `results`"),
        ),
        Err(error) if error.is_eof() => match closed(&text) {
            Some(object) if object.contains_key("cache") => Ok((object, true)),
            _ => Err(Error::new(path, "ends in the middle")
                .line(error.line() as u64)
                .help("the file was cut off: fetch or write it again")),
        },
        Err(error) => Err(Error::new(path, format!("is no JSON: {error}"))
            .line(error.line() as u64)
            .help("a recorded space is a CSV or a JSON file, plain or gzipped")),
    }
}

/// The file up to its last whole entry, closed.
fn closed(text: &str) -> Option<Object> {
    let mut end = text.len();
    // Entries stand on lines of their own: the last whole one is at most a few lines up.
    for _ in 0..4 {
        let whole = text[..end].trim_end();
        let whole = whole.strip_suffix(',').unwrap_or(whole);
        for brackets in ["}\n}", "}"] {
            if let Ok(Json::Object(object)) = serde_json::from_str(&format!("{whole}{brackets}")) {
                return Some(object);
            }
        }
        end = text[..end].trim_end().rfind('\n')?;
    }
    None
}

/// Replaces what Python writes for numbers that are none by `null`.
fn without_nan(text: &str) -> std::borrow::Cow<'_, str> {
    if !text.contains("NaN") && !text.contains("Infinity") {
        return text.into();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['"', 'N', 'I', '-']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if rest.starts_with('"') {
            let end = end_of_string(rest);
            out.push_str(&rest[..end]);
            rest = &rest[end..];
        } else if let Some(after) = ["NaN", "-Infinity", "Infinity"]
            .iter()
            .find_map(|word| rest.strip_prefix(word))
        {
            out.push_str("null");
            rest = after;
        } else {
            out.push_str(&rest[..1]);
            rest = &rest[1..];
        }
    }
    out.push_str(rest);
    out.into()
}

/// The length of the string that the text begins with, quotes included.
fn end_of_string(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_outside_of_strings_is_null() {
        assert_eq!(
            without_nan(r#"{"NaN": [NaN, -Infinity, Infinity, -1], "a\"NaN": "N"}"#),
            r#"{"NaN": [null, null, null, -1], "a\"NaN": "N"}"#
        );
    }

    #[test]
    fn an_open_cache_is_closed_behind_its_last_whole_entry() {
        let path = Path::new("cache.json");
        let whole = "{\n\"device_name\": \"a\",\n\"cache\": {\n\"1\": {\"N\": 1},\n\"2\": {\"N\": 2},\n\"3\": {\"N\": 3}}\n}";
        for end in 0..=whole.len() {
            let entries = match object(path, &whole[..end]) {
                Ok((object, cut)) => {
                    assert_eq!(cut, end < whole.len());
                    let cache = object.get("cache").and_then(Json::as_object).unwrap();
                    Some(cache.len())
                }
                Err(error) => {
                    assert!(end == 0 || error.message == "ends in the middle", "{error}");
                    None
                }
            };
            let expected = whole[..end].matches("},").count();
            if let Some(entries) = entries {
                assert!(
                    entries == expected || entries == expected + 1,
                    "{end}: {entries}"
                );
            } else {
                assert_eq!(expected, 0, "{end}");
            }
        }
    }
}

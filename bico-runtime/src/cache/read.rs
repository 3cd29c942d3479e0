//! Text -> what is kept. It is input from outside: every value is looked at.

use super::file::VERSION;
use super::record::{ArmRecord, Record};
use super::subject::Name;
use bico_core::StoredValue as Value;
use serde_json::{Map, Value as Json};

/// More of anything was never written by bico.
const MOST_ARMS: usize = 4096;
const MOST_SIZES: usize = 256;
pub(super) const MOST_PULLS: u64 = 1 << 52;
const LONGEST: usize = 1024;
/// Of ln(seconds per unit of work): far beyond everything that can be timed.
const FARTHEST: f64 = 300.0;
pub(super) const WIDEST: f64 = FARTHEST * FARTHEST;

/// The content of a file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Content {
    pub(super) name: Name,
    pub(super) records: Vec<Record>,
    /// What is wrong with the first record that had to be left out, and how many are like that.
    pub(super) faults: Option<(String, usize)>,
}

/// Reads a file's text.
///
/// # Errors
///
/// What is wrong with all of it, for people.
pub(super) fn content(text: &str) -> Result<Content, String> {
    let json: Json = serde_json::from_str(text).map_err(|error| format!("no JSON: {error}"))?;
    let fields = object(&json, "the file")?;
    match field(fields, "version")?.as_i64() {
        Some(VERSION) => {}
        Some(version) => return Err(format!("version {version} is not known here")),
        None => return Err("`version` is no number".to_string()),
    }
    let subject = object(field(fields, "subject")?, "`subject`")?;
    let part = |name: &str| self::text(field(subject, name)?, name);
    let name = Name {
        tunable: part("tunable")?,
        device: part("device")?,
        driver: part("driver")?,
        hash: part("hash")?,
    };
    object(field(fields, "facts")?, "`facts`")?;
    let mut records: Vec<Record> = Vec::new();
    let mut faults = None;
    for (index, json) in array(field(fields, "records")?, "`records`")?
        .iter()
        .enumerate()
    {
        let fault = match record(json) {
            Ok(record) if records.iter().any(|known| known.same_key(&record)) => {
                "its bucket stands there twice".to_string()
            }
            Ok(record) => {
                records.push(record);
                continue;
            }
            Err(fault) => fault,
        };
        let (_, count) = faults.get_or_insert((format!("record {index}: {fault}"), 0));
        *count += 1;
    }
    records.sort_by(Record::order);
    Ok(Content {
        name,
        records,
        faults,
    })
}

fn record(json: &Json) -> Result<Record, String> {
    let fields = object(json, "a record")?;
    let bucket = array(field(fields, "bucket")?, "`bucket`")?;
    let bucket: Option<Vec<i64>> = bucket.iter().map(Json::as_i64).collect();
    let bucket = bucket.ok_or("`bucket` must hold whole numbers")?;
    let sizes = object(field(fields, "sizes")?, "`sizes`")?.iter();
    let sizes = sizes.map(|(name, size)| match size.as_i64() {
        Some(size) => Ok((identifier(name)?, size)),
        None => Err("`sizes` must hold whole numbers".to_string()),
    });
    let sizes: Vec<(String, i64)> = sizes.collect::<Result<_, _>>()?;
    let consts = values(field(fields, "consts")?, "`consts`")?;
    if bucket.len() != sizes.len() || sizes.len() > MOST_SIZES {
        return Err(format!(
            "a bucket of {} for {} sizes",
            bucket.len(),
            sizes.len()
        ));
    }
    let json = array(field(fields, "arms")?, "`arms`")?;
    if json.is_empty() || json.len() > MOST_ARMS {
        return Err(format!("{} arms", json.len()));
    }
    let mut arms: Vec<ArmRecord> = Vec::with_capacity(json.len());
    for (index, json) in json.iter().enumerate() {
        let arm = arm(json).map_err(|fault| format!("arm {index}: {fault}"))?;
        if arms.iter().any(|known| known.same_config(&arm)) {
            return Err(format!("arm {index} stands there twice"));
        }
        arms.push(arm);
    }
    let settled = match field(fields, "settled")? {
        Json::Null => None,
        json => {
            let index = json.as_u64().and_then(|index| usize::try_from(index).ok());
            match index.filter(|index| *index < arms.len()) {
                Some(index) => Some(index),
                None => return Err("`settled` is none of the arms".to_string()),
            }
        }
    };
    let mut record = Record {
        bucket,
        consts,
        sizes,
        settled,
        arms,
    };
    record.sort();
    Ok(record)
}

fn arm(json: &Json) -> Result<ArmRecord, String> {
    let fields = object(json, "an arm")?;
    let number = |name: &str| {
        let number = field(fields, name)?.as_f64();
        number.ok_or_else(|| format!("`{name}` is no number"))
    };
    let pulls = field(fields, "pulls")?.as_u64();
    let arm = ArmRecord {
        config: values(field(fields, "config")?, "`config`")?,
        pulls: pulls.ok_or("`pulls` is no count")?,
        mean: number("mean")?,
        variance: number("variance")?,
        seconds: number("seconds")?,
    };
    match sound(&arm) {
        Some(fault) => Err(fault),
        None => Ok(arm),
    }
}

/// What is wrong with the numbers of an arm, if anything is.
pub(super) fn sound(arm: &ArmRecord) -> Option<String> {
    let ArmRecord {
        pulls,
        mean,
        variance,
        seconds,
        ..
    } = *arm;
    if pulls == 0 || pulls > MOST_PULLS {
        return Some(format!("{pulls} pulls"));
    }
    if mean.is_nan() || mean.abs() > FARTHEST {
        return Some(format!("a mean of {mean}"));
    }
    if !(0.0..=WIDEST).contains(&variance) {
        return Some(format!("a variance of {variance}"));
    }
    if !(seconds > 0.0 && seconds.is_finite()) {
        return Some(format!("a time of {seconds} seconds"));
    }
    None
}

fn values(json: &Json, what: &str) -> Result<Vec<(String, Value)>, String> {
    let fields = object(json, what)?;
    let values = fields.iter().map(|(name, value)| {
        let value = match value {
            Json::Bool(value) => Value::Bool(*value),
            Json::String(_) => Value::Str(text(value, name)?),
            // As a size or an integer of an attribute; everything else that is a number is a float.
            Json::Number(number) => match (number.as_i64(), number.as_f64()) {
                (Some(value), _) => Value::Int(value),
                (None, Some(value)) if number.is_f64() && value.is_finite() => Value::Float(value),
                _ => return Err(format!("`{name}` does not fit 64 bits")),
            },
            _ => return Err(format!("`{name}` is no value of a parameter")),
        };
        Ok((identifier(name)?, value))
    });
    values.collect()
}

fn object<'a>(json: &'a Json, what: &str) -> Result<&'a Map<String, Json>, String> {
    json.as_object()
        .ok_or_else(|| format!("{what} is no object"))
}

fn array<'a>(json: &'a Json, what: &str) -> Result<&'a [Json], String> {
    let elements = json.as_array().map(Vec::as_slice);
    elements.ok_or_else(|| format!("{what} is no list"))
}

fn field<'a>(fields: &'a Map<String, Json>, name: &str) -> Result<&'a Json, String> {
    let value = fields.get(name);
    value.ok_or_else(|| format!("`{name}` is missing"))
}

/// A text that can be shown in a line.
fn text(json: &Json, name: &str) -> Result<String, String> {
    let text = json.as_str();
    let text = text.filter(|text| text.len() <= LONGEST && !text.chars().any(char::is_control));
    text.map(str::to_string)
        .ok_or_else(|| format!("`{}` is no text of one line", name.escape_debug()))
}

fn identifier(name: &str) -> Result<String, String> {
    let is_name = |c: char| c == '_' || c.is_alphanumeric();
    if name.is_empty() || name.len() > LONGEST || !name.chars().all(is_name) {
        return Err(format!("`{}` is no name", name.escape_debug()));
    }
    Ok(name.to_string())
}

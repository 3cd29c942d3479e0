//! What is kept as text, and back. What is read is input from outside: every value is looked at. What is written is the
//! same for the same state.

use super::file::{File, VERSION};
use super::record::{ArmRecord, Name, Record};
use bico_core::Lists;
use bico_core::StoredValue as Value;
use bico_core::json::{Document, Error, FromJson, Item, Json, Kind, ToJson};
use bico_core::sorted;
use std::path::Path;

/// More of anything was never written by bico.
const MOST_ARMS: usize = 4096;
const MOST_SIZES: usize = 256;
pub(super) const MOST_PULLS: u64 = 1 << 52;
const LONGEST: usize = 1024;
/// The largest ln(seconds per unit of work): far beyond everything that can be timed.
const FARTHEST: f64 = 300.0;
pub(super) const WIDEST: f64 = FARTHEST * FARTHEST;

/// What is wrong with the first record that had to be left out, and how many are like that.
pub(super) type Faults = Option<(String, usize)>;

/// What a program learned, in messages: a text can be shown in a line.
const FILE: Kind = Kind {
    name: "file",
    mend: "",
    fault: |text| match text.chars().find(|c| c.is_control()) {
        Some(c) => Some(format!("the control character {}", c.escape_unicode())),
        None => (text.len() > LONGEST).then(|| format!("more than {LONGEST} bytes")),
    },
};

/// Reads a file's text; `path` is for messages.
///
/// # Errors
///
/// What is wrong with all of it.
pub(super) fn content(path: &Path, text: &str) -> Result<(File, Faults), Error> {
    let document = Document::parse(&FILE, path, text)?;
    let mut fields = document.root().fields("the file")?;
    let version = fields.take("version")?;
    match version.integer()? {
        VERSION => {}
        other => return Err(version.error(format!("version {other} is not known here"))),
    }
    let mut subject = fields.take("subject")?.fields("subject")?;
    let name = Name {
        tunable: subject.read("tunable")?,
        device: subject.read("device")?,
        driver: subject.read("driver")?,
        hash: subject.read("hash")?,
    };
    fields.take("facts")?.fields("facts")?;
    let mut records: Vec<Record> = Vec::new();
    let mut faults = None;
    for item in fields.take("records")?.elements()? {
        let fault = match record(item) {
            Ok(record) if records.iter().any(|known| known.same_key(&record)) => {
                item.error("its bucket stands there twice")
            }
            Ok(record) => {
                records.push(record);
                continue;
            }
            Err(fault) => fault,
        };
        let (_, count) = faults.get_or_insert((fault.in_one_line(), 0));
        *count += 1;
    }
    sorted::sort_by(&mut records, &Record::order);
    let path = path.to_path_buf();
    let file = File {
        path,
        name,
        records,
    };
    Ok((file, faults))
}

fn record(item: Item<'_>) -> Result<Record, Error> {
    let mut fields = item.fields("a record")?;
    let bucket: Vec<i64> = fields.read("bucket")?;
    let sizes: Vec<(String, i64)> = named(fields.take("sizes")?)?;
    let consts: Vec<(String, Value)> = named(fields.take("consts")?)?;
    if bucket.len() != sizes.len() || sizes.len() > MOST_SIZES {
        let message = format!("a bucket of {} for {} sizes", bucket.len(), sizes.len());
        return Err(item.error(message));
    }
    let items = fields.take("arms")?;
    let count = items.elements()?.len();
    if count == 0 || count > MOST_ARMS {
        return Err(items.error(format!("{count} arms")));
    }
    let mut arms: Vec<ArmRecord> = Vec::with_capacity(count);
    for item in items.elements()? {
        let arm = arm(item)?;
        if arms.iter().any(|known| known.same_config(&arm)) {
            return Err(item.error("its config stands there twice"));
        }
        arms.push(arm);
    }
    let settled = fields.take("settled")?;
    let settled = match settled.read::<Option<usize>>() {
        Ok(index) if index.is_none_or(|index| index < arms.len()) => index,
        _ => return Err(settled.error("`settled` is none of the arms")),
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

fn arm(item: Item<'_>) -> Result<ArmRecord, Error> {
    let mut fields = item.fields("an arm")?;
    let arm = ArmRecord {
        config: named(fields.take("config")?)?,
        pulls: fields.read("pulls")?,
        mean: fields.read("mean")?,
        variance: fields.read("variance")?,
        seconds: fields.read("seconds")?,
    };
    match sound(&arm) {
        Some(fault) => Err(item.error(fault)),
        None => Ok(arm),
    }
}

/// Values under names.
fn named<T: FromJson>(item: Item<'_>) -> Result<Vec<(String, T)>, Error> {
    let is_part = |c: char| c == '_' || c.is_alphanumeric();
    let mut values = Vec::new();
    for value in item.entries()? {
        let name = value.name();
        if name.is_empty() || name.len() > LONGEST || !name.chars().all(is_part) {
            let message = format!("`{}` is no name", name.escape_debug());
            return Err(value.error_of_name(message));
        }
        values.push((name.to_string(), value.read()?));
    }
    Ok(values)
}

/// What is wrong with the numbers of an arm, if anything is.
fn sound(arm: &ArmRecord) -> Option<String> {
    Some(if arm.pulls == 0 || arm.pulls > MOST_PULLS {
        format!("{} pulls", arm.pulls)
    } else if arm.mean.is_nan() || arm.mean.abs() > FARTHEST {
        format!("a mean of {}", arm.mean)
    } else if !(0.0..=WIDEST).contains(&arm.variance) {
        format!("a variance of {}", arm.variance)
    } else if !(arm.seconds > 0.0 && arm.seconds.is_finite()) {
        format!("a time of {} seconds", arm.seconds)
    } else {
        return None;
    })
}

/// The text of a file. What JSON cannot hold was taken out before ([`kept`]).
pub(super) fn text(name: &Name, facts: &Json, records: &[Record]) -> String {
    let subject = Json::object(vec![
        ("device", name.device.to_json()),
        ("driver", name.driver.to_json()),
        ("hash", name.hash.to_json()),
        ("tunable", name.tunable.to_json()),
    ]);
    let records = records.iter().map(record_json).collect_vec();
    let file = Json::object(vec![
        ("facts", facts.clone()),
        ("records", Json::List(records)),
        ("subject", subject),
        ("version", VERSION.to_json()),
    ]);
    file.to_text() + "\n"
}

fn record_json(record: &Record) -> Json {
    let arms = record.arms.iter().map(arm_json).collect_vec();
    Json::object(vec![
        ("arms", Json::List(arms)),
        ("bucket", record.bucket.to_json()),
        ("consts", values(&record.consts)),
        ("settled", record.settled.to_json()),
        ("sizes", values(&record.sizes)),
    ])
}

fn arm_json(arm: &ArmRecord) -> Json {
    Json::object(vec![
        ("config", values(&arm.config)),
        ("mean", arm.mean.to_json()),
        ("pulls", arm.pulls.to_json()),
        ("seconds", arm.seconds.to_json()),
        ("variance", arm.variance.to_json()),
    ])
}

fn values<T: ToJson>(pairs: &[(String, T)]) -> Json {
    let pairs = pairs.iter();
    let fields = pairs.map(|(name, value)| (name.clone().into(), value.to_json()));
    Json::Object(fields.collect_vec()).with_sorted_keys()
}

/// What a file can hold of a record, in the file's order: the arms that were timed and whose numbers are
/// numbers. `None` if that is nothing.
pub(super) fn kept(record: &Record) -> Option<Record> {
    let finite = |value: &Value| !matches!(value, Value::Float(value) if !value.is_finite());
    let is_sound =
        |arm: &ArmRecord| sound(arm).is_none() && arm.config.iter().all(|(_, value)| finite(value));
    if !record.consts.iter().all(|(_, value)| finite(value)) {
        return None;
    }
    let settled = record.settled.and_then(|arm| record.arms.get(arm));
    let mut kept = record.clone();
    kept.arms.retain(is_sound);
    let place = |of: &ArmRecord| kept.arms.iter().position(|arm| arm.same_config(of));
    kept.settled = settled.and_then(place);
    kept.sort();
    (!kept.arms.is_empty()).then_some(kept)
}

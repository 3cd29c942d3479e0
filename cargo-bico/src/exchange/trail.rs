//! The trail of a search, a JSON line per row, as a table.

use crate::replay::{Entry, Record, Status, Table};
use crate::trail::{self, Row, Trail};
use bico_core::{StoredValue, Value};
use bico_syntax::bind::intern;
use indexmap::IndexMap;
use std::collections::HashMap;
use std::path::Path;

/// Parameters with the values that they may have.
pub(crate) type Parameters = Vec<(String, Vec<Value>)>;

/// The searches of a trail, one for each problem and device, in the file's order: of each config what was seen of it
/// last. `known` gives the parameters of a search, where its space is known; configs outside of it are left out. `now` is the
/// hash of the kernel as it is now: trails of another one are left out.
///
/// # Errors
///
/// The file cannot be read, or a row makes no sense.
pub(crate) fn read(
    path: &Path,
    key: &str,
    known: &dyn Fn(&str, &str) -> Option<Parameters>,
    now: &dyn Fn() -> Option<String>,
    outdated: &mut Vec<Trail>,
) -> Result<Vec<Table>, String> {
    let mut tables = Vec::new();
    let mut trails = trail::read(path)?.unwrap_or_default();
    outdated.extend(trail::take_outdated(&mut trails, now));
    for trail in trails {
        let parameters = known(&trail.device, &trail.problem);
        let open = parameters.is_none();
        let mut table = Table {
            kernel: key.to_string(),
            device: trail.device,
            problem: trail.problem,
            parameters: parameters.unwrap_or_default(),
            ..Table::default()
        };
        let mut seen: HashMap<Vec<u32>, usize> = HashMap::new();
        for row in trail.rows {
            let Some(config) = places(&mut table.parameters, &row.values, open) else {
                let note = "configs that are no longer in the space were left out".to_string();
                if !table.notes.contains(&note) {
                    table.notes.push(note);
                }
                continue;
            };
            match seen.get(&config) {
                Some(before) => again(&mut table.rows[*before].record, row),
                None => {
                    seen.insert(config.clone(), table.rows.len());
                    let record = record(row);
                    table.rows.push(Entry { config, record });
                }
            }
        }
        tables.push(table);
    }
    Ok(tables)
}

/// The places of a row's values; new values are added where it is `open` what there are.
fn places(
    parameters: &mut Parameters,
    values: &IndexMap<String, serde_json::Value>,
    open: bool,
) -> Option<Vec<u32>> {
    if open {
        for name in values.keys() {
            if !parameters.iter().any(|(known, _)| known == name) {
                parameters.push((name.clone(), Vec::new()));
            }
        }
    }
    let mut places = Vec::with_capacity(parameters.len());
    for (name, known) in parameters.iter_mut() {
        let value = stored(values.get(name)?)?;
        let place = known.iter().position(|one| value == *one);
        let place = place.or_else(|| {
            known.extend(open.then(|| owned(&value)));
            open.then(|| known.len() - 1)
        });
        places.push(u32::try_from(place?).ok()?);
    }
    Some(places)
}

/// A value of a row.
pub(crate) fn stored(json: &serde_json::Value) -> Option<StoredValue> {
    Some(match json {
        serde_json::Value::Bool(value) => StoredValue::Bool(*value),
        serde_json::Value::String(text) => StoredValue::Str(text.clone()),
        serde_json::Value::Number(number) => match number.as_i64() {
            Some(value) => StoredValue::Int(value),
            None => StoredValue::Float(number.as_f64()?),
        },
        _ => return None,
    })
}

/// A stored value as one of an attribute.
fn owned(value: &StoredValue) -> Value {
    match value {
        StoredValue::Int(value) => Value::Int(*value),
        StoredValue::Float(value) => Value::Float(*value),
        StoredValue::Bool(value) => Value::Bool(*value),
        StoredValue::Str(text) => Value::Str(intern(text)),
    }
}

fn record(row: Row) -> Record {
    let costs = row.costs;
    let cost = |names: [&str; 2]| {
        let parts = names.iter().filter_map(|name| costs.get(*name));
        (!costs.is_empty()).then(|| parts.sum())
    };
    Record {
        time: row.seconds.filter(|_| row.failure.is_none()),
        status: match (row.failure, row.seconds) {
            (Some(why), _) => Status::Failed(why),
            (None, Some(_)) => Status::Ok,
            (None, None) => Status::Failed("no time".to_string()),
        },
        fastest: None,
        deviation: None,
        runs: row.runs.filter(|_| row.low.is_some()),
        compiling: cost(["compiling", ""]),
        measuring: cost(["warming", "timing"]),
    }
}

/// A config that was measured or judged once more: what it cost, it cost the first time.
fn again(record: &mut Record, row: Row) {
    let later = self::record(row);
    *record = Record {
        compiling: record.compiling,
        measuring: record.measuring,
        ..later
    };
}

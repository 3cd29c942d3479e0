//! How fast are spaces built? Ours beside Kernel Tuner's default solver and pyATF, in one run.
//!
//! Ours is timed from the attribute's text to a space that can be indexed, and (`parsed_ms`) from the parsed attribute.
//! Kernel Tuner makes a list of all configs, pyATF a tree; so the time to write all configs out stands beside ours, once as columns
//! of indices (`list_ms`), once as columns of 64-bit values (`list_values_ms`). A ratio is that of the
//! faster rival to us.

mod definition;
mod lanai;
mod rivals;

use bico_build::env;
use bico_core::device::{CpuFacts, Facts};
use bico_search::space::Space;
use bico_syntax::bind::Bound;
use definition::Definition;
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// At least this often, and at least this long, is each of our builds repeated.
const REPETITIONS: usize = 5;
const LONG: Duration = Duration::from_secs(1);

pub(crate) fn run(json: bool) -> Result<Value, String> {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/spaces");
    let folder = PathBuf::from(env::get("BICO_SPACES").unwrap_or_else(|| default.into()));
    if !json {
        println!(
            "{:<14} {:>12} {:>8} {:>8} {:>8} {:>8} {:>8} {:>13} {:>10} {:>7} {:>7} {:>8} equal",
            "space",
            "raw",
            "valid",
            "built",
            "parsed",
            "list",
            "values",
            "kernel_tuner",
            "pyatf",
            "ratio",
            "+ list",
            "+ values"
        );
    }
    let mut all = Map::new();
    for definition in definition::all(&folder)? {
        let row = measure(&definition)?;
        if !json {
            print(definition.name, &row);
        }
        all.insert(definition.name.into(), row);
    }
    Ok(Value::Object(all))
}

fn measure(definition: &Definition) -> Result<Value, String> {
    // These spaces ask nothing of the device.
    let facts = Facts::Cpu(CpuFacts::default());
    let (spec, scope) = (definition.spec(false)?, definition.scope());
    let text = |error: bico_syntax::bind::SpaceError| format!("{}: {error}", definition.name);
    let build = || Space::new(&Bound::new(&spec, &facts, &scope)?);
    let space = build().map_err(text)?;
    let unrestricted = definition.spec(true)?;
    let raw = Bound::new(&unrestricted, &facts, &scope).map_err(text)?;
    let raw = Space::new(&raw).map_err(text)?;
    let parsed = fastest(|| build().map(|space| space.len()));
    let built = fastest(|| {
        let spec = definition.spec(false)?;
        let space = Space::new(&Bound::new(&spec, &facts, &scope).map_err(text)?);
        space.map(|space| space.len()).map_err(text)
    });
    let list = fastest(|| columns(&space, |_, id| id).len());
    let list_values =
        fastest(|| columns(&space, |at, id| integer(space.values(at)[id as usize])).len());
    let mut row = json!({
        "raw": raw.len(),
        "valid": space.len(),
        "nodes": space.nodes(),
        "bico_ms": built,
        "parsed_ms": parsed,
        "list_ms": list,
        "list_values_ms": list_values,
    });
    let mut equal = json!(null);
    let mut best = f64::INFINITY;
    for tool in rivals::TOOLS {
        let result = rivals::run(tool, definition)?;
        row[format!("{tool}_ms")] = json!(result.ms);
        if let Some(note) = &result.note {
            eprintln!("{}: {tool}: {note}", definition.name);
            row[format!("{tool}_note")] = json!(note);
        }
        best = result.ms.map_or(best, |ms| best.min(ms));
        if let Some(valid) = result.valid {
            let same = valid == space.len()
                && result
                    .rows
                    .as_ref()
                    .is_none_or(|rows| *rows == sorted(&space));
            row[format!("{tool}_listed")] = json!(result.rows.is_some());
            equal = json!(equal.as_bool().unwrap_or(true) && same);
        }
    }
    row["equal"] = equal;
    if best.is_finite() {
        row["ratio"] = json!(best / built);
        row["ratio_with_list"] = json!(best / (built + list));
        row["ratio_with_values"] = json!(best / (built + list_values));
    }
    Ok(row)
}

/// All configs as one column for each parameter; `of` gives what stands for the index of a parameter's value.
fn columns<T>(space: &Space, of: impl Fn(usize, u32) -> T) -> Vec<Vec<T>> {
    let all: Vec<u64> = (0..space.len()).collect();
    let mut columns: Vec<Vec<T>> = space.names().iter().map(|_| Vec::new()).collect();
    space.for_some(&all, &mut |_, ids| {
        for (at, (column, id)) in columns.iter_mut().zip(ids).enumerate() {
            column.push(of(at, *id));
        }
    });
    columns
}

/// The fastest repetition, in milliseconds.
fn fastest<T>(mut work: impl FnMut() -> T) -> f64 {
    let (begin, mut best, mut count) = (Instant::now(), Duration::MAX, 0);
    while count < REPETITIONS || begin.elapsed() < LONG {
        let start = Instant::now();
        std::hint::black_box(work());
        best = best.min(start.elapsed());
        count += 1;
    }
    best.as_secs_f64() * 1e3
}

fn integer(value: bico::Value) -> i64 {
    match value {
        bico::Value::Int(value) => value,
        bico::Value::Bool(value) => value.into(),
        bico::Value::Float(_) | bico::Value::Str(_) => i64::MIN,
    }
}

/// All configs in the order of their values.
fn sorted(space: &Space) -> Vec<i32> {
    let columns = columns(space, |at, id| {
        integer(space.values(at)[id as usize]) as i32
    });
    let mut rows: Vec<Vec<i32>> = (0..space.len() as usize)
        .map(|row| columns.iter().map(|column| column[row]).collect())
        .collect();
    rows.sort_unstable();
    rows.concat()
}

fn print(name: &str, row: &Value) {
    let ms = |key: &str| match row[key].as_f64() {
        Some(ms) if ms < 1.0 => format!("{ms:.3}"),
        Some(ms) => format!("{ms:.1}"),
        None => "-".into(),
    };
    println!(
        "{name:<14} {:>12} {:>8} {:>8} {:>8} {:>8} {:>8} {:>13} {:>10} {:>7} {:>7} {:>8} {}",
        row["raw"],
        row["valid"],
        ms("bico_ms"),
        ms("parsed_ms"),
        ms("list_ms"),
        ms("list_values_ms"),
        ms("kernel_tuner_ms"),
        ms("pyatf_ms"),
        ms("ratio"),
        ms("ratio_with_list"),
        ms("ratio_with_values"),
        row["equal"]
    );
}

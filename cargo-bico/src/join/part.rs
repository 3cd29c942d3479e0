//! A trail of one part of a search, as the part wrote it.

use crate::{Error, names::plain};
use bico_search::search::Shard;
use indexmap::IndexMap;
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// A trail larger than this is none.
const LARGEST: u64 = 256 << 20;

/// What parts must have in common.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Name {
    pub(super) kernel: String,
    pub(super) problem: String,
    pub(super) device: String,
}

/// The rows of a part at one problem on one device.
#[derive(Debug, Clone)]
pub(super) struct Part {
    pub(super) file: PathBuf,
    pub(super) name: Name,
    pub(super) hash: String,
    pub(super) shard: Shard,
    /// A row for each config that was tried: what is known of it in the end.
    pub(super) rows: Vec<Row>,
}

/// A row, its fields in the order in which they were written.
#[derive(Debug, Clone)]
pub(super) struct Row {
    fields: IndexMap<String, Value>,
    /// The config, in the order of its parameters.
    pub(super) values: IndexMap<String, Value>,
}

#[derive(serde::Deserialize)]
struct Config {
    values: IndexMap<String, Value>,
}

impl Row {
    fn read(line: &str) -> Result<Row, String> {
        let said = |error: serde_json::Error| plain(&error.to_string());
        let fields = serde_json::from_str(line).map_err(said)?;
        let Config { values } = serde_json::from_str(line).map_err(said)?;
        Ok(Row { fields, values })
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.fields.get(name)?.as_str()
    }

    pub(super) fn config(&self) -> Option<u64> {
        self.fields.get("config")?.as_u64()
    }

    pub(super) fn seconds(&self) -> Option<f64> {
        self.fields.get("seconds")?.as_f64()
    }

    pub(super) fn spent(&self) -> f64 {
        let spent = self.fields.get("spent").and_then(Value::as_f64);
        spent.unwrap_or(0.0)
    }

    pub(super) fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.fields.insert(name.to_string(), value.into());
    }

    /// The row as a line of a trail, which begins with the problem and the device.
    pub(super) fn line(&self) -> String {
        let field = |(name, value): (&String, &Value)| {
            // A map of strings and values is JSON.
            let value = match name.as_str() {
                "values" => serde_json::to_string(&self.values).unwrap_or_default(),
                _ => value.to_string(),
            };
            format!("\"{name}\":{value}")
        };
        let fields = self.fields.iter().filter(|(name, _)| *name != "shard");
        format!("{{{}}}", fields.map(field).collect::<Vec<_>>().join(","))
    }
}

/// The parts that a file holds, one for each problem and device.
///
/// # Errors
///
/// It cannot be read, or a line is no row of a part.
pub(super) fn read(path: &Path) -> Result<Vec<Part>, Error> {
    let shown = plain(&path.display().to_string());
    let unreadable =
        |error: std::io::Error| Error::Usage(format!("the trail {shown} cannot be read: {error}"));
    let mut lines = BufReader::new(File::open(path).map_err(unreadable)?.take(LARGEST));
    let (mut parts, mut line): (Vec<Part>, String) = (Vec::new(), String::new());
    for number in 1.. {
        line.clear();
        // A last line that is not whole is what a search was killed over.
        if lines.read_line(&mut line).map_err(unreadable)? == 0 || !line.ends_with('\n') {
            break;
        }
        let row =
            Row::read(&line).map_err(|why| Error::Work(format!("{shown}:{number}: {why}")))?;
        add(&mut parts, path, row).map_err(|why| {
            Error::Work(format!("{shown}:{number}: {why}"))
                .help("`cargo bico tune --shard 1/8` and so on write such trails")
        })?;
    }
    match parts.is_empty() {
        true => Err(Error::Work(format!("the trail {shown} is empty"))),
        false => Ok(parts),
    }
}

fn add(parts: &mut Vec<Part>, path: &Path, row: Row) -> Result<(), String> {
    let text = |name: &str| {
        let text = row.text(name).map(str::to_string);
        text.ok_or_else(|| format!("this is no row of a part of a search: it has no `{name}`"))
    };
    let name = Name {
        kernel: text("kernel")?,
        problem: text("problem")?,
        device: text("device")?,
    };
    let (hash, shard) = (text("hash")?, Shard::parse(&text("shard")?)?);
    let config = row.config().ok_or("it has no number of a config")?;
    let known = parts.iter_mut().position(|of| of.name == name);
    let at = known.unwrap_or_else(|| {
        parts.push(Part {
            file: path.to_path_buf(),
            name,
            hash: hash.clone(),
            shard,
            rows: Vec::new(),
        });
        parts.len() - 1
    });
    let part = &mut parts[at];
    if (&part.hash, part.shard) != (&hash, shard) {
        return Err("rows of another part, or of another state of the kernel".to_string());
    }
    let is_again = matches!(row.text("kind"), Some("final" | "judged"));
    let before = part.rows.iter_mut().find(|of| of.config() == Some(config));
    match before {
        // The finals are held again; that a config is wrong stays.
        Some(before) if is_again && row.fields.contains_key("failure") => {
            let (kind, place) = (
                before.fields["kind"].clone(),
                before.fields["evaluation"].clone(),
            );
            *before = row;
            before.set("kind", kind);
            before.set("evaluation", place);
        }
        Some(_) => {}
        None if is_again => {}
        None => part.rows.push(row),
    }
    Ok(())
}

//! The trail as a file: JSON lines, written while the search goes on.

use super::{Best, Observer, Outcome, Row, RowKind, Search};
use bico_bind::Expression;
use bico_core::Value;
use bico_core::device::Usage;
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// What the rows of one search belong to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Label {
    /// The problem, for people: `m=1024, n=1024`.
    pub problem: String,
    /// The device's key.
    pub device: String,
}

/// Writes the trails of one tunable, one JSON object per line.
///
/// Each row is written whole and at once, so that a build that is killed leaves whole rows. A
/// failing disk doesn't fail the build: see [`Journal::error`].
#[derive(Debug)]
pub struct Journal {
    file: File,
    label: Label,
    scale: Option<Expression>,
    names: Vec<String>,
    error: Option<io::Error>,
}

impl Journal {
    /// Starts the file anew, with its folder.
    ///
    /// # Errors
    ///
    /// When the folder or the file cannot be written.
    pub fn create(path: &Path) -> io::Result<Journal> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let file = File::create(path)?;
        Ok(Journal {
            file,
            label: Label::default(),
            scale: None,
            names: Vec::new(),
            error: None,
        })
    }

    /// Whose rows follow.
    pub fn label(&mut self, label: Label) {
        self.label = label;
    }

    /// What each row's `scale` is: the tunable's `budget_scale`, where it has one.
    pub fn scale(&mut self, scale: Option<Expression>) {
        self.scale = scale;
    }

    /// The first error of writing, if there was one.
    pub fn error(&self) -> Option<&io::Error> {
        self.error.as_ref()
    }

    fn write(&mut self, row: &Row) -> io::Result<()> {
        let line = Line {
            scale: self
                .scale
                .as_ref()
                .and_then(|scale| scale.number(&row.values).ok()),
            ..Line::new(&self.label, &self.names, row)
        };
        let mut line = serde_json::to_vec(&line)?;
        line.push(b'\n');
        self.file.write_all(&line)
    }
}

impl Observer for Journal {
    fn started(&mut self, search: &Search<'_>) {
        self.names = search.configs.names().to_vec();
    }

    fn row(&mut self, row: &Row) {
        if self.error.is_none()
            && let Err(error) = self.write(row)
        {
            self.error = Some(error);
        }
    }
}

/// A [`Row`] as it stands in the file.
#[derive(serde::Serialize)]
struct Line<'a> {
    problem: &'a str,
    device: &'a str,
    kind: RowKind,
    evaluation: u64,
    spent: f64,
    config: u64,
    values: Named<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scale: Option<f64>,
    strategy: &'a str,
    rank: Option<u64>,
    predicted: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
    #[serde(flatten)]
    outcome: OutcomeLine<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    flops_per_second: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes_per_second: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(serialize_with = "usage")]
    resources: Option<Usage>,
    best: Option<Best>,
    sink: u64,
}

/// A flat [`Outcome`]: every row that was timed has `seconds`, every other one `failure`.
#[derive(serde::Serialize)]
#[serde(untagged)]
enum OutcomeLine<'a> {
    Timed {
        seconds: f64,
        low: f64,
        high: f64,
        runs: u32,
        cut: bool,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        throttled: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        same_as: Option<u64>,
    },
    Failed(&'a super::Failure),
}

impl<'a> Line<'a> {
    fn new(label: &'a Label, names: &'a [String], row: &'a Row) -> Line<'a> {
        let outcome = match &row.outcome {
            Outcome::Failed(failure) => OutcomeLine::Failed(failure),
            Outcome::Timed(s) | Outcome::Same(_, s) => OutcomeLine::Timed {
                seconds: s.seconds,
                low: s.low,
                high: s.high,
                runs: s.runs,
                cut: s.cut,
                throttled: s.throttled,
                same_as: match row.outcome {
                    Outcome::Same(config, _) => Some(config),
                    _ => None,
                },
            },
        };
        Line {
            problem: &label.problem,
            device: &label.device,
            kind: row.kind,
            evaluation: row.evaluation,
            spent: row.spent,
            config: row.config,
            values: Named {
                names,
                values: &row.values,
            },
            scale: None,
            strategy: row.strategy,
            rank: row.rank,
            predicted: row.predicted,
            why: row.why.as_deref(),
            outcome,
            flops_per_second: row.flops_per_second,
            bytes_per_second: row.bytes_per_second,
            resources: row.resources,
            best: row.best,
            sink: row.sink,
        }
    }
}

/// Values under their parameters' names, in declaration order.
struct Named<'a> {
    names: &'a [String],
    values: &'a [Value],
}

fn usage<S: Serializer>(usage: &Option<Usage>, serializer: S) -> Result<S::Ok, S::Error> {
    let Some(usage) = usage else {
        return serializer.serialize_none();
    };
    let mut map = serializer.serialize_map(Some(3))?;
    map.serialize_entry("registers", &usage.registers)?;
    map.serialize_entry("on_chip_bytes", &usage.on_chip_bytes)?;
    map.serialize_entry("spill_bytes", &usage.spill_bytes)?;
    map.end()
}

impl Serialize for Named<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.values.len()))?;
        for (name, value) in self.names.iter().zip(self.values) {
            match value {
                Value::Int(v) => map.serialize_entry(name, v)?,
                Value::Float(v) => map.serialize_entry(name, v)?,
                Value::Bool(v) => map.serialize_entry(name, v)?,
                Value::Str(v) => map.serialize_entry(name, v)?,
            }
        }
        map.end()
    }
}

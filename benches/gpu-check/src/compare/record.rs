//! What the comparing process tells: one JSON object a line, written as soon as it is known.

use super::timing::Timed;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;

/// One line.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "snake_case")]
pub(crate) enum Record {
    Check(Check),
    Comparison(Comparison),
    /// There was no time left for these sizes.
    Missing {
        sizes: String,
    },
    /// The version of cuBLAS, or why it is not compared with.
    Blas {
        version: Option<String>,
        missing: Option<String>,
    },
}

/// A winner against the reference, on fresh random inputs and poisoned outputs.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Check {
    pub(crate) kernel: String,
    pub(crate) sizes: String,
    pub(crate) config: String,
    /// `None`: it is right.
    pub(crate) wrong: Option<String>,
}

/// Contenders timed against each other. The one named `tuned` is the lock's winner.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Comparison {
    pub(crate) kernel: String,
    pub(crate) sizes: String,
    /// Of one run, where the kernel's kind tells.
    pub(crate) flops: Option<f64>,
    /// Of all buffers, each once.
    pub(crate) bytes: f64,
    /// Of this GPU's second-level cache.
    pub(crate) l2_bytes: f64,
    pub(crate) contenders: Vec<Timed>,
    /// What the model of the second-level cache says of contenders, by their names.
    pub(crate) traffic: Vec<(String, Traffic)>,
    /// What is not among the contenders, and why.
    pub(crate) notes: Vec<String>,
}

/// What a launch moves, by the model.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Traffic {
    /// Blocks that one multiprocessor holds, as the driver says.
    pub(crate) resident: u32,
    /// To and from the device's memory.
    pub(crate) device_bytes: f64,
    /// From the second-level cache to the multiprocessors.
    pub(crate) requested_bytes: f64,
    /// What the first take at the memory's full rate, which nothing reaches.
    pub(crate) device_seconds: f64,
}

impl Comparison {
    pub(crate) fn of(&self, name: &str) -> Option<&Timed> {
        self.contenders.iter().find(|timed| timed.name == name)
    }

    /// How many times as long as the tuned kernel a contender takes.
    pub(crate) fn over_tuned(&self, name: &str) -> Option<f64> {
        Some(self.of(name)?.median / self.of(super::TUNED)?.median)
    }
}

/// The file that they are written to.
pub(super) struct Records(File);

impl Records {
    pub(super) fn append(path: &Path) -> Result<Records, String> {
        let file = OpenOptions::new().create(true).append(true).open(path);
        file.map(Records)
            .map_err(|error| format!("{}: {error}", path.display()))
    }

    pub(super) fn write(&mut self, record: &Record) -> Result<(), String> {
        let mut line = serde_json::to_vec(record).map_err(|error| error.to_string())?;
        line.push(b'\n');
        self.0.write_all(&line).map_err(|error| error.to_string())
    }
}

/// The records of a file, as far as they go.
pub(crate) fn read(path: &Path) -> Vec<Record> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}

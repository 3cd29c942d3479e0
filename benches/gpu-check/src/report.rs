//! Everything that a run found, as it stands in the JSON file.

use crate::compare::record::{Check, Comparison};
use crate::goals::Reached;
use crate::look::Found;
use crate::trail::Searched;
use serde::{Deserialize, Serialize};

/// One run.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Report {
    /// `2026-11-21 17:03:55 UTC`
    pub(crate) date: String,
    pub(crate) command: String,
    /// Whether this was no GPU but the host driver: no time in it says anything.
    pub(crate) self_test: bool,
    pub(crate) seconds: f64,
    pub(crate) limit_seconds: u64,
    /// Of the random inputs.
    pub(crate) seed: u64,
    pub(crate) machine: Found,
    /// As `nvidia-smi` says it: name and value.
    pub(crate) nvidia_smi: Vec<(String, String)>,
    pub(crate) cublas: Option<String>,
    /// Why cuBLAS is not compared with.
    pub(crate) no_cublas: Option<String>,
    pub(crate) goals: Vec<Reached>,
    pub(crate) steps: Vec<Step>,
    pub(crate) tuned: Vec<Searched>,
    pub(crate) strategies: Vec<Searched>,
    /// A search of few configs, and a sample of many.
    pub(crate) sampled: Vec<Searched>,
    /// The trails of the three searches side by side, and what the winner's program says of itself.
    pub(crate) strategy_tables: Option<String>,
    /// Winners at small awkward sizes.
    pub(crate) winners: Vec<Winner>,
    /// Winners and other configs at the sizes that they are compared at.
    pub(crate) checks: Vec<Check>,
    pub(crate) comparisons: Vec<Comparison>,
    /// What NVIDIA's profiler says of the contraction's configs.
    pub(crate) profile: Option<String>,
    /// What the bench `launch` prints.
    pub(crate) launch: Option<serde_json::Value>,
    /// Which file goes where in the repository.
    pub(crate) files: Vec<(String, String)>,
}

/// One step.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Step {
    pub(crate) name: String,
    pub(crate) outcome: Outcome,
    pub(crate) seconds: f64,
}

/// What came of a step.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    Passed,
    Failed(String),
    /// Not run, or a part of it: why.
    Skipped(String),
}

/// What `cargo bico check --winners` says of one problem.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Winner {
    pub(crate) tunable: String,
    pub(crate) problem: String,
    pub(crate) right: u64,
    pub(crate) wrong: u64,
    /// Could not be run.
    pub(crate) failed: u64,
    /// Runs at different sizes.
    pub(crate) runs: u64,
    /// What is wrong or failed.
    pub(crate) failures: Vec<serde_json::Value>,
}

impl Report {
    /// The number of steps that failed.
    pub(crate) fn failed(&self) -> usize {
        let failed = |step: &&Step| matches!(step.outcome, Outcome::Failed(_));
        self.steps.iter().filter(failed).count()
    }
}

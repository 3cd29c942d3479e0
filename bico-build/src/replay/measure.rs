//! Measuring by looking it up.

use super::Recording;
use super::table::{Record, Status};
use crate::search::{Failure, Measure, Outcome, Sample};

/// Half of a 95 % interval, in standard errors.
const REACH: f64 = 1.96;

/// A [`Measure`] that repeats what is recorded, at no cost but on paper.
#[derive(Debug)]
pub struct Replay<'a> {
    recording: &'a Recording,
    spent: f64,
}

impl<'a> Replay<'a> {
    /// Nothing is spent yet.
    pub fn new(recording: &'a Recording) -> Replay<'a> {
        Replay {
            recording,
            spent: 0.0,
        }
    }

    fn outcome(&self, config: u64) -> Outcome {
        let record = self.recording.record(config);
        match record.time {
            Some(seconds) => Outcome::Timed(sample(seconds, record)),
            None => Outcome::Failed(failure(&record.status)),
        }
    }
}

impl Measure for Replay<'_> {
    /// The seconds that compiling and measuring took when the space was recorded, as far as known.
    fn spent(&self) -> f64 {
        self.spent
    }

    fn announce(&mut self, _: &[u64]) {}

    fn measure(&mut self, config: u64, _: Option<f64>) -> Outcome {
        let record = self.recording.record(config);
        self.spent += record.compiling.unwrap_or(0.0) + record.measuring.unwrap_or(0.0);
        self.outcome(config)
    }

    fn finals(&mut self, configs: &[u64]) -> Vec<Outcome> {
        configs.iter().map(|config| self.outcome(*config)).collect()
    }
}

fn sample(seconds: f64, record: &Record) -> Sample {
    let runs = record.runs.unwrap_or(1).max(1);
    let half = record.deviation.unwrap_or(0.0) * REACH / f64::from(runs).sqrt();
    let fastest = record.fastest.unwrap_or(0.0).min(seconds);
    Sample {
        seconds,
        low: (seconds - half).max(fastest),
        high: seconds + half,
        runs,
        cut: false,
    }
}

/// The kind of failure that the file's word means.
fn failure(status: &Status) -> Failure {
    let word = match status {
        Status::Failed(word) => word.clone(),
        Status::Missing => "never measured".into(),
        Status::Ok => String::new(),
    };
    let lower = word.to_ascii_lowercase();
    let says = |part: &str| lower.contains(part);
    if says("compil") {
        Failure::Compile(word)
    } else if says("timeout") {
        Failure::Timeout(word)
    } else if says("correct") || says("validation") {
        Failure::Wrong(word)
    } else if says("memory") {
        Failure::Memory(word)
    } else {
        Failure::Crash(word)
    }
}

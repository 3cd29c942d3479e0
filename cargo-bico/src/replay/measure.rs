//! Measuring by looking it up.

use super::Recording;
use super::table::{Record, Status};
use bico_search::search::{Arrival, Failure, Measure, Outcome, Sample};

/// Half of a 95 % interval, in standard errors.
const REACH: f64 = 1.96;

/// A [`Measure`] that repeats what is recorded, at no cost but on paper.
#[derive(Debug)]
pub struct Replay<'a> {
    recording: &'a Recording,
    spent: f64,
    hands: usize,
    /// What is under way, and the seconds at which it is done.
    pending: Vec<(u64, f64)>,
}

impl<'a> Replay<'a> {
    /// Nothing is spent yet. With several hands, configs arrive after what they took when they were recorded.
    pub fn new(recording: &'a Recording, hands: usize) -> Replay<'a> {
        Replay {
            recording,
            spent: 0.0,
            hands,
            pending: Vec::new(),
        }
    }

    /// The seconds that a config took.
    fn seconds(&self, config: u64) -> f64 {
        let record = self.recording.record(config);
        record.compiling.unwrap_or(0.0) + record.measuring.unwrap_or(0.0)
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
        self.spent += self.seconds(config);
        self.outcome(config)
    }

    fn hands(&self) -> usize {
        self.hands
    }

    fn begin(&mut self, config: u64, _: Option<f64>) {
        let end = self.spent + self.seconds(config);
        self.pending.push((config, end));
    }

    fn arrival(&mut self) -> Arrival {
        let pending = self.pending.iter().enumerate();
        let first = pending.min_by(|(_, a), (_, b)| a.1.total_cmp(&b.1));
        let at = first.map_or(0, |(at, _)| at);
        let (config, end) = self.pending.remove(at);
        self.spent = end;
        Arrival {
            config,
            outcome: self.outcome(config),
            worker: None,
        }
    }

    fn finals(&mut self, configs: &[u64]) -> Vec<Outcome> {
        configs.iter().map(|config| self.outcome(*config)).collect()
    }
}

fn sample(seconds: f64, record: &Record) -> Sample {
    let runs = record.runs.unwrap_or(1).max(1);
    let half = record.deviation.unwrap_or(0.0) * REACH / f64::from(runs).sqrt();
    let fastest = record.fastest.unwrap_or(0.0).min(seconds);
    Sample::new(seconds, (seconds - half).max(fastest), seconds + half, runs)
}

/// A kind of failure, with what is said of it.
type Kind = fn(String) -> Failure;

/// The kind of failure that the file's word means.
fn failure(status: &Status) -> Failure {
    let word = match status {
        Status::Failed(word) => word.clone(),
        Status::Missing => "never measured".into(),
        Status::Ok => String::new(),
    };
    let lower = word.to_ascii_lowercase();
    let kinds: [(&str, Kind); 5] = [
        ("compil", Failure::Compile),
        ("timeout", Failure::Timeout),
        ("correct", Failure::Wrong),
        ("validation", Failure::Wrong),
        ("memory", Failure::Memory),
    ];
    match kinds.iter().find(|(part, _)| lower.contains(part)) {
        Some((_, kind)) => kind(word),
        None => Failure::Crash(word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_come_from_the_runs_and_never_reach_below_the_fastest() {
        let record = Record {
            fastest: Some(9.0),
            deviation: Some(2.0),
            runs: Some(4),
            ..Record::default()
        };
        let timed = sample(10.0, &record);
        assert_eq!((timed.low, timed.high, timed.runs), (9.0, 11.96, 4));
        let wide = sample(
            10.0,
            &Record {
                fastest: Some(5.0),
                ..record
            },
        );
        assert_eq!(wide.low, 8.04);
        let alone = sample(10.0, &Record::default());
        assert_eq!((alone.low, alone.high, alone.runs), (10.0, 10.0, 1));
    }

    #[test]
    fn words_of_other_tuners_are_kinds_of_failure() {
        let kind = |word: &str| failure(&Status::Failed(word.into())).parts().0;
        for (word, expected) in [
            ("CompilationFailedConfig", "compile"),
            ("compile", "compile"),
            ("RuntimeFailedConfig", "crash"),
            ("InvalidConfig", "crash"),
            ("ComputationFailed", "crash"),
            ("timeout", "timeout"),
            ("correctness", "wrong"),
            ("ValidationFailed", "wrong"),
        ] {
            assert_eq!(kind(word), expected, "{word}");
        }
        assert_eq!(
            failure(&Status::Missing),
            Failure::Crash("never measured".into())
        );
    }
}

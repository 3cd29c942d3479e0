//! The trail: the ordered record of one search.

use super::{Costs, Failure, Outcome, Ratio, Sample};
use crate::ascending;
use bico_core::device::Usage;
use bico_core::{Lists, Value};

/// Every trial of one search, in order, then the finals. Trials that were judged anew hold what became of them;
/// what was seen at the time, and the judgement as a row of its own, is what [`Observer`](super::Observer)s are told.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Trail {
    /// One for each measurement.
    pub rows: Vec<Row>,
}

/// One measurement.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Evaluations spent, this one included. Finals are not evaluations: they keep the number.
    pub evaluation: u64,
    /// Seconds spent, this one included.
    pub spent: f64,
    /// What kind of measurement it was.
    pub kind: RowKind,
    /// The config's number.
    pub config: u64,
    /// The value of each parameter.
    pub values: Vec<Value>,
    /// The strategy.
    pub strategy: &'static str,
    /// The place in the ranking, from 1.
    pub rank: Option<u64>,
    /// The predicted seconds, or the score.
    pub predicted: Option<f64>,
    /// What the strategy adds to that.
    pub why: Option<String>,
    /// Who measured it, where there were several.
    pub worker: Option<String>,
    /// How many configs were under way when it arrived, this one included, where there was more than one hand: with that
    /// the search can be gone through again.
    pub under_way: Option<u64>,
    /// What came of it.
    pub outcome: Outcome,
    /// FLOP/s, where `work` says.
    pub flops_per_second: Option<f64>,
    /// Bytes per second, where `work` says.
    pub bytes_per_second: Option<f64>,
    /// What it uses of the device, where a measure can tell.
    pub resources: Option<Usage>,
    /// How much that is of what the device has, where somebody knows.
    pub of_peak: Option<OfPeak>,
    /// What it cost, from the row before on, where a measure can tell.
    pub costs: Option<Costs>,
    /// Seconds that its compiler took, waited for or not; `None` where nothing was compiled.
    pub compiler: Option<f64>,
    /// The best so far; in the finals, the best of them so far.
    pub best: Option<Best>,
    /// In the finals, how it compares with who holds the place: the default, else the incumbent.
    pub against: Option<Against>,
    /// The size of the non-dominated set: measured configs that nothing measured is significantly better than.
    pub sink: u64,
}

/// What kind of measurement a [`Row`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowKind {
    /// The winner of an earlier search.
    Incumbent,
    /// What would run without a search.
    Default,
    /// The first valid config of the space.
    Baseline,
    /// A config that the strategy chose.
    Trial,
    /// A finalist, measured again.
    Final,
    /// A trial that is judged anew, by what later ones showed to be right: observers are told, no row of a [`Trail`].
    Judged,
}

bico_core::json_struct! {
    /// What a config makes of a device, as shares of what the device can do.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct OfPeak {
        /// Of its FLOP/s in FP32, outside of tensor cores: more than 1 where those are used.
        pub flops: Option<f64>,
        /// Of its memory's bandwidth: more than 1 where caches serve what the author counts.
        pub bytes: Option<f64>,
        /// Of the warps that a multiprocessor can hold, those that are resident.
        pub occupancy: Option<f64>,
    }

    /// A finalist's time beside another one's.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Against {
        /// The other one's number.
        pub config: u64,
        /// The finalist's time over the other one's.
        pub ratio: Ratio,
    }

    /// The best config at some point of a search.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Best {
        /// Its number.
        pub config: u64,
        /// Its time.
        pub seconds: f64,
    }
}

impl Best {
    /// The better of the best so far and a config with its time; of equals the earlier.
    pub(super) fn of(so_far: Option<Best>, config: u64, sample: &Sample) -> Option<Best> {
        let seconds = sample.seconds;
        let kept = so_far.filter(|best| best.seconds <= seconds);
        Some(kept.unwrap_or(Best { config, seconds }))
    }
}

impl RowKind {
    /// Its name in the file.
    pub(super) fn name(self) -> &'static str {
        match self {
            RowKind::Incumbent => "incumbent",
            RowKind::Default => "default",
            RowKind::Baseline => "baseline",
            RowKind::Trial => "trial",
            RowKind::Final => "final",
            RowKind::Judged => "judged",
        }
    }
}

impl Outcome {
    /// The time, unless it failed.
    pub fn sample(&self) -> Option<&Sample> {
        match self {
            Outcome::Timed(sample) | Outcome::Same(_, sample) => Some(sample),
            Outcome::Failed(_) => None,
        }
    }
}

impl Trail {
    /// The evaluations: all rows but the finals.
    pub fn trials(&self) -> impl DoubleEndedIterator<Item = &Row> {
        self.rows.iter().filter(|row| row.kind != RowKind::Final)
    }

    /// The trials that count: all but the configs that the device cannot launch, which nobody measured.
    pub fn evaluated(&self) -> impl DoubleEndedIterator<Item = &Row> {
        let launched =
            |row: &&Row| !matches!(row.outcome, Outcome::Failed(Failure::Unlaunchable(_)));
        self.trials().filter(launched)
    }

    /// Why configs failed, each once: those that got through their trial may have fallen since.
    pub fn failures(&self) -> Vec<&Failure> {
        let (mut configs, mut failures) = (Vec::new(), Vec::new());
        for row in &self.rows {
            if let Outcome::Failed(failure) = &row.outcome
                && !configs.contains(&row.config)
            {
                configs.push(row.config);
                failures.push(failure);
            }
        }
        failures
    }

    /// The first config that did something wrong, and what that was.
    pub fn first_wrong(&self) -> Option<(u64, &Failure)> {
        self.wrong().next()
    }

    /// All of them, in the order in which they were measured.
    pub fn wrong(&self) -> impl Iterator<Item = (u64, &Failure)> {
        self.rows.iter().filter_map(|row| match &row.outcome {
            Outcome::Failed(failure) if failure.is_wrong() => Some((row.config, failure)),
            _ => None,
        })
    }

    /// The latest time of a config: that of its final, else of its trial.
    pub fn time(&self, config: u64) -> Option<&Sample> {
        let mut latest = self.rows.iter().rev();
        latest.find(|row| row.config == config)?.outcome.sample()
    }

    /// The times of two configs that may be compared: those of the finals, else of both trials, for what changed in between is
    /// in neither. `None` unless both ran.
    pub fn both(&self, one: u64, other: u64) -> Option<(&Sample, &Sample)> {
        let time = |config: u64, is_final: bool| {
            let kind = |row: &&Row| (row.kind == RowKind::Final) == is_final;
            let mut rows = self.rows.iter().rev().filter(kind);
            rows.find(|row| row.config == config)?.outcome.sample()
        };
        // Who failed in the finals did not run.
        let _ = (self.time(one)?, self.time(other)?);
        let of = |is_final| time(one, is_final).zip(time(other, is_final));
        of(true).or_else(|| of(false))
    }

    /// The configs that ran, by their latest time, at most `count`. Not among them are finalists
    /// that failed, and configs whose object code is that of another one.
    pub fn top(&self, count: usize) -> Vec<(u64, Sample)> {
        let ran = |row: &&Row| matches!(row.outcome, Outcome::Timed(_));
        let timed = |row: &Row| Some((row.config, self.time(row.config)?.clone()));
        let mut top: Vec<(u64, Sample)> = self.trials().filter(ran).filter_map(timed).collect_vec();
        ascending(&mut top, &|(_, sample)| sample.seconds);
        top.truncate(count);
        top
    }
}

/// Counts the non-dominated set: the configs that nothing measured is significantly better than.
pub(super) struct Sink {
    /// Lower ends of the intervals, ascending.
    lows: Vec<f64>,
    /// The lowest upper end.
    high: f64,
}

impl Sink {
    pub(super) const EMPTY: Sink = Sink {
        lows: Vec::new(),
        high: f64::INFINITY,
    };

    pub(super) fn add(&mut self, sample: &Sample) {
        let at = self.lows.partition_point(|low| *low <= sample.low);
        self.lows.insert(at, sample.low);
        self.high = self.high.min(sample.high);
    }

    /// A config is in it while its interval reaches down to the upper end of every other.
    pub(super) fn len(&self) -> u64 {
        self.lows.partition_point(|low| *low <= self.high) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(low: f64, high: f64) -> Sample {
        Sample::new((low + high) / 2.0, low, high, 5)
    }

    #[test]
    fn finals_are_compared_with_finals_and_trials_with_trials() {
        let row = |(kind, config, seconds): (RowKind, u64, f64)| Row {
            evaluation: 1,
            spent: 0.0,
            kind,
            config,
            values: Vec::new(),
            strategy: "guided",
            rank: None,
            predicted: None,
            why: None,
            worker: None,
            under_way: None,
            outcome: Outcome::Timed(sample(seconds, seconds)),
            flops_per_second: None,
            bytes_per_second: None,
            resources: None,
            of_peak: None,
            costs: None,
            compiler: None,
            best: None,
            against: None,
            sink: 1,
        };
        let (trial, finals) = (RowKind::Trial, RowKind::Final);
        let rows = [
            (RowKind::Baseline, 0, 8.0),
            (trial, 1, 2.0),
            (trial, 2, 2.2),
            (finals, 1, 3.0),
            (finals, 2, 3.6),
        ];
        let mut trail = Trail {
            rows: rows.map(row).to_vec(),
        };
        let both = |trail: &Trail, one| {
            let (one, other) = trail.both(one, 1)?;
            Some((one.seconds, other.seconds))
        };
        assert_eq!(both(&trail, 2), Some((3.6, 3.0)));
        // The first config was in no finals: the trial of the other one is like it.
        assert_eq!(both(&trail, 0), Some((8.0, 2.0)));
        assert_eq!(both(&trail, 7), None);
        trail.rows[4].outcome = Outcome::Failed(Failure::Crash(String::new()));
        assert_eq!(both(&trail, 2), None);
    }

    #[test]
    fn the_sink_shrinks_when_something_is_clearly_better() {
        let mut sink = Sink::EMPTY;
        let mut sizes = Vec::new();
        for (low, high) in [
            (9.0, 11.0),
            (10.0, 12.0),
            (12.0, 13.0),
            (8.0, 10.5),
            (5.0, 6.0),
        ] {
            sink.add(&sample(low, high));
            sizes.push(sink.len());
        }
        assert_eq!(sizes, [1, 2, 2, 3, 1]);
    }
}

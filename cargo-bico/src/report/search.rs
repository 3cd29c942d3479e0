//! A search as its trail tells it, ready to be shown.

use super::promise::Promise;
use crate::analyse::Measured;
use crate::config::{Values, assignment, values};
use crate::trail::{Row, Trail};
use bico_build::lock::Entry;
use bico_search::guarantee::Draws;
use indexmap::{IndexMap, IndexSet};
use serde_json::Value;

/// A search.
pub(crate) struct Search {
    pub(super) problem: String,
    pub(super) device: String,
    pub(super) strategy: String,
    /// The parameters.
    pub(super) names: Vec<String>,
    /// All rows, as they were written.
    pub(super) rows: Vec<Row>,
    /// The evaluations, with what became of them.
    pub(super) trials: Vec<Trial>,
    /// What the budget guarantees.
    pub(super) promise: Promise,
    /// Whether what was predicted is a score of the author's: higher is better.
    pub(super) is_score: bool,
    /// The lock's winner, where this search, or another of the same configs, measured it.
    pub(super) winner: Option<u64>,
    /// Whether the lock has a winner that this search did not measure.
    pub(super) is_other: bool,
    /// Whether the kernel is another one now.
    pub(super) is_outdated: bool,
}

/// An evaluation.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Trial {
    pub(super) evaluation: u64,
    pub(super) spent: f64,
    pub(super) config: u64,
    pub(super) values: Vec<String>,
    pub(super) rank: Option<u64>,
    pub(super) predicted: Option<f64>,
    pub(super) seconds: Option<f64>,
    pub(super) failure: Option<String>,
}

impl Search {
    /// Reads a trail. `entry` is what the lock has of the same problem and device, of whatever state of the kernel.
    pub(super) fn new(trail: Trail, entry: Option<&Entry>, is_score: bool) -> Search {
        let Trail {
            problem,
            device,
            hash,
            is_outdated,
            rows,
        } = trail;
        // After another branch was searched the lock's winner is no config of this search, even if it has the same values.
        let is_same =
            |entry: &&Entry| hash.is_none_or(|hash| hash == entry.hashes.kernel().to_string());
        let (has_winner, entry) = (entry.is_some(), entry.filter(is_same));
        let first = rows.first();
        // Variants have parameters of their own.
        let names: IndexSet<&String> = rows.iter().flat_map(|row| row.values.keys()).collect();
        let names: Vec<String> = names.into_iter().cloned().collect();
        let wanted = entry.map(|entry| values(&entry.winner.config));
        let holds = |row: &&Row, wanted: &Values| {
            let same = |(name, value): (&String, &Value)| row.values.get(name) == Some(value);
            row.values.len() == wanted.len() && wanted.iter().all(same)
        };
        let winner = wanted.as_ref().and_then(|wanted| {
            let row = rows.iter().find(|row| holds(row, wanted))?;
            Some(row.config)
        });
        Search {
            strategy: first.map(|row| row.strategy.clone()).unwrap_or_default(),
            trials: trials(&rows, &names),
            names,
            promise: Promise::new(&rows, entry.map(|entry| entry.space_size), winner),
            is_other: has_winner && winner.is_none(),
            is_outdated,
            problem,
            device,
            rows,
            is_score,
            winner,
        }
    }

    /// The trial with the best time.
    pub(super) fn best(&self) -> Option<&Trial> {
        let ran = self.trials.iter().filter(|trial| trial.seconds.is_some());
        let seconds = |trial: &Trial| trial.seconds.unwrap_or(f64::INFINITY);
        ran.min_by(|a, b| seconds(a).total_cmp(&seconds(b)))
    }

    /// Best time so far, by evaluations.
    pub(super) fn by_evaluations(&self) -> Vec<(f64, f64)> {
        let trials = self.trials.iter();
        best_so_far(trials.map(|trial| (trial.evaluation as f64, trial.seconds)))
    }

    /// Best time so far, by the seconds that were spent.
    pub(super) fn by_seconds(&self) -> Vec<(f64, f64)> {
        let trials = self.trials.iter();
        best_so_far(trials.map(|trial| (trial.spent, trial.seconds)))
    }

    /// Best time so far, had the configs been measured in the order of the ranking; those that it does not rank come last.
    pub(super) fn in_ranked_order(&self) -> Vec<(f64, f64)> {
        let mut trials: Vec<&Trial> = self.trials.iter().collect();
        trials.sort_by_key(|trial| trial.rank.unwrap_or(u64::MAX));
        let trials = trials.into_iter().enumerate();
        best_so_far(trials.map(|(at, trial)| (at as f64 + 1.0, trial.seconds)))
    }

    /// The mean best time of so many random draws without replacement from the configs of this trail, of the cases in which one
    /// of them runs; for each of these budgets.
    pub(super) fn at_random(&self, budgets: &[u64]) -> Vec<(f64, f64)> {
        let times = self.trials.iter();
        let times = times.map(|trial| trial.seconds.unwrap_or(f64::NAN));
        let draws = Draws::new(times.collect());
        let expected = |budget: &u64| Some((*budget as f64, draws.expected(*budget)?));
        budgets.iter().filter_map(expected).collect()
    }

    /// Predicted and measured, of the trials that have both.
    pub(super) fn predicted(&self) -> Vec<(f64, f64)> {
        let trials = self.trials.iter();
        let pairs = trials.filter_map(|trial| Some((trial.predicted?, trial.seconds?)));
        pairs.filter(|(p, s)| p.is_finite() && *s > 0.0).collect()
    }

    /// The configs for an analysis.
    pub(super) fn measured(&self) -> Vec<Measured> {
        let measured = |trial: &Trial| Measured {
            values: trial.values.clone(),
            seconds: trial.seconds,
        };
        self.trials.iter().map(measured).collect()
    }

    /// How many evaluations failed, by reason, most first.
    pub(super) fn failures(&self) -> Vec<(String, usize)> {
        let mut reasons: Vec<(String, usize)> = Vec::new();
        for reason in self
            .trials
            .iter()
            .filter_map(|trial| trial.failure.as_ref())
        {
            match reasons.iter_mut().find(|(known, _)| known == reason) {
                Some((_, count)) => *count += 1,
                None => reasons.push((reason.clone(), 1)),
            }
        }
        reasons.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        reasons
    }

    /// Where the seconds went, most first.
    pub(super) fn costs(&self) -> Vec<(String, f64)> {
        let mut costs: Vec<(String, f64)> = Vec::new();
        for (name, seconds) in self.rows.iter().flat_map(|row| &row.costs) {
            let seconds = seconds.max(0.0);
            match costs.iter_mut().find(|(known, _)| known == name) {
                Some((_, sum)) => *sum += seconds,
                None => costs.push((name.clone(), seconds)),
            }
        }
        costs.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        costs
    }

    /// The parameters that have the same value in all rows; none of one row.
    pub(super) fn constants(&self) -> IndexMap<&String, &Value> {
        let first = self.rows.first().filter(|_| self.rows.len() > 1);
        let values = first.map(|row| row.values.iter());
        let is_constant = |(name, value): &(&String, &Value)| {
            self.rows
                .iter()
                .all(|row| row.values.get(*name) == Some(value))
        };
        values.into_iter().flatten().filter(is_constant).collect()
    }

    /// A config for people.
    pub(super) fn assignment(&self, config: u64) -> String {
        let row = self.rows.iter().find(|row| row.config == config);
        row.map(|row| assignment(&row.values)).unwrap_or_default()
    }
}

/// The evaluations of a trail. One that was judged anew is what became of it; what a device cannot launch was none.
fn trials(rows: &[Row], names: &[String]) -> Vec<Trial> {
    let values = |row: &Row| {
        let value = |name| row.values.get(name).map_or_else(|| "-".to_string(), shown);
        names.iter().map(value).collect()
    };
    let mut trials: Vec<Trial> = Vec::new();
    for row in rows {
        match row.kind.as_str() {
            "final" => {}
            "judged" => {
                let known = trials.iter_mut().find(|trial| trial.config == row.config);
                if let Some(trial) = known {
                    (trial.seconds, trial.failure) = (row.seconds, failure(row));
                }
            }
            _ => trials.push(Trial {
                evaluation: row.evaluation,
                spent: row.spent,
                config: row.config,
                values: values(row),
                rank: row.rank,
                predicted: row.predicted,
                seconds: row.seconds,
                failure: failure(row),
            }),
        }
    }
    trials.retain(|trial| trial.failure.as_deref() != Some("cannot be launched"));
    trials
}

/// Why a row failed, in words.
pub(super) fn failure(row: &Row) -> Option<String> {
    row.failure.as_ref().map(|reason| match reason.as_str() {
        "unlaunchable" => "cannot be launched".to_string(),
        other => other.replace('_', " "),
    })
}

/// A value for people.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn best_so_far(trials: impl Iterator<Item = (f64, Option<f64>)>) -> Vec<(f64, f64)> {
    let mut best: Option<f64> = None;
    let mut points = Vec::new();
    for (at, seconds) in trials {
        best = match (best, seconds) {
            (Some(best), Some(seconds)) => Some(best.min(seconds)),
            (best, seconds) => best.or(seconds),
        };
        points.extend(best.map(|best| (at, best)));
    }
    points
}

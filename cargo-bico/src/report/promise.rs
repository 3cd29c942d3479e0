//! What a trail's budget guarantees: read off by bico-search, said as builds say it.

use crate::trail::Row;
use bico_build::report::GuaranteeLines;
use bico_search::guarantee::{Guarantee, Settings, shipped};
use bico_search::search::{
    self, Caches, Failure, Found, Outcome, RowKind, Sample, Stop, Trail, Winner,
};

/// What a budget guarantees.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Promise {
    /// For people.
    pub(super) lines: Vec<String>,
    /// For each number of evaluations, the seconds that are guaranteed.
    pub(super) steps: Vec<(f64, f64)>,
    /// How often it holds.
    pub(super) reliability: f64,
}

impl Promise {
    /// Of a space of so many configs, where that is known, and the lock's winner.
    pub(super) fn new(rows: &[Row], space: Option<u64>, winner: Option<u64>) -> Promise {
        let settings = Settings::default();
        let found = found(rows, winner);
        let mut guarantee = Guarantee::new(&found.trail, space.unwrap_or(0), settings);
        if space.is_none() {
            guarantee.rank = None;
        }
        let lines = GuaranteeLines {
            shipped: found.winner.as_ref().zip(shipped(&found, &settings)),
            guarantee: &guarantee,
            scaled: None,
        };
        let steps = guarantee.steps.iter();
        Promise {
            lines: lines.lines(),
            steps: steps
                .filter_map(|step| Some((step.evaluation as f64, step.guaranteed?)))
                .filter(|(_, seconds)| seconds.is_finite() && *seconds < f64::MAX)
                .collect(),
            reliability: settings.reliability,
        }
    }
}

/// What the search found, as far as its rows tell.
fn found(rows: &[Row], winner: Option<u64>) -> Found {
    let mut trail = Trail::default();
    for row in rows {
        let kind = match row.kind.as_str() {
            "incumbent" => RowKind::Incumbent,
            "default" => RowKind::Default,
            "baseline" => RowKind::Baseline,
            "final" => RowKind::Final,
            "judged" => {
                let mut known = trail.rows.iter_mut();
                if let Some(trial) = known.find(|trial| trial.config == row.config) {
                    trial.outcome = outcome(row);
                }
                continue;
            }
            _ => RowKind::Trial,
        };
        trail.rows.push(search::Row {
            evaluation: row.evaluation,
            spent: row.spent,
            kind,
            config: row.config,
            values: Vec::new(),
            strategy: known_strategy(&row.strategy),
            rank: row.rank,
            predicted: row.predicted,
            why: None,
            worker: None,
            under_way: None,
            outcome: outcome(row),
            flops_per_second: row.flops_per_second,
            bytes_per_second: row.bytes_per_second,
            resources: None,
            of_peak: None,
            costs: None,
            compiler: None,
            best: None,
            against: None,
            sink: row.sink,
        });
    }
    // Without a lock the finals' best, which is that of the trials where there were none.
    let chosen = winner.or_else(|| {
        let best = |row: &Row| row.best.map(|best| best.config);
        let fastest = || trail.top(1).first().map(|(config, _)| *config);
        rows.iter().rev().find_map(best).or_else(fastest)
    });
    let winner = chosen.and_then(|config| {
        let sample = trail.time(config)?.clone();
        Some(Winner { config, sample })
    });
    Found {
        winner,
        trail,
        stop: Stop::Evaluations,
        stays: false,
    }
}

fn outcome(row: &Row) -> Outcome {
    let Some(seconds) = row.seconds.filter(|_| row.failure.is_none()) else {
        let none = String::new();
        // Which failure it is changes nothing but where nobody measured.
        return Outcome::Failed(match row.failure.as_deref() {
            Some("unlaunchable") => Failure::Unlaunchable(none),
            _ => Failure::Crash(none),
        });
    };
    let (low, high) = (row.low.unwrap_or(seconds), row.high.unwrap_or(seconds));
    let sample = Sample {
        confidence: row.confidence.unwrap_or(0.95),
        caches: Caches::Unknown,
        cut: row.cut,
        ..Sample::new(seconds, low, high, row.runs.unwrap_or(1))
    };
    match row.same_as {
        Some(config) => Outcome::Same(config, sample),
        None => Outcome::Timed(sample),
    }
}

fn known_strategy(name: &str) -> &'static str {
    let known = search::names().into_iter().find(|known| *known == name);
    known.unwrap_or_default()
}

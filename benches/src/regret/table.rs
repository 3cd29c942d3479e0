//! The table.

use super::case::Case;
use super::play::{HORIZONS, play};
use super::rivals::Named;
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// What one strategy's runs came to, per case.
pub(super) struct Row {
    pub(super) name: &'static str,
    /// Total time over always the best arm, minus 1: the mean over the seeds, per horizon.
    mean: Vec<[f64; HORIZONS.len()]>,
    /// The worst seed.
    worst: Vec<[f64; HORIZONS.len()]>,
}

impl Row {
    pub(super) fn new(strategy: &Named, cases: &[Case], seeds: u64) -> Row {
        let mut row = Row {
            name: strategy.name,
            mean: Vec::new(),
            worst: Vec::new(),
        };
        for case in cases {
            let (mut mean, mut worst) =
                ([0.0; HORIZONS.len()], [f64::NEG_INFINITY; HORIZONS.len()]);
            for seed in 0..seeds {
                let mut player = (strategy.new)(case.arms.len(), seed);
                let totals = play(player.as_mut(), &case.arms, case.best(), seed);
                for (at, calls) in HORIZONS.iter().enumerate() {
                    let excess = totals[at] / *calls as f64 - 1.0;
                    mean[at] += excess / seeds as f64;
                    worst[at] = worst[at].max(excess);
                }
            }
            row.mean.push(mean);
            row.worst.push(worst);
        }
        row
    }

    fn over_best(&self, at: usize) -> Vec<f64> {
        self.mean.iter().map(|mean| mean[at]).collect()
    }

    /// Over the space's optimum.
    fn over_optimum(&self, cases: &[Case], at: usize) -> Vec<f64> {
        let cases = cases.iter().zip(&self.mean);
        cases
            .map(|(case, mean)| (1.0 + mean[at]) * case.best() / case.optimum - 1.0)
            .collect()
    }
}

pub(super) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    if sorted.len() % 2 == 1 {
        sorted[half]
    } else {
        (sorted[half - 1] + sorted[half]) / 2.0
    }
}

pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

pub(super) fn worst(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// Over the optimum, of always calling the nearest GPU's winner.
fn nearest(cases: &[Case]) -> Vec<f64> {
    let over = |case: &Case| case.nearest() / case.optimum - 1.0;
    cases.iter().map(over).collect()
}

/// Bico's total time over that of the nearest GPU's winner, minus 1.
fn against(row: &Row, cases: &[Case], at: usize) -> Vec<f64> {
    let ours = row.over_optimum(cases, at);
    let pairs = ours.iter().zip(nearest(cases));
    pairs
        .map(|(ours, theirs)| (1.0 + ours) / (1.0 + theirs) - 1.0)
        .collect()
}

pub(super) fn percent(value: f64) -> String {
    format!("{:.2} %", 100.0 * value)
}

/// For people. Writing to a string cannot fail.
pub(super) fn display(rows: &[Row], cases: &[Case]) -> String {
    let mut text = String::from("total time over always the best arm, minus 1\n\n");
    let _ = write!(text, "{:24}", "");
    for calls in HORIZONS {
        for what in ["median", "worst", "worst seed"] {
            let _ = write!(text, "{:>18}", format!("{what} {calls}"));
        }
    }
    text.push('\n');
    for row in rows {
        let _ = write!(text, "{:24}", row.name);
        for at in 0..HORIZONS.len() {
            let seeds: Vec<f64> = row.worst.iter().map(|worst| worst[at]).collect();
            let over = row.over_best(at);
            for value in [median(&over), worst(&over), worst(&seeds)] {
                let _ = write!(text, "{:>18}", percent(value));
            }
        }
        text.push('\n');
    }
    text += "\ntotal time over the space's optimum, minus 1\n\n";
    let _ = write!(text, "{:24}", "");
    for calls in HORIZONS {
        for what in ["median", "mean", "worst"] {
            let _ = write!(text, "{:>18}", format!("{what} {calls}"));
        }
    }
    text.push('\n');
    let near = nearest(cases);
    let ours = &rows[0];
    let lines = [
        ("bico", [0, 1, 2].map(|at| ours.over_optimum(cases, at))),
        (
            "nearest GPU's winner",
            [0; HORIZONS.len()].map(|_| near.clone()),
        ),
        (
            "bico over nearest",
            [0, 1, 2].map(|at| against(ours, cases, at)),
        ),
    ];
    for (name, columns) in lines {
        let _ = write!(text, "{name:24}");
        for over in &columns {
            for value in [median(over), mean(over), worst(over)] {
                let _ = write!(text, "{:>18}", percent(value));
            }
        }
        text.push('\n');
    }
    let _ = writeln!(
        text,
        "\n{:40}{:>6}{:>8}{:>14}{:>14}{:>14}{:>14}{:>14}",
        "bico, case by case",
        "arms",
        "failing",
        "100 calls",
        "1000 calls",
        "10000 calls",
        "best arm",
        "nearest"
    );
    for (at, case) in cases.iter().enumerate() {
        let failing = case.arms.iter().filter(|arm| arm.is_none()).count();
        let _ = writeln!(
            text,
            "{:40}{:>6}{failing:>8}{:>14}{:>14}{:>14}{:>14}{:>14}",
            case.name,
            case.arms.len(),
            percent(ours.mean[at][0]),
            percent(ours.mean[at][1]),
            percent(ours.mean[at][2]),
            percent(case.best() / case.optimum - 1.0),
            percent(near[at]),
        );
    }
    text + "\n"
}

/// For programs.
pub(super) fn object(rows: &[Row], cases: &[Case]) -> Map<String, Value> {
    let mut object = Map::new();
    for row in rows {
        let mut keys = Map::new();
        for (at, calls) in HORIZONS.iter().enumerate() {
            let over = row.over_best(at);
            let seeds: Vec<f64> = row.worst.iter().map(|worst| worst[at]).collect();
            keys.insert(format!("median_{calls}"), json!(median(&over)));
            keys.insert(format!("worst_{calls}"), json!(worst(&over)));
            keys.insert(format!("worst_seed_{calls}"), json!(worst(&seeds)));
        }
        object.insert(row.name.into(), keys.into());
    }
    let ours = &rows[0];
    let near = nearest(cases);
    let mut optimum = Map::new();
    for (at, calls) in HORIZONS.iter().enumerate() {
        let columns = [
            ("bico", ours.over_optimum(cases, at)),
            ("nearest", near.clone()),
            ("bico_over_nearest", against(ours, cases, at)),
        ];
        for (name, over) in columns {
            let entry = optimum.entry(name).or_insert_with(|| json!({}));
            entry[format!("median_{calls}")] = json!(median(&over));
            entry[format!("mean_{calls}")] = json!(mean(&over));
            entry[format!("worst_{calls}")] = json!(worst(&over));
        }
    }
    object.insert("over_optimum".into(), optimum.into());
    let case = |(at, case): (usize, &Case)| {
        json!({
            "case": case.name,
            "arms": case.arms.len(),
            "failing": case.arms.iter().filter(|arm| arm.is_none()).count(),
            "bico_100": ours.mean[at][0],
            "bico_1000": ours.mean[at][1],
            "bico_10000": ours.mean[at][2],
            "best_arm_over_optimum": case.best() / case.optimum - 1.0,
            "nearest_over_optimum": near[at],
            "arms_over_best": case.arms.iter().map(|arm| arm.map(|(seconds, _)| seconds / case.best())).collect::<Vec<_>>(),
        })
    };
    let cases: Vec<Value> = cases.iter().enumerate().map(case).collect();
    object.insert("cases".into(), cases.into());
    object
}

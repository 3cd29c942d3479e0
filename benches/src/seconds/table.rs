//! What came of it: seconds to a share of the best known.

use super::options::Options;
use super::{Config, Run};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const SHARES: [f64; 3] = [0.90, 0.95, 0.98];
const LOOKS: [f64; 5] = [2.0, 5.0, 10.0, 20.0, 45.0];

/// All runs on one kernel.
pub(super) struct Kernel {
    name: String,
    /// Milliseconds.
    best: f64,
    /// By tool, the share of the best known that each run had, and after how many seconds.
    runs: BTreeMap<String, Vec<Vec<(f64, f64)>>>,
}

impl Kernel {
    pub(super) fn new(
        name: &str,
        runs: Vec<Run>,
        measured: &[(Config, f64)],
        options: &Options,
    ) -> Kernel {
        let best = measured.iter().map(|(_, ms)| *ms);
        let best = best.fold(f64::INFINITY, f64::min);
        let share = |config: &Config| {
            let known = measured.iter().find(|(known, _)| known == config);
            known.map_or(0.0, |(_, ms)| best / ms)
        };
        let mut by_tool: BTreeMap<String, Vec<Vec<(f64, f64)>>> = BTreeMap::new();
        for run in runs {
            let steps = run.progress.iter().filter(|(at, _)| *at <= options.seconds);
            let steps = steps.map(|(at, config)| (*at, share(config)));
            by_tool.entry(run.tool).or_default().push(steps.collect());
        }
        Kernel {
            name: name.into(),
            best,
            runs: by_tool,
        }
    }

    /// Seconds of each run to a share; runs that never got there have all of them.
    fn seconds(&self, tool: &str, to: f64, options: &Options) -> Vec<f64> {
        let runs = self.runs.get(tool).into_iter().flatten();
        let reached = |run: &Vec<(f64, f64)>| run.iter().find(|(_, of)| *of >= to).map(|at| at.0);
        let mut all: Vec<f64> = runs
            .map(|run| reached(run).unwrap_or(options.seconds))
            .collect();
        all.sort_by(f64::total_cmp);
        all
    }

    /// The median share of the best known after so many seconds.
    fn share(&self, tool: &str, after: f64) -> f64 {
        let runs = self.runs.get(tool).into_iter().flatten();
        let had = |run: &Vec<(f64, f64)>| {
            let had = run.iter().rev().find(|(at, _)| *at <= after);
            had.map_or(0.0, |(_, of)| *of)
        };
        let mut all: Vec<f64> = runs.map(had).collect();
        all.sort_by(f64::total_cmp);
        median(&all)
    }

    pub(super) fn print(&self, options: &Options) {
        println!("{}, best known {:.3} ms\n", self.name, self.best);
        println!(
            "{:<36} {:>14} {:>14} {:>14}   share of the best known after 2, 5, 10, 20, 45 s",
            "seconds to (median, worst, never)", "90 %", "95 %", "98 %"
        );
        for tool in &options.tools {
            let cells = SHARES.map(|to| cell(&self.seconds(tool, to, options), options));
            let shares = LOOKS.map(|after| format!("{:.3}", self.share(tool, after)));
            println!(
                "{tool:<36} {:>14} {:>14} {:>14}   {}",
                cells[0],
                cells[1],
                cells[2],
                shares.join("  ")
            );
        }
        println!();
    }

    pub(super) fn json(&self, options: &Options) -> Value {
        let of = |tool: &String| {
            let seconds = SHARES.map(|to| json!(self.seconds(tool, to, options)));
            let shares = LOOKS.map(|after| self.share(tool, after));
            let row = json!({"seconds_to_90_95_98": seconds, "share_after_2_5_10_20_45": shares});
            (tool.clone(), row)
        };
        let tools: serde_json::Map<String, Value> = options.tools.iter().map(of).collect();
        json!({"best_ms": self.best, "tools": tools})
    }
}

/// All kernels and seeds together.
pub(super) fn print_all(kernels: &[Kernel], options: &Options) {
    println!("all kernels\n");
    for tool in &options.tools {
        let cells = SHARES.map(|to| {
            let all = kernels
                .iter()
                .flat_map(|kernel| kernel.seconds(tool, to, options));
            let mut all: Vec<f64> = all.collect();
            all.sort_by(f64::total_cmp);
            cell(&all, options)
        });
        println!(
            "{tool:<36} {:>14} {:>14} {:>14}",
            cells[0], cells[1], cells[2]
        );
    }
}

/// Median, worst, and how many never got there; of sorted seconds.
fn cell(all: &[f64], options: &Options) -> String {
    let never = all.iter().filter(|s| **s >= options.seconds).count();
    let worst = all.last().copied().unwrap_or_default();
    format!("{:.1} {worst:.1} {never}", median(all))
}

fn median(sorted: &[f64]) -> f64 {
    let (lower, upper) = (sorted.len().saturating_sub(1) / 2, sorted.len() / 2);
    let at = |index: usize| sorted.get(index).copied().unwrap_or(0.0);
    (at(lower) + at(upper)) / 2.0
}

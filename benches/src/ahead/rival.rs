//! What Kernel Tuner's best strategy reaches on one GPU by the same clock: it compiles one config, measures it, and goes on to the
//! next (its parallel runner has one worker per GPU).

use super::{MEASURING, compiling};
use cargo_bico::replay::Recording;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

pub(super) const STRATEGY: &str = "adaptive_tabu_greywolf";

/// Per space: fractions of the optimum by evaluations, as `kernel_tuner.json` keeps them.
pub(super) struct Rival {
    spaces: BTreeMap<String, Vec<(f64, f64)>>,
}

impl Rival {
    /// Of no space where the file is not there.
    pub(super) fn read(folder: &Path) -> Rival {
        let text = std::fs::read_to_string(folder.join("kernel_tuner.json"));
        let whole: Value = serde_json::from_str(&text.unwrap_or_default()).unwrap_or_default();
        let spaces = whole["spaces"].as_object().into_iter().flatten();
        let points = |of: &Value| {
            let budgets = of[STRATEGY].as_object().into_iter().flatten();
            let point =
                |(budget, mean): (&String, &Value)| Some((budget.parse().ok()?, mean.as_f64()?));
            let mut points: Vec<(f64, f64)> = budgets.filter_map(point).collect();
            points.sort_by(|one, other| one.0.total_cmp(&other.0));
            points
        };
        Rival {
            spaces: spaces
                .map(|(name, of)| (name.clone(), points(of)))
                .filter(|(_, points)| !points.is_empty())
                .collect(),
        }
    }

    pub(super) fn knows(&self, recording: &Recording) -> bool {
        self.spaces.contains_key(&recording.name)
    }

    /// The mean over its spaces after so many seconds. Before its first and behind its last budget that is known it has what it
    /// reaches there.
    pub(super) fn reached(&self, recordings: &[Recording], seconds: f64) -> f64 {
        let of = recordings.iter().filter_map(|recording| {
            let points = self.spaces.get(&recording.name)?;
            let count = recording.configs.len() as f64;
            let all = (0..recording.configs.len()).map(|of| compiling(recording, of));
            let each = MEASURING + all.sum::<f64>() / count;
            Some(between(points, seconds / each))
        });
        let of: Vec<f64> = of.collect();
        of.iter().sum::<f64>() / of.len() as f64
    }
}

fn between(points: &[(f64, f64)], at: f64) -> f64 {
    let behind = points.iter().position(|(x, _)| *x >= at);
    match behind {
        Some(0) => points[0].1,
        Some(next) => {
            let ((x0, y0), (x1, y1)) = (points[next - 1], points[next]);
            y0 + (y1 - y0) * (at - x0) / (x1 - x0)
        }
        None => points[points.len() - 1].1,
    }
}

//! Many runs in a few numbers.

use super::{Curve, Plan, Run};
use serde::Serialize;

/// One strategy on one space at one budget, over all seeds. The keys of the JSON.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// The recording's name.
    pub space: String,
    /// The strategy.
    pub strategy: String,
    /// Evaluations.
    pub budget: u64,
    /// How many seeds.
    pub seeds: u64,
    /// Mean evaluations that were done: less than the budget where searches end before.
    pub evaluations: f64,
    /// The mean fraction of the optimum.
    pub mean: f64,
    /// Its lower quartile.
    pub q25: f64,
    /// Its median.
    pub median: f64,
    /// Its upper quartile.
    pub q75: f64,
    /// Milliseconds that the search itself took per evaluation.
    pub ms_per_evaluation: f64,
    /// Mean seconds that the evaluations took when they were recorded.
    pub recorded_seconds: f64,
}

/// The summaries of one space's runs, by strategy and budget in the plan's order.
pub fn summaries(space: &str, plan: &Plan, runs: &[Run]) -> Vec<Summary> {
    let mut rows = Vec::new();
    for strategy in &plan.strategies {
        for (at, budget) in plan.budgets.iter().enumerate() {
            let own = runs.iter().filter(|run| run.strategy == *strategy);
            let curves: Vec<&Curve> = own.filter_map(|run| run.curve.get(at)).collect();
            let mut fractions: Vec<f64> = curves.iter().map(|curve| curve.fraction).collect();
            fractions.sort_by(f64::total_cmp);
            let sum = |value: fn(&Curve) -> f64| curves.iter().map(|c| value(c)).sum::<f64>();
            let count = curves.len().max(1) as f64;
            let evaluations = sum(|curve| curve.evaluations as f64);
            rows.push(Summary {
                space: space.into(),
                strategy: strategy.clone(),
                budget: *budget,
                seeds: curves.len() as u64,
                evaluations: evaluations / count,
                mean: sum(|curve| curve.fraction) / count,
                q25: quantile(&fractions, 0.25),
                median: quantile(&fractions, 0.5),
                q75: quantile(&fractions, 0.75),
                ms_per_evaluation: sum(|curve| curve.searching) * 1e3 / evaluations.max(1.0),
                recorded_seconds: sum(|curve| curve.spent) / count,
            });
        }
    }
    rows
}

/// The quantile of sorted values, linear between them; 0 of none.
pub(super) fn quantile(sorted: &[f64], p: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else {
        return 0.0;
    };
    let place = p * last as f64;
    let below = place.floor() as usize;
    let above = (below + 1).min(last);
    sorted[below] + (sorted[above] - sorted[below]) * (place - below as f64)
}

#[cfg(test)]
mod tests {
    use super::quantile;

    #[test]
    fn quantiles_lie_between_values() {
        assert_eq!(quantile(&[1.0, 2.0, 3.0, 5.0], 0.5), 2.5);
        assert_eq!(quantile(&[1.0, 2.0, 3.0, 5.0], 0.25), 1.75);
        assert_eq!(quantile(&[4.0], 0.75), 4.0);
        assert_eq!(quantile(&[], 0.5), 0.0);
    }
}

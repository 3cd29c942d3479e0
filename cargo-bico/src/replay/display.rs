//! Results as a table for people.

use super::summary::quantile;
use super::{Plan, Summary};
use bico_build::report::columns;

/// A line per space and strategy, a column per budget; then average, median and worst over the
/// spaces. Cells are mean fractions of the optimum; `ms/eval` is what the search itself costs.
pub fn display(plan: &Plan, rows: &[Summary]) -> String {
    let mut spaces: Vec<&str> = Vec::new();
    for row in rows {
        if !spaces.contains(&row.space.as_str()) {
            spaces.push(&row.space);
        }
    }
    let mut head = ["space", "strategy"]
        .map(|name| format!("{name:8}"))
        .to_vec();
    head.extend(plan.budgets.iter().map(u64::to_string));
    head.push("ms/eval".to_string());
    let mut lines = vec![head];
    for space in &spaces {
        let own = rows.iter().filter(|row| row.space == *space).collect();
        lines.extend(folded(plan, space, own, mean));
    }
    if spaces.len() > 1 {
        let folds: [(&str, Fold); 3] = [("average", mean), ("median", median), ("worst", worst)];
        for (name, fold) in folds {
            lines.push(Vec::new());
            lines.extend(folded(plan, name, rows.iter().collect(), fold));
        }
    }
    columns(&lines, 2)
}

/// Many numbers in one.
type Fold = fn(&[f64]) -> f64;

/// A line for each strategy.
fn folded(plan: &Plan, name: &str, rows: Vec<&Summary>, fold: Fold) -> Vec<Vec<String>> {
    let line = |strategy: &String| {
        let column = |budget: u64, value: fn(&Summary) -> f64| -> Vec<f64> {
            let own = rows.iter().filter(|row| row.strategy == *strategy);
            let cells = own.filter(|row| row.budget == budget);
            cells.map(|row| value(row)).collect()
        };
        let budgets = plan.budgets.iter();
        let cells = budgets.map(|budget| format!("{:.4}", fold(&column(*budget, |row| row.mean))));
        let mut line = vec![name.to_string(), strategy.clone()];
        line.extend(cells);
        let last = plan.budgets.last().copied().unwrap_or(0);
        let cost = mean(&column(last, |row| row.ms_per_evaluation));
        line.push(format!("{cost:.3}"));
        line
    };
    plan.strategies.iter().map(line).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    quantile(&sorted, 0.5)
}

fn worst(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

//! Results as a table for people.

use super::{Plan, Summary};
use std::fmt::Write;

/// A line per space and strategy, a column per budget; then average, median and worst over the
/// spaces. Cells are mean fractions of the optimum; `ms/eval` is what the search itself costs.
pub fn display(plan: &Plan, rows: &[Summary]) -> String {
    let mut spaces: Vec<&str> = Vec::new();
    for row in rows {
        if !spaces.contains(&row.space.as_str()) {
            spaces.push(&row.space);
        }
    }
    let longest = |lengths: &mut dyn Iterator<Item = usize>| lengths.max().unwrap_or(0).max(8);
    let mut table = Table {
        text: String::new(),
        widths: (
            longest(&mut spaces.iter().map(|space| space.len())),
            longest(&mut plan.strategies.iter().map(String::len)),
        ),
    };
    let budgets: Vec<String> = plan.budgets.iter().map(u64::to_string).collect();
    table.line("space", "strategy", &budgets, "ms/eval");
    for space in &spaces {
        for strategy in &plan.strategies {
            table.fold(plan, space, strategy, rows, |row| row.space == *space, mean);
        }
    }
    if spaces.len() > 1 {
        for (name, fold) in [
            ("average", mean as Fold),
            ("median", median),
            ("worst", worst),
        ] {
            table.text.push('\n');
            for strategy in &plan.strategies {
                table.fold(plan, name, strategy, rows, |_| true, fold);
            }
        }
    }
    table.text
}

/// Many numbers in one.
type Fold = fn(&[f64]) -> f64;

struct Table {
    text: String,
    widths: (usize, usize),
}

impl Table {
    fn line(&mut self, space: &str, strategy: &str, cells: &[String], cost: &str) {
        let (first, second) = self.widths;
        // Writing to a string cannot fail.
        let _ = write!(self.text, "{space:first$}  {strategy:second$}");
        for cell in cells {
            let _ = write!(self.text, "  {cell:>6}");
        }
        let _ = writeln!(self.text, "  {cost:>7}");
    }

    fn fold(
        &mut self,
        plan: &Plan,
        name: &str,
        strategy: &str,
        rows: &[Summary],
        belongs: impl Fn(&Summary) -> bool,
        fold: Fold,
    ) {
        let own: Vec<&Summary> = rows
            .iter()
            .filter(|row| row.strategy == strategy && belongs(row))
            .collect();
        let column = |budget: u64, value: fn(&Summary) -> f64| -> Vec<f64> {
            let cells = own.iter().filter(|row| row.budget == budget);
            cells.map(|row| value(row)).collect()
        };
        let cells: Vec<String> = plan
            .budgets
            .iter()
            .map(|budget| format!("{:.4}", fold(&column(*budget, |row| row.mean))))
            .collect();
        let last = plan.budgets.last().copied().unwrap_or(0);
        let cost = mean(&column(last, |row| row.ms_per_evaluation));
        self.line(name, strategy, &cells, &format!("{cost:.3}"));
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    super::summary::quantile(&sorted, 0.5)
}

fn worst(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

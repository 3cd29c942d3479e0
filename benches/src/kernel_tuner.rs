//! What Kernel Tuner reaches on the same spaces, as `kernel_tuner.json` keeps it.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// How many of its strategies are shown, best first.
const SHOWN: usize = 5;

/// Means by strategy and budget.
type Means = BTreeMap<String, BTreeMap<u64, f64>>;

/// Kernel Tuner's results.
#[derive(Debug, Default)]
pub(crate) struct Rivals {
    /// Those of each space that it was run on; empty where there is no such file.
    pub(crate) spaces: BTreeMap<String, Means>,
    /// What it says of itself.
    about: String,
    /// Per strategy and budget the mean over the spaces.
    means: Means,
}

/// Reads the file, if it is there.
pub(crate) fn read(path: &Path) -> Result<Rivals, String> {
    if !path.is_file() {
        eprintln!(
            "note: {} is not there: all spaces, no rival",
            path.display()
        );
        return Ok(Rivals::default());
    }
    let wrong = |what: &str| format!("{}: {what}", path.display());
    let text = std::fs::read_to_string(path).map_err(|error| wrong(&error.to_string()))?;
    let whole: Value = serde_json::from_str(&text).map_err(|error| wrong(&error.to_string()))?;
    let spaces = whole["spaces"]
        .as_object()
        .ok_or_else(|| wrong("has no object `spaces`"))?;
    let spaces: BTreeMap<String, Means> = spaces
        .iter()
        .map(|(name, strategies)| (name.clone(), of_space(strategies)))
        .collect();
    let mut cells: BTreeMap<String, BTreeMap<u64, Vec<f64>>> = BTreeMap::new();
    for (strategy, budgets) in spaces.values().flatten() {
        let row = cells.entry(strategy.clone()).or_default();
        for (budget, mean) in budgets {
            row.entry(*budget).or_default().push(*mean);
        }
    }
    let mut means = Means::new();
    for (strategy, budgets) in cells {
        for (budget, values) in budgets {
            // An average over fewer spaces is none.
            if values.len() == spaces.len() {
                let mean = values.iter().sum::<f64>() / values.len() as f64;
                means
                    .entry(strategy.clone())
                    .or_default()
                    .insert(budget, mean);
            }
        }
    }
    Ok(Rivals {
        spaces,
        about: whole["about"].as_str().unwrap_or_default().into(),
        means,
    })
}

fn of_space(strategies: &Value) -> Means {
    let row = |budgets: &Value| {
        let budgets = budgets.as_object().into_iter().flatten();
        budgets
            .filter_map(|(budget, mean)| Some((budget.parse().ok()?, mean.as_f64()?)))
            .collect()
    };
    let strategies = strategies.as_object().into_iter().flatten();
    strategies
        .map(|(strategy, budgets)| (strategy.clone(), row(budgets)))
        .collect()
}

impl Rivals {
    /// The best strategies' averages over the spaces, and those of random search.
    pub(crate) fn display(&self, budgets: &[u64]) -> String {
        let sum = |row: &BTreeMap<u64, f64>| -> f64 {
            budgets.iter().filter_map(|budget| row.get(budget)).sum()
        };
        let whole = |row: &BTreeMap<u64, f64>| {
            budgets
                .iter()
                .filter(|budget| row.contains_key(budget))
                .count()
        };
        let most = self.means.values().map(whole).max().unwrap_or(0);
        let mut order: Vec<(&String, &BTreeMap<u64, f64>)> = self
            .means
            .iter()
            .filter(|(_, row)| whole(row) == most && most > 0)
            .collect();
        order.sort_by(|a, b| sum(b.1).total_cmp(&sum(a.1)));
        let mut text = String::new();
        if order.is_empty() {
            return text;
        }
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{}; average over {} spaces, best first\n",
            self.about,
            self.spaces.len()
        );
        let _ = write!(text, "{:24}", "Kernel Tuner");
        for budget in budgets {
            let _ = write!(text, "  {budget:>6}");
        }
        text.push('\n');
        for (at, (strategy, row)) in order.into_iter().enumerate() {
            if at >= SHOWN && strategy != "random_sample" {
                continue;
            }
            let _ = write!(text, "{strategy:24}");
            for budget in budgets {
                let _ = match row.get(budget) {
                    Some(mean) => write!(text, "  {mean:6.4}"),
                    None => write!(text, "  {:>6}", ""),
                };
            }
            text.push('\n');
        }
        text
    }
}

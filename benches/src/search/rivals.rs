//! What Kernel Tuner reaches on the same spaces, as `kernel_tuner.json` keeps it.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// How many of its strategies are shown, best first.
const SHOWN: usize = 5;

/// Kernel Tuner's results.
#[derive(Debug, Default)]
pub(super) struct Rivals {
    /// The spaces that it was run on; empty where there is no such file.
    pub(super) spaces: Vec<String>,
    /// What it says of itself.
    about: String,
    /// Per strategy and budget the mean over the spaces.
    means: BTreeMap<String, BTreeMap<u64, f64>>,
}

/// Reads the file, if it is there.
pub(super) fn read(path: &Path) -> Result<Rivals, String> {
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
    let mut cells: BTreeMap<String, BTreeMap<u64, Vec<f64>>> = BTreeMap::new();
    for strategies in spaces.values().filter_map(Value::as_object) {
        for (strategy, budgets) in strategies {
            for (budget, mean) in budgets.as_object().into_iter().flatten() {
                if let (Ok(budget), Some(mean)) = (budget.parse(), mean.as_f64()) {
                    let row = cells.entry(strategy.clone()).or_default();
                    row.entry(budget).or_default().push(mean);
                }
            }
        }
    }
    let mut means: BTreeMap<String, BTreeMap<u64, f64>> = BTreeMap::new();
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
        spaces: spaces.keys().cloned().collect(),
        about: whole["about"].as_str().unwrap_or_default().into(),
        means,
    })
}

impl Rivals {
    /// The best strategies' averages over the spaces, and those of random search.
    pub(super) fn display(&self, budgets: &[u64]) -> String {
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

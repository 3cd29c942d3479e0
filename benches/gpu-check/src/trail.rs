//! What searches left: their trails and the lock.

use bico_build::lock;
use bico_search::rank::spearman;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// One search.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Searched {
    pub(crate) kernel: String,
    pub(crate) problem: String,
    pub(crate) strategy: String,
    /// Valid configs.
    pub(crate) space: u64,
    /// Configs that were measured, those that failed among them.
    pub(crate) evaluations: u64,
    pub(crate) failures: BTreeMap<String, u64>,
    /// Spearman's, of the place in the ranking and the time, over what was measured.
    pub(crate) rank_correlation: Option<f64>,
    /// Seconds: of the winner, of the first config of the space that was right, and of the most promising one.
    pub(crate) winner: f64,
    pub(crate) first: Option<f64>,
    pub(crate) ranked: Option<f64>,
    pub(crate) config: String,
    pub(crate) verified: String,
}

/// A row of a trail.
#[derive(Deserialize)]
struct Row {
    problem: String,
    kind: String,
    rank: Option<f64>,
    seconds: Option<f64>,
    failure: Option<String>,
}

/// What the lock of a package says of the searches on this device whose trails lie in a folder; `only` of one
/// tunable, if named.
///
/// # Errors
///
/// The lock is faulty or missing.
pub(crate) fn searches(
    package: &Path,
    trails: &Path,
    device: &str,
    only: Option<&str>,
) -> Result<Vec<Searched>, String> {
    let lock = lock::load(&package.join("bico.lock")).map_err(|error| error.to_string())?;
    let lock = lock.ok_or("tuning wrote no lock")?;
    let mut all = Vec::new();
    for (kernel, devices) in &lock.kernels {
        let rows = rows(&trails.join(format!("{}.jsonl", bico_syntax::file_stem(kernel))));
        if only.is_some_and(|only| only != kernel) || rows.is_empty() {
            continue;
        }
        for (problem, entry) in devices.get(device).into_iter().flatten() {
            let own: Vec<&Row> = rows
                .iter()
                .filter(|row| same(&row.problem, problem))
                .collect();
            // An entry of another run, which this one had no time for.
            if own.is_empty() {
                continue;
            }
            let mut failures = BTreeMap::new();
            let (mut ranks, mut times) = (Vec::new(), Vec::new());
            for row in own
                .into_iter()
                .filter(|row| matches!(row.kind.as_str(), "baseline" | "trial"))
            {
                if let Some(failure) = &row.failure {
                    *failures.entry(failure.clone()).or_insert(0) += 1;
                }
                if let (Some(rank), Some(seconds)) = (row.rank, row.seconds) {
                    ranks.push(rank);
                    times.push(seconds);
                }
            }
            let parts = entry.winner.config.iter();
            let parts: Vec<String> = parts
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            let verified = match entry.verified {
                lock::Verified::Reference => "reference",
                lock::Verified::SmallSizes => "reference at small sizes",
                lock::Verified::Judge => "judge",
                lock::Verified::Consensus => "consensus",
                lock::Verified::Nothing => "no",
            };
            all.push(Searched {
                kernel: kernel.clone(),
                problem: problem.clone(),
                strategy: entry.strategy.clone(),
                space: entry.space_size,
                evaluations: entry.evaluations,
                failures,
                rank_correlation: spearman(&ranks, &times),
                winner: entry.winner.seconds,
                first: entry.first.as_ref().map(|trial| trial.seconds),
                ranked: entry.ranked.as_ref().map(|trial| trial.seconds),
                config: parts.join(" "),
                verified: verified.to_string(),
            });
        }
    }
    Ok(all)
}

fn rows(path: &Path) -> Vec<Row> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}

/// A trail names sizes in the order of the arguments, a lock sorted.
fn same(label: &str, key: &str) -> bool {
    let sorted = |text: &str| {
        let mut parts: Vec<String> = text.split(", ").map(|part| part.replace('"', "")).collect();
        parts.sort();
        parts
    };
    sorted(label) == sorted(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_and_keys_of_one_problem() {
        assert!(same("m=1024, n=8, ACT=\"silu\"", "ACT=silu, m=1024, n=8"));
        assert!(!same("m=1024, n=8", "m=8, n=1024"));
    }
}

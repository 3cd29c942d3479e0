//! The trails that searches left: `target/bico/<package>/<key>.jsonl`, read for people.

use crate::names::plain;
use bico_build::env::Env;
use bico_build::scan::Found;
use bico_build::tuner::devices::Devices;
use bico_build::tuner::plan::Plan;
use bico_build::tuner::service;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::path::Path;

/// A trail larger than this is none.
const LARGEST: u64 = 256 << 20;

/// The rows of one search.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(crate) struct Trail {
    /// The problem as the lock names it.
    pub(crate) problem: String,
    /// The device's key.
    pub(crate) device: String,
    /// A hash of the kernel that was measured, of all that its times depend on; older trails have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hash: Option<String>,
    /// Whether the kernel is another one now.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_outdated: bool,
    pub(crate) rows: Vec<Row>,
}

/// A row, as `bico_search`'s journal writes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Row {
    #[serde(skip_serializing)]
    problem: String,
    #[serde(skip_serializing)]
    device: String,
    #[serde(skip_serializing)]
    hash: Option<String>,
    /// `incumbent`, `default`, `baseline`, `trial`, `final` or `judged`.
    pub(crate) kind: String,
    /// Evaluations spent, this one included.
    pub(crate) evaluation: u64,
    /// Seconds spent, this one included.
    pub(crate) spent: f64,
    /// The config's number.
    pub(crate) config: u64,
    pub(crate) values: IndexMap<String, serde_json::Value>,
    pub(crate) strategy: String,
    pub(crate) rank: Option<u64>,
    /// The predicted seconds, or the score.
    pub(crate) predicted: Option<f64>,
    pub(crate) why: Option<String>,
    /// Who measured it, where there were several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) worker: Option<String>,
    /// The median of a call, unless it failed.
    pub(crate) seconds: Option<f64>,
    pub(crate) low: Option<f64>,
    pub(crate) high: Option<f64>,
    pub(crate) runs: Option<u32>,
    #[serde(default)]
    pub(crate) cut: bool,
    pub(crate) confidence: Option<f64>,
    pub(crate) same_as: Option<u64>,
    pub(crate) failure: Option<String>,
    pub(crate) detail: Option<String>,
    pub(crate) flops_per_second: Option<f64>,
    pub(crate) bytes_per_second: Option<f64>,
    /// Seconds by what was done in them, from the row before on.
    #[serde(default)]
    pub(crate) costs: IndexMap<String, f64>,
    pub(crate) best: Option<Best>,
    pub(crate) against: Option<Against>,
    pub(crate) sink: u64,
}

/// A finalist's time beside that of the default, or of the incumbent.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Against {
    pub(crate) config: u64,
    pub(crate) ratio: Ratio,
}

/// Their ratio round by round: the median, and its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Ratio {
    pub(crate) middle: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// The best so far.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Best {
    pub(crate) config: u64,
    pub(crate) seconds: f64,
}

/// The last search of each problem on each device, in the order of the file; `None` where there is no file.
/// A last line that is not whole is what a build was killed over.
///
/// # Errors
///
/// The file cannot be read, or a line is no row: it is named.
pub(crate) fn read(path: &Path) -> Result<Option<Vec<Trail>>, String> {
    let unreadable =
        |error: std::io::Error| format!("the trail {} cannot be read: {error}", path.display());
    let file = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        other => other.map_err(unreadable)?,
    };
    let mut lines = BufReader::new(file.take(LARGEST));
    let mut trails: Vec<Trail> = Vec::new();
    let mut line = String::new();
    for number in 1.. {
        line.clear();
        if lines.read_line(&mut line).map_err(unreadable)? == 0 || !line.ends_with('\n') {
            break;
        }
        let row: Row = serde_json::from_str(&line).map_err(|error| {
            let (path, error) = (path.display(), plain(&error.to_string()));
            format!("{path}:{number}: {error}\n  = help: `cargo bico tune` writes it anew")
        })?;
        add(&mut trails, row);
    }
    Ok(Some(trails))
}

fn add(trails: &mut Vec<Trail>, row: Row) {
    let known = trails
        .iter_mut()
        .find(|trail| trail.problem == row.problem && trail.device == row.device);
    let Some(trail) = known else {
        return trails.push(Trail {
            problem: row.problem.clone(),
            device: row.device.clone(),
            hash: row.hash.clone(),
            is_outdated: false,
            rows: vec![row],
        });
    };
    // A search begins with its first evaluation, of which there are two rows where a config that nothing can launch
    // comes after it. None is measured twice.
    let tries = |row: &Row| !matches!(row.kind.as_str(), "final" | "judged");
    let repeats = |other: &Row| other.evaluation > 1 || tries(other) && other.config == row.config;
    if tries(&row) && row.evaluation == 1 && trail.rows.iter().any(repeats) {
        trail.rows.clear();
    }
    trail.hash.clone_from(&row.hash);
    trail.rows.push(row);
}

/// The hash of a tunable's kernel as its sources are now; `None` where they say nothing.
pub(crate) fn hash_now(env: &Env, found: &Found) -> Option<String> {
    let devices = Devices::find(env, false, &service(env));
    let facts = devices.facts(found.spec.language());
    let plan = Plan::new(found.clone(), &env.manifest_dir, facts).ok()?;
    Some(plan.hashes.kernel().to_string())
}

impl Trail {
    /// What is to be said of a trail of `key` that is outdated.
    pub(crate) fn note(&self, key: &str) -> Option<String> {
        self.is_outdated.then(|| format!(
            "the trail of `{key}` ({}) on {} is of another state of the kernel: its source, space, launch or flags were others\n  = help: `cargo bico tune {key} --force` searches the kernel as it is now, whether bico.lock knows it or not",
            plain(&self.problem),
            plain(&self.device)
        ))
    }
}

/// Takes out the trails of a tunable that are of another state of its kernel.
pub(crate) fn take_outdated(
    trails: &mut Vec<Trail>,
    now: &dyn Fn() -> Option<String>,
) -> Vec<Trail> {
    mark_outdated(trails, now);
    trails.extract_if(.., |trail| trail.is_outdated).collect()
}

/// Marks the trails of a tunable that are of another state of its kernel, which an edit or another branch makes.
pub(crate) fn mark_outdated(trails: &mut [Trail], now: &dyn Fn() -> Option<String>) {
    let knows = |trail: &Trail| trail.hash.is_some();
    let Some(now) = trails.iter().any(knows).then(now).flatten() else {
        return;
    };
    for trail in trails {
        trail.is_outdated = trail.hash.as_ref().is_some_and(|hash| *hash != now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::assignment;

    const ROW: &str = r#"{"problem":"n=1","device":"cpu","kind":"KIND","evaluation":AT,"spent":0.5,"config":3,"values":{"B":8,"A":"x","ON":true},"strategy":"guided","rank":2,"predicted":1e-3,"why":"near","seconds":2e-3,"low":1e-3,"high":3e-3,"runs":9,"cut":false,"flops_per_second":1e9,"best":{"config":3,"seconds":2e-3},"sink":1}"#;

    fn row(kind: &str, at: u64) -> String {
        ROW.replace("KIND", kind).replace("AT", &at.to_string()) + "\n"
    }

    fn read_text(text: &str) -> Result<Option<Vec<Trail>>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("work.jsonl");
        std::fs::write(&path, text).unwrap();
        read(&path)
    }

    #[test]
    fn the_last_search_of_each_problem_and_device() {
        let other = row("baseline", 1).replace("\"cpu\"", "\"gpu\"");
        let text = [row("baseline", 1), row("trial", 2), row("final", 2), other];
        let text = text.concat() + &row("incumbent", 1) + &row("final", 1);
        let trails = read_text(&text).unwrap().unwrap();
        let kinds = |trail: &Trail| {
            let kinds = trail.rows.iter().map(|row| row.kind.clone());
            kinds.collect::<Vec<_>>()
        };
        assert_eq!((trails.len(), kinds(&trails[1]).len()), (2, 1));
        assert_eq!(kinds(&trails[0]), ["incumbent", "final"]);
        // In the order of the parameters.
        assert_eq!(assignment(&trails[0].rows[0].values), "B=8 A=x ON=true");
    }

    #[test]
    fn a_line_that_is_no_row_is_named_and_one_that_is_not_whole_left_out() {
        let cut = row("baseline", 1) + &row("trial", 2)[..40];
        assert_eq!(read_text(&cut).unwrap().unwrap()[0].rows.len(), 1);
        let said = read_text(&(row("baseline", 1) + "{}\n")).unwrap_err();
        assert!(said.contains("work.jsonl:2: missing field"), "{said}");
        assert!(said.contains("`cargo bico tune`"), "{said}");
        assert_eq!(read(Path::new("/nowhere/work.jsonl")), Ok(None));
    }
}

//! Winners, checked and compared.

use super::Run;
use crate::compare::Family;
use crate::compare::record::{self, Record};
use crate::look::Known;
use crate::report::{Outcome, Winner};

/// Seconds that are left to the steps behind.
const LEFT: f64 = 80.0;
/// One kernel takes no less, and no more.
const LEAST: f64 = 8.0;
const MOST: f64 = 60.0;
/// The same of checking alone.
const MOST_CHECKING: f64 = 20.0;

impl Run<'_> {
    /// Checks each kernel's winners at small awkward sizes, on fresh inputs, between guard zones.
    pub(super) fn check(&mut self) {
        for (package, known) in self.tuned() {
            let key = &known.key;
            self.step(
                &format!("check {key}"),
                LEAST,
                MOST_CHECKING,
                |run, seconds| {
                    let seed = run.report.seed.to_string();
                    let mut arguments = vec!["check"];
                    arguments.extend(package.only(key));
                    arguments.extend(["--winners", "--seed", &seed, "--json"]);
                    let log = format!("check-{key}");
                    let folder = run.work.join(package.folder);
                    let ended = run.program(&log, seconds, "cargo-bico", &arguments, &folder)?;
                    let winners: Result<Vec<Winner>, _> = serde_json::from_str(&ended.stdout);
                    let count = winners.as_ref().map_or(0, Vec::len);
                    run.report.winners.extend(winners.into_iter().flatten());
                    match ended.failed {
                        Some(why) => Err(why),
                        None if count == 0 => Err("it does not say what it checked".to_string()),
                        None => Ok(Outcome::Passed),
                    }
                },
            );
        }
    }

    /// Times each kernel's winners against libraries, copies and other configs, on fresh inputs, all checked.
    pub(super) fn compare(&mut self) {
        let mut tuned = self.tuned();
        tuned.retain(|(_, known)| Family::of(&known.key) != Family::Contender);
        if tuned.is_empty() {
            self.step("compare", 0.0, 0.0, |_, _| {
                Ok(Outcome::Skipped("no kernel is tuned".to_string()))
            });
        }
        let reserve = LEFT.min(self.report.limit_seconds as f64 / 4.0);
        let mut blas = None;
        let shares = |known: &Known| Family::of(&known.key).shares(known.problems);
        let mut waiting: usize = tuned.iter().map(|(_, known)| shares(known)).sum();
        for (package, known) in &tuned {
            let (key, shares) = (&known.key, shares(known));
            let part = shares as f64 / waiting.max(1) as f64;
            let most = ((self.clock.left() - reserve) * part).clamp(LEAST, MOST);
            waiting -= shares;
            self.step(&format!("compare {key}"), LEAST, most, |run, seconds| {
                let records = run.children.logs.join(format!("compare-{key}.jsonl"));
                let path = |path: &std::path::Path| path.display().to_string();
                let (folder, file) = (path(&run.work.join(package.folder)), path(&records));
                let rivals = path(&run.children.folder.join("packages").join("rivals"));
                let (given, seed) = ((seconds * 0.9).to_string(), run.report.seed.to_string());
                let mut arguments = vec!["compare"];
                arguments.extend(package.opened(&folder));
                arguments.extend(["--key", key, "--rivals", &rivals, "--records", &file]);
                arguments.extend(["--seconds", &given, "--seed", &seed]);
                if run.report.self_test {
                    arguments.push("--self-test");
                }
                let log = format!("compare-{key}");
                // What begins in time may end a little later: being ended would count as a failure.
                let end = (seconds + LEAST).min(run.clock.left().max(seconds));
                let ended = run.program(&log, end, "gpu-check", &arguments, &run.work)?;
                let mut missing = Vec::new();
                for record in record::read(&records) {
                    match record {
                        Record::Missing { sizes } => missing.push(format!("({sizes})")),
                        Record::Check(check) => run.report.checks.push(check),
                        Record::Comparison(comparison) => run.report.comparisons.push(comparison),
                        Record::Blas { version, missing } => blas = Some((version, missing)),
                    }
                }
                match ended.failed {
                    Some(why) => Err(why),
                    None if missing.is_empty() => Ok(Outcome::Passed),
                    None => Ok(Outcome::Skipped(format!(
                        "no time for {}",
                        missing.join(" ")
                    ))),
                }
            });
        }
        if let Some((version, missing)) = blas {
            self.report.cublas = version;
            self.report.no_cublas = missing;
            self.step("cuBLAS", 0.0, 0.0, |run, _| {
                // What was there and yet could not be compared.
                let mut notes = run.report.comparisons.iter().flat_map(|c| &c.notes);
                let fault = notes.find(|note| note.starts_with(crate::compare::LIBRARY));
                match (&run.report.no_cublas, fault) {
                    (Some(why), _) => Ok(Outcome::Skipped(why.clone())),
                    (None, Some(fault)) => Err(fault.clone()),
                    (None, None) => Ok(Outcome::Passed),
                }
            });
        }
    }
}

//! Searches.

use super::packages::{PACKAGES, Package};
use super::{Run, STRATEGIES};
use crate::look::Known;
use crate::report::Outcome;
use crate::trail::{Searched, searches};
use crate::work;

/// Seconds of the whole run that searches leave to the steps behind them, as a part.
const LEFT: f64 = 0.5;
/// A search with less than this is not begun.
const LEAST: f64 = 5.0;
/// What a tuning run takes beside its cap: references, compiling what is ranked first.
const BESIDE: f64 = 15.0;
/// What it usually takes beyond its cap, for the last problem's reference and finals. Kept back for every kernel, or
/// the last ones would pay for all.
const BEYOND: f64 = 5.0;
/// What is most telling: tuned before all others, with twice their time.
const FIRST: [&str; 3] = ["gemm_f16", "gemm_bf16", "attention_f16"];
/// Failures of a config that is at fault itself, and not only slow or too large.
const FAULTS: [&str; 4] = ["wrong", "unwritten", "out_of_bounds", "crash"];

/// What the step that tunes a kernel is called.
fn name(key: &str) -> String {
    format!("tune {key}")
}

impl Run<'_> {
    /// Tunes each CUDA kernel at its problems, each of them with its share of the time.
    pub(super) fn tune(&mut self) {
        let mut tunables = self.known();
        if tunables.is_empty() {
            self.step("tune", 0.0, 0.0, |_, _| {
                Ok(Outcome::Skipped(
                    "what there is to tune is not known".to_string(),
                ))
            });
        }
        tunables.retain(|(_, known)| self.is_asked_for(&name(&known.key)));
        let reserve = LEFT * self.report.limit_seconds as f64;
        let shares = |package: &Package, known: &Known| {
            let twice = 1 + usize::from(FIRST.contains(&known.key.as_str()));
            twice * package.shares * known.problems
        };
        let mut waiting: usize = tunables.iter().map(|(of, known)| shares(of, known)).sum();
        for (at, (package, known)) in tunables.iter().enumerate() {
            let key = &known.key;
            let part = shares(package, known) as f64 / waiting.max(1) as f64;
            let beyond = BEYOND * (tunables.len() - at) as f64;
            let share = (self.clock.left() - reserve - beyond) * part;
            waiting -= shares(package, known);
            // Buffers of a GiB take their time in the finals, and what is ended early is lost.
            let most = (share.max(0.0) + 2.0 * BESIDE).min(self.clock.left());
            self.step(&name(key), reserve.min(LEAST), most, |run, seconds| {
                if share < LEAST {
                    return Ok(Outcome::Skipped(format!("its share is {share:.0} s")));
                }
                let folder = run.work.join(package.folder);
                work::cap(&folder, share)?;
                let mut arguments = vec!["tune", "--force"];
                arguments.extend(package.only(key));
                let log = format!("tune-{key}");
                let ended = run.program(&log, seconds, "cargo-bico", &arguments, &folder)?;
                let found = run.searched(package.folder, package.name, Some(key));
                let found = found.unwrap_or_default();
                let faults = faults(&found);
                run.report.tuned.extend(found.iter().cloned());
                match ended.failed {
                    Some(why) => Err(why),
                    None if found.is_empty() => {
                        Err(format!("nothing was measured: {}", ended.last))
                    }
                    None if !faults.is_empty() => Err(faults),
                    None => Ok(Outcome::Passed),
                }
            });
        }
    }

    /// The tunables of all packages.
    fn known(&self) -> Vec<(&'static Package, Known)> {
        let known = self.report.machine.tunables.iter();
        let known = known.filter_map(|known| {
            let mut packages = PACKAGES.iter();
            let package = packages.find(|package| package.folder == known.package)?;
            Some((package, known.clone()))
        });
        let mut known: Vec<_> = known.collect();
        known.sort_by_key(|(_, known)| {
            FIRST
                .iter()
                .position(|first| *first == known.key)
                .unwrap_or(FIRST.len())
        });
        known
    }

    /// Those that were tuned in this run.
    pub(super) fn tuned(&self) -> Vec<(&'static Package, Known)> {
        let mut known = self.known();
        known.retain(|(_, known)| self.report.tuned.iter().any(|t| t.kernel == known.key));
        known
    }

    /// Searches one space by three strategies.
    pub(super) fn strategies(&mut self) {
        self.step("strategies", 40.0, 130.0, |run, seconds| {
            let package = run.work.join(STRATEGIES);
            let cap = (seconds - 2.0 * BESIDE).max(LEAST);
            work::cap(&package, cap)?;
            let ended = run.program(
                "strategies",
                seconds - BESIDE,
                "cargo-bico",
                &["tune", "--force"],
                &package,
            )?;
            run.report.strategies = run
                .searched(STRATEGIES, STRATEGIES, None)
                .unwrap_or_default();
            if let Some(why) = ended.failed {
                return Err(why);
            }
            if run.report.strategies.len() < 3 {
                return Err("not all three strategies were measured".to_string());
            }
            let faults = faults(&run.report.strategies);
            if !faults.is_empty() {
                return Err(faults);
            }
            Ok(Outcome::Passed)
        });
    }

    /// The example's program: prints the three trails, and runs, checks and times a product.
    pub(super) fn example(&mut self) {
        self.step("strategies side by side", 5.0, 30.0, |run, seconds| {
            if run.report.strategies.is_empty() {
                return Ok(Outcome::Skipped("nothing was searched".to_string()));
            }
            if run.report.self_test {
                let why = "the example's product is too large for the host driver";
                return Ok(Outcome::Skipped(why.to_string()));
            }
            let trails = run.work.join("target").join("bico").join(STRATEGIES);
            let arguments = ["--trails", &trails.display().to_string()];
            let ended = run.program("example", seconds, "gemm-cuda", &arguments, &run.work)?;
            run.report.strategy_tables = Some(ended.stdout);
            ended.failed.map_or(Ok(Outcome::Passed), Err)
        });
    }

    pub(super) fn searched(
        &self,
        package: &str,
        name: &str,
        only: Option<&str>,
    ) -> Result<Vec<Searched>, String> {
        let trails = self.work.join("target").join("bico").join(name);
        let device = &self.report.machine.device;
        searches(&self.work.join(package), &trails, device, only)
    }
}

/// Configs that are at fault: none of ours may be.
fn faults(searched: &[Searched]) -> String {
    let mut faults = Vec::new();
    for search in searched {
        let at_fault = search
            .failures
            .iter()
            .filter(|(kind, _)| FAULTS.contains(&kind.as_str()));
        faults.extend(at_fault.map(|(kind, count)| {
            format!(
                "{} ({}): {count} configs failed: {kind}",
                search.kernel, search.problem
            )
        }));
    }
    faults.join("; ")
}

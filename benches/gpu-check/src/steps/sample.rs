//! A search of the size that users grant, beside a large sample.

use super::Run;
use super::packages::PACKAGES;
use crate::goals::SQUARE_4096;
use crate::report::Outcome;
use crate::trail::Searched;
use crate::work;
use std::fs;

/// A copy of the kernels, which knows no winners.
const FOLDER: &str = "sample";
const KERNEL: &str = "gemm_f16";
/// Configs of the search, and of the sample.
const CONFIGS: [u64; 2] = [40, 400];
/// In the self-test.
const FEW: [u64; 2] = [4, 8];
/// How much slower than the sample's the winner of the search may be.
const MOST: f64 = 1.03;
/// What processes and finals take beside what they are granted.
const BESIDE: f64 = 30.0;

impl Run<'_> {
    /// Searches one kernel with few configs, and with many at random, both as if nothing were known. It takes minutes: only for those who
    /// ask for it.
    pub(super) fn sample(&mut self) {
        if self.arguments.only.is_empty() {
            return;
        }
        self.step("best of 400", 60.0, 480.0, |run, seconds| {
            let is_small = run.arguments.self_test.is_some();
            let configs = if is_small { FEW } else { CONFIGS };
            let kernels = run
                .children
                .folder
                .join("packages")
                .join(PACKAGES[0].folder);
            work::copy(&kernels, &run.work.join(FOLDER), is_small)?;
            let share =
                |of: u64| (seconds - BESIDE) * of as f64 / configs.iter().sum::<u64>() as f64;
            let guided = run.cold_search("adaptive", configs[0], share(configs[0]))?;
            let random = run.cold_search("random", configs[1], share(configs[1]))?;
            let ratio = guided.winner / random.winner;
            let (measured, few) = (random.evaluations, guided.evaluations);
            run.report.sampled = vec![guided, random];
            if measured < configs[1] {
                return Err(format!(
                    "only {measured} configs fitted into {seconds:.0} s"
                ));
            }
            if ratio > MOST && !is_small {
                return Err(format!(
                    "the winner of {few} takes {ratio:.3} of the best of {measured}"
                ));
            }
            Ok(Outcome::Passed)
        });
    }

    /// One search of a package that knows no winners.
    fn cold_search(&self, strategy: &str, configs: u64, seconds: f64) -> Result<Searched, String> {
        let [package, ..] = &PACKAGES;
        let folder = self.work.join(FOLDER);
        let lock = folder.join("bico.lock");
        if lock.is_file() {
            fs::remove_file(&lock).map_err(super::said(&lock))?;
        }
        work::cap(&folder, seconds)?;
        let (budget, seconds_each) = (configs.to_string(), seconds.to_string());
        let mut arguments = vec!["tune", "--force", "--strategy", strategy];
        arguments.extend(["--budget", &budget, "--seconds", &seconds_each]);
        // The self-test has other sizes.
        if self.arguments.self_test.is_none() {
            arguments.extend(["--problem", SQUARE_4096]);
        }
        arguments.extend(package.only(KERNEL));
        let log = format!("sample-{strategy}");
        let ended = self.program(&log, seconds + BESIDE, "cargo-bico", &arguments, &folder)?;
        if let Some(why) = ended.failed {
            return Err(why);
        }
        let found = self.searched(FOLDER, package.name, Some(KERNEL))?;
        found
            .into_iter()
            .next()
            .ok_or("nothing was measured".to_string())
    }
}

//! NVIDIA's profiler, where it is there: what blocks did bring from memory, beside what the model says.

use super::Run;
use super::packages::PACKAGES;
use crate::report::Outcome;
use std::path::{Path, PathBuf};

/// The kernel that has a model, by its key and by the name of its function.
const KEY: &str = "contract";
const FUNCTION: &str = "regex:^contract_kernel";
/// Time, bytes from and to memory, and of the second-level cache how often what is asked for is there.
const METRICS: &str =
    "gpu__time_duration.sum,dram__bytes_read.sum,dram__bytes_write.sum,lts__t_sector_hit_rate.pct";

impl Run<'_> {
    /// Profiles one launch of each config of the contraction that was compared.
    pub(super) fn profile(&mut self) {
        self.step("profile", 20.0, 60.0, |run, seconds| {
            let skipped = |why: &str| Ok(Outcome::Skipped(why.to_string()));
            if run.report.self_test {
                return skipped("there is no GPU to be profiled");
            }
            let mut compared = run.report.comparisons.iter();
            let Some(comparison) = compared.find(|comparison| comparison.kernel == KEY) else {
                return skipped("the contraction was not compared");
            };
            let Some(ncu) = profiler() else {
                return skipped("ncu is not there");
            };
            let Some(package) = run.package_of(KEY) else {
                return skipped("its package is not known");
            };
            // Each is checked once before it is timed.
            let launches = comparison.traffic.len();
            let path = |path: &Path| path.display().to_string();
            let program = path(&run.children.program("gpu-check"));
            let records = path(&run.children.logs.join("profile.jsonl"));
            let folder = path(&run.work.join(package.folder));
            let (count, seed) = (launches.to_string(), run.report.seed.to_string());
            let mut arguments = vec!["--kernel-name", FUNCTION, "--launch-count", &count];
            arguments.extend(["--clock-control", "none", "--metrics", METRICS]);
            arguments.extend([&program, "compare"]);
            arguments.extend(package.opened(&folder));
            arguments.extend(["--key", KEY, "--rivals", &folder, "--records", &records]);
            arguments.extend(["--seconds", "2", "--seed", &seed]);
            let ended = run
                .children
                .run("profile", seconds, &ncu, &arguments, &run.work)?;
            // Many machines keep the counters to their administrators.
            let refused = ended.stdout.lines().find(|line| line.contains("==ERROR=="));
            if let Some(why) = refused.map(str::to_string).or(ended.failed) {
                return Ok(Outcome::Skipped(why));
            }
            let said = ended.stdout.lines().filter(|line| !line.starts_with("=="));
            let names: Vec<&str> = comparison.traffic.iter().map(|(name, _)| &**name).collect();
            let text = said.fold(String::new(), |all, line| all + line + "\n");
            let text = format!("In this order: {}.\n\n{}", names.join("; "), text.trim());
            run.report.profile = Some(text);
            Ok(Outcome::Passed)
        });
    }

    fn package_of(&self, key: &str) -> Option<&'static super::packages::Package> {
        let mut known = self.report.machine.tunables.iter();
        let known = known.find(|known| known.key == key)?;
        PACKAGES
            .iter()
            .find(|package| package.folder == known.package)
    }
}

/// Where `ncu` is: toolkits do not put it onto the path.
fn profiler() -> Option<PathBuf> {
    let paths = bico_build::env::get("PATH").unwrap_or_default();
    let paths = std::env::split_paths(&paths).chain(["/usr/local/cuda/bin".into()]);
    paths
        .map(|path| path.join("ncu"))
        .find(|path| path.is_file())
}

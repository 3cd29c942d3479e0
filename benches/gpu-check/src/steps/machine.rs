//! What all this runs on.

use super::Run;
use super::packages::PACKAGES;
use crate::look::Found;
use crate::report::Outcome;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

/// What `nvidia-smi` is asked for. The last one was renamed, and may go.
const QUERIES: [&str; 10] = [
    "name",
    "driver_version",
    "memory.total",
    "clocks.sm",
    "clocks.mem",
    "clocks.max.sm",
    "clocks.max.mem",
    "power.limit",
    "temperature.gpu",
    "clocks_throttle_reasons.active",
];

impl Run<'_> {
    /// The date, the GPU, the driver, the compiler, and which tunables there are.
    pub(super) fn machine(&mut self) {
        self.report.date = said_by("date", &["-u", "+%Y-%m-%d %H:%M:%S UTC"]).unwrap_or_default();
        self.smi("at the start");
        self.step("machine", 1.0, 60.0, |run, seconds| {
            for package in &PACKAGES {
                let folder = run.work.join(package.folder).display().to_string();
                let mut arguments = vec!["look"];
                arguments.extend(package.opened(&folder));
                let log = format!("machine-{}", package.folder);
                let ended = run.program(&log, seconds, "gpu-check", &arguments, &run.work)?;
                if let Some(why) = ended.failed {
                    return Err(format!("{}: {why}", package.folder));
                }
                let found: Result<Found, _> = serde_json::from_str(ended.last_of_stdout());
                let mut found = found.map_err(|error| format!("what it says: {error}"))?;
                let mut tunables = std::mem::take(&mut run.report.machine.tunables);
                tunables.append(&mut found.tunables);
                run.report.machine = Found { tunables, ..found };
            }
            println!("   {}", run.report.machine.device);
            Ok(Outcome::Passed)
        });
    }

    /// Clocks, limits and heat at this moment.
    pub(super) fn smi(&mut self, when: &str) {
        let ask = |queries: &[&str]| {
            let query = format!("--query-gpu={}", queries.join(","));
            said_by("nvidia-smi", &[&query, "--format=csv,noheader"])
        };
        // A name that it does not know spoils the whole answer.
        let line = match self.report.self_test {
            true => None,
            false => ask(&QUERIES).or_else(|| ask(&QUERIES[..QUERIES.len() - 1])),
        };
        // Of the first GPU, which is the one that is used.
        let line = line.unwrap_or_default();
        let values = line.lines().next().unwrap_or("").split(", ");
        let pairs = QUERIES
            .into_iter()
            .zip(values)
            .filter(|(_, value)| !value.is_empty());
        let said =
            pairs.map(|(name, value)| (format!("nvidia-smi: {name}, {when}"), value.to_string()));
        self.report.nvidia_smi.extend(said);
    }
}

/// What a program says, if it is there and goes well.
fn said_by(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_string();
    (output.status.success() && !text.is_empty()).then_some(text)
}

/// Another number each time.
pub(super) fn seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(1, |now| now.as_secs() % 1_000_000)
}

//! Steps that are programs of their own.

use super::{FAULTY, Run};
use crate::report::Outcome;
use std::path::Path;

impl Run<'_> {
    /// Launching on the machine's own GPU; the rules of occupancy against the driver's own call.
    pub(super) fn occupancy(&mut self) {
        self.step("launching and occupancy", 5.0, 60.0, |run, seconds| {
            let ended = run.program("occupancy", seconds, "gpu-tests", &["--own"], &run.work)?;
            ended.failed.map_or(Ok(Outcome::Passed), Err)
        });
    }

    /// What a call of a wrapper costs.
    pub(super) fn launch(&mut self) {
        self.step("dispatch overhead", 10.0, 40.0, |run, seconds| {
            if run.report.self_test {
                // What it launches is PTX, so that it needs no compiler.
                let why = "the host driver runs no PTX";
                return Ok(Outcome::Skipped(why.to_string()));
            }
            let arguments = ["launch", "--json"];
            let ended = run.program("launch", seconds, "bico-bench", &arguments, &run.work)?;
            if let Some(why) = ended.failed {
                return Err(why);
            }
            let value = serde_json::from_str(ended.last_of_stdout());
            run.report.launch = Some(value.map_err(|error| format!("what it says: {error}"))?);
            Ok(Outcome::Passed)
        });
    }

    /// Kernels at fault: each fault costs its own trial.
    pub(super) fn faults(&mut self) {
        self.step("faults", 20.0, 100.0, |run, seconds| {
            let package = run.work.join(FAULTY);
            let ended = run.program(
                "faults",
                seconds,
                "cargo-bico",
                &["tune", "--force"],
                &package,
            )?;
            if let Some(why) = ended.failed {
                return Err(why);
            }
            let trail = run.work.join("target/bico/faulty/increase.jsonl");
            let trail = trail.display().to_string();
            let python = Path::new("python3");
            let arguments = ["check.py", trail.as_str()];
            let ended = run
                .children
                .run("faults-found", 20.0, python, &arguments, &package)?;
            match ended.failed {
                Some(why) if why.contains("exit status 127") => Ok(Outcome::Skipped(
                    "python3 is not there to read the trail".to_string(),
                )),
                Some(why) => Err(why),
                None => Ok(Outcome::Passed),
            }
        });
    }
}

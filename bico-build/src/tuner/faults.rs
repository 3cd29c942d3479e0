//! What stands in the committed lock and cannot be true.

use super::plan::{Plan, ProblemPlan};
use super::store::Store;
use super::stored::{trials, values};
use crate::lock::{Entry, Error};
use bico_bind::{Bound, SpaceError};
use bico_core::device::{DeviceKey, Facts};
use std::path::Path;

/// An entry of the committed lock that no search can have written.
pub struct Faulty {
    pub device: DeviceKey,
    pub problem: String,
    /// The first config that is wrong, with its line.
    pub error: Error,
}

/// Every config of the committed lock must belong to the tunable's space on its device, unless the
/// entry is stale: the lock is input from outside.
pub fn faults(plan: &Plan, store: &Store, path: &Path) -> Result<Vec<Faulty>, String> {
    let mut faults = Vec::new();
    let devices = store.committed.kernels.get(plan.key());
    for problem in &plan.problems {
        for (device, problems) in devices.into_iter().flatten() {
            let facts = store.committed.devices.get(device);
            let (Some(entry), Some(facts)) = (problems.get(&problem.key), facts) else {
                continue;
            };
            let error = fault(plan, problem, facts, entry, path).map_err(|e| e.to_string())?;
            faults.extend(error.map(|error| Faulty {
                device: device.clone(),
                problem: problem.key.clone(),
                error,
            }));
        }
    }
    Ok(faults)
}

/// The first config of an entry that is not in the space.
fn fault(
    plan: &Plan,
    problem: &ProblemPlan,
    facts: &Facts,
    entry: &Entry,
    path: &Path,
) -> Result<Option<Error>, SpaceError> {
    let spec = &plan.found.spec;
    if !entry.hashes.changed(&plan.hashes).is_empty() {
        return Ok(None);
    }
    let bound = Bound::new(spec, facts, &problem.scope)?;
    Ok(trials(entry).find_map(|trial| {
        let why = match values(spec, &trial.config) {
            Some(values) => bound.rules.why_not(&values)?,
            None => format!(
                "its parameters are not those of the tunable ({})",
                bound.names().join(", ")
            ),
        };
        let error = Error::at(path, trial.place, format!("{}: {why}", plan.key()));
        Some(error.help("undo the edit, or run `BICO=tune cargo build` to measure anew"))
    }))
}

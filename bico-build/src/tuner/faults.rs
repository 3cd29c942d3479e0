//! What stands in the committed lock and cannot be true.

use super::plan::Plan;
use super::stored::{trials, values};
use crate::lock::{Entry, Error, Lock, Trial};
use bico_core::device::DeviceKey;
use bico_syntax::bind::Bound;
use std::path::Path;

/// An entry of the lock that no search can have written.
pub struct Faulty {
    pub device: DeviceKey,
    pub problem: String,
    /// The first config that is wrong, with its line.
    pub error: Error,
}

/// Every config of the committed lock must belong to the tunable's space on its device, and winners must have been measured,
/// unless the entry is stale: the lock is input from outside.
pub fn faults(plan: &Plan, lock: &Lock, path: &Path) -> Result<Vec<Faulty>, String> {
    let spec = &plan.found.spec;
    let mut faults = Vec::new();
    let devices = lock.kernels.get(plan.key());
    for problem in &plan.problems {
        for (device, problems) in devices.into_iter().flatten() {
            let facts = lock.devices.get(device);
            let (Some(entry), Some(facts)) = (problems.get(&problem.key), facts) else {
                continue;
            };
            if !entry.hashes.changed(&plan.hashes).is_empty() {
                continue;
            }
            let mut scope = problem.scope.clone();
            // Whoever tuned may have had them.
            scope.absent.clear();
            let bound = Bound::new(spec, facts, &scope)?;
            let wrong = |trial: &Trial| match values(spec, &trial.config) {
                Some(values) => bound.rules.why_not(&values),
                None => {
                    let names = bound.names().join(", ");
                    Some(format!(
                        "its parameters are not those of the tunable ({names})"
                    ))
                }
            };
            let first = trials(entry).find_map(|trial| Some((trial.place, wrong(trial)?)));
            let of_winner = || Some((entry.winner.place, of_winner(entry)?.to_string()));
            if let Some((place, why)) = first.or_else(of_winner) {
                let error = Error::at(path, place, format!("{}: {why}", plan.key()));
                let help = "undo the edit, or run `BICO=tune cargo build` to measure anew";
                faults.push(Faulty {
                    device: device.clone(),
                    problem: problem.key.clone(),
                    error: error.help(help),
                });
            }
        }
    }
    Ok(faults)
}

/// What cannot be true of a winner, whatever its config.
fn of_winner(entry: &Entry) -> Option<&'static str> {
    let (winner, [low, high]) = (&entry.winner, entry.interval);
    let mut others = trials(entry).skip(1);
    // Its time would be another's, and so would be that it was right.
    if others.all(|trial| trial.config != winner.config) {
        return Some("the winner is none of its entry's `trials`: nobody has measured it");
    }
    // The one is compared with other machines', the other is shown.
    let is_inside = (low..=high).contains(&winner.seconds);
    (!is_inside).then_some("the winner's `seconds` are not within its `interval_seconds`")
}

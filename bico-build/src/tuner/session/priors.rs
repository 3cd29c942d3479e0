//! What the lock says of other devices and other sizes, as the search wants it.

use crate::lock::Entry;
use crate::tuner::plan::{Plan, ProblemPlan};
use crate::tuner::store::Store;
use crate::tuner::stored;
use bico_core::device::Facts;
use bico_search::search::{Kinship, Prior};
use bico_search::space::Space;

/// Where trials of this tunable are known that say something of this search: other devices at this
/// problem, and this device at other problems. Stale ones serve too, as far as their configs are
/// still in the space: a prior is only where the search begins.
pub(super) fn priors(
    plan: &Plan,
    problem: &ProblemPlan,
    store: &Store,
    facts: &Facts,
    space: &Space,
) -> Vec<Prior> {
    let this = facts.key();
    let mut priors = Vec::new();
    for other in plan
        .problems
        .iter()
        .filter(|other| other.key != problem.key)
    {
        if let Some(entry) = store.entry(plan.key(), &this, &other.key) {
            let name = format!("this device at ({})", other.key);
            priors.push(prior(plan, space, name, Kinship::Architecture, entry));
        }
    }
    for (device, entry) in store.entries(plan.key(), &problem.key) {
        if *device != this {
            let (name, kinship) = (device.to_string(), this.kinship(device));
            priors.push(prior(plan, space, name, kinship, entry));
        }
    }
    priors.retain(|prior| !prior.trials.is_empty());
    priors
}

fn prior(plan: &Plan, space: &Space, device: String, kinship: Kinship, entry: &Entry) -> Prior {
    let mut trials: Vec<(u64, f64)> = Vec::new();
    for trial in std::iter::once(&entry.winner).chain(&entry.trials) {
        let number = stored::values(&plan.found.spec, &trial.config)
            .and_then(|values| space.index_of(&values));
        if let Some(number) = number
            && trials.iter().all(|(known, _)| *known != number)
        {
            trials.push((number, trial.seconds));
        }
    }
    // The winner stays first: it may have won the finals against what was faster in its trial.
    if let Some((_, rest)) = trials.split_first_mut() {
        rest.sort_by(|a, b| a.1.total_cmp(&b.1));
    }
    Prior {
        device,
        kinship,
        trials,
    }
}

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
        if device != this {
            let kinship = store
                .facts(device)
                .map_or(Kinship::Other, |other| kinship(facts, other));
            priors.push(prior(plan, space, device.to_string(), kinship, entry));
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

/// How near two devices are.
fn kinship(a: &Facts, b: &Facts) -> Kinship {
    let (architecture, vendor) = match (a, b) {
        (Facts::Cpu(a), Facts::Cpu(b)) => (
            a.family == b.family && a.level == b.level,
            a.vendor == b.vendor,
        ),
        (Facts::Cuda(a), Facts::Cuda(b)) => (a.compute_capability == b.compute_capability, true),
        _ => (false, false),
    };
    match (architecture && vendor, vendor) {
        (true, _) => Kinship::Architecture,
        (_, true) => Kinship::Vendor,
        _ => Kinship::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kin_are_told_by_family_and_level_then_by_vendor() {
        let zen = bico_search::space::fixture::facts();
        let changed = |change: fn(&mut bico_core::device::CpuFacts)| {
            let mut facts = zen.clone();
            if let Facts::Cpu(cpu) = &mut facts {
                change(cpu);
            }
            kinship(&zen, &facts)
        };
        assert_eq!(changed(|cpu| cpu.model += 1), Kinship::Architecture);
        assert_eq!(changed(|cpu| cpu.family += 1), Kinship::Vendor);
        assert_eq!(changed(|cpu| cpu.level = "x86-64".into()), Kinship::Vendor);
        assert_eq!(
            changed(|cpu| cpu.vendor = "GenuineIntel".into()),
            Kinship::Other
        );
    }
}

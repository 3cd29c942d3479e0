//! Which config serves which device at one problem.

use crate::lock::{Entry, Trial, Verified};
use crate::tuner::cover::{Known, cover};
use crate::tuner::plan::{Plan, ProblemPlan};
use crate::tuner::store::Store;
use crate::tuner::stored::{Values, trials, values};
use bico_core::Lists;
use bico_core::device::DeviceKey;
use bico_syntax::bind::{Bound, SpaceError};

/// What is predicted for a problem that no lock knows.
#[derive(Clone, Default)]
pub(in crate::tuner) struct Predicted {
    /// Best first; the first valid config is among them.
    pub configs: Vec<Values>,
    /// The first valid config.
    pub first: Values,
}

/// The configs that serve one problem.
pub(super) struct Served<'a> {
    pub problem: &'a ProblemPlan,
    /// This device's first.
    pub winners: Vec<Winner>,
    /// What is carried for want of winners, best first.
    pub predicted: &'a [Values],
    /// The first valid config.
    pub first: Option<Values>,
    /// The config that was ranked first.
    pub top: Option<Values>,
}

/// The best config of a device.
pub(super) struct Winner {
    pub device: DeviceKey,
    pub known: Known<Values>,
    /// What was compared there, and right, with the kernel as it is.
    pub verified: Vec<Values>,
}

impl<'a> Served<'a> {
    /// The winners of all devices whose winner is still in the space, those of the devices `here` first.
    pub(super) fn new(
        plan: &Plan,
        store: &Store,
        problem: &'a ProblemPlan,
        here: &[DeviceKey],
        predicted: &'a Option<Predicted>,
    ) -> Result<Served<'a>, SpaceError> {
        let spec = &plan.found.spec;
        let mut served = Served {
            problem,
            winners: Vec::new(),
            predicted: &[],
            first: None,
            top: None,
        };
        let entries = store.entries(plan.key(), &problem.key).into_iter();
        let (own, others): (Vec<_>, Vec<_>) =
            entries.partition(|(device, _)| here.contains(device));
        for (device, entry) in own.into_iter().chain(others) {
            let Some(facts) = store.facts(device) else {
                continue;
            };
            let bound = Bound::new(spec, facts, &problem.scope)?;
            let stored = |trial: &Trial| {
                let config = values(spec, &trial.config);
                config.filter(|config| !bound.is_absent(config))
            };
            let valid = |trial: &Trial| {
                stored(trial).filter(|config| bound.rules.why_not(config).is_none())
            };
            // A stale winner may have left the space; its runners-up are next best.
            let mut best = std::iter::once(&entry.winner).chain(&entry.trials);
            if let Some(config) = best.find_map(valid) {
                let is_fresh = entry.hashes.changed(&plan.hashes).is_empty();
                let compared = compared(entry).filter(|_| is_fresh);
                let timed = entry.trials.iter();
                let timed = timed.filter_map(|t| Some((stored(t)?, t.seconds)));
                served.winners.push(Winner {
                    device: device.clone(),
                    known: Known {
                        winner: config,
                        trials: timed.collect_vec(),
                        marked: Vec::new(),
                    },
                    verified: compared.filter_map(stored).collect_vec(),
                });
            }
            let marked = |kept: Option<Values>, trial: &Option<Trial>| {
                kept.or_else(|| trial.as_ref().and_then(valid))
            };
            served.first = marked(served.first, &entry.first);
            served.top = marked(served.top, &entry.ranked);
        }
        if served.winners.is_empty()
            && let Some(predicted) = predicted
        {
            served.predicted = &predicted.configs;
            served.first = Some(predicted.first.clone());
            served.top = predicted.configs.first().cloned();
        }
        let marked: Vec<Values> = served
            .first
            .iter()
            .chain(&served.top)
            .cloned()
            .collect_vec();
        for winner in &mut served.winners {
            winner.known.marked.clone_from(&marked);
        }
        Ok(served)
    }

    /// The devices that a config is the best of.
    pub(super) fn won_by(&self, config: &Values) -> Vec<&DeviceKey> {
        let mut devices = Vec::new();
        for winner in &self.winners {
            if winner.known.winner == *config {
                devices.push(&winner.device);
            }
        }
        devices
    }
}

/// The configs of an entry whose results were compared: all that a build measured. Nobody compared what a program learned,
/// but for its winner, if that was known.
pub(super) fn compared(entry: &Entry) -> impl Iterator<Item = &Trial> {
    let count = match (entry.verified, &entry.source) {
        (Verified::Nothing, _) => 0,
        (_, Some(_)) => 1,
        (_, None) => usize::MAX,
    };
    trials(entry).take(count)
}

/// What covers the devices that `served`, the problems with these constants, know, then what is predicted where none is
/// known.
pub(super) fn chosen(served: &[&Served<'_>]) -> Vec<Values> {
    let mut known = Vec::new();
    for served in served {
        known.extend(served.winners.iter().map(|winner| winner.known.clone()));
    }
    let mut configs = cover(&known);
    for served in served {
        for config in served.predicted {
            if !configs.contains(config) {
                configs.push(config.clone());
            }
        }
    }
    configs
}

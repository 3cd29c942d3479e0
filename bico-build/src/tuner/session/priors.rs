//! What the lock says of other devices and other sizes, as the search wants it.

use super::case::Case;
use crate::lock::Entry;
use crate::tuner::store::Store;
use bico_search::search::{Kinship, Prior};

impl Case<'_> {
    /// Where trials of this tunable are known that say something of this search: other devices at this
    /// problem, and this device at other problems. Stale ones serve too, as far as their configs are
    /// still in the space: a prior is only where the search begins.
    pub(super) fn priors(&self, store: &Store) -> Vec<Prior> {
        let (key, this) = (self.plan.key(), self.bound.facts.key());
        let mut priors = Vec::new();
        for other in &self.plan.problems {
            if other.key != self.problem.key
                && let Some(entry) = store.entry(key, &this, &other.key)
            {
                let name = format!("this device at ({})", other.key);
                priors.push(self.prior(name, Kinship::Architecture, entry));
            }
        }
        for (device, entry) in store.entries(key, &self.problem.key) {
            if *device != this {
                priors.push(self.prior(device.to_string(), this.kinship(device), entry));
            }
        }
        priors.retain(|prior| !prior.trials.is_empty());
        priors
    }

    fn prior(&self, device: String, kinship: Kinship, entry: &Entry) -> Prior {
        let mut trials: Vec<(u64, f64)> = Vec::new();
        for trial in std::iter::once(&entry.winner).chain(&entry.trials) {
            if let Some(number) = self.number(trial)
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
}

//! What the lock says of other devices and other sizes, and what was imported, as the search wants it.

use super::case::Case;
use crate::lock::{self, Entry, Trial};
use crate::tuner::TuneError;
use crate::tuner::store::Store;
use bico_core::sorted::sort_by;
use bico_search::search::{Kinship, Prior};

impl Case<'_> {
    /// Where trials of this tunable are known that say something of this search: other devices at this
    /// problem, this device at other problems, and other tools' results at this one. Stale ones serve too, as far as
    /// their configs are still in the space: a prior is only where the search begins.
    ///
    /// # Errors
    ///
    /// The file of imported results is faulty.
    pub(super) fn priors(&self, store: &Store) -> Result<Vec<Prior>, TuneError> {
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
        let imported = lock::load_imported(&self.env.manifest_dir.join(lock::IMPORTED))?;
        for (device, problems) in imported.get(key).into_iter().flatten() {
            if let Some(import) = problems.get(&self.problem.key) {
                let trials = self.trials(import.trials.iter());
                priors.push(Prior {
                    device: format!("{device} (imported)"),
                    kinship: this.kinship(device),
                    trials,
                });
            }
        }
        priors.retain(|prior| !prior.trials.is_empty());
        Ok(priors)
    }

    fn prior(&self, device: String, kinship: Kinship, entry: &Entry) -> Prior {
        Prior {
            device,
            kinship,
            trials: self.trials(std::iter::once(&entry.winner).chain(&entry.trials)),
        }
    }

    /// Those whose configs are in this space, once each, best first.
    fn trials<'t>(&self, all: impl Iterator<Item = &'t Trial>) -> Vec<(u64, f64)> {
        let mut trials: Vec<(u64, f64)> = Vec::new();
        for trial in all {
            if let Some(number) = self.number(trial)
                && trials.iter().all(|(known, _)| *known != number)
            {
                trials.push((number, trial.seconds));
            }
        }
        // The winner stays first: it may have won the finals against what was faster in its trial.
        if let Some((_, rest)) = trials.split_first_mut() {
            sort_by(rest, &|a, b| a.1.total_cmp(&b.1));
        }
        trials
    }
}

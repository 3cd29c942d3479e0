//! What the lock says of other devices and other sizes, and what was imported, as the search wants it.

use super::case::Case;
use crate::lock::{self, Entry, Trial};
use crate::tuner::store::Store;
use crate::tuner::{TuneError, stored};
use bico_core::sorted::sort_by;
use bico_core::{Lists, Value};
use bico_search::rank::Ranked;
use bico_search::search::{Kinship, Prior};
use bico_syntax::Domain;

/// How many of the most promising configs are looked through for those that are like another tunable's.
const MOST_LIKE: usize = 20_000;

impl Case<'_> {
    /// Where trials of this tunable are known that say something of this search: other devices at this
    /// problem, this device at other problems, other tools' results at this one, and the tunable that this one is `like` on
    /// this device. Stale ones serve too, as far as
    /// their configs are still in the space: a prior is only where the search begins.
    ///
    /// # Errors
    ///
    /// The file of imported results is faulty.
    pub(super) fn priors(&self, store: &Store, ranked: &Ranked) -> Result<Vec<Prior>, TuneError> {
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
        if let Some(like) = &self.bound.spec.like {
            for (problem, entry) in store.problems(&like.text, &this) {
                priors.push(Prior {
                    device: format!("this device of `{}` at ({problem})", like.text),
                    kinship: Kinship::Other,
                    trials: self.alike(entry, ranked),
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

    /// The most promising config of this space that agrees with each trial of another tunable, in all parameters that both
    /// choose.
    fn alike(&self, entry: &Entry, ranked: &Ranked) -> Vec<(u64, f64)> {
        let parameters = self.bound.spec.parameters.iter().enumerate();
        let chosen = parameters.filter(|(_, of)| matches!(of.domain, Domain::In(_)));
        let chosen: Vec<(usize, &str)> = chosen
            .map(|(at, of)| (at, of.name.text.as_str()))
            .collect_vec();
        let mut wanted = Vec::new();
        for trial in std::iter::once(&entry.winner).chain(&entry.trials) {
            let chosen = chosen.iter();
            let shared = chosen
                .filter_map(|(at, name)| Some((*at, stored::value(trial.config.get(*name)?))));
            let shared: Vec<(usize, Value)> = shared.collect_vec();
            if !shared.is_empty() {
                wanted.push((shared, None::<u64>, trial.seconds));
            }
        }
        for number in ranked.order.iter().take(MOST_LIKE) {
            let values = self.space.config(*number);
            for (shared, like, _) in &mut wanted {
                if like.is_none() && shared.iter().all(|(at, value)| values[*at] == *value) {
                    *like = Some(*number);
                }
            }
            if wanted.iter().all(|(_, like, _)| like.is_some()) {
                break;
            }
        }
        let mut trials = Vec::new();
        for (_, like, seconds) in wanted {
            once(&mut trials, like, seconds);
        }
        trials
    }

    /// Those whose configs are in this space, once each, best first.
    fn trials<'t>(&self, all: impl Iterator<Item = &'t Trial>) -> Vec<(u64, f64)> {
        let mut trials = Vec::new();
        for trial in all {
            once(&mut trials, self.number(trial), trial.seconds);
        }
        // The winner stays first: it may have won the finals against what was faster in its trial.
        if let Some((_, rest)) = trials.split_first_mut() {
            sort_by(rest, &|a, b| a.1.total_cmp(&b.1));
        }
        trials
    }
}

/// Adds a trial, unless there is no such config or it is there already.
fn once(trials: &mut Vec<(u64, f64)>, number: Option<u64>, seconds: f64) {
    if let Some(number) = number
        && trials.iter().all(|(known, _)| *known != number)
    {
        trials.push((number, seconds));
    }
}

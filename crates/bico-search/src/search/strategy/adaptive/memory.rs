//! What a search knows that began anew.

use super::View;
use crate::search::Outcome;
use bico_core::Lists;
use std::collections::HashSet;

/// Its own trials, as if there had been none before.
#[derive(Debug)]
pub(super) struct Memory {
    trials: Vec<(u64, Outcome)>,
    known: HashSet<u64>,
    /// How many of all trials were looked at.
    seen: usize,
    /// What the engine measured unasked: it comes after the first trial, as the baseline does.
    given: Vec<(u64, Outcome)>,
}

impl Memory {
    /// Of all trials only those that nobody asked for are kept.
    pub(super) fn new(view: &View<'_>, asked: &HashSet<u64>) -> Memory {
        let given = view.trials.iter();
        let given = given.filter(|(config, _)| !asked.contains(config));
        Memory {
            trials: Vec::new(),
            known: HashSet::new(),
            seen: view.trials.len(),
            given: given.cloned().collect_vec(),
        }
    }

    /// Takes in what was measured since.
    pub(super) fn follow(&mut self, view: &View<'_>) {
        for trial in &view.trials[self.seen..] {
            self.take(trial);
        }
        self.seen = view.trials.len();
    }

    fn take(&mut self, trial: &(u64, Outcome)) {
        let given = std::mem::take(&mut self.given);
        for (config, outcome) in std::iter::once(trial.clone()).chain(given) {
            if self.known.insert(config) {
                self.trials.push((config, outcome));
            }
        }
    }

    /// Takes in what a config was measured as before; `false` where it was not.
    pub(super) fn recall(&mut self, view: &View<'_>, config: u64) -> bool {
        let trial = view.trials.iter().find(|(known, _)| *known == config);
        trial.map(|trial| self.take(trial)).is_some()
    }

    /// What it sees.
    pub(super) fn view<'a>(&'a self, whole: &View<'a>) -> View<'a> {
        View {
            trials: &self.trials,
            priors: &[],
            measured: &self.known,
            ..*whole
        }
    }
}

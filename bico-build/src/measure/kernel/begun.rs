//! What the one worker is to try next: while it is at one config, and while that is compiled, those begun behind it are
//! compiled too. They arrive in the order in which they were begun, so which compiler is the faster one changes no search.

use super::KernelMeasure;
use bico_search::search::{Arrival, Measure};
use std::collections::VecDeque;

/// So many at once at most. On recorded spaces, with what compiling them took (1.2 s in the mean) on 16 compilers, four reach after
/// 8, 16 and 32 s 0.80, 0.91 and 0.97 of the optimum, where one at a time reaches 0.77, 0.86 and 0.92; eight do hardly better
/// (bench `ahead`).
const MOST: usize = 4;

/// What was begun.
#[derive(Default)]
pub(super) struct Begun {
    configs: VecDeque<u64>,
    /// The best so far: as it was said last, or measured since.
    best: Option<f64>,
}

impl Begun {
    pub(super) fn configs(&self) -> impl Iterator<Item = &u64> {
        self.configs.iter()
    }

    pub(super) fn push(&mut self, config: u64, best: Option<f64>) {
        self.configs.push_back(config);
        self.best = best;
    }

    pub(super) fn withdraw(&mut self) -> Vec<u64> {
        self.configs.drain(..).collect()
    }
}

impl KernelMeasure<'_> {
    /// How many configs may be begun: also where there are fewer compilers, which would else compile what is only guessed.
    pub(super) fn depth(&self) -> usize {
        if self.settings.jobs > 1 { MOST } else { 1 }
    }

    /// Measures what was begun first.
    pub(super) fn measure_begun(&mut self) -> Arrival {
        let config = self.begun.configs.pop_front();
        let config = config.expect("somebody waits for what was begun");
        let outcome = self.measure(config, self.begun.best);
        if let Some(sample) = outcome.sample() {
            let best = self.begun.best.unwrap_or(f64::INFINITY);
            self.begun.best = Some(best.min(sample.seconds));
        }
        Arrival::of_one(config, outcome)
    }
}

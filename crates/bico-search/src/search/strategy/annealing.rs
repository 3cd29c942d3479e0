//! Simulated annealing: a classical method, to compare with in replays.

use super::{Proposal, Strategy, View};
use crate::space::Draw;
use bico_core::Lists;

/// Random configs before the walk starts, from the best of them.
const SCOUTS: usize = 8;

/// At first, a step to what is slower by this part is taken with a probability of 1/e.
const HEAT: f64 = 0.3;

/// How the heat falls with every step.
const COOLING: f64 = 0.97;

/// Steps in a row that are not taken before the walk starts elsewhere.
const STUCK: u32 = 40;

/// Walks from neighbour to neighbour: always to what is faster, and to what is slower as long as it
/// is hot. Where it is stuck it starts anew from a random config.
pub(super) struct Annealing {
    seed: u64,
    rng: fastrand::Rng,
    order: Option<Draw>,
    /// Where the walk is.
    at: Option<(u64, f64)>,
    /// The step that is being measured.
    wanted: Option<u64>,
    /// Trials that it has seen.
    seen: usize,
    heat: f64,
    refused: u32,
}

impl Annealing {
    pub(super) fn new(seed: u64) -> Annealing {
        Annealing {
            seed,
            rng: fastrand::Rng::with_seed(seed),
            order: None,
            at: None,
            wanted: None,
            seen: 0,
            heat: HEAT,
            refused: 0,
        }
    }

    /// Goes to the config that was measured, or stays.
    fn step(&mut self, config: u64, seconds: Option<f64>) {
        let taken = match (seconds, self.at) {
            (Some(_), None) => true,
            (Some(new), Some((_, old))) if new <= old || self.seen <= SCOUTS => new <= old,
            (Some(new), Some((_, old))) => self.rng.f64() < (-(new / old - 1.0) / self.heat).exp(),
            (None, _) => false,
        };
        match seconds.filter(|_| taken) {
            Some(seconds) => (self.at, self.refused) = (Some((config, seconds)), 0),
            None => self.refused += 1,
        }
        if self.seen > SCOUTS {
            self.heat *= COOLING;
        }
        if self.refused >= STUCK {
            (self.at, self.heat, self.refused) = (None, HEAT, 0);
        }
    }

    /// A neighbour of where the walk is, else any config; `None` when all are measured.
    fn choose(&mut self, view: &View<'_>) -> Option<u64> {
        if let Some((config, _)) = self.at.filter(|_| self.seen >= SCOUTS) {
            let mut open = view.configs.neighbours(config);
            open.retain(|config| view.is_open(*config));
            if !open.is_empty() {
                return Some(open[self.rng.usize(..open.len())]);
            }
            (self.at, self.heat, self.refused) = (None, HEAT, 0);
        }
        let seed = self.seed;
        self.order
            .get_or_insert_with(|| Draw::new(view.configs.len(), fastrand::Rng::with_seed(seed)))
            .find(|config| view.is_open(*config))
    }
}

impl Strategy for Annealing {
    fn name(&self) -> &'static str {
        "annealing"
    }

    fn next(&mut self, view: &View<'_>, _: usize) -> Vec<Proposal> {
        for (config, outcome) in view.trials.iter().skip(self.seen) {
            self.seen += 1;
            let seconds = outcome.sample().map(|sample| sample.seconds);
            self.step(*config, seconds.filter(|seconds| seconds.is_finite()));
        }
        // What is wanted may have to wait for a config that the search itself adds.
        self.wanted = self.wanted.filter(|config| view.is_open(*config));
        if self.wanted.is_none() {
            self.wanted = self.choose(view);
        }
        self.wanted.map(Proposal::from).into_iter().collect_vec()
    }
}

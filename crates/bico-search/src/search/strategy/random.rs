//! Uniformly at random, without replacement.

use super::{Proposal, Strategy, View};
use crate::space::Draw;
use bico_core::Lists;

/// Measures configs in a random order that the seed decides.
pub(super) struct Random {
    seed: u64,
    order: Option<Draw>,
    drawn: Vec<u64>,
}

impl Random {
    pub(super) fn new(seed: u64) -> Random {
        Random {
            seed,
            order: None,
            drawn: Vec::new(),
        }
    }
}

impl Strategy for Random {
    fn name(&self) -> &'static str {
        "random"
    }

    fn next(&mut self, view: &View<'_>, ahead: usize) -> Vec<Proposal> {
        let seed = self.seed;
        let order = self
            .order
            .get_or_insert_with(|| Draw::new(view.configs.len(), fastrand::Rng::with_seed(seed)));
        self.drawn.retain(|config| view.is_open(*config));
        while self.drawn.len() < ahead
            && let Some(config) = order.find(|config| view.is_open(*config))
        {
            self.drawn.push(config);
        }
        let drawn = self.drawn.iter().take(ahead).copied();
        drawn.map(Proposal::from).collect_vec()
    }
}

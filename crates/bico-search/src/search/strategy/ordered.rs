//! Configs in a given order: that of the space, or of the ranking.

use super::{Proposal, Strategy, View};
use bico_core::Lists;

/// Measures one config after the other.
pub(super) struct Ordered {
    pub(super) name: &'static str,
    /// The config at a place of the order.
    pub(super) config: fn(&View<'_>, u64) -> Option<u64>,
    /// Whatever stands before this place was measured, or is under way.
    pub(super) place: u64,
}

impl Strategy for Ordered {
    fn name(&self) -> &'static str {
        self.name
    }

    fn next(&mut self, view: &View<'_>, ahead: usize) -> Vec<Proposal> {
        let config = self.config;
        while config(view, self.place).is_some_and(|config| !view.is_open(config)) {
            self.place += 1;
        }
        let rest = (self.place..).map_while(|place| config(view, place));
        rest.filter(|config| view.is_open(*config))
            .take(ahead)
            .map(Proposal::from)
            .collect_vec()
    }
}

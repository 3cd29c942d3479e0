//! Configs in a given order: that of the space, or of the ranking.

use super::{Proposal, Strategy, View};

/// Measures one config after the other.
pub(super) struct Ordered {
    name: &'static str,
    /// The config at a place of the order.
    config: fn(&View<'_>, u64) -> Option<u64>,
    /// Whatever stands before this place was measured.
    place: u64,
}

impl Ordered {
    /// The space from its first config on.
    pub(super) fn sequential() -> Ordered {
        Ordered {
            name: "sequential",
            config: |view, place| (place < view.configs.len()).then_some(place),
            place: 0,
        }
    }

    /// The ranking, best first.
    pub(super) fn guided() -> Ordered {
        Ordered {
            name: "guided",
            config: |view, place| view.ranked.order.get(place as usize).copied(),
            place: 0,
        }
    }
}

impl Strategy for Ordered {
    fn name(&self) -> &'static str {
        self.name
    }

    fn next(&mut self, view: &View<'_>, ahead: usize) -> Vec<Proposal> {
        let config = self.config;
        while config(view, self.place).is_some_and(|config| view.is_measured(config)) {
            self.place += 1;
        }
        let rest = (self.place..).map_while(|place| config(view, place));
        rest.filter(|config| !view.is_measured(*config))
            .take(ahead)
            .map(Proposal::from)
            .collect()
    }
}

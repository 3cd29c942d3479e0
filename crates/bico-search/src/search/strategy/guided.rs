//! The ranking, best first.

use super::{Proposal, Strategy, View};

/// Measures the configs in the order of their ranking.
#[derive(Debug, Default)]
pub(super) struct Guided {
    position: usize,
}

impl Strategy for Guided {
    fn name(&self) -> &'static str {
        "guided"
    }

    fn next(&mut self, view: &View<'_>, ahead: usize) -> Vec<Proposal> {
        let order = &view.ranked.order;
        while order
            .get(self.position)
            .is_some_and(|config| view.is_measured(*config))
        {
            self.position += 1;
        }
        let rest = order
            .get(self.position..)
            .unwrap_or_default()
            .iter()
            .copied();
        rest.filter(|config| !view.is_measured(*config))
            .take(ahead)
            .map(Proposal::from)
            .collect()
    }
}

//! The order of the space.

use super::{Proposal, Strategy, View};

/// Measures the space from its first config on.
#[derive(Debug, Default)]
pub(super) struct Sequential {
    next: u64,
}

impl Strategy for Sequential {
    fn name(&self) -> &'static str {
        "sequential"
    }

    fn next(&mut self, view: &View<'_>, ahead: usize) -> Vec<Proposal> {
        while self.next < view.configs.len() && view.is_measured(self.next) {
            self.next += 1;
        }
        let rest = self.next..view.configs.len();
        rest.filter(|config| !view.is_measured(*config))
            .take(ahead)
            .map(Proposal::from)
            .collect()
    }
}

//! bico's bandit, driven as a program's calls drive it.

use super::play::Strategy;
use bico::__private::learn::bandit::{Bandit, Prior};

pub(super) struct Ours(pub(super) Bandit);

impl Ours {
    /// Of the arms' times nothing is known but their order.
    pub(super) fn new(arms: usize) -> Ours {
        Ours(Bandit::new(&vec![Prior::default(); arms]))
    }
}

impl Strategy for Ours {
    fn next(&mut self) -> usize {
        let turn = self.0.next(|_| true);
        turn.expect("a case has an arm that runs").arm
    }

    fn took(&mut self, arm: usize, seconds: f64) {
        self.0.observe(arm, seconds.ln());
    }

    fn failed(&mut self, arm: usize) {
        self.0.fail(arm);
    }
}

//! What a bandit takes from others: earlier processes, and neighbouring sizes.

use super::{Bandit, Prior, SANE, Summary};
use crate::learn::arm::Arm;
use crate::learn::estimate::Estimate;
use bico_core::Lists;

/// What an earlier process knows counts for so many observations.
const RESUMED: f64 = 64.0;
/// What is known at neighbouring sizes counts for so many observations.
const BORROWED: f64 = 2.0;

impl Bandit {
    /// What is known of each arm, to be kept.
    pub fn summaries(&self) -> Vec<Summary> {
        let summary = |arm: &Arm| arm.summary(&self.noise);
        self.arms.iter().map(summary).collect_vec()
    }

    /// What an earlier process learned on the same device.
    pub fn resume(&mut self, known: &[Option<Summary>], settled: Option<usize>) {
        for (arm, known) in self.arms.iter_mut().zip(known) {
            let Some(known) = known.filter(is_sane) else {
                continue;
            };
            let n = (known.pulls as f64).min(RESUMED);
            arm.known = Estimate::known(n, known.mean, known.variance);
            arm.pulls = known.pulls;
        }
        let knows = |at: &usize| {
            let arm = self.arms.get(*at);
            arm.is_some_and(|arm| !arm.failed && arm.is_warm())
        };
        self.settled = settled.filter(knows);
        self.refresh();
    }

    /// What was learned at neighbouring sizes: the differences between arms, as a weak prior.
    pub fn borrow(&mut self, neighbour: &[Option<Summary>]) {
        let known = neighbour.iter().flatten().filter(|known| is_sane(known));
        let best = known.fold(f64::INFINITY, |best, known| best.min(known.mean));
        for (arm, known) in self.arms.iter_mut().zip(neighbour) {
            if let Some(known) = known.filter(is_sane) {
                let gap = known.mean - best;
                let weight = BORROWED;
                arm.prior = Prior { gap, weight };
            }
        }
        self.refresh();
    }
}

/// Whether what was kept can be true.
fn is_sane(known: &Summary) -> bool {
    known.pulls > 0 && known.mean.abs() <= SANE && (0.0..=SANE).contains(&known.variance)
}

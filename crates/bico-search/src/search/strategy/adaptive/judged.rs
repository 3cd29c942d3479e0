//! Candidates in the order of what they are worth.

use crate::search::learn::expected_gain;
use std::cmp::Ordering;

/// A candidate, and what it was expected to be beside so many that were assumed.
pub(super) struct Judged {
    pub(super) worth: f64,
    pub(super) place: usize,
    pub(super) mean: f64,
    pub(super) spread: f64,
    pub(super) beside: usize,
}

impl Ord for Judged {
    /// The first of equals is the largest.
    fn cmp(&self, other: &Judged) -> Ordering {
        let worth = self.worth.total_cmp(&other.worth);
        worth.then(other.place.cmp(&self.place))
    }
}

impl PartialOrd for Judged {
    fn partial_cmp(&self, other: &Judged) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Judged {
    fn eq(&self, other: &Judged) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Judged {}

/// Orders candidates by expected gain, also where that is too small to be told from zero.
pub(super) fn worth(mean: f64, spread: f64, best: f64) -> f64 {
    let gain = expected_gain(mean, spread, best);
    if gain > 1e-30 {
        gain.ln()
    } else {
        // Below the logarithm of any such gain.
        -100.0 + ((best - mean) / spread).min(0.0)
    }
}

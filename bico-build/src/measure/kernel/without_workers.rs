//! Stands for several workers in a build that knows one.

use super::KernelMeasure;
use super::checks::{At, Planned};
use crate::measure::client::Ended;
use bico_search::search::{Arrival, Costs};

/// There is none.
pub(super) enum Pool {}

/// Nobody is at anything.
#[derive(Default)]
pub(super) struct Hands {
    pub(super) costs: Option<Costs>,
}

impl KernelMeasure<'_> {
    /// The one worker starts when it is asked something.
    ///
    /// # Errors
    ///
    /// None.
    pub fn gather(&mut self) -> Result<(), String> {
        Ok(())
    }

    /// None of several.
    pub fn lost_workers(&self) -> Vec<String> {
        Vec::new()
    }

    pub(super) fn hands_at_work(&self) -> usize {
        self.depth()
    }

    /// The one is waited for.
    pub(super) fn has_something_arrived(&mut self) -> bool {
        false
    }

    pub(super) fn set_to_work(&mut self, config: u64, best: Option<f64>) {
        self.begun.push(config, best);
    }

    pub(super) fn next_arrival(&mut self) -> Arrival {
        self.measure_begun()
    }

    /// The one is started again.
    pub fn is_deserted(&self) -> bool {
        false
    }

    /// What the one waits is told by itself.
    pub(super) fn stood_still(&self) -> f64 {
        0.0
    }

    /// One is asked for one thing after the other.
    pub(super) fn bring_outputs(
        &mut self,
        _: u64,
        _: &mut dyn Iterator<Item = At>,
    ) -> Vec<Planned> {
        Vec::new()
    }

    pub(super) fn sits(&mut self) -> bool {
        true
    }

    pub(super) fn sits_elsewhere(&mut self, _: &Ended) -> bool {
        false
    }

    pub(super) fn has_others(&self, _: &[(usize, String)]) -> bool {
        false
    }

    pub(super) fn doubts(&mut self, _: &str, _: &mut Vec<(usize, String)>) -> bool {
        false
    }

    pub(super) fn blames(&mut self, _: Vec<(usize, String)>) {}

    pub(super) fn is_asked(&self) -> bool {
        true
    }
}

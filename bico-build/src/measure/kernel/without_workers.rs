//! Stands for several workers in a build that knows one.

use super::KernelMeasure;
use crate::measure::client::Ended;
use bico_search::search::Costs;

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

    /// The one is started again.
    pub fn is_deserted(&self) -> bool {
        false
    }

    pub(super) fn take_seat(&mut self) {}

    pub(super) fn sits_elsewhere(&mut self, _: &Ended) -> bool {
        false
    }

    pub(super) fn is_asked(&self) -> bool {
        true
    }
}

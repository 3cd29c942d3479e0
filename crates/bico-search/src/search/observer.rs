//! Watching a search: the display, the journal.

use super::{Row, Search};
use bico_core::Value;

/// Is told of each step of a search.
pub trait Observer {
    /// The search begins.
    fn started(&mut self, _search: &Search<'_>) {}

    /// A config with these values is about to be measured, after `spent` seconds.
    fn measuring(&mut self, _values: &[Value], _spent: f64) {}

    /// A row was added to the trail.
    fn row(&mut self, _row: &Row) {}

    /// The finalists are about to be measured again.
    fn finals(&mut self, _configs: &[u64]) {}
}

/// Nobody watches.
impl Observer for () {}

/// Several observers as one, told in order.
#[derive(Default)]
pub struct Observers<'a>(pub Vec<&'a mut dyn Observer>);

impl Observer for Observers<'_> {
    fn started(&mut self, search: &Search<'_>) {
        self.0.iter_mut().for_each(|one| one.started(search));
    }

    fn measuring(&mut self, values: &[Value], spent: f64) {
        self.0
            .iter_mut()
            .for_each(|one| one.measuring(values, spent));
    }

    fn row(&mut self, row: &Row) {
        self.0.iter_mut().for_each(|one| one.row(row));
    }

    fn finals(&mut self, configs: &[u64]) {
        self.0.iter_mut().for_each(|one| one.finals(configs));
    }
}

//! A worker that goes on from search to search.

use super::KernelMeasure;
use crate::measure::client::Spare;
use crate::measure::protocol::Processor;

impl KernelMeasure<'_> {
    /// Goes on with a worker that an earlier search left.
    pub fn go_on_with(&mut self, spare: Spare) {
        self.client.go_on_with(spare);
    }

    /// Leaves its worker to the next search. Only that of a GPU, which takes longer to begin with than several trials do; what
    /// kernels on a CPU leave behind in a process ends with it.
    pub fn leave(&mut self) -> Option<Spare> {
        let is_worth_it = self.settings.program.processor != Processor::Cpu && self.pool.is_none();
        is_worth_it.then(|| self.client.leave()).flatten()
    }
}

//! Where a running search stands.

use super::format;
use bico_core::Value;
use bico_search::search::{Observer, Row, RowKind, Search};

/// Where a running search stands, as its observer knows.
#[derive(Debug, Clone, Default)]
pub struct Standing {
    /// Whether the finalists are measured again.
    pub finals: bool,
    /// Evaluations done, and at most.
    pub done: u64,
    /// None before the search has begun.
    pub total: u64,
    /// Seconds spent, and at most.
    pub spent: f64,
    /// At most.
    pub seconds: f64,
    /// The speed of the best so far, in the unit that says most.
    pub best: Option<String>,
}

impl Standing {
    /// Seconds until one of the limits is met, at the pace so far.
    pub fn seconds_left(&self) -> f64 {
        let by_clock = (self.seconds - self.spent).max(0.0);
        if self.done == 0 {
            return by_clock;
        }
        let pace = self.spent / self.done as f64;
        by_clock.min(pace * self.total.saturating_sub(self.done) as f64)
    }
}

impl Observer for Standing {
    fn started(&mut self, search: &Search<'_>) {
        self.total = search.budget.evaluations.min(search.configs.len());
        self.seconds = search.budget.seconds;
    }

    fn measuring(&mut self, _: &[Value], spent: f64) {
        self.spent = spent;
    }

    fn row(&mut self, row: &Row) {
        self.spent = row.spent;
        if row.kind != RowKind::Final {
            self.done = row.evaluation;
            if row.best.is_some_and(|best| best.config == row.config)
                && let Some(sample) = row.outcome.sample()
            {
                let throughput = format::throughput(row.flops_per_second, row.bytes_per_second);
                self.best = throughput.or_else(|| Some(format::time(sample.seconds)));
            }
        }
    }

    fn finals(&mut self, _: &[u64]) {
        self.finals = true;
    }
}

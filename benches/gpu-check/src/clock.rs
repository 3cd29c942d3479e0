//! The time that a whole run may take.

use std::time::{Duration, Instant};

/// Kept back to write the reports.
const MARGIN: Duration = Duration::from_secs(10);

/// Runs from its creation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock {
    start: Instant,
    limit: Duration,
}

impl Clock {
    pub(crate) fn new(seconds: u64) -> Clock {
        Clock {
            start: Instant::now(),
            limit: Duration::from_secs(seconds),
        }
    }

    pub(crate) fn elapsed(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    /// Seconds left for steps.
    pub(crate) fn left(&self) -> f64 {
        let steps = self.limit.saturating_sub(MARGIN);
        steps.saturating_sub(self.start.elapsed()).as_secs_f64()
    }
}

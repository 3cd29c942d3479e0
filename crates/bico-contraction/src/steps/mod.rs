//! The steps that make an equivalent schedule of a schedule, each in its own file.
//!
//! A step takes the schedule and gives the new one, or an error that says why not.

mod exec;
mod executable;
mod fuse;
mod pad;
mod permute;
mod split;

use super::{ContractionError, Result, Schedule};

/// A size after multiplication.
fn times(a: u64, b: u64, what: &str) -> Result<u64> {
    a.checked_mul(b).ok_or_else(|| {
        ContractionError::new(format!("{what} would be 2^64 or more: use smaller sizes"))
    })
}

impl Schedule {
    /// Writes down the step that made it.
    fn done(mut self, step: String) -> Result<Schedule> {
        self.steps.push(step);
        Ok(self)
    }
}

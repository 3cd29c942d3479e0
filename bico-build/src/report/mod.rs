//! Reports: what people see of a search while it runs and when it is over.

mod columns;
mod format;
mod guarantee;
mod listener;
mod progress;
mod say;
mod standing;
mod steps;
mod summary;

#[cfg(test)]
mod tests;

pub use columns::{between, columns};
pub use format::{count, duration, ratio, throughput, time};
pub use guarantee::GuaranteeLines;
pub use listener::{Deed, Listener, Task};
pub use progress::Progress;
pub use say::say;
pub use standing::Standing;
pub use steps::steps;
pub use summary::{Summary, assignment};

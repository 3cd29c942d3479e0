//! Reports: what people see of a search while it runs and when it is over.

mod format;
mod guarantee;
mod progress;
mod say;
mod summary;

#[cfg(test)]
mod tests;

pub use format::{count, duration, ratio, throughput, time};
pub use guarantee::GuaranteeLines;
pub use progress::Progress;
pub use say::say;
pub use summary::{Summary, assignment};

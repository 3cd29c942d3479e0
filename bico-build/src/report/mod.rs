//! Reports: what people see of a search while it runs and when it is over.

mod format;
mod guarantee;
mod progress;
mod say;
mod summary;
mod table;

#[cfg(test)]
mod tests;

pub use format::{count, duration, rate, ratio, time};
pub use guarantee::{GuaranteeLines, GuaranteeTable};
pub use progress::{Progress, Stage, Status};
pub use say::{has_terminal, say};
pub use summary::{Summary, assignment};
pub use table::top_ranked;

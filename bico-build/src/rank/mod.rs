//! Rank: the configs of a space, most promising first, each with its predicted time or score.

mod correlation;
mod costs;
mod flags;
mod order;
mod refine;

#[cfg(test)]
mod tests;

pub use correlation::spearman;
pub(crate) use costs::written;
pub use costs::{Costs, Described};
pub use flags::vector_bits;
pub use order::{Kind, Ranked, rank};
pub use refine::refine;

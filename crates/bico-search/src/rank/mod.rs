//! Rank: the configs of a space, most promising first, each with its predicted time or score.

mod correlation;
mod order;
mod refine;

#[cfg(test)]
mod tests;

pub use correlation::spearman;
pub use order::{Kind, Ranked, rank};
pub use refine::refine;

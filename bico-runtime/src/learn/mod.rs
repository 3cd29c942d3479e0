//! Learning at run time: where the lock knows nothing of a device or of such sizes, calls themselves are trials.
//!
//! ```text
//! Board   one tunable on one device: a table of lanes
//! Lane    one bucket of sizes: its arms, which candidates they are, what to do when it settles
//! Shared  what threads share of it: a slot that settled calls read, the bandit behind a lock
//! Memory  what earlier processes learned, and when this one's is written
//! Bandit  which arm next, and when to stop: numbers only
//! Pull    one call on its way
//! ```

mod agree;
mod arm;
pub mod bandit;
mod board;
mod bucket;
mod drift;
mod estimate;
mod lane;
mod memory;
mod mode;
mod pace;
mod pull;
mod shared;
mod sight;
pub(crate) mod slot;
mod sync;

pub use agree::{Number, agree};
pub use board::Board;
pub(crate) use lane::Lane;
pub(crate) use mode::{Mode, mode};
pub use pull::Pull;
pub(crate) use sync::unless_busy;

#[cfg(test)]
mod tests;

//! Search: which configs to measure, in which order, and when to stop.
//!
//! Nothing here knows kernels or devices: a config is a number with values and a prediction
//! ([`Configs`], [`Ranked`]), and a [`Measure`] turns it into an [`Outcome`]. A recorded space is
//! replayed through the same code.
//!
//! [`Ranked`]: crate::rank::Ranked

mod appended;
mod budget;
mod configs;
mod costs;
mod csv;
mod engine;
mod finals;
mod function;
mod journal;
mod learn;
mod measure;
pub mod median;
mod observer;
mod outcome;
mod prior;
mod ranked_list;
mod ratio;
mod recorded;
mod shard;
mod strategy;
mod trail;

#[cfg(test)]
mod tests;

pub use bico_core::device::Kinship;
pub use budget::{Budget, Stop};
pub use configs::{Amounts, Configs};
pub use costs::Costs;
pub use csv::Csv;
pub use engine::{Found, LOOK_AHEAD, MARGIN, Search, run};
pub use finals::{Decision, Holders, Winner, decide};
pub use function::{FromFn, from_fn, on_threads};
pub use journal::{Journal, Label, Origin};
pub use measure::{Arrival, Measure};
pub use observer::{Observer, Observers};
pub use outcome::{Caches, Conditions, Failure, Outcome, Sample};
pub use prior::Prior;
pub use ranked_list::write_ranked;
pub use ratio::Ratio;
pub use recorded::{Recorded, Resumed};
pub use shard::Shard;
pub use strategy::{DEFAULT, Proposal, Strategy, View, by_name, names};
pub use trail::{Against, Best, OfPeak, Row, RowKind, Trail};

//! Replay: a search on a recorded space, where every config's time is known.
//!
//! A file becomes a [`Recording`]: the space, built through the same front door as a user's where
//! its restrictions are known, and what came of each config. [`Replay`] is a [`Measure`] that looks
//! outcomes up, so that the very code of a build's search runs on it. [`Plan`] runs strategies over
//! recordings, budgets and seeds, and [`Summary`] says how near each came to the optimum; the command
//! `cargo bico replay` and the bench `search` are [`compare`] and [`display`].
//!
//! [`Measure`]: bico_search::search::Measure

mod compare;
mod display;
mod error;
mod facts;
pub(crate) mod format;
mod hints;
mod locate;
mod measure;
mod plan;
mod prior;
mod python;
mod ranking;
mod recording;
mod rules;
mod summary;
mod table;

#[cfg(test)]
mod tests;

pub use compare::{Knowledge, compare};
pub use display::display;
pub use error::Error;
pub use facts::GpuFacts;
pub use hints::{Hints, gpu};
pub use locate::locate;
pub use measure::Replay;
pub use plan::{Curve, Plan, Run, Subject};
pub use prior::{kinship, prior, same};
pub(crate) use python::{expression, translate as translated};
pub use ranking::{DEPTHS, Ranking};
pub use recording::{Counts, Recording};
pub use summary::{Summary, summaries};
pub use table::{Entry, Record, Status, Table};

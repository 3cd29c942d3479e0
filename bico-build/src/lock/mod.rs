//! `bico.lock`: the winners of each device, kept beside Cargo.toml.
//!
//! It is input from outside: everything that is wrong in it is an [`Error`] with the line, and
//! nothing of it reaches a compiler or cargo unchecked. It is made to be reviewed and merged: the
//! same tuning state gives the same bytes, one trial per line.

mod file;
#[cfg(feature = "tune")]
mod imported;
mod merge;
mod model;
mod read;
mod text;
mod write;

pub use bico_core::json::Error;
pub use file::{load, modify, writable};
#[cfg(feature = "tune")]
pub use imported::{IMPORTED, Import, Imported, keep_imported, load_imported};
pub use merge::merge;
pub use model::{
    Budget, Config, Entry, Hashes, Kernel, Lock, Place, RULES, Trial, VERSION, Value, Verified,
    problem_key,
};
pub use read::{learned_facts, parse};
pub use write::{rounded, to_text};

#[cfg(test)]
mod tests;

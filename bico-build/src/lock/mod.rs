//! `bico.lock`: the winners of each device, kept beside Cargo.toml.
//!
//! It is input from outside: everything that is wrong in it is an [`Error`] with the line, and
//! nothing of it reaches a compiler or cargo unchecked. It is made to be reviewed and merged: the
//! same tuning state gives the same bytes, one trial per line.

mod file;
#[cfg(feature = "tune")]
mod imported;
mod model;
#[cfg(feature = "tune")]
mod modify;
mod read;
mod text;
#[cfg(feature = "tune")]
mod write;

pub use bico_core::json::Error;
pub use file::{LARGEST, load, read_text, writable};
#[cfg(feature = "tune")]
pub use imported::{IMPORTED, Import, Imported, keep_imported, load_imported};
pub use model::{
    Budget, Config, Entry, Hashes, Kernel, Lock, Place, RULES, Ratio, Trial, VERSION, Value,
    Verified, problem_key,
};
#[cfg(feature = "tune")]
pub use modify::{modify, overwrite};
pub use read::{learned_facts, parse};
// Without `tune` nothing is measured, so nothing is written.
#[cfg(feature = "tune")]
pub use write::{rounded, to_text};

#[cfg(all(test, feature = "tune"))]
mod tests;

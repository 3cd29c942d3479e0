//! Tuning as a step of the package's build.
//!
//! ```no_run
//! // build.rs
//! bico_build::tune();
//! ```
//!
//! One straight way, and the folders bear the names of its steps:
//! `scan -> space -> rank -> search -> measure -> lock -> emit`; `report` and `guarantee` read the trail.
//!
//! With the feature `replay`, recorded spaces are searched by the same code; with `cli` there is the
//! command `cargo bico`.

#[cfg(feature = "cli")]
pub mod cli;
pub mod compile;
pub mod emit;
pub mod env;
mod files;
pub mod guarantee;
pub mod lock;
pub mod measure;
mod os;
pub mod rank;
#[cfg(feature = "replay")]
pub mod replay;
pub mod report;
pub mod scan;
pub mod search;
pub mod space;
mod tuner;

#[cfg(feature = "cli")]
pub use tuner::adopt;
#[cfg(all(feature = "cli", feature = "cuda"))]
pub use tuner::opened;
pub use tuner::{TuneError, try_tune, tune};

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
//! Outside of a build there is the command `cargo bico`, a crate of its own, `cargo-bico`.

mod files;
mod os;

pub use tuner::{TuneError, try_tune, tune};

// For our own crates, `cargo-bico`, the benches and the tests: these change with any release.
#[doc(hidden)]
pub mod compile;
#[doc(hidden)]
pub mod contraction;
#[doc(hidden)]
pub mod emit;
#[doc(hidden)]
pub mod env;
#[doc(hidden)]
pub mod guarantee;
#[doc(hidden)]
pub mod lock;
#[doc(hidden)]
pub mod measure;
#[doc(hidden)]
pub mod rank;
#[doc(hidden)]
pub mod report;
#[doc(hidden)]
pub mod scan;
#[doc(hidden)]
pub mod search;
#[doc(hidden)]
pub mod space;
#[doc(hidden)]
pub mod tuner;

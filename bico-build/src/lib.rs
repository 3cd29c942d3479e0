//! Tuning as a step of the package's build.
//!
//! The smallest user has two dependencies,
//!
//! ```toml
//! # Cargo.toml
//! [dependencies]
//! bico-runtime = { path = "../bico/bico-runtime" }     # its library is named `bico`
//!
//! [build-dependencies]
//! bico-build = { path = "../bico/bico-build" }
//! ```
//!
//! a build script,
//!
//! ```rust,no_run
//! // build.rs
//! fn main() {
//!     bico_build::tune();    // first: the same executable serves as measuring worker
//! }
//! ```
//!
//! and a function with the attribute `#[bico::tunable]`, which the crate `bico` documents. The build finds it, ranks and
//! measures its configs, each verified before it is timed, writes the best one to `bico.lock` and compiles it into the
//! program. The environment variable `BICO` says when: `auto` (default), `tune`, `locked`, `off`.
//!
//! One straight way, and the folders bear the names of its steps:
//! `scan -> space -> rank -> search -> measure -> lock -> emit`; `report` and `guarantee` read the trail.
//!
//! With the feature `replay`, recorded spaces are searched by the same code; with `cli` there is the
//! command `cargo bico`.

// The documentation shows a build script, which is one because of its `main`.
#![allow(clippy::needless_doctest_main)]

#[cfg(feature = "cli")]
pub mod cli;
pub mod compile;
pub mod emit;
pub mod env;
mod files;
pub mod lock;
pub mod measure;
mod os;
#[cfg(feature = "replay")]
pub mod replay;
pub mod report;
pub mod scan;
mod tuner;

#[cfg(feature = "cli")]
pub use tuner::adopt;
#[cfg(all(feature = "cli", feature = "cuda"))]
pub use tuner::opened;
pub use tuner::{TuneError, try_tune, tune};

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
//! Without the feature `tune` (on by default) a build only reads `bico.lock`: for libraries that ship theirs. `cuda` knows
//! GPUs, `einsum` writes the kernels of einsums.
//!
//! Outside of a build there is the command `cargo bico`, a crate of its own, `cargo-bico`.

#![deny(unsafe_code)]
// The documentation shows a build script, which is one because of its `main`.
#![allow(clippy::needless_doctest_main)]

#[cfg(any(feature = "tune", feature = "cuda"))]
mod arguments;
mod os;
mod queue;

pub use tuner::{TuneError, try_tune, tune};

// For our own crates, `cargo-bico`, the benches and the tests: these change with any release.
#[doc(hidden)]
pub mod compile;
#[doc(hidden)]
pub mod emit;
#[doc(hidden)]
pub mod env;
#[doc(hidden)]
pub mod files;
#[doc(hidden)]
pub mod lock;
#[cfg(feature = "tune")]
#[doc(hidden)]
pub mod measure;
#[cfg(feature = "tune")]
#[doc(hidden)]
pub mod report;
#[doc(hidden)]
pub mod scan;
#[doc(hidden)]
pub mod tuner;

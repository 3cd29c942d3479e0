//! Tuned kernels at run time.
//!
//! `#[bico::tunable]` expands to data and one call into this crate, which decides which candidate
//! serves a call and why. It is small on purpose: it lands in users' binaries.

pub use bico_macros::tunable;

mod choice;
mod config;
mod data;
pub mod device;
mod dispatch;
mod error;
mod gpu;
mod length;
mod model;
mod rules;
mod scratch;
mod settle;
mod target;
mod value;

/// The very `cudarc` whose streams and buffers the wrappers of CUDA kernels take.
#[cfg(feature = "cuda")]
pub use cudarc;
#[cfg(feature = "cuda")]
pub use gpu::OnGpu;

pub use choice::{Choice, Reason};
pub use config::Config;
pub use dispatch::{Tunable, config_of};
pub use error::{DriverFailure, Error, NoConfig, NoProblem, Result};
pub use value::Value;

#[doc(hidden)]
pub mod __private;

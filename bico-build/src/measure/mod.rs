//! Measuring: a config is compiled, verified against the reference and timed, in a worker process.
//!
//! ```text
//! kernel      the parent's view of one tunable at one problem: what `search` asks
//! client      starts the worker and survives whatever a kernel does to it
//! protocol    what the two say to each other
//! worker      the child's main loop; harness: what it keeps; trial: verification; timing: repeats and finals
//! ```

mod argument;
mod awkward;
mod build;
mod call;
mod candidates;
mod client;
mod clock;
mod column;
mod compare;
mod consensus;
mod data;
mod drive;
mod fill;
mod functions;
mod half;
mod harness;
mod hello;
mod kernel;
mod lockfile;
pub(crate) mod npy;
#[cfg(test)]
mod picks;
mod plan;
mod poison;
#[cfg(feature = "workers")]
mod pool;
mod protocol;
mod quiet;
mod reference;
mod settings;
mod slot;
mod soak;
#[cfg(feature = "workers")]
mod standstill;
mod stats;
mod timing;
mod tolerance;
mod trial;
mod values;
mod watch;
mod worker;

pub use argument::{Argument, Buffer, arguments};
pub use bico_syntax::bind::PassPlan;
pub use client::{Program, Spare, gpus};
pub use fill::Stored;
pub use hello::{Gpu, Wanted};
pub use kernel::{Beside, Excluded, KernelMeasure};
pub use plan::{CallPlan, Candidates};
pub use protocol::{Processor, Timing};
pub use quiet::Contention;
pub use settings::{Limit, Settings};
pub use worker::run_if_worker;

/// Said where a `.cu` kernel meets a build without the feature.
#[cfg(not(feature = "cuda"))]
const NO_CUDA: &str = "bico-build was built without its feature `cuda`: bico-build = { version = \"..\", features = [\"cuda\"] }";

//! GPUs at run time: which code they load, what was decided on each of them, how it is launched.
//!
//! A call finds the state of its tunable on the stream's context (one load and a compare), reads the
//! problem's slot and launches. All else is cold: modules are loaded then, under a lock, and stay. Calls
//! that teach are timed by events that are read on later calls (`clock`); where a config cannot serve a
//! call, another one does (`fallback`).

#[cfg(feature = "capture")]
mod capture;
mod clock;
mod constant;
mod fallback;
mod foreign;
mod launch;
mod module;
mod registry;
mod scratch;
mod source;
mod state;
mod tensor;

#[cfg(feature = "capture")]
pub use capture::{held, start_clock, stop_clock};
pub(crate) use registry::{first, first_key};
pub use {
    constant::{Constant, contents},
    foreign::KernelLaunch,
    launch::{Chosen, Launch, Pointer, here, input, len, output, parameter, stream},
    registry::OnGpu,
    scratch::Scratch,
    state::States,
    tensor::tensor_map,
};

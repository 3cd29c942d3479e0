//! GPUs at run time: which code they load, what was decided on each of them, how it is launched.
//!
//! A call finds the state of its tunable on the stream's context (one load and a compare), reads the
//! problem's slot and launches. All else is cold: modules are loaded then, under a lock, and stay. Calls
//! that teach are timed by events that are read on later calls (`clock`); where a config cannot serve a
//! call, another one does (`fallback`).

pub(crate) mod images;

#[cfg(feature = "cuda")]
mod buffer;
#[cfg(feature = "cuda")]
mod clock;
#[cfg(feature = "cuda")]
mod fallback;
#[cfg(feature = "cuda")]
mod launch;
#[cfg(feature = "cuda")]
mod module;
#[cfg(feature = "cuda")]
mod on;
#[cfg(feature = "cuda")]
mod registry;
#[cfg(feature = "cuda")]
mod scratch;
#[cfg(feature = "cuda")]
mod source;
#[cfg(feature = "cuda")]
mod state;

#[cfg(feature = "cuda")]
pub(crate) use registry::{first, first_key};
#[cfg(feature = "cuda")]
pub use {
    buffer::{Pointer, here, input, len, output, parameter, stream},
    launch::Chosen,
    on::OnGpu,
    scratch::Scratch,
    state::States,
};

//! The devices that kernels run on: the CPU of this machine, and GPUs through the CUDA driver. With the feature
//! `measure` also what the measuring worker needs: loading kernels, guarded buffers, timing.
//!
//! Besides `bico-runtime`'s own launches this is the only crate with `unsafe`.

#[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
mod cpuid;
#[cfg(feature = "cuda")]
pub mod cuda;
mod host;
#[cfg(feature = "cuda")]
pub mod nvrtc;

#[cfg(feature = "measure")]
pub mod cpu;
#[cfg(feature = "measure")]
pub mod measure;
#[cfg(feature = "measure")]
pub mod os;
pub mod process;

pub use host::{this_cpu, this_cpu_key};

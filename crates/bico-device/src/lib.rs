//! The devices that kernels run on: the CPU of this machine, and GPUs through the CUDA driver. With the feature
//! `measure` also what the measuring worker needs: loading kernels, guarded buffers, timing.
//!
//! Besides `bico-runtime`'s own launches, and what bico-host asks the CPU and the system, this is the only crate with `unsafe`.

#[cfg(feature = "cuda")]
pub mod cuda;
#[cfg(feature = "cuda")]
pub mod nvrtc;

#[cfg(all(feature = "measure", target_os = "linux"))]
pub mod alarms;
#[cfg(feature = "measure")]
pub mod conditions;
#[cfg(all(feature = "measure", target_os = "linux"))]
mod cpu;
#[cfg(feature = "measure")]
mod looks;
#[cfg(feature = "measure")]
pub mod measure;
#[cfg(feature = "measure")]
pub mod os;
#[cfg(feature = "measure")]
mod slots;
#[cfg(any(feature = "cuda", feature = "measure"))]
mod standard;
#[cfg(all(feature = "measure", target_os = "linux"))]
mod system;

pub use bico_host::{process, said, this_cpu, this_cpu_key};
#[cfg(any(feature = "cuda", feature = "measure"))]
pub use standard::standard_headers;

/// The CPU of this machine, to measure on.
///
/// # Errors
///
/// Always, except on Linux.
#[cfg(feature = "measure")]
pub fn cpu() -> Result<Box<dyn measure::Device>, String> {
    os::supported()?;
    #[cfg(target_os = "linux")]
    return Ok(Box::new(cpu::Cpu::new(this_cpu().clone())));
    #[cfg(not(target_os = "linux"))]
    unreachable!("not supported")
}

/// Why a library could not be loaded, in the system's own words, which libloading keeps behind its own.
#[cfg(any(feature = "cuda", feature = "measure"))]
fn loader_words(error: &dyn std::error::Error) -> String {
    let source = error.source();
    source.map_or_else(|| error.to_string(), ToString::to_string)
}

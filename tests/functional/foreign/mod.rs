//! Kernels as they are out there, unedited.

mod args;
#[cfg(target_arch = "x86_64")]
mod gpu;
mod macros;
mod passes;
mod sources;
mod values;

//! Kernels as they are out there, unedited.

#[cfg(target_arch = "x86_64")]
mod gpu;
mod sources;
mod values;

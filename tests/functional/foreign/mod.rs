//! Kernels as they are out there, unedited.

mod args;
#[cfg(target_arch = "x86_64")]
mod candle;
mod family;
#[cfg(target_arch = "x86_64")]
mod gpu;
mod macros;
mod records;
mod sources;
mod values;

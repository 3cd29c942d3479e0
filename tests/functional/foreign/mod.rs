//! Kernels as they are out there, unedited.

mod args;
#[cfg(target_arch = "x86_64")]
mod candle;
mod family;
mod filled;
#[cfg(target_arch = "x86_64")]
mod gpu;
mod inputs;
mod judged;
mod macros;
mod passes;
mod records;
mod sources;
mod threads;
mod values;

//! Kernels as they are out there, unedited.

mod args;
mod by_value;
#[cfg(target_arch = "x86_64")]
mod candle;
mod faint;
mod family;
mod filled;
#[cfg(target_arch = "x86_64")]
mod gpu;
#[cfg(target_arch = "x86_64")]
mod hosted;
mod inputs;
mod judged;
mod macros;
mod passes;
mod records;
mod rows;
mod sources;
mod structures;
mod threads;
mod values;

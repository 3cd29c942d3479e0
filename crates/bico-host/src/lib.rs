//! The machine that bico runs on: its CPU, its processes, what its compilers say. That much lands in every program; what
//! kernels run on is bico-device's.

#[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
mod cpuid;
mod host;
pub mod process;
pub mod said;

pub use host::{this_cpu, this_cpu_key};

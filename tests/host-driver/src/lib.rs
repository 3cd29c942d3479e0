//! A test double for NVIDIA's driver and run-time compiler: one shared library that exports the
//! functions of `libcuda.so.1`, `libnvrtc.so` and `libnvidia-ml.so.1` and runs unchanged `.cu` kernels on the CPU.
//!
//! It stands in for hardware so that the whole CUDA path runs where there is no GPU. It says nothing
//! about speed: **no time measured with it is a time of any GPU**. What it can do, what it cannot and
//! the variables it reads: README.md beside this crate.
//!
//! Tests ask for [`folder`] and start the program under test with [`environment`].

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[macro_use]
mod abi;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod cuda;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod driver;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod execute;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod fault;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod gpu;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod handles;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod image;
mod install;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod memory;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod nvml;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod nvrtc;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod occupancy;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod settings;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod status;

pub use install::{SUPPORTED, environment, folder};

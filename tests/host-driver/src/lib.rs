//! A test double for NVIDIA's driver and run-time compiler: one shared library that exports the
//! functions of `libcuda.so.1`, `libnvrtc.so` and `libnvidia-ml.so.1` and runs unchanged `.cu` kernels on
//! the CPU.
//!
//! It stands in for hardware so that the whole CUDA path runs where there is no GPU. It says nothing
//! about speed: **no time measured with it is a time of any GPU**. What it can do, what it cannot and
//! the variables it reads: README.md beside this crate.
//!
//! Tests start the program under test with [`environment`].

mod control;
mod install;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod library;

pub use control::control;
pub use install::{SUPPORTED, environment, folder};

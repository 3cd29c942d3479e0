//! The host driver through unmodified cudarc: each test runs again as a child process that finds it
//! where a real driver would be.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod child;
mod compiling;
mod devices;
mod faults;
mod images;
mod kernels;
mod nvrtc;
mod streams;

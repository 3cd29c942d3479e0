//! CUDA kernels, tuned and run on the host driver: a stand-in for the driver and NVRTC that runs them on
//! the CPU. Which of two configs is faster there says nothing of any GPU.

#[cfg(target_arch = "x86_64")]
mod args;
mod arguments;
#[cfg(target_arch = "x86_64")]
mod begun;
#[cfg(target_arch = "x86_64")]
mod check;
#[cfg(target_arch = "x86_64")]
mod clusters;
mod command;
#[cfg(target_arch = "x86_64")]
mod compile;
#[cfg(target_arch = "x86_64")]
mod concurrent;
#[cfg(target_arch = "x86_64")]
mod constants;
#[cfg(target_arch = "x86_64")]
mod dependent;
mod drive;
#[cfg(target_arch = "x86_64")]
mod einsum;
#[cfg(target_arch = "x86_64")]
mod faults;
#[cfg(target_arch = "x86_64")]
mod gemm;
#[cfg(target_arch = "x86_64")]
mod gpus;
#[cfg(target_arch = "x86_64")]
mod halves;
mod hopper;
#[cfg(target_arch = "x86_64")]
pub(crate) mod kernel;
#[cfg(target_arch = "x86_64")]
mod library;
#[cfg(target_arch = "x86_64")]
mod limits;
#[cfg(target_arch = "x86_64")]
mod mistakes;
#[cfg(target_arch = "x86_64")]
mod modes;
#[cfg(target_arch = "x86_64")]
mod passes;
#[cfg(target_arch = "x86_64")]
mod path;
mod persistent;
#[cfg(target_arch = "x86_64")]
mod shared;
#[cfg(target_arch = "x86_64")]
mod space;
mod tensors;
mod variants;
#[cfg(target_arch = "x86_64")]
pub(crate) mod workers;

#[cfg(not(target_arch = "x86_64"))]
#[test]
fn skipped() {
    assert!(!host_driver::SUPPORTED);
    eprintln!("SKIPPED: all tests of CUDA kernels. The host driver needs Linux on x86-64.");
}

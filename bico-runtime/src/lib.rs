//! Kernels that are tuned while `cargo build` runs: the part that lands in your program.
//!
//! The smallest user has a kernel, here in C,
//!
//! ```c
//! /* kernels/dot.c */
//! #include <stdint.h>
//!
//! void dot(float *out, const float *x, const float *y, uint32_t n)
//! {
//!     float sum[LANES] = {0};
//!     uint32_t i = 0;
//!     for (; n - i >= LANES; i += LANES)
//!         for (uint32_t lane = 0; lane < LANES; lane++)
//!             sum[lane] += x[i + lane] * y[i + lane];
//!     float total = 0;
//!     for (uint32_t lane = 0; lane < LANES; lane++)
//!         total += sum[lane];
//!     for (; i < n; i++)
//!         total += x[i] * y[i];
//!     *out = total;
//! }
//!
//! void dot_reference(float *out, const float *x, const float *y, uint32_t n)
//! {
//!     double total = 0;
//!     for (uint32_t i = 0; i < n; i++)
//!         total += (double)x[i] * y[i];
//!     *out = (float)total;
//! }
//! ```
//!
//! a wrapper without a body,
//!
//! ```rust,ignore
//! // src/main.rs
//! #[bico::tunable(
//!     source = "kernels/dot.c",
//!     space(ISA in ["x86-64-v2", "x86-64-v3", "x86-64-v4"], LANES in powers_of_two(1..=128)),
//!     require(device.has(ISA)),
//!     flags = ["-march={ISA}"],
//!     problem(n = 4096),
//!     work(flops = 2 * n, bytes = 8 * n),
//!     verify(reference = "dot_reference", rtol = 1e-4, atol = 1e-3),
//! )]
//! fn dot(#[len(1)] out: &mut [f32], #[len(n)] x: &[f32], #[len(n)] y: &[f32], n: u32) -> bico::Result<()>;
//!
//! fn main() -> bico::Result<()> {
//!     let (x, y, mut out) = (vec![1.0; 4096], vec![0.5; 4096], [0.0]);
//!     dot(&mut out, &x, &y, 4096)?;
//!     println!("x . y = {}", out[0]);
//!     println!("{}", bico::config_of(dot_tunable(), &[4096])?);
//!     Ok(())
//! }
//! ```
//!
//! and a build script that calls `bico_build::tune()`. `cargo run` tries the configs, writes the best one of this
//! machine to `bico.lock`, and runs it. All options are in the documentation of the attribute,
//! [`macro@tunable`].
//!
//! `#[bico::tunable]` expands to data and one call into this crate, which decides which candidate serves a call and why.
//! Beside the wrapper `dot` there are `dot_tunable()`, `dot_with(&config, ..)` and `dot_warm_up(n)`.
//!
//! # On a device that the lock does not know
//!
//! Calls themselves are the trials, of the candidates that the program carries: timed without waiting, at a bounded
//! cost, until one is certainly best (a bandit for each bucket of sizes). Settled calls take no lock. What was
//! learned is kept in the user's cache folder, so that the next process begins settled.
//!
//! ```no_run
//! # let gemm_tunable = || -> &'static bico::Tunable { unimplemented!() };
//! for status in bico::status(gemm_tunable()) {
//!     println!("{status}");    // a table: what was tried, how long it takes, what trying has cost
//! }
//! for learned in bico::learned() {
//!     println!("{learned}");   // what the cache folder holds
//! }
//! ```
//!
//! `BICO_RUNTIME=fixed` switches it off, `BICO_RUNTIME=anew` learns although the device is known; `BICO_CACHE` names
//! another cache folder, or `off`. What happens is logged with the crate `log`, never once per call: at `info` what was
//! settled on, what failed, and when times changed; at `debug` what is tried and what is dropped.
//!
//! # CUDA
//!
//! With the feature `cuda`, wrappers of `.cu` kernels take the streams and buffers of `cudarc`, which is
//! re-exported as `bico::cudarc`. Nothing is needed to build: the driver is loaded when the program first asks for
//! it, and without one the answer is [`Error::NoDevice`].
//!
//! ```no_run
//! # #[cfg(feature = "cuda")] {
//! # use std::sync::Arc;
//! use bico::cudarc::driver::{CudaContext, CudaSlice, CudaStream};
//!
//! # fn gemm_tunable() -> &'static bico::Tunable { unimplemented!() }
//! # fn gemm(_: &Arc<CudaStream>, _: &mut CudaSlice<f32>, _: &CudaSlice<f32>, _: &CudaSlice<f32>,
//! #     _: u32, _: u32, _: u32) -> bico::Result<()> { Ok(()) }
//! fn run() -> Result<(), Box<dyn std::error::Error>> {
//!     // Which config serves on the first GPU, and why; an error where there is none.
//!     println!("{}", gemm_tunable().config_of(&[1024, 1024, 1024])?);
//!     let stream = CudaContext::new(0)?.default_stream();
//!     let a = stream.alloc_zeros::<f32>(1024 * 1024)?;
//!     let b = stream.alloc_zeros::<f32>(1024 * 1024)?;
//!     let mut c = stream.alloc_zeros::<f32>(1024 * 1024)?;
//!     gemm(&stream, &mut c, &a, &b, 1024, 1024, 1024)?;
//!     stream.synchronize()?;
//!     Ok(())
//! }
//! # }
//! ```
//!
//! - Any number of threads, streams, contexts and GPUs may call at once. What one stream writes and another
//!   reads is ordered by `cudarc`'s own tracking, as with its launches.
//! - A kernel's code is loaded once per context, at the first call (or by the `.._warm_up` function), and
//!   stays loaded; so does the context. A context that the program resets or destroys behind `cudarc` must
//!   not be used again.
//! - The feature `f16` adds buffers and numbers of 16 bits: `f16` and `bf16` of the crate `half`, as in
//!   `CudaSlice<half::f16>`.
//! - Another crate of the same build may ask `cudarc` to link the driver, or for another version of CUDA:
//!   take `bico-runtime` with `default-features = false, features = ["cuda"]` then.
#![deny(unsafe_code)]

pub use bico_macros::tunable;

/// What is known of devices; with the feature `cuda` also whether there is a driver, and what it says.
pub mod device {
    pub use bico_core::device::*;
    #[cfg(feature = "cuda")]
    pub use bico_device::{cuda, nvrtc};
    pub use bico_host::{this_cpu, this_cpu_key};
}

mod buffer;
mod cache;
#[cfg(feature = "capture")]
mod capture;
mod choice;
mod config;
mod data;
mod dispatch;
mod error;
// The driver is called there.
#[cfg(feature = "cuda")]
#[allow(unsafe_code)]
mod gpu;
mod images;
mod learn;
mod rules;
mod scratch;
mod settle;
mod status;
mod target;

/// The very `cudarc` whose streams and buffers the wrappers of CUDA kernels take.
#[cfg(feature = "cuda")]
pub use cudarc;
#[cfg(feature = "cuda")]
pub use gpu::{KernelLaunch, OnGpu};

pub use bico_core::Value;
pub use cache::{Learned, learned};
pub use choice::{Choice, Reason};
pub use config::Config;
pub use dispatch::{Tunable, config_of};
pub use error::{DriverFailure, Error, NoConfig, NoProblem, Result, TensorMapFailure};
pub use learn::bandit::Standing;
pub use status::{Arm, State, Status, status};

/// What programs learned, as files: for `cargo bico adopt`.
#[doc(hidden)]
pub mod learned_files {
    pub use crate::cache::{ArmRecord, File, LEARNED, Memory, Name, Record, files, place};
}

/// Files of captured calls: for `cargo bico capture`.
#[doc(hidden)]
pub mod captured_files {
    /// What they begin with.
    pub const HEADER: &str = "bico capture 1\n";
    /// In place of the sizes, for the calls of a process that has called with too many of them.
    pub const OTHERS: &str = "*";
    /// A larger one gets no more lines.
    pub const LARGEST: u64 = 16 << 20;
}

#[doc(hidden)]
pub mod __private;

//! Kernels that bico tunes: to use as they are, or to copy together with their sources.
//!
//! One feature per kernel; `bico.lock` beside this crate holds the winners.

#[cfg(feature = "gemm")]
mod gemm;

#[cfg(feature = "gemm")]
pub use gemm::{gemm, gemm_tunable, gemm_warm_up, gemm_with};

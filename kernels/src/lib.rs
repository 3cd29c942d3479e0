//! Kernels that bico tunes: to use as they are, or to copy together with their sources.
//!
//! One feature per kernel, those for CPUs on by default; `bico.lock` beside this crate holds the winners.

#[cfg(feature = "conv2d")]
mod conv2d;
#[cfg(feature = "conv2d-cuda")]
mod conv2d_cuda;
#[cfg(feature = "gemm")]
mod gemm;
#[cfg(feature = "gemm-cuda")]
mod gemm_cuda;
#[cfg(feature = "transpose")]
mod transpose;

#[cfg(feature = "conv2d")]
pub use conv2d::{conv2d, conv2d_tunable, conv2d_warm_up, conv2d_with};
#[cfg(feature = "conv2d-cuda")]
pub use conv2d_cuda::{conv2d_cuda, conv2d_cuda_tunable, conv2d_cuda_warm_up, conv2d_cuda_with};
#[cfg(feature = "gemm")]
pub use gemm::{gemm, gemm_tunable, gemm_warm_up, gemm_with};
#[cfg(feature = "gemm-cuda")]
pub use gemm_cuda::{gemm_cuda, gemm_cuda_tunable, gemm_cuda_warm_up, gemm_cuda_with};
#[cfg(feature = "transpose")]
pub use transpose::{transpose, transpose_tunable, transpose_warm_up, transpose_with};

//! Kernels that bico tunes: to use as they are, or to copy together with their sources.
//!
//! One feature per kernel, those for CPUs on by default; `bico.lock` beside this crate holds the winners.

#[cfg(feature = "attention")]
mod attention;
#[cfg(feature = "conv2d")]
mod conv2d;
#[cfg(feature = "conv2d-cuda")]
mod conv2d_cuda;
#[cfg(feature = "gemm")]
mod gemm;
#[cfg(feature = "gemm-cuda")]
mod gemm_cuda;
#[cfg(feature = "gemm-f16")]
mod gemm_f16;
#[cfg(feature = "gemm-regtile")]
mod gemm_regtile;
#[cfg(feature = "glu")]
mod glu;
#[cfg(feature = "glu")]
mod glu_f16;
#[cfg(feature = "reduce")]
mod reduce;
#[cfg(feature = "softmax")]
mod softmax;
#[cfg(feature = "transpose")]
mod transpose;
#[cfg(feature = "transpose-cuda")]
mod transpose_cuda;

#[cfg(feature = "attention")]
pub use attention::{
    attention_bf16, attention_bf16_tunable, attention_bf16_warm_up, attention_bf16_with,
    attention_f16, attention_f16_tunable, attention_f16_warm_up, attention_f16_with,
};
#[cfg(feature = "conv2d")]
pub use conv2d::{conv2d, conv2d_tunable, conv2d_warm_up, conv2d_with};
#[cfg(feature = "conv2d-cuda")]
pub use conv2d_cuda::{conv2d_cuda, conv2d_cuda_tunable, conv2d_cuda_warm_up, conv2d_cuda_with};
#[cfg(feature = "gemm")]
pub use gemm::{gemm, gemm_tunable, gemm_warm_up, gemm_with};
#[cfg(feature = "gemm-cuda")]
pub use gemm_cuda::{gemm_cuda, gemm_cuda_tunable, gemm_cuda_warm_up, gemm_cuda_with};
#[cfg(feature = "gemm-f16")]
pub use gemm_f16::{
    gemm_bf16, gemm_bf16_tunable, gemm_bf16_warm_up, gemm_bf16_with, gemm_f16, gemm_f16_f32,
    gemm_f16_f32_tunable, gemm_f16_f32_warm_up, gemm_f16_f32_with, gemm_f16_tunable,
    gemm_f16_warm_up, gemm_f16_with,
};
#[cfg(feature = "gemm-regtile")]
pub use gemm_regtile::{
    gemm_regtile, gemm_regtile_tunable, gemm_regtile_warm_up, gemm_regtile_with,
};
#[cfg(feature = "glu")]
pub use glu::{glu, glu_tunable, glu_warm_up, glu_with};
#[cfg(feature = "glu")]
pub use glu_f16::{glu_f16, glu_f16_tunable, glu_f16_warm_up, glu_f16_with};
#[cfg(feature = "reduce")]
pub use reduce::{reduce, reduce_tunable, reduce_warm_up, reduce_with};
#[cfg(feature = "softmax")]
pub use softmax::{softmax, softmax_tunable, softmax_warm_up, softmax_with};
#[cfg(feature = "transpose")]
pub use transpose::{transpose, transpose_tunable, transpose_warm_up, transpose_with};
#[cfg(feature = "transpose-cuda")]
pub use transpose_cuda::{
    transpose_cuda, transpose_cuda_tunable, transpose_cuda_warm_up, transpose_cuda_with,
};

//! Kernels of benchmark_hub, tuned as they are.

pub mod gemm;
pub mod hotspot;

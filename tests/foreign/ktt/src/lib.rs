//! Kernels of KTT's examples, tuned as they are.

pub mod convolution;
pub mod coulomb_sum_3d;
pub mod gemm;
pub mod nbody;
pub mod transpose;

//! Kernels of PolyBench/C, tuned as they are.

pub mod atax;
pub mod doitgen;
pub mod fdtd_2d;
pub mod gemver;
pub mod heat_3d;
pub mod jacobi_2d;
pub mod two_mm;

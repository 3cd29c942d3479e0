//! Kernels of Kernel Tuner's examples, tuned as they are.

pub mod pnpoly;
pub mod spmv;
pub mod stencil;
pub mod zeromean;

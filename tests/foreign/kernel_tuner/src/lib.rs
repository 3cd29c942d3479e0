//! Kernels of Kernel Tuner's examples, tuned as they are.

pub mod expdist;
pub mod pnpoly;
pub mod reduction;
pub mod spmv;
pub mod stencil;
pub mod zeromean;

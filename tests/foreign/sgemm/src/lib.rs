//! The kernels of SGEMM_CUDA that its author tuned, as they are.

pub mod sgemm;
pub mod warptiling;

//! The kernel of SGEMM_CUDA that its author tuned, as it is.

pub mod sgemm;

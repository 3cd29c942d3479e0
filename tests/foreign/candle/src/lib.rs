//! Kernels of candle, tuned as they are.

pub mod affine;
pub mod argsort;
pub mod conv1d;
pub mod q4_0;
pub mod rmsnorm;
pub mod softmax;

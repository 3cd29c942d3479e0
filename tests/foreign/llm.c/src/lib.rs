//! Kernels of llm.c, tuned as they are: files with several kernels for one task, of which the best is looked for.

pub mod encoder;
pub mod layernorm;
pub mod residual;
pub mod softmax;

//! CUDA kernels of Rodinia, tuned as they are.

pub mod hotspot;
pub mod nw;
pub mod pathfinder;

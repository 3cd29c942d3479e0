//! Kernels of Rodinia for CPUs, with OpenMP.

pub mod hotspot;
pub mod hotspot_3d;
pub mod lud;
pub mod nw;

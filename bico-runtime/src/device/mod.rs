//! What kernels run on. The only place with `unsafe`.

#[cfg(feature = "cuda")]
pub mod cuda;
mod dims;
pub(crate) mod facts;
mod fit;
pub(crate) mod gpu;
pub(crate) mod limits;

#[cfg(feature = "cuda")]
pub mod nvrtc;

#[cfg(feature = "measure")]
pub mod cpu;
#[cfg(feature = "measure")]
pub mod measure;
#[cfg(feature = "measure")]
pub mod os;

pub use dims::Dims;
pub use facts::{CpuFacts, Facts};
pub(crate) use fit::{KernelLimits, Unlaunchable};
pub use gpu::CudaFacts;

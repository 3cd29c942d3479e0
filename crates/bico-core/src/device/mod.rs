//! What is known of devices, and what they can launch.

mod codec;
pub(crate) mod cuda;
mod dims;
pub(crate) mod facts;
mod fit;
mod key;
pub(crate) mod limits;
mod resources;
mod tensor;

pub use cuda::{ACCELERATED, CudaFacts};
pub use dims::Dims;
pub use facts::{CpuFacts, Facts, tidy};
pub use fit::{KernelLimits, MOST_OF_CLUSTER};
pub use key::{DeviceKey, Kinship};
pub use resources::{Resources, Usage};
pub use tensor::{MOST_DIMS, MOST_OF_BOX, PROMOTIONS, SWIZZLES, TENSOR_ALIGN, Tensor, TensorKind};

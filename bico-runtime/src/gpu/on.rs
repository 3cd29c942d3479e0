//! What names a GPU in a call.

use cudarc::driver::{CudaContext, CudaStream};
use std::sync::Arc;

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Arc<super::CudaStream> {}
    impl Sealed for super::Arc<super::CudaContext> {}
}

/// A stream or a context of a GPU, for [`Tunable::config_on`](crate::Tunable::config_on).
pub trait OnGpu: sealed::Sealed {
    #[doc(hidden)]
    fn gpu(&self) -> &Arc<CudaContext>;
}

impl OnGpu for Arc<CudaStream> {
    fn gpu(&self) -> &Arc<CudaContext> {
        self.context()
    }
}

impl OnGpu for Arc<CudaContext> {
    fn gpu(&self) -> &Arc<CudaContext> {
        self
    }
}

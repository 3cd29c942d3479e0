//! The GPUs of this process, by their numbers, and what names one in a call.

use crate::{Error, Result};
use bico_core::device::{DeviceKey, Facts};
use bico_device::cuda;
use cudarc::driver::{CudaContext, CudaStream};
use std::sync::{Arc, Mutex, PoisonError};

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

/// One GPU.
pub(super) struct Gpu {
    ordinal: usize,
    pub(super) facts: Facts,
    pub(super) key: DeviceKey,
    /// What its driver is: the CUDA version that it serves and, where that is told, its own:
    /// `12.9, 575.57.08`.
    pub(super) driver: String,
}

/// GPUs never leave a process: each is found once and kept.
static FOUND: Mutex<Vec<&'static Gpu>> = Mutex::new(Vec::new());

/// The GPU of this number.
pub(super) fn gpu(ordinal: usize) -> Result<&'static Gpu> {
    let mut found = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(&gpu) = found.iter().find(|gpu| gpu.ordinal == ordinal) {
        return Ok(gpu);
    }
    let facts = Facts::Cuda(cuda::facts(ordinal).map_err(no_device)?);
    let gpu: &'static Gpu = Box::leak(Box::new(Gpu {
        ordinal,
        key: facts.key(),
        facts,
        driver: cuda::version(),
    }));
    found.push(gpu);
    Ok(gpu)
}

/// The key of the first GPU.
pub(crate) fn first_key() -> Result<&'static str> {
    gpu(0).map(|gpu| gpu.key.as_str())
}

/// The first GPU's own context.
pub(crate) fn first() -> Result<Arc<CudaContext>> {
    gpu(0)?;
    CudaContext::new(0).map_err(|error| no_device(cuda::text(error)))
}

fn no_device(why: String) -> Error {
    Error::NoDevice { why: why.into() }
}

//! The GPUs of this process, by their numbers.

use crate::device::{Facts, cuda};
use crate::{Error, Result};
use cudarc::driver::CudaContext;
use std::sync::{Arc, Mutex, PoisonError};

/// One GPU.
#[derive(Debug)]
pub(super) struct Gpu {
    ordinal: usize,
    pub(super) facts: Facts,
    pub(super) key: String,
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

//! The GPUs of this process, by their numbers, and what names one in a call.

use crate::{Error, Result};
use bico_core::Lists;
use bico_core::device::{DeviceKey, Facts};
use bico_device::cuda;
use cudarc::driver::{CudaContext, CudaStream, sys};
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
        driver: driver(),
    }));
    found.push(gpu);
    Ok(gpu)
}

/// The version of the driver.
fn driver() -> String {
    let mut version = 0;
    // SAFETY: a place for a number.
    let known = unsafe { sys::cuDriverGetVersion(&mut version) }.result();
    let served = known.map(|()| format!("{}.{}", version / 1000, version % 1000 / 10));
    let mut parts: Vec<String> = served.into_iter().collect_vec();
    let module = std::fs::read_to_string("/proc/driver/nvidia/version").unwrap_or_default();
    parts.extend(of_module(&module).map(str::to_string));
    parts.join(", ")
}

/// The version of the kernel's module, in what it says of itself on Linux.
fn of_module(text: &str) -> Option<&str> {
    let number = |part: &str| !part.is_empty() && part.bytes().all(|c| c.is_ascii_digit());
    let mut words = text.lines().next()?.split_whitespace();
    words.find(|word| word.contains('.') && word.split('.').all(number))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_modules() {
        let closed = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 UTC 2023\nGCC version:  gcc version 11.4.0\n";
        assert_eq!(of_module(closed), Some("535.104.05"));
        let open = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  575.57.08  Release Build  (dvs-builder@U22)\n";
        assert_eq!(of_module(open), Some("575.57.08"));
        assert_eq!(of_module("NVRM version: unknown."), None);
        assert_eq!(of_module(""), None);
    }
}

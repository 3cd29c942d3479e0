//! GPUs, through the CUDA driver: whether it is there, and what it says of its devices.
//!
//! `cudarc` loads the driver when it is first called and panics where there is none. So everything
//! here, and in whoever calls it, asks [`driver`] first.

#[cfg(feature = "measure")]
mod buffer;
#[cfg(feature = "measure")]
mod clocks;
mod facts;
mod host;
mod launch;
#[cfg(feature = "measure")]
mod loaded;
#[cfg(feature = "measure")]
mod look;
#[cfg(feature = "measure")]
mod measure;
#[cfg(feature = "measure")]
mod pages;
mod tensor;
mod version;

use cudarc::driver::DriverError;
use cudarc::driver::result;
use std::sync::OnceLock;

pub use facts::{address, facts};
pub use host::HostFunction;
pub use launch::launch;
#[cfg(feature = "measure")]
pub use measure::Cuda;
pub use tensor::TensorMap;
pub use version::version;

/// The driver's library, by the names that it has.
const LIBRARIES: &[&str] = if cfg!(windows) {
    &["nvcuda.dll"]
} else {
    &["libcuda.so.1", "libcuda.so"]
};

/// What `cudarc` calls on the way of a launch: it panics where the driver has no function of that name.
const FUNCTIONS: &[&str] = &[
    "cuCtxGetCurrent",
    "cuCtxSetCurrent",
    "cuCtxSynchronize",
    "cuDeviceGet",
    "cuDeviceGetAttribute",
    "cuDeviceGetCount",
    "cuDeviceGetName",
    "cuDevicePrimaryCtxRelease_v2",
    "cuDevicePrimaryCtxRetain",
    "cuDriverGetVersion",
    "cuEventCreate",
    "cuEventDestroy_v2",
    "cuEventElapsedTime",
    "cuEventQuery",
    "cuEventRecord",
    "cuEventSynchronize",
    "cuFuncGetAttribute",
    "cuFuncSetAttribute",
    "cuGetErrorName",
    "cuGetErrorString",
    "cuInit",
    "cuLaunchKernel",
    "cuMemAllocAsync",
    "cuMemAlloc_v2",
    "cuMemFreeAsync",
    "cuMemFree_v2",
    "cuMemcpyHtoDAsync_v2",
    "cuModuleGetFunction",
    "cuModuleGetGlobal_v2",
    "cuModuleLoadData",
    "cuModuleUnload",
    "cuStreamIsCapturing",
    "cuStreamSynchronize",
    "cuStreamWaitEvent",
    "cuThreadExchangeStreamCaptureMode",
];

/// Loads and starts the driver, once per process.
///
/// # Errors
///
/// It is not installed, or finds no device: what was looked for and what it said, for people.
pub fn driver() -> Result<(), String> {
    static DRIVER: OnceLock<Result<(), String>> = OnceLock::new();
    DRIVER.get_or_init(start).clone()
}

fn start() -> Result<(), String> {
    let library = LIBRARIES.iter().find_map(|name| {
        // SAFETY: loading NVIDIA's driver runs its initialisers, which any CUDA program does.
        unsafe { libloading::Library::new(*name) }.ok()
    });
    let Some(library) = library else {
        return Err(format!(
            "the NVIDIA driver is not there (looked for {})",
            LIBRARIES.join(" and ")
        ));
    };
    // SAFETY: the functions are not called, only looked for.
    let has = |name: &str| unsafe { library.get::<*const ()>(name) }.is_ok();
    let lacks = FUNCTIONS.iter().find(|name| !has(name));
    // The driver cannot be unloaded; cudarc opens the same one again.
    std::mem::forget(library);
    if let Some(name) = lacks {
        return Err(format!(
            "the NVIDIA driver is too old: it has no {name}, install one for CUDA 12.0 or newer"
        ));
    }
    result::init().map_err(|error| format!("the NVIDIA driver does not start: {}", text(error)))?;
    match result::device::get_count() {
        Ok(1..) => Ok(()),
        Ok(_) => Err("the NVIDIA driver finds no GPU".to_string()),
        Err(error) => Err(format!(
            "the NVIDIA driver does not say how many GPUs there are: {}",
            text(error)
        )),
    }
}

/// GPUs that this process sees (`CUDA_VISIBLE_DEVICES` hides some).
///
/// # Errors
///
/// As [`driver`].
pub fn count() -> Result<usize, String> {
    driver()?;
    let count = result::device::get_count().map_err(text)?;
    Ok(usize::try_from(count).unwrap_or(0))
}

/// `CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered`
pub fn text(error: DriverError) -> String {
    let say = |text: Result<&std::ffi::CStr, DriverError>| {
        text.map(|text| text.to_string_lossy().into_owned()).ok()
    };
    match (say(error.error_name()), say(error.error_string())) {
        (Some(name), Some(text)) => format!("{name}: {text}"),
        (Some(name), None) => name,
        _ => format!("CUDA error {}", error.0 as u32),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_driver_it_says_what_was_looked_for() {
        // On a machine with a GPU there is nothing to say.
        if let Err(error) = driver() {
            assert!(error.contains("NVIDIA driver"), "{error}");
            assert_eq!(count(), Err(error.clone()));
            assert_eq!(facts(0), Err(error));
        }
    }
}

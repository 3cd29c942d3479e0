//! Launches of kernels, in clusters of blocks and ahead of time where that is asked for.

use bico_core::device::Dims;
use cudarc::driver::sys::{CUfunction, CUlaunchConfig, CUstream, cuLaunchKernelEx};
use cudarc::driver::{DriverError, result};
use std::ffi::c_void;
use std::ptr::{from_ref, null_mut};

/// `CUlaunchConfig` of CUDA 12, whose attributes cudarc spells otherwise with each version.
#[repr(C)]
struct Config {
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    stream: CUstream,
    attributes: *const Attribute,
    count: u32,
}

/// `CUlaunchAttribute`: a union of 64 bytes behind its kind, of which a cluster takes the first 12, and what is allowed or not the
/// first 4.
#[repr(C, align(8))]
struct Attribute {
    kind: u32,
    unused: u32,
    value: [u32; 3],
    rest: [u32; 13],
}

/// `CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION`
const CLUSTER: u32 = 4;
/// `CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION`
const DEPENDENT: u32 = 6;

/// Launches a kernel.
///
/// # Safety
///
/// The function is loaded in this thread's context, which is the stream's, and each parameter points to what the kernel gets.
///
/// # Errors
///
/// What the driver says.
#[inline(always)]
pub unsafe fn launch(
    function: CUfunction,
    dims: &Dims,
    stream: CUstream,
    parameters: &mut [*mut c_void],
) -> Result<(), DriverError> {
    if dims.cluster != [1; 3] || dims.dependent {
        // SAFETY: the caller's promise.
        return unsafe { with_attributes(function, dims, stream, parameters) };
    }
    let (grid, block) = (dims.grid.into(), dims.block.into());
    // SAFETY: the caller's promise.
    unsafe { result::launch_kernel(function, grid, block, dims.shared, stream, parameters) }
}

/// # Safety
///
/// That of [`launch`].
#[inline(never)]
unsafe fn with_attributes(
    function: CUfunction,
    dims: &Dims,
    stream: CUstream,
    parameters: &mut [*mut c_void],
) -> Result<(), DriverError> {
    let attribute = |kind: u32, value: [u32; 3]| Attribute {
        kind,
        unused: 0,
        value,
        rest: [0; 13],
    };
    let all = [
        attribute(CLUSTER, dims.cluster),
        attribute(DEPENDENT, [1, 0, 0]),
    ];
    // Where blocks form no clusters, nothing is said of them.
    let attributes = match (dims.cluster != [1; 3], dims.dependent) {
        (true, true) => &all[..],
        (true, false) => &all[..1],
        (false, _) => &all[1..],
    };
    let config = Config {
        grid: dims.grid,
        block: dims.block,
        shared: dims.shared,
        stream,
        attributes: attributes.as_ptr(),
        count: attributes.len() as u32,
    };
    let config: *const CUlaunchConfig = from_ref(&config).cast();
    // SAFETY: the structures are laid out as the driver's and live until it returns; the rest is the caller's promise.
    unsafe { cuLaunchKernelEx(config, function, parameters.as_mut_ptr(), null_mut()) }.result()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cudarc::driver::sys::{CUlaunchAttribute, CUlaunchAttributeID as Id};

    #[test]
    fn structures_are_those_of_the_driver() {
        assert_eq!(size_of::<Config>(), size_of::<CUlaunchConfig>());
        assert_eq!(align_of::<Config>(), align_of::<CUlaunchConfig>());
        assert_eq!(size_of::<Attribute>(), size_of::<CUlaunchAttribute>());
        assert_eq!(align_of::<Attribute>(), align_of::<CUlaunchAttribute>());
        assert_eq!(CLUSTER, Id::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION as u32);
        let dependent = Id::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
        assert_eq!(DEPENDENT, dependent as u32);
    }
}

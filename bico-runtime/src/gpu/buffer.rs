//! The wrapper's arguments as a launch takes them.

use crate::{Error, Result};
use cudarc::driver::sys::CUdeviceptr;
use cudarc::driver::{CudaStream, DevicePtr, DevicePtrMut, DeviceSlice, SyncOnDrop};
use std::ffi::c_void;
use std::sync::Arc;

/// An address on the GPU and, until it is dropped after the launch, what keeps other streams from
/// reading or writing there at the same time: cudarc's own tracking.
pub type Pointer<'a> = (CUdeviceptr, SyncOnDrop<'a>);

/// The wrapper's stream, by its type.
#[inline(always)]
pub fn stream(stream: &Arc<CudaStream>) -> &Arc<CudaStream> {
    stream
}

/// Elements of a buffer. `BYTES` are those of one, as the build took them to be.
#[inline(always)]
pub fn len<T, B: DeviceSlice<T>, const BYTES: usize>(buffer: &B) -> usize {
    const {
        assert!(
            size_of::<T>() == BYTES,
            "an element of another size than its name says"
        )
    };
    buffer.len()
}

/// Whether a buffer belongs to the stream's context.
#[inline(always)]
pub fn here<T, B: DeviceSlice<T>>(
    function: &'static str,
    argument: &'static str,
    buffer: &B,
    stream: &Arc<CudaStream>,
) -> Result<()> {
    let (of, on) = (buffer.stream().context(), stream.context());
    if Arc::ptr_eq(of, on) || of == on {
        return Ok(());
    }
    Err(Error::OtherDevice {
        function,
        argument,
        buffer: of.ordinal(),
        stream: on.ordinal(),
    })
}

/// A buffer that the kernel reads.
#[inline(always)]
pub fn input<'a, T, B: DevicePtr<T>>(buffer: &'a B, stream: &'a CudaStream) -> Pointer<'a> {
    buffer.device_ptr(stream)
}

/// A buffer that the kernel writes.
#[inline(always)]
pub fn output<'a, T, B: DevicePtrMut<T>>(buffer: &'a mut B, stream: &'a CudaStream) -> Pointer<'a> {
    buffer.device_ptr_mut(stream)
}

/// A parameter of the kernel: the driver copies it during the launch.
#[inline(always)]
pub fn parameter<T: Copy>(value: &T) -> *mut c_void {
    std::ptr::from_ref(value).cast_mut().cast()
}

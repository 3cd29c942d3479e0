//! Memory of a GPU that bico owns: the `scratch(..)` of CUDA kernels.
//!
//! Each thread keeps one set per stream and grows it, so that a call allocates only when it needs more
//! than any call before. What a stream runs comes in order, so kernels of one stream share a set; only
//! the thread that launches them touches it, so that nobody frees what a launch is about to use.
//! Contents are whatever the last kernel left.

use crate::device::cuda;
use crate::error::DriverFailure;
use crate::{Error, Result};
use cudarc::driver::sys::{CUdeviceptr, CUresult};
use cudarc::driver::{CudaSlice, CudaStream, DevicePtrMut, DriverError};
use std::cell::Cell;
use std::sync::Arc;

/// The buffers of one stream, by their position in a tunable's list.
struct Set {
    /// Keeps the stream, so that its handle means no other.
    stream: Arc<CudaStream>,
    buffers: Vec<Option<CudaSlice<u8>>>,
}

thread_local! {
    static POOL: Cell<Vec<Set>> = const { Cell::new(Vec::new()) };
}

/// The scratch buffers of one call, to be kept until after its launch.
pub struct Scratch {
    pool: Vec<Set>,
    set: usize,
}

impl Scratch {
    /// Buffers of at least each of the given `(elements, bytes of one)`, for a launch on `stream`.
    ///
    /// # Errors
    ///
    /// [`Error::Scratch`] where there is no memory.
    pub fn new<const K: usize>(
        tunable: &'static str,
        stream: &Arc<CudaStream>,
        sizes: [(i64, usize); K],
    ) -> Result<Scratch> {
        let pool = POOL.try_with(Cell::take).unwrap_or_default();
        let mut scratch = Scratch { pool, set: 0 };
        scratch.set = scratch.find(stream);
        let set = &mut scratch.pool[scratch.set];
        if set.buffers.len() < K {
            set.buffers.resize_with(K, || None);
        }
        for (buffer, (elements, element)) in set.buffers.iter_mut().zip(sizes) {
            let bytes = usize::try_from(elements).ok();
            let bytes = bytes.and_then(|n| n.checked_mul(element));
            let bytes = bytes.ok_or(Error::Scratch {
                tunable,
                bytes: None,
            })?;
            // Every buffer has an address, whatever its length.
            let bytes = bytes.max(1);
            if buffer.as_ref().is_none_or(|buffer| buffer.len() < bytes) {
                // Freed on its stream, behind all that uses it.
                *buffer = None;
                // SAFETY: kernels take its contents for unset.
                let made = unsafe { stream.alloc::<u8>(bytes) };
                *buffer = Some(made.map_err(|error| refused(tunable, bytes, error))?);
            }
        }
        Ok(scratch)
    }

    /// The address of a buffer.
    pub fn address(&mut self, at: usize) -> CUdeviceptr {
        let Set { stream, buffers } = &mut self.pool[self.set];
        let buffer = buffers.get_mut(at).and_then(Option::as_mut);
        // Only its own stream uses it: there is nothing to wait for, and nothing to record.
        buffer.map_or(0, |buffer| buffer.device_ptr_mut(stream).0)
    }

    fn find(&mut self, stream: &Arc<CudaStream>) -> usize {
        let same = |set: &Set| *set.stream == **stream;
        if let Some(at) = self.pool.iter().position(same) {
            return at;
        }
        // Streams that nobody else has any more end here; their memory is freed on them.
        self.pool.retain(|set| {
            let buffers = set.buffers.iter().flatten().count();
            Arc::strong_count(&set.stream) > 1 + buffers
        });
        self.pool.push(Set {
            stream: stream.clone(),
            buffers: Vec::new(),
        });
        self.pool.len() - 1
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A thread that is ending has no pool: the buffers end with it.
        let pool = std::mem::take(&mut self.pool);
        let _ = POOL.try_with(|place| place.set(pool));
    }
}

fn refused(tunable: &'static str, bytes: usize, error: DriverError) -> Error {
    if error.0 == CUresult::CUDA_ERROR_OUT_OF_MEMORY {
        return Error::Scratch {
            tunable,
            bytes: Some(bytes),
        };
    }
    Error::Driver(Box::new(DriverFailure {
        tunable,
        what: format!("allocating {bytes} bytes of scratch"),
        code: error.0 as u32,
        error: cuda::text(error),
    }))
}

//! Memory of a GPU that bico owns: the `scratch(..)` of CUDA kernels.
//!
//! Each thread keeps one set per stream and grows it, so that a call allocates only when it needs more
//! than any call before. What a stream runs comes in order, so kernels of one stream share a set; only
//! the thread that launches them touches it, so that nobody frees what a launch is about to use.
//! Contents are whatever the last kernel left, but for buffers that are `zeroed`: they are zeros when they are
//! made, every kernel leaves them so, and each belongs to one tunable.
//!
//! A CUDA graph keeps the addresses that its capture saw, and may be launched as long as the program lives: what a
//! captured call used is never freed. While a capture is under way nothing is allocated either, for then it would
//! belong to the graph, which frees it.

use super::clock;
use super::launch::failure;
use crate::scratch::{Buffers, Owner, Wanted};
use crate::{Error, Result};
use cudarc::driver::sys::{CUdeviceptr, CUresult};
use cudarc::driver::{CudaSlice, CudaStream, DevicePtrMut, DriverError};
use std::cell::Cell;
use std::sync::Arc;

/// One stream.
struct Set {
    /// Keeps the stream, so that its handle means no other.
    stream: Arc<CudaStream>,
    buffers: Buffers<Option<CudaSlice<u8>>>,
    /// Whether a graph may hold their addresses.
    captured: bool,
}

impl Drop for Set {
    fn drop(&mut self) {
        if self.captured {
            self.buffers.all_mut().for_each(give_up);
        }
    }
}

/// Forgets a buffer that a graph may hold.
fn give_up(buffer: &mut Option<CudaSlice<u8>>) {
    std::mem::forget(buffer.take());
}

thread_local! {
    static POOL: Cell<Vec<Set>> = const { Cell::new(Vec::new()) };
}

/// The scratch buffers of one call, to be kept until after its launch.
pub struct Scratch {
    pool: Vec<Set>,
    set: usize,
    owner: Owner,
}

impl Scratch {
    /// Buffers of at least each of the given sizes, for a launch on `stream`.
    ///
    /// # Errors
    ///
    /// [`Error::Scratch`] where there is no memory, [`Error::ScratchInCapture`] where it would have to be allocated
    /// while the stream is captured.
    pub fn new<const K: usize>(
        owner: Owner,
        stream: &Arc<CudaStream>,
        wanted: [Wanted; K],
    ) -> Result<Scratch> {
        let pool = POOL.try_with(Cell::take).unwrap_or_default();
        let set = 0;
        let mut scratch = Scratch { pool, set, owner };
        scratch.set = scratch.find(stream);
        let set = &mut scratch.pool[scratch.set];
        let capturing = capturing(owner, stream)?;
        set.captured |= capturing;
        for (at, wanted) in wanted.into_iter().enumerate() {
            // Every buffer has an address, whatever its length.
            let bytes = wanted.bytes(owner)?.max(1);
            let buffer = set.buffers.of(owner, at, wanted.zeroed);
            if buffer.as_ref().is_none_or(|buffer| buffer.len() < bytes) {
                if capturing {
                    let tunable = owner.key;
                    return Err(Error::ScratchInCapture { tunable, bytes });
                }
                if set.captured {
                    give_up(buffer);
                }
                // Freed on its stream, behind all that uses it.
                *buffer = None;
                let made = match wanted.zeroed {
                    // Zeroed on its stream too, before the launch.
                    true => stream.alloc_zeros::<u8>(bytes),
                    // SAFETY: kernels take its contents for unset.
                    false => unsafe { stream.alloc::<u8>(bytes) },
                };
                *buffer = Some(made.map_err(|error| refused(owner, bytes, error))?);
            }
        }
        Ok(scratch)
    }

    /// The address of a buffer, by its position in the tunable's list.
    pub fn address(&mut self, at: usize) -> CUdeviceptr {
        self.address_of(at, false)
    }

    /// The address of a zeroed buffer.
    pub fn zeroed(&mut self, at: usize) -> CUdeviceptr {
        self.address_of(at, true)
    }

    fn address_of(&mut self, at: usize, zeroed: bool) -> CUdeviceptr {
        let set = &mut self.pool[self.set];
        let buffer = set.buffers.of(self.owner, at, zeroed).as_mut();
        // Only its own stream uses a buffer: there is nothing to wait for, and nothing to record.
        buffer.map_or(0, |buffer| buffer.device_ptr_mut(&set.stream).0)
    }

    fn find(&mut self, stream: &Arc<CudaStream>) -> usize {
        let same = |set: &Set| *set.stream == **stream;
        if let Some(at) = self.pool.iter().position(same) {
            return at;
        }
        // Streams that nobody else has any more end here; their memory is freed on them.
        self.pool.retain(|set| {
            let own = set.buffers.all().flatten().count();
            Arc::strong_count(&set.stream) > 1 + own
        });
        self.pool.push(Set {
            stream: stream.clone(),
            buffers: Buffers::NEW,
            captured: false,
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

/// Whether the stream is captured. A context's default stream, whose handle is null, cannot be.
pub(super) fn capturing(owner: Owner, stream: &CudaStream) -> Result<bool> {
    if stream.cu_stream().is_null() {
        return Ok(false);
    }
    let bound = stream.context().bind_to_thread();
    bound.map_err(|error| failure(owner.key, "a call".to_string(), error))?;
    Ok(clock::is_captured(stream))
}

fn refused(owner: Owner, bytes: usize, error: DriverError) -> Error {
    if error.0 == CUresult::CUDA_ERROR_OUT_OF_MEMORY {
        return owner.no_memory(Some(bytes));
    }
    failure(
        owner.key,
        format!("allocating {bytes} bytes of scratch"),
        error,
    )
}

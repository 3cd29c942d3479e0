//! Memory of a GPU that bico owns: the `scratch(..)` of CUDA kernels.
//!
//! Each thread keeps one set per stream and grows it, so that a call allocates only when it needs more
//! than any call before. What a stream runs comes in order, so kernels of one stream share a set; only
//! the thread that launches them touches it, so that nobody frees what a launch is about to use.
//! Contents are whatever the last kernel left, but for buffers that are `zeroed`: they are zeros when they are
//! made, every kernel leaves them so, and each belongs to one tunable.

use crate::error::DriverFailure;
use crate::scratch::{Owner, Wanted};
use crate::{Error, Result};
use bico_device::cuda;
use cudarc::driver::sys::{CUdeviceptr, CUresult};
use cudarc::driver::{CudaSlice, CudaStream, DevicePtrMut, DriverError};
use std::cell::Cell;
use std::sync::Arc;

/// One stream.
struct Set {
    /// Keeps the stream, so that its handle means no other.
    stream: Arc<CudaStream>,
    buffers: Buffers,
}

#[derive(Default)]
struct Buffers {
    /// By their position in a tunable's list, for all tunables.
    shared: Vec<Option<CudaSlice<u8>>>,
    zeroed: Vec<Zeroed>,
}

/// A zeroed buffer of a tunable.
struct Zeroed {
    /// The address of the tunable.
    owner: usize,
    /// Its position in the tunable's list.
    at: usize,
    buffer: Option<CudaSlice<u8>>,
}

impl Buffers {
    fn shared(&mut self, at: usize) -> &mut Option<CudaSlice<u8>> {
        if self.shared.len() <= at {
            self.shared.resize_with(at + 1, || None);
        }
        &mut self.shared[at]
    }

    fn zeroed(&mut self, owner: Owner, at: usize) -> &mut Option<CudaSlice<u8>> {
        let mut known = self.zeroed.iter();
        let place = known.position(|zeroed| zeroed.owner == owner.address && zeroed.at == at);
        let place = place.unwrap_or_else(|| {
            self.zeroed.push(Zeroed {
                owner: owner.address,
                at,
                buffer: None,
            });
            self.zeroed.len() - 1
        });
        &mut self.zeroed[place].buffer
    }

    /// How many there are.
    fn count(&self) -> usize {
        let zeroed = self.zeroed.iter().map(|zeroed| &zeroed.buffer);
        self.shared.iter().chain(zeroed).flatten().count()
    }
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
    /// [`Error::Scratch`] where there is no memory.
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
        for (at, wanted) in wanted.into_iter().enumerate() {
            // Every buffer has an address, whatever its length.
            let bytes = wanted.bytes(owner)?.max(1);
            let buffer = match wanted.zeroed {
                true => set.buffers.zeroed(owner, at),
                false => set.buffers.shared(at),
            };
            if buffer.as_ref().is_none_or(|buffer| buffer.len() < bytes) {
                // Freed on its stream, behind all that uses it.
                *buffer = None;
                let made = match wanted.zeroed {
                    // Zeroed on its stream too, before the launch.
                    true => stream.alloc_zeros::<u8>(bytes),
                    // SAFETY: kernels take its contents for unset.
                    false => unsafe { stream.alloc::<u8>(bytes) },
                };
                *buffer = Some(made.map_err(|error| refused(owner.key, bytes, error))?);
            }
        }
        Ok(scratch)
    }

    /// The address of a buffer, by its position in the tunable's list.
    pub fn address(&mut self, at: usize) -> CUdeviceptr {
        let Set { stream, buffers } = &mut self.pool[self.set];
        address(buffers.shared(at), stream)
    }

    /// The address of a zeroed buffer.
    pub fn zeroed(&mut self, at: usize) -> CUdeviceptr {
        let Set { stream, buffers } = &mut self.pool[self.set];
        address(buffers.zeroed(self.owner, at), stream)
    }

    fn find(&mut self, stream: &Arc<CudaStream>) -> usize {
        let same = |set: &Set| *set.stream == **stream;
        if let Some(at) = self.pool.iter().position(same) {
            return at;
        }
        // Streams that nobody else has any more end here; their memory is freed on them.
        self.pool
            .retain(|set| Arc::strong_count(&set.stream) > 1 + set.buffers.count());
        self.pool.push(Set {
            stream: stream.clone(),
            buffers: Buffers::default(),
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

/// Only its own stream uses a buffer: there is nothing to wait for, and nothing to record.
fn address(buffer: &mut Option<CudaSlice<u8>>, stream: &CudaStream) -> CUdeviceptr {
    let buffer = buffer.as_mut();
    buffer.map_or(0, |buffer| buffer.device_ptr_mut(stream).0)
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

//! What is captured of a launch: its time, and what its buffers hold.

use super::clock::is_captured;
use crate::capture::{Clock, Number, Sampled};
use cudarc::driver::{CudaStream, DevicePtr, DeviceRepr};
use std::marker::PhantomData;
use std::sync::Arc;

/// A captured call begins: what the stream did before is none of its time. One that goes into a graph has none.
pub fn start_clock(stream: &CudaStream) -> Clock {
    Clock::start_after(|| waited(stream))
}

/// It is over.
pub fn stop_clock(clock: &mut Clock, stream: &CudaStream) {
    if clock.is_running() {
        waited(stream);
        clock.stop();
    }
}

/// A stream has done all that it was given, or cannot be waited for. The launch says what is wrong with it.
fn waited(stream: &CudaStream) {
    let _ = stream.context().bind_to_thread();
    if !is_captured(stream) {
        let _ = stream.synchronize();
    }
}

/// A buffer on a GPU that can be kept.
pub struct Held<'a, T, B> {
    buffer: &'a B,
    stream: &'a Arc<CudaStream>,
    of: PhantomData<T>,
}

/// A buffer that a kernel reads.
pub fn held<'a, T, B: DevicePtr<T>>(buffer: &'a B, stream: &'a Arc<CudaStream>) -> Held<'a, T, B> {
    Held {
        buffer,
        stream,
        of: PhantomData,
    }
}

impl<T: Number + DeviceRepr, B: DevicePtr<T>> Sampled for Held<'_, T, B> {
    fn bytes(&self) -> usize {
        self.buffer.len() * size_of::<T>()
    }

    fn array(&self) -> Option<Vec<u8>> {
        // A graph is no place to wait in.
        if is_captured(self.stream) {
            return None;
        }
        let elements = self.stream.clone_dtoh(self.buffer).ok()?;
        self.stream.synchronize().ok()?;
        elements.as_slice().array()
    }
}

//! What a GPU finds in buffers where they lie.

use super::Cuda;
use crate::cuda::look::Look;
use crate::cuda::text;
use crate::measure::{Buffer, Exactness, Format, Looks};
use cudarc::driver::result;
use cudarc::driver::sys::CUdeviceptr;

impl Cuda {
    fn look(&self) -> Result<&Look, String> {
        let missing = || "the GPU does not look into buffers".to_string();
        self.look.as_ref().ok_or_else(missing)
    }

    /// Where two buffers lie, and how long each of them is.
    fn both(&self, a: Buffer, b: Buffer) -> Result<(CUdeviceptr, CUdeviceptr, usize), String> {
        let (a, b) = (self.buffers.peek(a.0)?, self.buffers.peek(b.0)?);
        match a.len == b.len {
            true => Ok((a.address(), b.address(), a.len)),
            false => Err(format!(
                "one buffer has {} bytes, the other one {}",
                a.len, b.len
            )),
        }
    }
}

impl Looks for Cuda {
    fn copy(&self, from: Buffer, to: Buffer) -> Result<(), String> {
        let (from, to, len) = self.both(from, to)?;
        if len == 0 {
            return Ok(());
        }
        // SAFETY: both are as long, of this context, and live until the stream is through.
        unsafe { result::memcpy_dtod_async(to, from, len, self.stream) }.map_err(text)
    }

    fn differ(&self, a: Buffer, b: Buffer) -> Result<bool, String> {
        let (a, b, len) = self.both(a, b)?;
        self.look()?.differ(a, b, len)
    }

    fn holds(&self, buffer: Buffer, element: &[u8]) -> Result<bool, String> {
        let guarded = self.buffers.peek(buffer.0)?;
        let mut word = [0; 8];
        let size = element.len().clamp(1, word.len());
        word[..size].copy_from_slice(&element[..size]);
        let count = guarded.len / size;
        let word = u64::from_le_bytes(word);
        self.look()?
            .holds(guarded.address(), count as u64, size, word)
    }

    fn far(&self, got: Buffer, want: Buffer, exactness: &Exactness) -> Result<bool, String> {
        let (got, want, len) = self.both(got, want)?;
        let size = match exactness.format {
            Format::F16 | Format::Bf16 => 2,
            Format::F32 => 4,
            Format::F64 => 8,
        };
        self.look()?.far(got, want, (len / size) as u64, exactness)
    }
}

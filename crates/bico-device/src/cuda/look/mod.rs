//! Questions about buffers that a GPU answers where they lie: to copy them and to compare them on the host takes hundreds of times as
//! long (an H200 verified a product of 4096^3 in 250 ms that it computes in 0.2 ms).
//!
//! The kernels are `look.cu`, here as PTX for any GPU, which the driver compiles within milliseconds. Where it does not, nothing is
//! answered and the host looks.

use super::text;
use crate::measure::{Exactness, Format};
use bico_core::Lists;
use cudarc::driver::result;
use cudarc::driver::result::module;
use cudarc::driver::sys::{CUdeviceptr, CUfunction, CUmodule, CUstream};
use std::ffi::{CStr, c_void};

/// Compiled by NVRTC 12.9, with an older version of PTX, which all drivers know.
const PTX: &str = concat!(include_str!("look.ptx"), "\0");

/// Threads of a block, elements of each at least, and blocks at most.
const THREADS: u32 = 256;
const EACH: u64 = 16;
const MOST_BLOCKS: u64 = 4096;

/// The kernels, and where they answer.
pub(super) struct Look {
    module: CUmodule,
    differ: CUfunction,
    holds: CUfunction,
    far: CUfunction,
    found: CUdeviceptr,
    stream: CUstream,
}

impl Look {
    /// In the context of this thread; `None` where the driver takes none of it.
    pub(super) fn new(stream: CUstream) -> Option<Look> {
        // SAFETY: `PTX` is a whole text with a NUL behind, and the driver copies it.
        let module = unsafe { module::load_data(PTX.as_ptr().cast()) }.ok()?;
        let find = |name: &CStr| {
            // SAFETY: the module is loaded.
            unsafe { module::get_function(module, name.to_owned()) }
        };
        let found = || {
            let functions = (
                find(c"bico_differ")?,
                find(c"bico_holds")?,
                find(c"bico_far")?,
            );
            // SAFETY: the size is not 0.
            Ok::<_, cudarc::driver::DriverError>((functions, unsafe { result::malloc_sync(4) }?))
        };
        match found() {
            Ok(((differ, holds, far), found)) => Some(Look {
                module,
                differ,
                holds,
                far,
                found,
                stream,
            }),
            Err(_) => {
                // SAFETY: nothing of it is used.
                let _ = unsafe { module::unload(module) };
                None
            }
        }
    }

    /// While the context lives and is this thread's.
    pub(super) fn unload(&self) {
        // SAFETY: nothing uses them any more.
        unsafe {
            let _ = result::free_sync(self.found);
            let _ = module::unload(self.module);
        }
    }

    /// Whether two pieces of memory of so many bytes differ.
    pub(super) fn differ(
        &self,
        a: CUdeviceptr,
        b: CUdeviceptr,
        bytes: usize,
    ) -> Result<bool, String> {
        self.ask(self.differ, bytes as u64 / 8, &mut [a, b, bytes as u64])
    }

    /// Whether one of so many words of `size` bytes, 2, 4 or 8, is this one.
    pub(super) fn holds(
        &self,
        at: CUdeviceptr,
        count: u64,
        size: usize,
        word: u64,
    ) -> Result<bool, String> {
        self.ask(self.holds, count, &mut [at, count, size as u64, word])
    }

    /// Whether one of so many results is further from what it must be than is allowed.
    pub(super) fn far(
        &self,
        got: CUdeviceptr,
        want: CUdeviceptr,
        count: u64,
        exactness: &Exactness,
    ) -> Result<bool, String> {
        let format = match exactness.format {
            Format::F16 => 0,
            Format::Bf16 => 1,
            Format::F32 => 2,
            Format::F64 => 3,
        };
        let (rtol, atol) = (exactness.rtol.to_bits(), exactness.atol.to_bits());
        let finite = u64::from(exactness.finite);
        self.ask(
            self.far,
            count,
            &mut [got, want, count, format, rtol, atol, finite],
        )
    }

    /// What a kernel finds among so many elements. All of its parameters take 8 bytes.
    fn ask(&self, kernel: CUfunction, count: u64, words: &mut [u64]) -> Result<bool, String> {
        let mut answer = self.found;
        let mut parameters = words
            .iter_mut()
            .chain([&mut answer])
            .map(|word| std::ptr::from_mut(word).cast::<c_void>())
            .collect_vec();
        let threads = u64::from(THREADS);
        let blocks = count.div_ceil(threads * EACH).clamp(1, MOST_BLOCKS) as u32;
        let mut found = [0_u32];
        // SAFETY: the kernel is of the stream's context and takes these parameters, which point to memory of the buffers that are
        // asked about, as long as is said; `found` lives until the stream is through.
        unsafe {
            result::memset_d8_async(self.found, 0, 4, self.stream).map_err(text)?;
            result::launch_kernel(
                kernel,
                (blocks, 1, 1),
                (THREADS, 1, 1),
                0,
                self.stream,
                &mut parameters,
            )
            .map_err(text)?;
            result::memcpy_dtoh_async(&mut found, self.found, self.stream).map_err(text)?;
            result::stream::synchronize(self.stream).map_err(text)?;
        }
        Ok(found[0] != 0)
    }
}

/// Fills memory with a pattern, again and again from its start, without the host; false where that is not possible.
pub(super) fn fill(
    at: CUdeviceptr,
    bytes: usize,
    pattern: [u8; 8],
    stream: CUstream,
) -> Result<bool, String> {
    let word = u32::from_ne_bytes([pattern[0], pattern[1], pattern[2], pattern[3]]);
    let is_one_word = pattern[..4] == pattern[4..];
    if !is_one_word || !at.is_multiple_of(4) || !bytes.is_multiple_of(4) {
        return Ok(false);
    }
    // SAFETY: the caller owns as many bytes at `at`.
    let filled =
        unsafe { cudarc::driver::sys::cuMemsetD32Async(at, word, bytes / 4, stream) }.result();
    filled.map(|()| true).map_err(text)
}

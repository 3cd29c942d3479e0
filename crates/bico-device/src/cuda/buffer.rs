//! Memory of a GPU between two guard zones.

use super::text;
use crate::measure::{Bytes, Violation};
use cudarc::driver::result;
use cudarc::driver::sys::{CUdeviceptr, CUstream};

/// Bytes of each guard zone: more than a row of most tiles, and a multiple of every alignment.
pub(super) const GUARD: usize = 16 << 10;

/// As in the CPU's guard zones: no NaN, and no size at which `+= 1` rounds to nothing.
const CANARY: u32 = 0x3f9d_3f9d;

/// A buffer. Whoever owns it frees it, while its context lives and is the thread's own.
pub(super) struct Guarded {
    base: CUdeviceptr,
    pub(super) len: usize,
}

impl Guarded {
    pub(super) fn new(len: usize, stream: CUstream) -> Result<Guarded, String> {
        let whole = len
            .div_ceil(4)
            .checked_mul(4)
            .and_then(|len| len.checked_add(2 * GUARD));
        let failed = |why: String| format!("{len} bytes of GPU memory could not be had: {why}");
        let whole = whole.ok_or_else(|| failed("too many".to_string()))?;
        // SAFETY: the size is not 0; the context is bound by whoever calls.
        let base = unsafe { result::malloc_sync(whole) }.map_err(|error| failed(text(error)))?;
        let guarded = Guarded { base, len };
        let made = guarded.repair(stream);
        match made {
            Ok(()) => Ok(guarded),
            Err(error) => {
                guarded.free();
                Err(failed(error))
            }
        }
    }

    pub(super) fn free(&self) {
        // SAFETY: it came from `malloc_sync`, and its owner frees it once. Where the context is
        // broken this fails, and the worker ends soon.
        let _ = unsafe { result::free_sync(self.base) };
    }

    /// Where the data begin.
    pub(super) fn address(&self) -> CUdeviceptr {
        self.base + GUARD as u64
    }

    /// The zones: offset from the start of the data, address. The last one begins right behind the
    /// data, so it is a little longer where their length is no multiple of four.
    fn zones(&self) -> [(i64, CUdeviceptr, usize); 2] {
        let behind = self.len.div_ceil(4) * 4 - self.len + GUARD;
        [
            (-(GUARD as i64), self.base, GUARD),
            (self.len as i64, self.address() + self.len as u64, behind),
        ]
    }

    /// Makes both zones whole.
    fn repair(&self, stream: CUstream) -> Result<(), String> {
        for (from, address, len) in self.zones() {
            write(address, &pattern(from, len), stream)?;
        }
        Ok(())
    }

    /// The first byte outside the data that changed; the zones are whole again afterwards.
    pub(super) fn violation(&self, stream: CUstream) -> Result<Option<Violation>, String> {
        let mut found = None;
        for (from, address, len) in self.zones() {
            let now = read(address, len, stream)?;
            let whole = pattern(from, len);
            if now.as_slice() != whole {
                let mut pairs = now.as_slice().iter().zip(&whole);
                let at = pairs.position(|(now, whole)| now != whole).unwrap_or(0);
                found = found.or(Some(Violation {
                    offset: from + at as i64,
                }));
            }
        }
        if found.is_some() {
            self.repair(stream)?;
        }
        Ok(found)
    }
}

/// What a zone holds that begins at this offset from the data.
fn pattern(from: i64, len: usize) -> Vec<u8> {
    let canary = CANARY.to_ne_bytes();
    let start = from.rem_euclid(4) as usize;
    (start..start + len).map(|at| canary[at % 4]).collect()
}

/// Copies to the GPU. On the stream: what is launched there next sees it.
pub(super) fn write(to: CUdeviceptr, data: &[u8], stream: CUstream) -> Result<(), String> {
    if data.is_empty() {
        return Ok(());
    }
    // SAFETY: the caller owns as many bytes at `to`; `data` lives until the stream is through.
    unsafe {
        result::memcpy_htod_async(to, data, stream).map_err(text)?;
        result::stream::synchronize(stream).map_err(text)
    }
}

/// Copies from the GPU, behind all that the stream has to do.
pub(super) fn read(from: CUdeviceptr, len: usize, stream: CUstream) -> Result<Bytes, String> {
    let mut bytes = Bytes::zeroed(len);
    if len == 0 {
        return Ok(bytes);
    }
    // SAFETY: the caller owns as many bytes at `from`; `bytes` lives until the stream is through.
    unsafe {
        result::memcpy_dtoh_async(bytes.as_mut_slice(), from, stream).map_err(text)?;
        result::stream::synchronize(stream).map_err(text)?;
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pattern_goes_on_behind_odd_lengths() {
        let canary = CANARY.to_ne_bytes();
        assert_eq!(pattern(-16, 4), canary);
        assert_eq!(pattern(7, 1), [canary[3]]);
        assert_eq!(pattern(5, 4), [canary[1], canary[2], canary[3], canary[0]]);
    }
}

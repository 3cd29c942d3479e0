//! Memory of a GPU between two guard zones.

use super::pages::{Memory, Pages};
use super::text;
use crate::measure::{Bytes, Place, Violation};
use bico_core::Lists;
use cudarc::driver::result;
use cudarc::driver::sys::{CUdeviceptr, CUstream};

/// Bytes of each guard zone: more than a row of most tiles, and a multiple of every alignment.
pub(super) const GUARD: usize = 16 << 10;

/// As in the CPU's guard zones: no NaN, and no size at which `+= 1` rounds to nothing.
const CANARY: u32 = 0x3f9d_3f9d;

/// A buffer and its guard zones. Whoever owns it frees it, while its context lives and is the thread's own.
pub(super) struct Guarded {
    memory: Memory,
    /// Where the data begin in it.
    start: usize,
    pub(super) len: usize,
    alignment: usize,
}

impl Guarded {
    /// With `pages`, what lies outside its memory faults.
    pub(super) fn new(
        len: usize,
        alignment: usize,
        pages: Option<&Pages>,
        stream: CUstream,
    ) -> Result<Guarded, String> {
        let failed = |why: String| format!("{len} bytes of GPU memory could not be had: {why}");
        let whole = len.checked_add(2 * GUARD + alignment);
        let whole = whole.and_then(|whole| whole.checked_next_multiple_of(256));
        let whole = whole.ok_or_else(|| failed("too many".to_string()))?;
        let mut guarded = Guarded {
            memory: Memory::new(whole, pages).map_err(failed)?,
            start: 0,
            len,
            alignment,
        };
        match guarded.place(Place::Apart, stream) {
            Ok(()) => Ok(guarded),
            Err(error) => {
                guarded.free();
                Err(failed(error))
            }
        }
    }

    pub(super) fn free(&self) {
        self.memory.free();
    }

    /// Puts the data to a place; where no page can be forbidden, between zones.
    pub(super) fn place(&mut self, place: Place, stream: CUstream) -> Result<(), String> {
        let zone = match self.memory.has_fences() {
            true => 0,
            false => GUARD,
        };
        self.start = match place {
            Place::Apart => GUARD,
            Place::Start => zone,
            Place::End => (self.memory.len - zone - self.len) & !(self.alignment - 1),
        };
        self.repair(stream)
    }

    /// Where the data begin.
    pub(super) fn address(&self) -> CUdeviceptr {
        self.memory.start + self.start as u64
    }

    /// The zones: offset from the start of the data, address, bytes. None is longer than it must be: all of it is
    /// looked at behind each run.
    fn zones(&self) -> [(i64, CUdeviceptr, usize); 2] {
        let before = self.start.min(GUARD);
        let behind = (self.memory.len - self.start - self.len).min(GUARD + self.alignment);
        [
            (-(before as i64), self.address() - before as u64, before),
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
    (start..start + len).map(|at| canary[at % 4]).collect_vec()
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

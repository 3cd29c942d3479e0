//! The CPU as a device that kernels are measured on.
//!
//! A kernel comes as a shared object with one function `void entry(void *const *arguments)`, which
//! the build generates around the user's own: buffers as they are, scalars by their address.

use super::measure::{
    self, Argument, Buffer, Code, Contents, Device, Fence, Invocation, Lap, Place, Trespass,
    Violation,
};
use super::os;
use super::slots::Slots;
use bico_core::device::Facts;
use std::ffi::c_void;
use std::path::Path;
use std::time::Instant;

/// Bytes of each guard zone at least. Behind it lies a page that no write survives.
const GUARD: usize = 4096;

/// Buffers that lie apart are aligned to this at least: a cache line, and the widest vector.
const ALIGNMENT: usize = 64;

/// What guard zones hold: 1.23 as `f32`, 0.029 as `f64`. No NaN, which `y[i] += 1` leaves as it was, and
/// no size at which that rounds to nothing.
const CANARY: u32 = 0x3f9d_3f9d;

/// Cache of the second level where the facts do not say.
const TYPICAL_L2: usize = 1 << 20;

type Entry = unsafe extern "C" fn(*const *const c_void);

struct Loaded {
    entry: Entry,
    library: libloading::Library,
    /// Threads of the process before this was loaded.
    threads: usize,
}

/// A buffer and its guard zones: `pages` = zone, data, zone.
struct Guarded {
    pages: os::Pages,
    start: usize,
    len: usize,
    alignment: usize,
    read_only: bool,
}

/// This machine's CPU.
pub(crate) struct Cpu {
    facts: Facts,
    loaded: Slots<Loaded>,
    buffers: Slots<Guarded>,
    /// Streamed through to empty the caches.
    sweep: Vec<u8>,
    floats: os::FloatEnvironment,
}

impl Cpu {
    /// The CPU that this process runs on.
    pub(crate) fn new(facts: Facts) -> Cpu {
        let known = match &facts {
            Facts::Cpu(cpu) => cpu.l2_bytes,
            Facts::Cuda(_) => 0,
        };
        let l2 = usize::try_from(known).unwrap_or(0);
        let l2 = if l2 > 0 { l2 } else { TYPICAL_L2 };
        // Two halves, each as large as the second level: copying one to the other replaces all
        // that was in the first two. The third is shared by many cores and often larger than any
        // kernel's data; to sweep it as well would cost more than most kernels take.
        let sweep = vec![1; 2 * l2];
        Cpu {
            facts,
            loaded: Slots::new(),
            buffers: Slots::new(),
            sweep,
            floats: os::FloatEnvironment::now(),
        }
    }
}

impl Device for Cpu {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn load(
        &mut self,
        path: &Path,
        entries: &[String],
        _variables: &[String],
    ) -> Result<Code, String> {
        let [entry] = entries else {
            return Err("kernels of a CPU are called by one function".to_string());
        };
        let threads = os::threads();
        let library = os::open_library(path)?;
        // Objects built with -ffast-math switch denormals off for the thread that loads them.
        self.floats.restore();
        // SAFETY: the build generates this function with this type. It is used while `library` is kept.
        let entry = unsafe { library.get::<Entry>(entry).map(|symbol| *symbol) };
        let entry = entry.map_err(|error| error.to_string())?;
        Ok(Code(self.loaded.insert(Loaded {
            entry,
            library,
            threads,
        })))
    }

    fn unload(&mut self, code: Code) {
        let Some(loaded) = self.loaded.take(code.0) else {
            return;
        };
        // Threads that the kernel left behind may still be in its code.
        if os::threads() > loaded.threads {
            std::mem::forget(loaded.library);
        }
    }

    fn allocate(&mut self, bytes: usize, alignment: usize) -> Result<Buffer, String> {
        let failed =
            |error: std::io::Error| format!("{bytes} bytes could not be allocated: {error}");
        let whole = bytes
            .checked_add(2 * GUARD + alignment.max(ALIGNMENT))
            .ok_or_else(|| failed(std::io::ErrorKind::OutOfMemory.into()))?;
        let mut guarded = Guarded {
            pages: os::Pages::new(whole).map_err(failed)?,
            start: 0,
            len: bytes,
            alignment,
            read_only: false,
        };
        guarded.place(Place::Apart);
        Ok(Buffer(self.buffers.insert(guarded)))
    }

    fn free(&mut self, buffer: Buffer) {
        self.buffers.take(buffer.0);
    }

    fn write(&mut self, buffer: Buffer, data: &[u8]) -> Result<(), String> {
        let guarded = self.buffers.get(buffer.0)?;
        let (len, read_only) = (data.len().min(guarded.len), guarded.read_only);
        guarded.protect(false)?;
        guarded.data_mut()[..len].copy_from_slice(&data[..len]);
        guarded.protect(read_only)
    }

    fn fill(&mut self, buffer: Buffer, pattern: [u8; 8]) -> Result<(), String> {
        let guarded = self.buffers.get(buffer.0)?;
        let read_only = guarded.read_only;
        guarded.protect(false)?;
        measure::fill(guarded.data_mut(), pattern);
        guarded.protect(read_only)
    }

    fn place(&mut self, buffer: Buffer, place: Place, read_only: bool) -> Result<(), String> {
        let guarded = self.buffers.get(buffer.0)?;
        guarded.protect(false)?;
        guarded.place(place);
        guarded.protect(read_only)
    }

    fn fences(&self, buffer: Buffer) -> Vec<Fence> {
        let Ok(guarded) = self.buffers.peek(buffer.0) else {
            return Vec::new();
        };
        let [before, behind] = guarded.pages.fences();
        let start = guarded.address() as usize;
        let end = start + guarded.len;
        // Of its own pages only those fault that are read-only.
        let fences = [
            (before.start..start, Trespass::Before),
            (end..behind.end, Trespass::Behind),
            (start..end, Trespass::Inside),
        ];
        let fences = fences.into_iter();
        fences
            .map(|(range, means)| Fence { range, means })
            .collect()
    }

    fn contents(&self, buffer: Buffer) -> Result<Contents<'_>, String> {
        Ok(Contents::Shared(self.buffers.peek(buffer.0)?.data()))
    }

    fn violation(&mut self, buffer: Buffer) -> Result<Option<Violation>, String> {
        let guarded = self.buffers.get(buffer.0)?;
        let mut found = None;
        if guarded.read_only {
            return Ok(found);
        }
        for (from, zone) in guarded.zones() {
            if let Some(at) = changed(zone) {
                measure::fill(zone, CANARY_TWICE);
                found = found.or(Some(Violation {
                    offset: from + at as i64,
                }));
            }
        }
        Ok(found)
    }

    fn time(&mut self, code: Code, passes: &[Invocation<'_>], calls: u32) -> Result<Lap, String> {
        let entry = self.loaded.peek(code.0)?.entry;
        let mut pointers: Vec<*const c_void> = Vec::new();
        for argument in passes.iter().flat_map(|pass| pass.arguments) {
            pointers.push(match argument {
                Argument::Scalar(bytes) => bytes.as_ptr().cast(),
                // The shim copies values from there.
                of => {
                    let of = of.buffer().ok_or("only GPUs know tensor maps")?;
                    self.buffers.peek(of.0)?.address().cast()
                }
            });
        }
        let arguments = pointers.as_ptr();
        // What an earlier kernel did to the rounding mode is not this one's business.
        self.floats.restore();
        let before = os::ThreadClock::now();
        let start = Instant::now();
        let mut left = calls;
        while left > 0 {
            // SAFETY: none that could be given: the kernel is arbitrary code. This process exists
            // so that whatever it does costs one trial.
            unsafe { entry(arguments) };
            left -= 1;
        }
        let wall = start.elapsed().as_secs_f64();
        let after = os::ThreadClock::now();
        self.floats.restore();
        let waited = after.waited != before.waited;
        // Reading the thread's clock costs a fraction of a microsecond, which it counts as its own.
        let thread = (after.seconds - before.seconds).min(wall);
        Ok(Lap {
            wall,
            thread: (!waited).then_some(thread),
            disturbed: after.preempted != before.preempted || (!waited && thread < 0.98 * wall),
        })
    }

    fn flush(&mut self) {
        let half = self.sweep.len() / 2;
        let (to, from) = self.sweep.split_at_mut(half);
        // Bytes that differ each time, so that no compiler or cache finds the copy redundant.
        from[0] = from[0].wrapping_add(1);
        to.copy_from_slice(&from[..half]);
    }
}

impl Guarded {
    fn place(&mut self, place: Place) {
        let room = self.pages.len() - self.len;
        self.start = match place {
            // As close to the forbidden page behind as zone and alignment allow.
            Place::Apart => (room - GUARD) & !(self.alignment.max(ALIGNMENT) - 1),
            Place::Start => 0,
            Place::End => room & !(self.alignment - 1),
        };
        for (_, zone) in self.zones() {
            measure::fill(zone, CANARY_TWICE);
        }
    }

    fn protect(&mut self, read_only: bool) -> Result<(), String> {
        if self.read_only != read_only {
            let set = self.pages.forbid_writing(read_only);
            set.map_err(|error| format!("memory could not be protected: {error}"))?;
            self.read_only = read_only;
        }
        Ok(())
    }

    fn address(&self) -> *const u8 {
        // SAFETY: `start` lies inside the pages.
        unsafe { self.pages.start().add(self.start) }
    }

    fn data(&self) -> &[u8] {
        // SAFETY: `start + len` lies inside the pages, which are readable while `self` lives.
        unsafe { std::slice::from_raw_parts(self.address(), self.len) }
    }

    fn data_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `data`, and the borrow is unique.
        unsafe { std::slice::from_raw_parts_mut(self.pages.start().add(self.start), self.len) }
    }

    /// The guard zones, each with its offset from the start of the data.
    fn zones(&mut self) -> [(i64, &mut [u8]); 2] {
        // SAFETY: all of the pages, which nothing else borrows.
        let all = unsafe { std::slice::from_raw_parts_mut(self.pages.start(), self.pages.len()) };
        let (front, rest) = all.split_at_mut(self.start);
        [
            (-(self.start as i64), front),
            (self.len as i64, &mut rest[self.len..]),
        ]
    }
}

const CANARY_TWICE: [u8; 8] = (CANARY as u64 | (CANARY as u64) << 32).to_ne_bytes();

/// The pattern as it lies in memory: what is compared by blocks is quick in unoptimised builds, too.
static BLOCK: [[u8; 8]; GUARD / 8] = [CANARY_TWICE; GUARD / 8];

/// The first byte of a zone that does not hold the pattern.
fn changed(zone: &[u8]) -> Option<usize> {
    let mut parts = zone.chunks(GUARD).enumerate();
    parts.find_map(|(block, part)| {
        let whole = &BLOCK.as_flattened()[..part.len()];
        if part == whole {
            return None;
        }
        let at = part.iter().zip(whole).position(|(now, was)| now != was)?;
        Some(block * GUARD + at)
    })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    fn cpu() -> Cpu {
        Cpu::new(crate::this_cpu().clone())
    }

    #[test]
    fn buffers_are_aligned_and_keep_what_is_written() {
        let mut cpu = cpu();
        for len in [0, 1, 63, 64, 65, 4096, 100_000] {
            let buffer = cpu.allocate(len, 4).unwrap();
            let data = vec![7; len];
            cpu.write(buffer, &data).unwrap();
            assert_eq!(*cpu.contents(buffer).unwrap(), data[..]);
            assert_eq!(
                cpu.buffers.peek(buffer.0).unwrap().address() as usize % ALIGNMENT,
                0
            );
            assert_eq!(cpu.violation(buffer), Ok(None));
        }
    }

    #[test]
    fn writes_beside_a_buffer_are_found_and_mended() {
        let mut cpu = cpu();
        let buffer = cpu.allocate(100, 4).unwrap();
        for offset in [-1_i64, 100, -(GUARD as i64), 100 + GUARD as i64 - 1] {
            let start = cpu.buffers.peek(buffer.0).unwrap().address();
            // SAFETY: both guard zones are at least `GUARD` bytes, and belong to the mapping.
            unsafe { start.cast_mut().offset(offset as isize).write(0) };
            assert_eq!(cpu.violation(buffer), Ok(Some(Violation { offset })));
            assert_eq!(cpu.violation(buffer), Ok(None));
        }
    }

    #[test]
    fn buffers_lie_flush_with_forbidden_pages() {
        let mut cpu = cpu();
        for len in [0, 4, 100, 4096, 8196] {
            for (alignment, place, fence) in [
                (4, Place::Start, 0),
                (4, Place::End, 1),
                (64, Place::End, 1),
                (4096, Place::Apart, 1),
            ] {
                let buffer = cpu.allocate(len, alignment).unwrap();
                cpu.place(buffer, place, false).unwrap();
                cpu.write(buffer, &vec![7; len]).unwrap();
                assert_eq!(cpu.violation(buffer), Ok(None));
                let start = cpu.buffers.peek(buffer.0).unwrap().address() as usize;
                let range = cpu.buffers.peek(buffer.0).unwrap().pages.fences()[fence].clone();
                assert!(start.is_multiple_of(alignment));
                match place {
                    Place::Start => assert_eq!(range.end, start),
                    Place::End => assert!(range.start - start - len < alignment),
                    Place::Apart => assert!(range.start - start - len >= GUARD),
                }
            }
        }
    }

    #[test]
    fn what_is_read_only_can_still_be_filled() {
        let mut cpu = cpu();
        let buffer = cpu.allocate(100, 4).unwrap();
        cpu.place(buffer, Place::Start, true).unwrap();
        cpu.write(buffer, &[7; 100]).unwrap();
        assert_eq!(*cpu.contents(buffer).unwrap(), [7; 100]);
        let inside = cpu.fences(buffer).pop().unwrap();
        assert_eq!((inside.range.len(), inside.means), (100, Trespass::Inside));
        cpu.place(buffer, Place::Apart, false).unwrap();
        assert_eq!(cpu.violation(buffer), Ok(None));
    }

    #[test]
    fn absurd_sizes_are_errors() {
        assert!(cpu().allocate(usize::MAX - 4096, 4).is_err());
        assert!(cpu().allocate(1 << 60, 4).is_err());
    }
}

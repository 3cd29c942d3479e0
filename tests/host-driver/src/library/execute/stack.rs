//! Stacks of the fibres: aligned to their size, so that code finds what belongs to its thread from
//! the stack pointer alone; the lowest page of each is a guard.

use std::ptr;

use super::fibre::Fibre;
use crate::library::status::{Answer, Status};

/// Bytes of one stack. host.h knows this and the next two as well.
const STACK: usize = 1 << STACK_BITS;
const STACK_BITS: usize = 17;
/// Bytes at its upper end that belong to its fibre.
pub(crate) const SLOT: usize = 256;
/// The slot of each stack lies at another distance from its end, in turns of so many: at equal ones
/// all fibres would share a few lines of the caches.
const COLOURS: usize = 128;
const PAGE: usize = 4096;
/// Stacks that are mapped at once.
const SLAB: usize = 64;

/// The stacks of one host thread.
pub(crate) struct Stacks {
    slabs: Vec<*mut u8>,
}

impl Stacks {
    pub(crate) const fn new() -> Self {
        Stacks { slabs: Vec::new() }
    }

    /// Makes sure that there are `count`.
    pub(crate) fn reserve(&mut self, count: usize) -> Answer {
        while self.slabs.len() * SLAB < count {
            self.slabs.push(slab().ok_or(Status::OutOfMemory)?);
        }
        Ok(())
    }

    /// The fibre at the upper end of stack number `index`, which must be reserved.
    pub(crate) fn fibre(&self, index: usize) -> *mut Fibre {
        let slab = self.slabs[index / SLAB];
        of(slab as usize + index % SLAB * STACK)
    }
}

/// The fibre on whose stack an address lies.
pub(crate) fn of(address: usize) -> *mut Fibre {
    let end = (address | (STACK - 1)) + 1;
    (end - ((address >> STACK_BITS) % COLOURS + 1) * SLOT) as *mut Fibre
}

impl Drop for Stacks {
    fn drop(&mut self) {
        for slab in &self.slabs {
            // SAFETY: the mapping that `slab` made; no fibre runs when its thread ends.
            unsafe { libc::munmap((*slab).cast(), SLAB * STACK) };
        }
    }
}

fn slab() -> Option<*mut u8> {
    let wanted = SLAB * STACK;
    // SAFETY: a new private mapping; what is too much on either side is given back.
    unsafe {
        let base = libc::mmap(
            ptr::null_mut(),
            wanted + STACK,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
            -1,
            0,
        );
        if base == libc::MAP_FAILED {
            return None;
        }
        let base: *mut u8 = base.cast();
        let before = base.align_offset(STACK);
        if before > 0 {
            libc::munmap(base.cast(), before);
        }
        let start = base.add(before);
        if STACK > before {
            libc::munmap(start.add(wanted).cast(), STACK - before);
        }
        for index in 0..SLAB {
            libc::mprotect(start.add(index * STACK).cast(), PAGE, libc::PROT_NONE);
        }
        Some(start)
    }
}

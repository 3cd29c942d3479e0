//! Device memory: host memory in regions of its own, each with a guard page behind its last byte, so
//! that a kernel that runs over the end is caught as a GPU catches it.

use std::collections::BTreeMap;
use std::ptr;
use std::sync::Mutex;

use crate::library::driver::lock;
use crate::library::status::{Answer, Status};

const PAGE: usize = 4096;
/// What the driver promises of an allocation's address.
const ALIGNMENT: usize = 256;
/// What new memory holds: a NaN as float and as double, so that nobody relies on zeros.
const POISON: i32 = 0xFF;

pub(crate) struct Memory {
    total: u64,
    /// What of it is not in others' hands.
    left: u64,
    state: Mutex<State>,
}

struct State {
    used: Vec<u64>,
    /// By address.
    blocks: BTreeMap<u64, Block>,
    /// Addresses that nothing need be behind, by the first.
    reserved: BTreeMap<u64, Reserved>,
    /// Memory that was asked for without an address: device and bytes.
    created: Vec<Option<(usize, usize)>>,
}

struct Block {
    device: usize,
    size: usize,
    /// Kept for its end only; mapped memory has none of its own.
    region: Option<Region>,
}

impl Memory {
    pub(crate) fn new(devices: usize, total: u64, left: Option<u64>) -> Self {
        Memory {
            total,
            left: left.unwrap_or(total).min(total),
            state: Mutex::new(State {
                used: vec![0; devices],
                blocks: BTreeMap::new(),
                reserved: BTreeMap::new(),
                created: Vec::new(),
            }),
        }
    }

    /// Free and total bytes of a device.
    pub(crate) fn info(&self, device: usize) -> (usize, usize) {
        let used = lock(&self.state).used[device];
        ((self.left - used) as usize, self.total as usize)
    }

    pub(crate) fn total(&self) -> usize {
        self.total as usize
    }

    pub(crate) fn allocate(&self, device: usize, size: usize) -> Answer<u64> {
        if size == 0 {
            return Err(Status::InvalidValue);
        }
        let mut state = lock(&self.state);
        if size as u64 > self.left - state.used[device] {
            return Err(Status::OutOfMemory);
        }
        let region = Region::new(size, ALIGNMENT).ok_or(Status::OutOfMemory)?;
        let address = region.start as u64;
        // SAFETY: the region holds `size` writable bytes from its start.
        unsafe { libc::memset(region.start.cast(), POISON, size) };
        state.used[device] += size as u64;
        let block = Block {
            device,
            size,
            region: Some(region),
        };
        state.blocks.insert(address, block);
        Ok(address)
    }

    pub(crate) fn free(&self, address: u64) -> Answer {
        if address == 0 {
            return Ok(());
        }
        let mut state = lock(&self.state);
        let is_own = |block: &Block| block.region.is_some();
        if !state.blocks.get(&address).is_some_and(is_own) {
            return Err(Status::InvalidValue);
        }
        if let Some(block) = state.blocks.remove(&address) {
            state.used[block.device] -= block.size as u64;
        }
        Ok(())
    }

    /// Memory that a module brings along.
    pub(crate) fn adopt(&self, device: usize, address: u64, size: usize) {
        let block = Block {
            device,
            size,
            region: None,
        };
        lock(&self.state).blocks.insert(address, block);
    }

    /// It is gone.
    pub(crate) fn disown(&self, address: u64) {
        lock(&self.state).blocks.remove(&address);
    }

    /// Addresses without memory.
    pub(crate) fn reserve(&self, size: usize) -> Answer<u64> {
        let reserved = Reserved::new(size).ok_or(Status::OutOfMemory)?;
        let start = reserved.start as u64;
        lock(&self.state).reserved.insert(start, reserved);
        Ok(start)
    }

    /// Gives addresses back that nothing is mapped to.
    pub(crate) fn give_back(&self, start: u64, size: usize) -> Answer {
        let mut state = lock(&self.state);
        let is_used = state
            .blocks
            .range(start..start + size as u64)
            .next()
            .is_some();
        let is_it = state.reserved.get(&start).is_some_and(|of| of.size == size);
        if is_used || !is_it {
            return Err(Status::InvalidValue);
        }
        state.reserved.remove(&start);
        Ok(())
    }

    /// Memory without an address.
    pub(crate) fn create(&self, device: usize, size: usize) -> Answer<u64> {
        let mut state = lock(&self.state);
        if size == 0 || !size.is_multiple_of(PAGE) || device >= state.used.len() {
            return Err(Status::InvalidValue);
        }
        if size as u64 > self.left - state.used[device] {
            return Err(Status::OutOfMemory);
        }
        state.used[device] += size as u64;
        state.created.push(Some((device, size)));
        Ok(state.created.len() as u64)
    }

    /// Memory without an address goes, once nothing is mapped to it.
    pub(crate) fn forget(&self, handle: u64) -> Answer {
        let mut state = lock(&self.state);
        let (device, size) = state.created(handle)?;
        state.created[handle as usize - 1] = None;
        state.used[device] -= size as u64;
        Ok(())
    }

    /// Puts memory to reserved addresses, where nobody may touch it yet.
    pub(crate) fn map(&self, start: u64, size: usize, handle: u64) -> Answer {
        let mut state = lock(&self.state);
        let (device, has) = state.created(handle)?;
        let end = start + size as u64;
        let is_used = state.blocks.range(start..end).next().is_some();
        if size != has || is_used || !state.is_reserved(start, end) {
            return Err(Status::InvalidValue);
        }
        let block = Block {
            device,
            size,
            region: None,
        };
        state.blocks.insert(start, block);
        Ok(())
    }

    /// Lets kernels touch what is mapped there.
    pub(crate) fn open(&self, start: u64, size: usize) -> Answer {
        let state = lock(&self.state);
        state.mapped(start, size)?;
        let pages = start as *mut u8;
        protect(pages, size, libc::PROT_READ | libc::PROT_WRITE).ok_or(Status::OutOfMemory)?;
        // SAFETY: they are as many, and can be written now.
        unsafe { libc::memset(pages.cast(), POISON, size) };
        Ok(())
    }

    /// Takes memory from its addresses.
    pub(crate) fn unmap(&self, start: u64, size: usize) -> Answer {
        let mut state = lock(&self.state);
        state.mapped(start, size)?;
        state.blocks.remove(&start);
        protect(start as *mut u8, size, libc::PROT_NONE).ok_or(Status::InvalidValue)
    }

    /// What sizes and addresses of mapped memory are multiples of.
    pub(crate) fn granularity(&self) -> usize {
        PAGE
    }

    /// All memory of a device, when its context ends.
    pub(crate) fn release(&self, device: usize) {
        let mut state = lock(&self.state);
        let mut freed = 0;
        state.blocks.retain(|_, block| {
            let is_kept = block.device != device || block.region.is_none();
            freed += if is_kept { 0 } else { block.size as u64 };
            is_kept
        });
        state.used[device] -= freed;
    }

    /// Whether these bytes lie inside one allocation, with its device.
    pub(crate) fn owner(&self, address: u64, size: usize) -> Answer<usize> {
        let state = lock(&self.state);
        let (start, block) = state
            .blocks
            .range(..=address)
            .next_back()
            .ok_or(Status::InvalidValue)?;
        let end = address
            .checked_add(size as u64)
            .ok_or(Status::InvalidValue)?;
        if end > start + block.size as u64 {
            return Err(Status::InvalidValue);
        }
        Ok(block.device)
    }
}

impl State {
    fn created(&self, handle: u64) -> Answer<(usize, usize)> {
        let at = usize::try_from(handle)
            .ok()
            .and_then(|at| at.checked_sub(1));
        let created = at.and_then(|at| *self.created.get(at)?);
        created.ok_or(Status::InvalidValue)
    }

    /// Whether this is memory without an address of its own that was mapped here.
    fn mapped(&self, start: u64, size: usize) -> Answer {
        let is_it = |block: &Block| block.size == size && block.region.is_none();
        let is_there = self.blocks.get(&start).is_some_and(is_it);
        is_there.then_some(()).ok_or(Status::InvalidValue)
    }

    fn is_reserved(&self, start: u64, end: u64) -> bool {
        let before = self.reserved.range(..=start).next_back();
        before.is_some_and(|(first, of)| end <= first + of.size as u64)
    }
}

/// Addresses that only a mapping opens.
struct Reserved {
    start: *mut u8,
    size: usize,
}

// SAFETY: as of a region.
unsafe impl Send for Reserved {}

impl Reserved {
    fn new(size: usize) -> Option<Reserved> {
        if size == 0 || !size.is_multiple_of(PAGE) {
            return None;
        }
        // SAFETY: a new private mapping, of which nobody knows yet.
        let start = unsafe {
            libc::mmap(
                ptr::null_mut(),
                size,
                libc::PROT_NONE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        let start: *mut u8 = start.cast();
        (start.cast() != libc::MAP_FAILED).then_some(Reserved { start, size })
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        // SAFETY: the mapping that `new` made, given back once.
        unsafe { libc::munmap(self.start.cast(), self.size) };
    }
}

/// Pages whose usable part ends at a page that nobody may touch.
pub(crate) struct Region {
    /// Kept for its end only.
    _pages: Reserved,
    pub(crate) start: *mut u8,
}

// SAFETY: a region is plain memory; who reads and writes it is the business of its users.
unsafe impl Send for Region {}

impl Region {
    /// `size` bytes, rounded up to `alignment`, right before the guard page.
    pub(crate) fn new(size: usize, alignment: usize) -> Option<Region> {
        let usable = size.checked_next_multiple_of(alignment)?;
        let open = usable.checked_next_multiple_of(PAGE)?;
        let pages = Reserved::new(open.checked_add(2 * PAGE)?)?;
        let first = pages.start.wrapping_add(PAGE);
        protect(first, open, libc::PROT_READ | libc::PROT_WRITE)?;
        Some(Region {
            start: first.wrapping_add(open - usable),
            _pages: pages,
        })
    }
}

/// What may be done with reserved pages.
fn protect(start: *mut u8, size: usize, how: i32) -> Option<()> {
    // SAFETY: pages of a mapping of this driver's, which it alone gives out.
    let done = unsafe { libc::mprotect(start.cast(), size, how) };
    (done == 0).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_checks() {
        let memory = Memory::new(2, 20_000, Some(10_000));
        let address = memory.allocate(1, 4000).unwrap();
        assert_eq!(address % ALIGNMENT as u64, 0);
        assert_eq!(memory.info(1), (6000, 20_000));
        assert_eq!(memory.info(0), (10_000, 20_000));
        assert_eq!(memory.allocate(1, 6001), Err(Status::OutOfMemory));
        assert_eq!(memory.owner(address + 3999, 1), Ok(1));
        assert_eq!(memory.owner(address + 3999, 2), Err(Status::InvalidValue));
        assert_eq!(memory.owner(address - 1, 1), Err(Status::InvalidValue));
        memory.free(address).unwrap();
        assert_eq!(memory.free(address), Err(Status::InvalidValue));
        assert_eq!(memory.info(1), (10_000, 20_000));
    }
}

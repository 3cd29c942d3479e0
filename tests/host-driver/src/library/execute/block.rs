//! A block of threads while it runs.

use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};

use super::fibre::Fibre;
use super::stack::Stacks;
use super::{Launch, Run, barrier, signal};
use crate::library::status::Answer;

const WARP: u32 = crate::library::gpu::WARP as u32;

/// The first part is known to host.h.
#[repr(C)]
pub(crate) struct Block {
    /// `blockIdx`, `blockDim`, `gridDim`.
    index: [u32; 3],
    dim: [u32; 3],
    grid: [u32; 3],
    shared_bytes: u32,
    shared: *mut u8,
    /// `__syncthreads` and `__syncwarp`.
    syncthreads: unsafe extern "C" fn(),
    syncwarp: unsafe extern "C" fn(u32),
    /// Of all blocks that ever ran in this process.
    number: u64,

    run: Run,
    arguments: *const *const c_void,
    stacks: *mut Stacks,
    threads: u32,
    /// Threads that have not begun, from this number on, and fibres that have.
    pub(crate) next: u32,
    fibres: u32,
    /// Threads that have not ended, and those of them that wait at the barrier; `generation` counts
    /// how often it opened.
    pub(crate) alive: u32,
    pub(crate) arrived: u32,
    pub(crate) generation: u64,
    warps: Vec<Warp>,
    /// The stack of who runs the block.
    pub(crate) launcher: usize,
}

/// 32 threads. The first part is known to host.h.
#[repr(C)]
pub(crate) struct Warp {
    /// What the lanes hand each other.
    values: [u64; WARP as usize],
    /// Bits of the lanes that have not ended and of those that wait.
    pub(crate) alive: u32,
    pub(crate) waiting: u32,
}

impl Block {
    pub(crate) fn new(launch: &Launch, stacks: &mut Stacks, shared: *mut u8) -> Answer<Block> {
        let threads: u32 = launch.block.iter().product();
        stacks.reserve(1)?;
        Ok(Block {
            index: [0; 3],
            dim: launch.block,
            grid: launch.grid,
            shared_bytes: launch.shared as u32,
            shared,
            syncthreads: barrier::block,
            syncwarp: barrier::warp,
            number: 0,
            run: launch.run,
            arguments: launch.arguments,
            stacks,
            threads,
            next: 0,
            fibres: 0,
            alive: 0,
            arrived: 0,
            generation: 0,
            warps: (0..threads.div_ceil(WARP))
                .map(|_| Warp {
                    values: [0; WARP as usize],
                    alive: 0,
                    waiting: 0,
                })
                .collect(),
            launcher: 0,
        })
    }

    /// Runs all threads of the block at `index`.
    ///
    /// # Safety
    ///
    /// As [`super::run`].
    pub(crate) unsafe fn run(&mut self, index: [u32; 3]) -> Answer {
        static BLOCKS: AtomicU64 = AtomicU64::new(1);
        self.number = BLOCKS.fetch_add(1, Ordering::Relaxed);
        self.index = index;
        self.next = 0;
        self.fibres = 0;
        self.alive = self.threads;
        self.arrived = 0;
        for (number, warp) in self.warps.iter_mut().enumerate() {
            let lanes = (self.threads - number as u32 * WARP).min(WARP);
            warp.alive = u32::MAX >> (WARP - lanes);
            warp.waiting = 0;
        }
        let this: *mut Block = self;
        // SAFETY: the block lives until all of its fibres ended or were abandoned; one host thread
        // runs them, so nothing is touched twice at once.
        unsafe {
            let first = Block::fibre(this)?;
            (*first).next = first;
            (*first).previous = first;
            signal::enter(&raw const (*this).launcher);
            Fibre::enter(&raw mut (*this).launcher, first);
            signal::leave()
        }
    }

    /// A fibre for the next thread that has not begun.
    ///
    /// # Safety
    ///
    /// `this` is a running block with such a thread.
    unsafe fn fibre(this: *mut Block) -> Answer<*mut Fibre> {
        // SAFETY: the caller's promise; the stack was not used in this block yet.
        unsafe {
            let stacks = &mut *(*this).stacks;
            stacks.reserve((*this).fibres as usize + 1)?;
            let fibre = stacks.fibre((*this).fibres as usize);
            (*this).fibres += 1;
            Fibre::prepare(fibre);
            Block::take(this, fibre);
            Ok(fibre)
        }
    }

    /// Gives the next thread to a fibre.
    ///
    /// # Safety
    ///
    /// As [`Block::fibre`].
    unsafe fn take(this: *mut Block, fibre: *mut Fibre) {
        // SAFETY: the caller's promise.
        unsafe {
            let number = (*this).next;
            (*this).next += 1;
            let [x, y, _] = (*this).dim;
            (*fibre).thread = [number % x, number / x % y, number / (x * y)];
            (*fibre).lane = number % WARP;
            (*fibre).block = this;
            (*fibre).warp = (*this).warps.as_mut_ptr().add((number / WARP) as usize);
        }
    }

    /// Lets the others run: a new fibre while threads wait to begin, else the next in the ring.
    ///
    /// # Safety
    ///
    /// `fibre` runs in `this`.
    pub(crate) unsafe fn pass(this: *mut Block, fibre: *mut Fibre) {
        // SAFETY: the caller's promise.
        unsafe {
            let mut next = (*fibre).next;
            if (*this).next < (*this).threads {
                // Without memory for another stack the thread waits for one that ends.
                if let Ok(new) = Block::fibre(this) {
                    (*new).next = next;
                    (*new).previous = fibre;
                    (*next).previous = new;
                    (*fibre).next = new;
                    next = new;
                }
            }
            if next == fibre {
                // It waits for threads that are gone: on a GPU, too, this never ends.
                crate::library::driver::for_ever();
            }
            Fibre::switch(fibre, next);
        }
    }
}

/// What a fibre does: one thread after another, until none is left to begin.
pub(crate) unsafe extern "C" fn threads() {
    let fibre = Fibre::running();
    // SAFETY: this function runs on the fibre's stack; the block outlives its fibres.
    unsafe {
        let block = (*fibre).block;
        loop {
            ((*block).run)((*block).arguments);
            (*block).alive -= 1;
            (*(*fibre).warp).alive &= !(1 << (*fibre).lane);
            barrier::ended(block);
            if (*block).next == (*block).threads {
                break;
            }
            Block::take(block, fibre);
        }
        let next = (*fibre).next;
        if next == fibre {
            Fibre::exit((*block).launcher);
        }
        (*next).previous = (*fibre).previous;
        (*(*fibre).previous).next = next;
        (*fibre).next = ptr::null_mut();
        Fibre::switch(fibre, next);
    }
}

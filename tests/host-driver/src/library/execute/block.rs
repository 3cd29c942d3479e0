//! A block of threads while it runs.

use std::ffi::c_void;
use std::ops::Range;
use std::ptr;

use super::fibre::Fibre;
use super::stack::{self, Stacks};
use super::turns::{Order, Random};
use super::{Launch, Run, barrier, signal};
use crate::library::status::Answer;

/// How many writes there are between two pauses of a block's threads, at most: so many at first, twice as many after
/// each few pauses. Who waits needs others to go on, and most mistakes show early.
const STEPS: u64 = 16;
const FEW: u32 = 64;

const WARP: u32 = crate::library::gpu::WARP as u32;

/// The first part is known to host.h.
#[repr(C)]
pub(crate) struct Block {
    /// `blockIdx`, `blockDim`, `gridDim`, and blocks of a cluster.
    index: [u32; 3],
    dim: [u32; 3],
    grid: [u32; 3],
    cluster: [u32; 3],
    shared_bytes: u32,
    shared: *mut u8,
    /// `__syncthreads` and `__syncwarp`.
    syncthreads: unsafe extern "C" fn(),
    syncwarp: unsafe extern "C" fn(u32),
    /// What is called when there are no steps left.
    pause: unsafe extern "C" fn(usize, bool),
    steps: i32,
    /// What `__syncthreads_count` counts.
    counted: i32,
    /// Boxes of tensors that have not arrived: a list, each from `malloc`, whose first word leads to the next.
    boxes: *mut c_void,
    /// Who waits at each barrier that has a number, and how often it opened.
    named: [[u32; 2]; 16],
    /// The blocks of its cluster, by rank; of the first one's: who waits for all of them, and how often that opened.
    pub(crate) peers: *const *mut Block,
    together: [u32; 2],
    /// Threads that have not ended.
    pub(crate) alive: u32,
    /// Whether its launch may begin before the one ahead of it ends.
    dependent: u32,

    run: Run,
    arguments: *const *const c_void,
    stacks: *mut Stacks,
    threads: u32,
    /// Threads that have not begun, from this number on, and fibres that have.
    pub(crate) next: u32,
    fibres: u32,
    /// Threads that wait at the barrier of the block; `generation` counts how often it opened.
    pub(crate) arrived: u32,
    pub(crate) generation: u64,
    warps: Vec<Warp>,
    /// The stack of who runs the block, and the fibre to go on with: none if no thread runs.
    pub(crate) launcher: usize,
    current: *mut Fibre,
    /// In which order threads begin, and when they pause.
    order: Order,
    random: Random,
    pauses: u32,
    left: u32,
    /// Where its static shared memory lies.
    statics: Range<usize>,
}

/// 32 threads. The first part is known to host.h.
#[repr(C)]
pub(crate) struct Warp {
    /// What the lanes hand each other.
    values: [u64; WARP as usize],
    parts: [[u32; 6]; WARP as usize],
    /// Bits of the lanes that have not ended and of those that wait.
    pub(crate) alive: u32,
    pub(crate) waiting: u32,
}

impl Block {
    pub(crate) fn new(
        launch: &Launch,
        stacks: *mut Stacks,
        shared: *mut u8,
        statics: Range<usize>,
    ) -> Block {
        let threads: u32 = launch.block.iter().product();
        Block {
            index: [0; 3],
            dim: launch.block,
            grid: launch.grid,
            cluster: launch.cluster,
            shared_bytes: launch.shared as u32,
            shared,
            syncthreads: barrier::block,
            syncwarp: barrier::warp,
            pause,
            steps: 1,
            counted: 0,
            boxes: ptr::null_mut(),
            named: [[0; 2]; 16],
            peers: ptr::null(),
            together: [0; 2],
            alive: 0,
            dependent: launch.dependent.into(),
            run: launch.run,
            arguments: launch.arguments,
            stacks,
            threads,
            next: 0,
            fibres: 0,
            arrived: 0,
            generation: 0,
            warps: (0..threads.div_ceil(WARP))
                .map(|_| Warp {
                    values: [0; WARP as usize],
                    parts: [[0; 6]; WARP as usize],
                    alive: 0,
                    waiting: 0,
                })
                .collect(),
            launcher: 0,
            current: ptr::null_mut(),
            order: Order::new(1, &mut Random::new(0)),
            random: Random::new(0),
            pauses: 0,
            left: 0,
            statics,
        }
    }

    /// Makes it ready to run all threads of the block at `index`.
    pub(crate) fn begin(&mut self, index: [u32; 3], mut random: Random) -> Answer {
        self.forget_boxes();
        self.index = index;
        self.named = [[0; 2]; 16];
        self.together = [0; 2];
        self.next = 0;
        self.fibres = 0;
        self.alive = self.threads;
        self.arrived = 0;
        for (number, warp) in self.warps.iter_mut().enumerate() {
            let lanes = (self.threads - number as u32 * WARP).min(WARP);
            warp.alive = u32::MAX >> (WARP - lanes);
            warp.waiting = 0;
        }
        self.order = Order::new(self.threads.into(), &mut random);
        self.random = random;
        self.steps = 1;
        self.pauses = 0;
        self.left = 0;
        // SAFETY: no thread of the block has begun.
        unsafe {
            let first = Block::fibre(self)?;
            (*first).next = first;
            (*first).previous = first;
            self.current = first;
        }
        Ok(())
    }

    /// What nobody waited for never arrives.
    fn forget_boxes(&mut self) {
        unsafe extern "C" {
            fn free(at: *mut c_void);
        }
        while !self.boxes.is_null() {
            // SAFETY: host.h links what it got from `malloc`.
            unsafe {
                let next = *self.boxes.cast::<*mut c_void>();
                free(std::mem::replace(&mut self.boxes, next));
            }
        }
    }

    /// Whether threads have begun and not ended.
    pub(crate) fn runs(&self) -> bool {
        !self.current.is_null()
    }

    /// Goes on with its threads, until the last one ends or the block lets another one go on.
    ///
    /// # Safety
    ///
    /// As [`super::run`]; the block runs, and stays where it is until it does not.
    pub(crate) unsafe fn go_on(this: *mut Block) -> Answer {
        // SAFETY: the block lives until all of its fibres ended or were abandoned; one host thread
        // runs them, so nothing is touched twice at once.
        unsafe {
            signal::enter(&raw const (*this).launcher);
            let fibre = std::mem::replace(&mut (*this).current, ptr::null_mut());
            Fibre::enter(&raw mut (*this).launcher, fibre);
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
            let number = (*this).order.at((*this).next.into()) as u32;
            (*this).next += 1;
            let [x, y, _] = (*this).dim;
            (*fibre).thread = [number % x, number / x % y, number / (x * y)];
            (*fibre).lane = number % WARP;
            ((*fibre).length, (*fibre).groups) = (0, 0);
            ((*fibre).under_way, (*fibre).product_groups) = (0, 0);
            (*fibre).fenced = 0;
            (*fibre).block = this;
            (*fibre).warp = (*this).warps.as_mut_ptr().add((number / WARP) as usize);
        }
    }

    /// Lets the others run: a new fibre while threads wait to begin, else the next in the ring. Not if there is nobody.
    ///
    /// # Safety
    ///
    /// `fibre` runs in `this`.
    pub(crate) unsafe fn pass(this: *mut Block, fibre: *mut Fibre) -> bool {
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
                return false;
            }
            Fibre::switch(fibre, next);
        }
        true
    }

    /// A thread pauses: whether another block goes on, or another thread of this one, or nobody else.
    fn turn(&mut self, at: usize, updates: bool) -> Turn {
        if !updates {
            let limit = STEPS << (self.pauses / FEW).min(16);
            self.steps = 1 + self.random.below(limit) as i32;
        }
        let shared = self.shared as usize..self.shared as usize + self.shared_bytes as usize;
        let own = stack::of(at) == Fibre::running();
        let mine = own || shared.contains(&at) || self.statics.contains(&at);
        // Of what is updated often most is right.
        let often = |so_far| if so_far < FEW { 2 } else { 16 };
        let elsewhere = if updates && !mine {
            often(self.left)
        } else {
            256
        };
        let often = often(self.pauses);
        let turn = if self.random.below(elsewhere) == 0 {
            self.left += 1;
            Turn::Block
        } else if own || self.arrived + 1 >= self.alive || updates && self.random.below(often) > 0 {
            Turn::Mine
        } else {
            Turn::Thread
        };
        self.pauses += u32::from(turn != Turn::Mine);
        turn
    }
}

/// Who goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    Mine,
    Thread,
    Block,
}

/// Called before an access of `at`: there are no steps left, or it overwrites what was read.
unsafe extern "C" fn pause(at: usize, updates: bool) {
    let fibre = Fibre::running();
    // SAFETY: called by a kernel, so on a fibre of a running block.
    unsafe {
        let block = (*fibre).block;
        match (*block).turn(at, updates) {
            Turn::Mine => {}
            Turn::Thread => {
                Block::pass(block, fibre);
            }
            Turn::Block => {
                (*block).current = fibre;
                Fibre::leave(fibre, (*block).launcher);
            }
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
            Fibre::leave(fibre, (*block).launcher);
        }
        (*next).previous = (*fibre).previous;
        (*(*fibre).previous).next = next;
        (*fibre).next = ptr::null_mut();
        Fibre::switch(fibre, next);
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        self.forget_boxes();
    }
}

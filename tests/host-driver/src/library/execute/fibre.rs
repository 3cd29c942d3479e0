//! A fibre: one thread of a block, with a stack of its own.

use std::arch::{asm, naked_asm};
use std::ffi::c_void;

use super::block::{Block, Warp};
use super::stack::{self, SLOT};

/// What lies at the upper end of a fibre's stack. The first part is known to host.h.
#[repr(C)]
pub(crate) struct Fibre {
    /// `threadIdx`.
    pub(crate) thread: [u32; 3],
    /// Which lane of its warp.
    pub(crate) lane: u32,
    pub(crate) block: *mut Block,
    pub(crate) warp: *mut Warp,
    /// Copies that its thread started, and how many groups of them it closed. Their memory stays with the stack.
    copies: *mut c_void,
    pub(crate) length: u32,
    room: u32,
    pub(crate) groups: u32,
    /// Products of its warpgroup that are under way, as the copies.
    products: *mut c_void,
    pub(crate) under_way: u32,
    products_room: u32,
    pub(crate) product_groups: u32,
    /// Whether `wgmma.fence` came before the next product.
    pub(crate) fenced: u32,
    /// How often the barrier of the cluster had opened when it arrived there.
    together: u32,
    /// Where it goes on, while it does not run.
    stack: usize,
    /// The ring of fibres that have begun and not ended.
    pub(crate) next: *mut Fibre,
    pub(crate) previous: *mut Fibre,
}

const _: () = assert!(size_of::<Fibre>() <= SLOT);

impl Fibre {
    /// The running one.
    pub(crate) fn running() -> *mut Fibre {
        let pointer: usize;
        // SAFETY: reads a register.
        unsafe { asm!("mov {}, rsp", out(reg) pointer, options(nomem, nostack, preserves_flags)) };
        stack::of(pointer)
    }

    /// Makes it begin with `begin` when it is switched to.
    ///
    /// # Safety
    ///
    /// It lies at the upper end of a stack that no fibre uses.
    pub(crate) unsafe fn prepare(this: *mut Fibre) {
        // What `switch` pops: six registers and the place to go to. The stack is aligned to 16 bytes
        // where `begin` calls.
        let frame = (this as usize - 72) as *mut usize;
        // SAFETY: the stack is free, says the caller.
        unsafe {
            for register in 0..6 {
                frame.add(register).write(0);
            }
            frame.add(6).write(begin as *const () as usize);
            (*this).stack = frame as usize;
        }
    }

    /// Parks the running fibre and goes on with another.
    ///
    /// # Safety
    ///
    /// `from` runs, `to` is parked or prepared.
    pub(crate) unsafe fn switch(from: *mut Fibre, to: *mut Fibre) {
        // SAFETY: as promised.
        unsafe { switch(&raw mut (*from).stack, (*to).stack) };
    }

    /// Goes on with a block's fibre; comes back when one leaves or fails.
    ///
    /// # Safety
    ///
    /// `fibre` is prepared or parked.
    pub(crate) unsafe fn enter(launcher: *mut usize, fibre: *mut Fibre) {
        // SAFETY: as promised.
        unsafe { switch(launcher, (*fibre).stack) };
    }

    /// Parks the running fibre and goes back to who entered.
    ///
    /// # Safety
    ///
    /// `launcher` is what `enter` wrote.
    pub(crate) unsafe fn leave(from: *mut Fibre, launcher: usize) {
        // SAFETY: as promised.
        unsafe { switch(&raw mut (*from).stack, launcher) };
    }
}

/// Saves what a call must keep, with the stack, and takes up another's.
#[unsafe(naked)]
unsafe extern "C" fn switch(save: *mut usize, to: usize) {
    naked_asm!(
        "push rbp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "mov [rdi], rsp",
        "mov rsp, rsi",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
    )
}

/// The second half of `switch`: where a signal handler lets a failed kernel go on, with the stack of
/// the launcher.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn abandon() {
    naked_asm!(
        "pop r15", "pop r14", "pop r13", "pop r12", "pop rbx", "pop rbp", "ret",
    )
}

/// Where a fibre begins.
#[unsafe(naked)]
unsafe extern "C" fn begin() {
    naked_asm!("call {run}", "ud2", run = sym super::block::threads)
}

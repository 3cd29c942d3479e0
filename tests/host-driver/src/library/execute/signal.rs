//! Faults of a kernel, caught: the signal's handler lets the launcher go on instead of the fibre.
//! Outside of kernels signals go where they went before.

use std::cell::Cell;
use std::mem;
use std::ptr;
use std::sync::OnceLock;

use libc::{c_int, c_void, siginfo_t, ucontext_t};

use super::fibre::abandon;
use crate::library::status::{Answer, Status};

thread_local! {
    /// Where the stack of the running launch is kept, while a kernel runs on this thread.
    static LAUNCHER: Cell<*const usize> = const { Cell::new(ptr::null()) };
    static FAILED: Cell<c_int> = const { Cell::new(0) };
    static READY: Cell<bool> = const { Cell::new(false) };
}

const SIGNALS: [c_int; 5] = [
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGILL,
    libc::SIGFPE,
    libc::SIGTRAP,
];

static BEFORE: OnceLock<Vec<libc::sigaction>> = OnceLock::new();

/// Makes this thread ready to catch faults.
pub(crate) fn prepare() {
    BEFORE.get_or_init(|| SIGNALS.map(install).to_vec());
    if READY.replace(true) {
        return;
    }
    // Touched now, so that the handler finds them made.
    LAUNCHER.set(ptr::null());
    FAILED.set(0);
    // SAFETY: asks for the alternative stack, and makes one where a thread (not of Rust) has none; it
    // is never given back, as a thread may fault until its end.
    unsafe {
        let mut now: libc::stack_t = mem::zeroed();
        libc::sigaltstack(ptr::null(), &mut now);
        if now.ss_flags & libc::SS_DISABLE != 0 {
            const BYTES: usize = 64 << 10;
            let stack = Box::leak(vec![0u8; BYTES].into_boxed_slice());
            let new = libc::stack_t {
                ss_sp: stack.as_mut_ptr().cast(),
                ss_flags: 0,
                ss_size: BYTES,
            };
            libc::sigaltstack(&new, ptr::null_mut());
        }
    }
}

/// A kernel begins: on a fault the stack that `launcher` holds goes on.
pub(crate) fn enter(launcher: *const usize) {
    FAILED.set(0);
    LAUNCHER.set(launcher);
}

/// It ended, or was abandoned.
pub(crate) fn leave() -> Answer {
    LAUNCHER.set(ptr::null());
    Err(match FAILED.get() {
        0 => return Ok(()),
        // What the alignment checks of the compiler end in.
        libc::SIGILL => Status::MisalignedAddress,
        libc::SIGTRAP => Status::Assert,
        libc::SIGFPE => Status::LaunchFailed,
        _ => Status::IllegalAddress,
    })
}

fn install(signal: c_int) -> libc::sigaction {
    // SAFETY: a handler that follows the rules of signals; the old one is kept.
    unsafe {
        let mut new: libc::sigaction = mem::zeroed();
        new.sa_sigaction = handle as *const () as usize;
        new.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
        let mut old: libc::sigaction = mem::zeroed();
        libc::sigaction(signal, &new, &mut old);
        old
    }
}

unsafe extern "C" fn handle(signal: c_int, _: *mut siginfo_t, context: *mut c_void) {
    let launcher = LAUNCHER.get();
    if launcher.is_null() {
        let before = BEFORE.get().and_then(|before| {
            SIGNALS
                .iter()
                .position(|known| *known == signal)
                .map(|index| &before[index])
        });
        // SAFETY: the handler of before; the fault comes again and meets it.
        unsafe {
            match before {
                Some(before) => libc::sigaction(signal, before, ptr::null_mut()),
                None => libc::_exit(128 + signal),
            };
        }
        return;
    }
    FAILED.set(signal);
    // SAFETY: the context of a handler with SA_SIGINFO. The launcher waits in `switch`, whose second
    // half `abandon` is.
    unsafe {
        let registers = &mut (*context.cast::<ucontext_t>()).uc_mcontext.gregs;
        registers[libc::REG_RSP as usize] = launcher.read() as i64;
        registers[libc::REG_RIP as usize] = abandon as *const () as usize as i64;
    }
}

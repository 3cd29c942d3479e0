//! Last words of a process that touches memory which nobody may touch.

use crate::process::exit_now;
use crate::system::{
    Action, SA_ONSTACK, SA_SIGINFO, SIGBUS, SIGSEGV, SignalInfo, sigaction, write,
};
use std::ffi::c_void;
use std::fs::File;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicPtr, Ordering};

/// What is said when an address is touched that nobody may touch, and to whom.
struct Alarms {
    said: Vec<(Range<usize>, Vec<u8>)>,
    output: i32,
    before: [Action; 2],
}

static ALARMS: AtomicPtr<Alarms> = AtomicPtr::new(std::ptr::null_mut());

const FAULTS: [i32; 2] = [SIGSEGV, SIGBUS];

/// From now on this process writes a text to `output` and ends, should it touch one of these addresses. What it does on
/// other faults stays as it is.
pub fn set_alarms(output: &File, said: Vec<(Range<usize>, Vec<u8>)>) {
    let output = output.as_raw_fd();
    let known = ALARMS.load(Ordering::Acquire);
    // SAFETY: tables are never freed. A thread that a kernel left behind may be reading the one before; they
    // are small, and this process lives as long as one search.
    let mut before = match unsafe { known.as_ref() } {
        Some(alarms) => alarms.before,
        None => Default::default(),
    };
    if known.is_null() {
        let action = Action {
            handler: alarm as *const () as usize,
            flags: SA_SIGINFO | SA_ONSTACK,
            ..Action::default()
        };
        for (fault, before) in FAULTS.into_iter().zip(&mut before) {
            // SAFETY: `alarm` only does what a signal handler may. The structures are plain.
            unsafe { sigaction(fault, &action, before) };
        }
    }
    let alarms = Alarms {
        said,
        output,
        before,
    };
    ALARMS.store(Box::into_raw(Box::new(alarms)), Ordering::Release);
}

extern "C" fn alarm(fault: i32, info: *mut SignalInfo, _context: *mut c_void) {
    // SAFETY: the kernel gives a valid `info`; tables are never freed, and complete before they are stored. `write`,
    // `_exit` and `sigaction` may be called here.
    unsafe {
        let address = (*info).address;
        let Some(alarms) = ALARMS.load(Ordering::Acquire).as_ref() else {
            return;
        };
        for (range, said) in &alarms.said {
            if range.contains(&address) {
                write(alarms.output, said.as_ptr().cast(), said.len());
                exit_now(1);
            }
        }
        // Not ours: it faults again, and is treated as before.
        let at = usize::from(fault != FAULTS[0]);
        sigaction(fault, &alarms.before[at], std::ptr::null_mut());
    }
}

//! A word with the stand-in that this program runs on.

use std::ffi::{CString, c_char};

/// Asks the stand-in of this process, which has loaded it and called `cuInit`, for something:
///
/// - `times TEXT=MS;..`, `lag LAUNCHES`, `faults ..`: as the variables (README.md), in place of what
///   held before;
/// - `count NAME`: how often that has happened: `calls` (of the driver), `waits` (calls that wait for a GPU), `events` (made),
///   `records` (of events with a time), `queries` (of events), `captures` (questions whether a stream is
///   being captured), `mistakes` (what spoils a capture, or a record in one that is meant to time).
///
/// # Panics
///
/// If there is no stand-in, or it does not understand.
pub fn control(request: &str) -> u64 {
    let name = if cfg!(windows) {
        "nvcuda.dll"
    } else {
        "libcuda.so.1"
    };
    // SAFETY: the program has it loaded, so that nothing of it runs now.
    let driver = unsafe { libloading::Library::new(name) }.expect("a driver is loaded");
    // SAFETY: only the stand-in has a function of this name, and this is its type.
    let answer = unsafe {
        let control = driver.get::<unsafe extern "C" fn(*const c_char) -> i64>(b"hostControl\0");
        let text = CString::new(request).expect("a request has no zeros");
        control.expect("the driver is the stand-in")(text.as_ptr())
    };
    u64::try_from(answer).unwrap_or_else(|_| panic!("the stand-in refused {request:?}"))
}

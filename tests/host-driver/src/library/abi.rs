//! The border to C: arguments that are checked once, here.

use std::ffi::{CStr, c_char};

use crate::library::status::{Answer, Status};

/// Defines functions of an interface: a body gives a result, C gets the code. Those of the driver are
/// an `Answer`; other interfaces say theirs first: `answer TYPE;`.
macro_rules! entry {
    (answer $answer:ty; $(fn $name:ident($($arg:ident: $kind:ty),* $(,)?) $body:block)*) => {$(
        #[unsafe(no_mangle)]
        extern "C" fn $name($($arg: $kind),*) -> i32 {
            let body = || -> $answer { $body };
            match body() {
                Ok(()) => 0,
                Err(failure) => failure as i32,
            }
        }
    )*};
    ($(fn $name:ident($($arg:ident: $kind:ty),* $(,)?) $body:block)*) => {
        entry! {
            answer $crate::library::status::Answer;
            $(fn $name($($arg: $kind),*) {
                $crate::library::count::Count::Calls.one_more();
                $body
            })*
        }
    };
}

/// Where the caller wants a value written.
#[repr(transparent)]
pub(crate) struct Out<T>(*mut T);

impl<T> Out<T> {
    pub(crate) fn set(&self, value: T) -> Answer {
        if self.0.is_null() {
            return Err(Status::InvalidValue);
        }
        // SAFETY: not null; the interface asks the caller for room for one T.
        unsafe { self.0.write(value) };
        Ok(())
    }

    /// Writes where the caller wants it at all.
    pub(crate) fn offer(&self, value: T) {
        let _ = self.set(value);
    }

    pub(crate) fn raw(&self) -> *mut T {
        self.0
    }
}

/// A text of the caller's, ended by a zero.
#[repr(transparent)]
pub(crate) struct Text(*const c_char);

impl Text {
    pub(crate) fn get(&self) -> Answer<String> {
        if self.0.is_null() {
            return Err(Status::InvalidValue);
        }
        // SAFETY: not null; the interface asks for a text that ends in a zero.
        let text = unsafe { CStr::from_ptr(self.0) };
        Ok(text.to_string_lossy().into_owned())
    }
}

/// Copies `bytes` to the caller's buffer, which it made as long as we told it.
pub(crate) fn fill(to: &Out<u8>, bytes: &[u8]) -> Answer {
    if to.raw().is_null() {
        return Err(Status::InvalidValue);
    }
    // SAFETY: not null; the caller asked for the size before and made that much room.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to.raw(), bytes.len()) };
    Ok(())
}

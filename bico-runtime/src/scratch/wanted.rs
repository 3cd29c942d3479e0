//! What a call asks for, and on whose behalf.

use crate::{Error, Tunable};

/// A tunable, as the owner of zeroed buffers. Keys are unique in a crate only.
#[derive(Clone, Copy)]
pub struct Owner {
    pub(crate) key: &'static str,
    /// The address of its `static`.
    pub(crate) address: usize,
}

impl Tunable {
    /// As the owner of scratch buffers.
    #[doc(hidden)]
    #[inline]
    pub fn owner(&'static self) -> Owner {
        Owner {
            key: self.data.key,
            address: std::ptr::from_ref(self).addr(),
        }
    }
}

impl Owner {
    /// There is none for so many bytes; `None`: the number itself overflows.
    #[cold]
    pub(crate) fn no_memory(&self, bytes: Option<usize>) -> Error {
        let tunable = self.key;
        Error::Scratch { tunable, bytes }
    }
}

/// One buffer of a call.
#[derive(Clone, Copy)]
pub struct Wanted {
    /// Elements.
    pub len: i64,
    /// Bytes of one.
    pub element: usize,
    /// All zeros, and never another tunable's.
    pub zeroed: bool,
}

impl Wanted {
    /// Bytes of all elements.
    pub(crate) fn bytes(&self, owner: Owner) -> Result<usize, Error> {
        let len = usize::try_from(self.len).ok();
        let bytes = len.and_then(|len| len.checked_mul(self.element));
        bytes.ok_or_else(|| owner.no_memory(None))
    }
}

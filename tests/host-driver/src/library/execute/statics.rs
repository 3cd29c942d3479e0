//! Static shared memory: the thread-local variables of a module, of which this host thread has its own.

use std::ops::Range;

/// The module's number among those with such variables, and their bytes; 0 if it has none.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Statics {
    module: usize,
    bytes: usize,
}

/// What the loader's function takes.
#[repr(C)]
struct Index {
    module: usize,
    offset: usize,
}

unsafe extern "C" {
    fn __tls_get_addr(index: *const Index) -> *mut u8;
}

impl Statics {
    /// Those of the module that `code` lies in.
    pub(crate) fn of(code: usize) -> Statics {
        let mut search = (code, Statics::default());
        // SAFETY: `visit` gets what it casts to.
        unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut search).cast()) };
        search.1
    }

    /// Where they lie.
    pub(crate) fn range(self) -> Range<usize> {
        let start = self.start() as usize;
        start..start + self.bytes
    }

    pub(crate) fn fill(self, byte: u8) {
        if self.bytes > 0 {
            // SAFETY: as many bytes of this thread, which only kernels use.
            unsafe { self.start().write_bytes(byte, self.bytes) };
        }
    }

    pub(crate) fn keep(self, to: &mut Vec<u8>) {
        to.clear();
        if self.bytes > 0 {
            // SAFETY: as above.
            to.extend_from_slice(unsafe { std::slice::from_raw_parts(self.start(), self.bytes) });
        }
    }

    /// # Panics
    ///
    /// If `from` is not what `keep` made.
    pub(crate) fn restore(self, from: &[u8]) {
        assert_eq!(from.len(), self.bytes);
        if self.bytes > 0 {
            // SAFETY: as above; `from` is a copy.
            unsafe {
                self.start()
                    .copy_from_nonoverlapping(from.as_ptr(), self.bytes)
            };
        }
    }

    fn start(self) -> *mut u8 {
        if self.bytes == 0 {
            return std::ptr::null_mut();
        }
        let index = Index {
            module: self.module,
            offset: 0,
        };
        // SAFETY: the module is loaded, as its kernel is about to run or runs.
        unsafe { __tls_get_addr(&raw const index) }
    }
}

unsafe extern "C" fn visit(
    of: *mut libc::dl_phdr_info,
    _: libc::size_t,
    search: *mut libc::c_void,
) -> libc::c_int {
    // SAFETY: the loader's own table, and what `of` was given.
    unsafe {
        let (code, found) = &mut *search.cast::<(usize, Statics)>();
        let headers = std::slice::from_raw_parts((*of).dlpi_phdr, (*of).dlpi_phnum.into());
        let holds = |header: &libc::Elf64_Phdr| {
            let start = (*of).dlpi_addr + header.p_vaddr;
            header.p_type == libc::PT_LOAD
                && (start..start + header.p_memsz).contains(&(*code as u64))
        };
        if !headers.iter().any(holds) {
            return 0;
        }
        let bytes = headers.iter().find(|header| header.p_type == libc::PT_TLS);
        *found = Statics {
            module: (*of).dlpi_tls_modid,
            bytes: bytes.map_or(0, |header| header.p_memsz as usize),
        };
        1
    }
}

//! A function of the host that works on a GPU: a library's call, compiled with a shim that passes it what a launch would get.

use crate::loader_words;
use cudarc::driver::sys::CUstream;
use libloading::Library;
use std::ffi::{c_int, c_void};
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

type Entry = unsafe extern "C" fn(CUstream, *const *mut c_void) -> c_int;

/// One that is loaded.
pub struct HostFunction {
    entry: Entry,
    /// Keeps its code.
    _library: Library,
}

impl HostFunction {
    /// Loads the function of this name from a shared library.
    ///
    /// # Errors
    ///
    /// The loader's own words: a library that it needs is not here, for one.
    pub fn open(path: &Path, entry: &str) -> Result<HostFunction, String> {
        // What is missing is to be known now, and not when it is called.
        // SAFETY: initialisers of the library run here: those of the user's own function, and of what it is linked with.
        #[cfg(unix)]
        let library = unsafe {
            use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
            Library::open(Some(path), RTLD_NOW | RTLD_LOCAL).map(Into::into)
        };
        #[cfg(not(unix))]
        // SAFETY: as above.
        let library = unsafe { Library::new(path) };
        let library: Library = library.map_err(|error| loader_words(&error))?;
        // SAFETY: the build generates this function with this type, and `library` is kept beside it.
        let entry = unsafe { library.get::<Entry>(entry).map(|symbol| *symbol) };
        Ok(HostFunction {
            entry: entry.map_err(|error| loader_words(&error))?,
            _library: library,
        })
    }

    /// Loads it from the content of a shared library, which a file holds meanwhile.
    ///
    /// # Errors
    ///
    /// As [`open`](HostFunction::open); or the file cannot be written.
    pub fn load(bytes: &[u8], entry: &str) -> Result<HostFunction, String> {
        let (path, mut file) = temporary().map_err(unwritten)?;
        let written = file.write_all(bytes).map_err(unwritten);
        drop(file);
        let loaded = written.and_then(|()| HostFunction::open(&path, entry));
        // What is loaded stays so.
        let _ = std::fs::remove_file(&path);
        loaded
    }

    /// Calls it: 0 where all went well.
    ///
    /// # Safety
    ///
    /// Each parameter points to what the function gets, as for a launch of a kernel, and the stream's context is this thread's.
    /// The memory that they name is valid until the stream is through.
    pub unsafe fn call(&self, stream: CUstream, parameters: &[*mut c_void]) -> i32 {
        // SAFETY: the caller's promise.
        unsafe { (self.entry)(stream, parameters.as_ptr()) }
    }
}

fn unwritten(error: std::io::Error) -> String {
    format!("its code cannot be written to a temporary file: {error}")
}

/// A file that was not there before, so that it is neither a link nor another's.
fn temporary() -> std::io::Result<(PathBuf, File)> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("bico-{}-{number}.so", std::process::id());
        let path = std::env::temp_dir().join(name);
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(file) => return Ok((path, file)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

//! NVRTC's C interface: its symbols, and programs as values. All `unsafe` of it.

use super::{Nvrtc, headers};
use crate::loader_words;
use libloading::Library;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::Path;
use std::ptr;

type Raw = *mut c_void;
type Status = c_int;
/// How all of its outputs are fetched: first the size, then the bytes.
type Size = unsafe extern "C" fn(Raw, *mut usize) -> Status;
type Bytes = unsafe extern "C" fn(Raw, *mut c_char) -> Status;

/// The functions that are used.
#[derive(Debug, Clone, Copy)]
pub(super) struct Symbols {
    error_string: unsafe extern "C" fn(Status) -> *const c_char,
    version: unsafe extern "C" fn(*mut c_int, *mut c_int) -> Status,
    architecture_count: unsafe extern "C" fn(*mut c_int) -> Status,
    architectures: unsafe extern "C" fn(*mut c_int) -> Status,
    create: unsafe extern "C" fn(
        *mut Raw,
        *const c_char,
        *const c_char,
        c_int,
        *const *const c_char,
        *const *const c_char,
    ) -> Status,
    destroy: unsafe extern "C" fn(*mut Raw) -> Status,
    add_expression: unsafe extern "C" fn(Raw, *const c_char) -> Status,
    compile: unsafe extern "C" fn(Raw, c_int, *const *const c_char) -> Status,
    lowered_name: unsafe extern "C" fn(Raw, *const c_char, *mut *const c_char) -> Status,
    cubin_size: Size,
    cubin: Bytes,
    ptx_size: Size,
    ptx: Bytes,
    log_size: Size,
    log: Bytes,
}

impl Symbols {
    fn load(library: &Library) -> Result<Symbols, libloading::Error> {
        macro_rules! symbol {
            ($name:literal) => {
                // SAFETY: nvrtc.h declares the function with the type of the field that it goes to, in
                // every version since 11.2, and the library is never unloaded.
                unsafe { *library.get($name)? }
            };
        }
        Ok(Symbols {
            error_string: symbol!("nvrtcGetErrorString"),
            version: symbol!("nvrtcVersion"),
            architecture_count: symbol!("nvrtcGetNumSupportedArchs"),
            architectures: symbol!("nvrtcGetSupportedArchs"),
            create: symbol!("nvrtcCreateProgram"),
            destroy: symbol!("nvrtcDestroyProgram"),
            add_expression: symbol!("nvrtcAddNameExpression"),
            compile: symbol!("nvrtcCompileProgram"),
            lowered_name: symbol!("nvrtcGetLoweredName"),
            cubin_size: symbol!("nvrtcGetCUBINSize"),
            cubin: symbol!("nvrtcGetCUBIN"),
            ptx_size: symbol!("nvrtcGetPTXSize"),
            ptx: symbol!("nvrtcGetPTX"),
            log_size: symbol!("nvrtcGetProgramLogSize"),
            log: symbol!("nvrtcGetProgramLog"),
        })
    }

    /// The status as a result; `call` says what was tried.
    fn check(&self, status: Status, call: &str) -> Result<(), String> {
        if status == 0 {
            return Ok(());
        }
        // SAFETY: the function takes any number and returns a static string.
        let text = unsafe { text((self.error_string)(status)) };
        Err(format!("{call} failed: {text} (status {status})"))
    }
}

/// A copy of a C string.
///
/// # Safety
///
/// The pointer is null or points to a string that lives during the call.
unsafe fn text(pointer: *const c_char) -> String {
    if pointer.is_null() {
        return String::new();
    }
    // SAFETY: as the caller promises.
    unsafe { CStr::from_ptr(pointer) }
        .to_string_lossy()
        .into_owned()
}

/// Loads the library of this name or path.
pub(super) fn load(name: &Path) -> Result<Nvrtc, String> {
    // SAFETY: loading runs the library's initialisers. The file is called NVRTC, or the user named it as that.
    let library = unsafe { Library::new(name) }.map_err(|error| loader_words(&error))?;
    let symbols = Symbols::load(&library).map_err(|error| loader_words(&error))?;
    // Threads that it started may run in its code to the end.
    std::mem::forget(library);
    let (mut major, mut minor, mut count) = (0, 0, 0);
    // SAFETY: each pointer is to a number that lives during its call.
    let statuses = unsafe {
        [
            (symbols.version)(&mut major, &mut minor),
            (symbols.architecture_count)(&mut count),
        ]
    };
    for (status, call) in statuses
        .into_iter()
        .zip(["nvrtcVersion", "nvrtcGetNumSupportedArchs"])
    {
        symbols.check(status, call)?;
    }
    let mut known = vec![0; usize::try_from(count).unwrap_or(0)];
    // SAFETY: the list has as many elements as the library said that it writes.
    let status = unsafe { (symbols.architectures)(known.as_mut_ptr()) };
    symbols.check(status, "nvrtcGetSupportedArchs")?;
    let mut architectures: Vec<u16> = known
        .into_iter()
        .filter_map(|architecture| u16::try_from(architecture).ok())
        .collect();
    architectures.sort_unstable();
    Ok(Nvrtc {
        symbols,
        path: headers::loaded_path(name),
        version: (
            u32::try_from(major).unwrap_or(0),
            u32::try_from(minor).unwrap_or(0),
        ),
        architectures,
    })
}

/// A program of NVRTC; destroyed with it.
pub(super) struct Handle<'a> {
    raw: Raw,
    symbols: &'a Symbols,
}

impl Handle<'_> {
    pub(super) fn new<'a>(
        symbols: &'a Symbols,
        source: &str,
        name: &str,
    ) -> Result<Handle<'a>, String> {
        let source = c_string(source, "the source")?;
        let name = c_string(name, "the source's name")?;
        let mut raw = ptr::null_mut();
        // SAFETY: both strings live during the call, which copies them; no headers are given.
        let status = unsafe {
            (symbols.create)(
                &mut raw,
                source.as_ptr(),
                name.as_ptr(),
                0,
                ptr::null(),
                ptr::null(),
            )
        };
        symbols.check(status, "nvrtcCreateProgram")?;
        Ok(Handle { raw, symbols })
    }

    pub(super) fn add_expression(&self, expression: &str) -> Result<(), String> {
        let expression = c_string(expression, "the name expression")?;
        // SAFETY: the program exists, the string lives during the call, which copies it.
        let status = unsafe { (self.symbols.add_expression)(self.raw, expression.as_ptr()) };
        self.symbols.check(status, "nvrtcAddNameExpression")
    }

    pub(super) fn compile(&self, options: &[String]) -> Result<(), String> {
        let options = options
            .iter()
            .map(|option| c_string(option, "an option"))
            .collect::<Result<Vec<CString>, String>>()?;
        let pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        let count = c_int::try_from(pointers.len()).map_err(|_| "too many options".to_string())?;
        // SAFETY: the program exists; `count` strings live during the call.
        let status = unsafe { (self.symbols.compile)(self.raw, count, pointers.as_ptr()) };
        self.symbols.check(status, "nvrtcCompileProgram")
    }

    /// What the compiler said so far.
    pub(super) fn log(&self) -> String {
        let bytes = self.fetch(
            self.symbols.log_size,
            self.symbols.log,
            "nvrtcGetProgramLog",
        );
        let bytes = bytes.ok().flatten().unwrap_or_default();
        String::from_utf8_lossy(without_nul(&bytes)).into_owned()
    }

    pub(super) fn cubin(&self) -> Result<Option<Vec<u8>>, String> {
        self.fetch(self.symbols.cubin_size, self.symbols.cubin, "nvrtcGetCUBIN")
    }

    pub(super) fn ptx(&self) -> Result<Option<Vec<u8>>, String> {
        let ptx = self.fetch(self.symbols.ptx_size, self.symbols.ptx, "nvrtcGetPTX")?;
        Ok(ptx
            .map(|ptx| without_nul(&ptx).to_vec())
            .filter(|ptx| !ptx.is_empty()))
    }

    /// The mangled name of an expression that was added before compiling.
    pub(super) fn lowered_name(&self, expression: &str) -> Result<String, String> {
        let expression = c_string(expression, "the name expression")?;
        let mut name = ptr::null();
        // SAFETY: the program exists and both pointers live during the call.
        let status =
            unsafe { (self.symbols.lowered_name)(self.raw, expression.as_ptr(), &mut name) };
        self.symbols.check(status, "nvrtcGetLoweredName")?;
        // SAFETY: the string belongs to the program, which `self` keeps.
        Ok(unsafe { text(name) })
    }

    /// One of the outputs; `None` where there is none of its kind.
    fn fetch(&self, size: Size, bytes: Bytes, call: &str) -> Result<Option<Vec<u8>>, String> {
        let mut len = 0;
        // SAFETY: the program exists, and `len` lives during the call.
        let status = unsafe { size(self.raw, &mut len) };
        self.symbols.check(status, call)?;
        if len == 0 {
            return Ok(None);
        }
        let mut content = vec![0; len];
        // SAFETY: the buffer has as many bytes as the library said that it writes.
        let status = unsafe { bytes(self.raw, content.as_mut_ptr().cast()) };
        self.symbols.check(status, call)?;
        Ok(Some(content))
    }
}

impl Drop for Handle<'_> {
    fn drop(&mut self) {
        // SAFETY: the program exists, and is not used afterwards.
        unsafe { (self.symbols.destroy)(&mut self.raw) };
    }
}

fn c_string(text: &str, what: &str) -> Result<CString, String> {
    CString::new(text).map_err(|_| format!("{what} holds a NUL character"))
}

fn without_nul(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|byte| *byte != 0);
    end.map_or(&[], |end| &bytes[..=end])
}

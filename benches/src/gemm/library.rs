//! Libraries in C, loaded at run time and told to use one thread.

use gemm_cpu::Contender;
use libloading::Library;
use std::ffi::{CStr, c_char};
use std::path::PathBuf;

type Sgemm = unsafe extern "C" fn(
    i32,
    i32,
    i32,
    i32,
    i32,
    i32,
    f32,
    *const f32,
    i32,
    *const f32,
    i32,
    f32,
    *mut f32,
    i32,
);

const ROW_MAJOR: i32 = 101;
const NO_TRANSPOSE: i32 = 111;

/// A library with BLAS's C interface.
pub(super) struct Blas {
    pub(super) name: &'static str,
    /// Its files, the best first: what all its functions' names begin with, and the file.
    files: &'static [(&'static str, &'static str)],
    /// What sets the number of threads.
    threads: &'static str,
    kernels: fn(&Library, &str) -> Option<String>,
}

pub(super) const ALL: [Blas; 2] = [
    Blas {
        name: "openblas",
        // The wheel is years newer than distributions: it knows more CPUs.
        files: &[("scipy_", "libscipy_openblas.so"), ("", "libopenblas.so.0")],
        threads: "openblas_set_num_threads",
        kernels: openblas_kernels,
    },
    Blas {
        name: "blis",
        files: &[("", "libblis.so.4"), ("", "libblis.so")],
        threads: "bli_thread_set_num_threads",
        kernels: blis_kernels,
    },
];

impl Blas {
    /// This library as a contender, where it is there. Its kernels are those that it chose for this CPU.
    pub(super) fn contender(&self) -> Option<Contender> {
        let (prefix, library) = self.files.iter().find_map(|(prefix, file)| {
            let paths = [Some(PathBuf::from(file)), in_wheel(file)];
            let opened = paths.into_iter().flatten().find_map(|path| {
                // SAFETY: a published library; it stays loaded.
                unsafe { Library::new(path) }.ok()
            });
            Some((*prefix, opened?))
        })?;
        // BLIS counts in its own integers, 64 bits wide; OpenBLAS takes the lower half.
        type Threads = unsafe extern "C" fn(i64);
        // SAFETY: the library's published interface.
        let sgemm = unsafe {
            if let Ok(threads) = library.get::<Threads>(format!("{prefix}{}", self.threads)) {
                threads(1);
            }
            *library.get::<Sgemm>(format!("{prefix}cblas_sgemm")).ok()?
        };
        let kernels = (self.kernels)(&library, prefix).unwrap_or_else(|| "unknown".to_string());
        std::mem::forget(library);
        let what = format!("{}, one thread, its kernels for {kernels}", self.name);
        Some(Contender::new(self.name, what, move |c, a, b, n| {
            let n = n as i32;
            // SAFETY: three dense n x n matrices, c distinct from a and b.
            unsafe {
                sgemm(
                    ROW_MAJOR,
                    NO_TRANSPOSE,
                    NO_TRANSPOSE,
                    n,
                    n,
                    n,
                    1.0,
                    a.as_ptr(),
                    n,
                    b.as_ptr(),
                    n,
                    0.0,
                    c.as_mut_ptr(),
                    n,
                );
            }
        }))
    }
}

/// A library of the virtual environment with the rivals.
fn in_wheel(file: &str) -> Option<PathBuf> {
    let lib = crate::rivals()?.join("lib");
    let versions = std::fs::read_dir(lib).ok()?;
    versions
        .flatten()
        .map(|version| {
            version
                .path()
                .join("site-packages/scipy_openblas32/lib")
                .join(file)
        })
        .find(|path| path.is_file())
}

fn openblas_kernels(library: &Library, prefix: &str) -> Option<String> {
    type Core = unsafe extern "C" fn() -> *const c_char;
    // SAFETY: the library's published interface: a string that stays.
    unsafe {
        let core = library
            .get::<Core>(format!("{prefix}openblas_get_corename"))
            .ok()?;
        Some(CStr::from_ptr(core()).to_string_lossy().into_owned())
    }
}

fn blis_kernels(library: &Library, _: &str) -> Option<String> {
    type Id = unsafe extern "C" fn() -> i32;
    type Text = unsafe extern "C" fn(i32) -> *const c_char;
    // SAFETY: the library's published interface: an enum, and a string that stays.
    unsafe {
        let id = library.get::<Id>("bli_arch_query_id").ok()?;
        let text = library.get::<Text>("bli_arch_string").ok()?;
        Some(CStr::from_ptr(text(id())).to_string_lossy().into_owned())
    }
}

//! Is the tuned kernel worth it? The example's race, with OpenBLAS as one more contender; then the contraction.

mod batch;

use gemm_cpu::Contender;
use serde_json::{Map, Value};

const N: u32 = 1024;
const ROUNDS: usize = 25;

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

pub(crate) fn run(json: bool) -> Result<Value, String> {
    let mut contenders = gemm_cpu::contenders(N).map_err(|e| e.to_string())?;
    match openblas() {
        Some(openblas) => contenders.push(openblas),
        None => eprintln!("SKIPPED: openblas is not installed (apt install libopenblas0)"),
    }
    let rows = gemm_cpu::race(contenders, N as usize, ROUNDS)?;
    if !json {
        gemm_cpu::print(&rows, N as usize, false);
    }
    let mut object: Map<String, Value> = rows
        .iter()
        .map(|row| (row.name.to_string(), rounded(row.gflops)))
        .collect();
    object.extend(batch::run(json)?);
    Ok(Value::Object(object))
}

/// Two digits behind the point.
fn rounded(gflops: f64) -> Value {
    Value::from((gflops * 100.0).round() / 100.0)
}

/// Debian's OpenBLAS, loaded at run time and told to use one thread.
fn openblas() -> Option<Contender> {
    // SAFETY: a C library with the published interface; it stays loaded.
    let (sgemm, name) = unsafe {
        let library = libloading::Library::new("libopenblas.so.0").ok()?;
        let threads: unsafe extern "C" fn(i32) = *library.get(b"openblas_set_num_threads").ok()?;
        threads(1);
        let core: unsafe extern "C" fn() -> *const std::ffi::c_char =
            *library.get(b"openblas_get_corename").ok()?;
        let core = std::ffi::CStr::from_ptr(core())
            .to_string_lossy()
            .into_owned();
        let sgemm: Sgemm = *library.get(b"cblas_sgemm").ok()?;
        std::mem::forget(library);
        (
            sgemm,
            format!("OpenBLAS, one thread, its kernels for {core}"),
        )
    };
    const ROW_MAJOR: i32 = 101;
    const NO_TRANSPOSE: i32 = 111;
    Some(Contender::new("openblas", name, move |c, a, b, n| {
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

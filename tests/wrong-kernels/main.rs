//! Kernels that are wrong in one way each, beside right ones that take longer: a build must take the right ones.
//!
//! Some win all the same. The table says which, and why; the tests hold the table to what builds really do, so that it never
//! says more or less than that.
//!
//! No answer hangs on how fast a machine is: a right variant does several times the work of the wrong one, mostly a hundred times.

// Some kernels ask for x86-64 in particular, and so does the stand-in for CUDA.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod harness;
mod judge;
mod kernels;
mod table;

use harness::Package;
use kernels::Language;
use table::Row;

/// Tunes all kernels of a language in one build, and compares what comes of it with the table.
#[track_caller]
fn tune(package: &Package, language: Language, types: &str, rows: &[Row]) {
    let mut listed: Vec<&str> = rows.iter().map(|row| row.name).collect();
    listed.sort_unstable();
    assert_eq!(language.names(), listed, "the files, and the table's rows");
    language.fill(package, types);
    package.build("tune").ok();
    let surprises = judge::judge(package, rows);
    assert!(surprises.is_empty(), "{}", surprises.join("\n"));
}

#[test]
fn in_c() {
    let package = Package::new("wrong-in-c");
    tune(&package, kernels::C, "", &table::c::rows());
}

#[test]
fn in_cuda() {
    let package = Package::cuda("wrong-in-cuda");
    let types = "use bico::cudarc::driver::{CudaSlice, CudaStream, CudaView, CudaViewMut};\nuse std::sync::Arc;\n";
    tune(&package, kernels::CUDA, types, &table::cuda::rows());
}

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

/// The table calls it open: no build has room for it.
#[test]
#[ignore = "17 GiB and minutes: scripts/full large"]
fn an_index_of_32_bits() {
    let package = Package::new("wrong-and-large");
    kernels::C.fill(&package, "");
    let repository = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut command = std::process::Command::new(env!("CARGO"));
    command.args([
        "run",
        "--release",
        "--quiet",
        "-p",
        "cargo-bico",
        "--manifest-path",
    ]);
    command.arg(repository.join("Cargo.toml"));
    command.args([
        "--",
        "bico",
        "check",
        "--large",
        "--only",
        "index_of_32_bits",
    ]);
    command.args(["--manifest-path", "Cargo.toml"]);
    let output = command.current_dir(package.root()).output().unwrap();
    let (out, error) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    let is_said =
        |line: &str| line.contains("VARIANT=1") && line.contains("at m = 65537, n = 65539");
    assert!(!output.status.success(), "{out}{error}");
    assert!(out.lines().any(is_said), "{out}{error}");
    assert!(error.contains("1 config is wrong"), "{out}{error}");
}

//! The dependencies of the packages under test, compiled once for all of them.

use super::{Call, copy};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use tempfile::TempDir;

/// The workspace of bico itself.
pub(crate) const WORKSPACE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Below the target folder of the workspace, so that the next run finds them compiled.
const FOLDER: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/functional");

/// What a package's kernels are written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Cpu,
    /// With the feature `cuda`.
    Cuda,
}

/// The dependencies of every package.
pub(crate) fn dependencies(kind: Kind) -> String {
    let features = match kind {
        Kind::Cpu => ", features = [\"einsum\"]",
        Kind::Cuda => ", features = [\"cuda\", \"einsum\"]",
    };
    format!(
        "[dependencies]\nbico-runtime = {{ path = \"{WORKSPACE}/bico-runtime\"{features} }}\n\n\
         [build-dependencies]\nbico-build = {{ path = \"{WORKSPACE}/bico-build\"{features} }}\n"
    )
}

/// The versions that the workspace uses: they are on this machine, so that cargo works offline.
pub(crate) fn cargo_lock() -> String {
    let path = Path::new(WORKSPACE).join("Cargo.lock");
    std::fs::read_to_string(path).expect("the workspace has a Cargo.lock")
}

/// A target folder of one's own that holds the dependencies. Packages don't share one, because
/// cargo lets only one build at a time into a target folder.
pub(crate) fn target(kind: Kind) -> TempDir {
    let warm = folder(kind);
    let target = tempfile::Builder::new()
        .prefix("target-")
        .tempdir_in(FOLDER)
        .unwrap();
    copy(warm, target.path());
    // A lock that is one file under two names would let only one of both build.
    std::fs::remove_file(target.path().join("debug/.cargo-lock")).unwrap();
    target
}

/// The folder that is copied, made once.
fn folder(kind: Kind) -> &'static Path {
    static CPU: OnceLock<PathBuf> = OnceLock::new();
    static CUDA: OnceLock<PathBuf> = OnceLock::new();
    match kind {
        Kind::Cpu => CPU.get_or_init(|| warm(kind, "package", "target")),
        Kind::Cuda => CUDA.get_or_init(|| {
            let target = Path::new(FOLDER).join("target-cuda");
            if !target.is_dir() {
                // Most crates are the same for both.
                copy(folder(Kind::Cpu), &target);
                std::fs::remove_file(target.join("debug/.cargo-lock")).unwrap();
            }
            warm(kind, "package-cuda", "target-cuda")
        }),
    }
}

fn warm(kind: Kind, package: &str, target: &str) -> PathBuf {
    let (package, target) = (
        Path::new(FOLDER).join(package),
        Path::new(FOLDER).join(target),
    );
    std::fs::create_dir_all(package.join("src")).unwrap();
    let manifest = format!(
        "[package]\nname = \"warm\"\nedition = \"2024\"\n\n[workspace]\n\n{}",
        dependencies(kind)
    );
    for (file, text) in [
        ("Cargo.toml", manifest),
        ("Cargo.lock", cargo_lock()),
        ("build.rs", "fn main() {}".to_string()),
        ("src/lib.rs", String::new()),
    ] {
        std::fs::write(package.join(file), text).unwrap();
    }
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .args(["build", "--offline", "--target-dir"])
        .arg(&target)
        .current_dir(&package);
    Call::new(cargo).env("BICO", "off").run().ok();
    target
}

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

/// The dependencies of every package.
pub(crate) fn dependencies() -> String {
    format!(
        "[dependencies]\nbico-runtime = {{ path = \"{WORKSPACE}/bico-runtime\" }}\n\n\
         [build-dependencies]\nbico-build = {{ path = \"{WORKSPACE}/bico-build\" }}\n"
    )
}

/// The versions that the workspace uses: they are on this machine, so that cargo works offline.
pub(crate) fn cargo_lock() -> String {
    let path = Path::new(WORKSPACE).join("Cargo.lock");
    std::fs::read_to_string(path).expect("the workspace has a Cargo.lock")
}

/// A target folder of one's own that holds the dependencies. Packages don't share one, because
/// cargo lets only one build at a time into a target folder.
pub(crate) fn target() -> TempDir {
    static WARM: OnceLock<PathBuf> = OnceLock::new();
    let warm = WARM.get_or_init(warm);
    let target = tempfile::Builder::new()
        .prefix("target-")
        .tempdir_in(FOLDER)
        .unwrap();
    copy(warm, target.path());
    // A lock that is one file under two names would let only one of both build.
    std::fs::remove_file(target.path().join("debug/.cargo-lock")).unwrap();
    target
}

fn warm() -> PathBuf {
    let (package, target) = (
        Path::new(FOLDER).join("package"),
        Path::new(FOLDER).join("target"),
    );
    std::fs::create_dir_all(package.join("src")).unwrap();
    let manifest = format!(
        "[package]\nname = \"warm\"\nedition = \"2024\"\n\n[workspace]\n\n{}",
        dependencies()
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

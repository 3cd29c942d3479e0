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
    /// With floats of 16 bits besides.
    Halves,
}

impl Kind {
    /// What its folders' names end in, and the kind that has most crates in common with it.
    fn place(self) -> (&'static str, Option<Kind>) {
        match self {
            Kind::Cpu => ("", None),
            Kind::Cuda => ("-cuda", Some(Kind::Cpu)),
            Kind::Halves => ("-halves", Some(Kind::Cuda)),
        }
    }
}

/// The dependencies of every package.
pub(crate) fn dependencies(kind: Kind) -> String {
    let (runtime, build, more) = match kind {
        Kind::Cpu => ("\"einsum\"", "\"einsum\", \"rust\", \"workers\"", ""),
        Kind::Cuda => (
            "\"cuda\", \"einsum\"",
            "\"cuda\", \"einsum\", \"rust\", \"workers\"",
            "",
        ),
        Kind::Halves => (
            "\"f16\", \"einsum\"",
            "\"cuda\", \"einsum\", \"rust\", \"workers\"",
            "half = \"2\"\n",
        ),
    };
    format!(
        "[dependencies]\nbico-runtime = {{ path = \"{WORKSPACE}/bico-runtime\", features = [{runtime}] }}\n{more}\n\
         [build-dependencies]\nbico-build = {{ path = \"{WORKSPACE}/bico-build\", features = [{build}] }}\n"
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
    static FOLDERS: [OnceLock<PathBuf>; 3] = [const { OnceLock::new() }; 3];
    FOLDERS[kind as usize].get_or_init(|| {
        let (name, base) = kind.place();
        let target = Path::new(FOLDER).join(format!("target{name}"));
        if let Some(base) = base
            && !target.is_dir()
        {
            copy(folder(base), &target);
            std::fs::remove_file(target.join("debug/.cargo-lock")).unwrap();
        }
        warm(
            kind,
            &Path::new(FOLDER).join(format!("package{name}")),
            &target,
        );
        target
    })
}

/// Compiles the dependencies.
fn warm(kind: Kind, package: &Path, target: &Path) {
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
        .arg(target)
        .current_dir(package);
    Call::new(cargo).env("BICO", "off").run().ok();
}

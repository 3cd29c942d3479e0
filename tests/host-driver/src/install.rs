//! Where tests find the shared library, under the names that programs look for.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Whether this machine can run it: Linux on x86-64. Elsewhere tests say so and skip.
pub const SUPPORTED: bool = cfg!(all(target_os = "linux", target_arch = "x86_64"));

/// The names under which the one library is laid out.
const NAMES: [&str; 6] = [
    "libcuda.so",
    "libcuda.so.1",
    "libnvrtc.so",
    "libnvrtc.so.12",
    "libnvidia-ml.so",
    "libnvidia-ml.so.1",
];

/// A folder that holds `libcuda.so.1`, `libnvrtc.so` and `libnvidia-ml.so.1`, also under their other
/// names: made once per build, beside the test executable.
///
/// # Panics
///
/// If the library is not there (the calling test must have this crate as a dependency, so that cargo
/// builds it) or the folder cannot be written.
pub fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| lay_out(&library()))
}

/// The variables of a program that shall run on `gpus` with `faults`, as
/// `Command::envs` takes them.
///
/// # Panics
///
/// As [`folder`].
pub fn environment(gpus: &str, faults: &str) -> Vec<(&'static str, String)> {
    let folder = folder();
    vec![
        ("LD_LIBRARY_PATH", search_path(folder)),
        (
            "BICO_NVRTC",
            folder.join("libnvrtc.so").display().to_string(),
        ),
        (
            "BICO_HOST_OBJECTS",
            folder.join("objects").display().to_string(),
        ),
        ("BICO_HOST_GPUS", gpus.to_string()),
        ("BICO_HOST_FAULT", faults.to_string()),
    ]
}

/// The folder before all that is searched already: cargo's own tests need some of that.
#[expect(
    clippy::disallowed_methods,
    reason = "no build script: a test adds to what its children inherit"
)]
fn search_path(folder: &Path) -> String {
    match std::env::var("LD_LIBRARY_PATH") {
        Ok(before) if !before.is_empty() => format!("{}:{before}", folder.display()),
        _ => folder.display().to_string(),
    }
}

/// What cargo built of this crate: beside the executable that asks, or one folder up.
fn library() -> PathBuf {
    let asking = std::env::current_exe().expect("the path of this executable");
    let found = asking
        .ancestors()
        .skip(1)
        .take(2)
        // What cargo puts one folder up is of the last build of this package alone.
        .flat_map(|folder| [folder.join("deps"), folder.to_path_buf()])
        .map(|folder| folder.join("libhost_driver.so"))
        .find(|file| file.is_file());
    found.unwrap_or_else(|| {
        panic!(
            "libhost_driver.so is not beside {}: the package of this test needs bico-host-driver \
             among its dependencies",
            asking.display()
        )
    })
}

/// Copies, not links: cargo replaces its file while tests of another build may still run. Copies of
/// an earlier build stay, for a program may have them loaded; the folder's name says which build it is.
fn lay_out(library: &Path) -> PathBuf {
    let about = fs::metadata(library).expect("the library can be read");
    let built = about.modified().ok().and_then(|time| {
        time.duration_since(std::time::UNIX_EPOCH)
            .ok()
            .map(|since| since.as_nanos())
    });
    let parent = library.parent().expect("a file has a folder");
    let folder = parent.join(format!(
        "host-driver-{:x}-{:x}",
        about.len(),
        built.unwrap_or(0)
    ));
    if folder.is_dir() {
        return folder;
    }
    // Made aside and renamed, so that a test of another process sees all of it or nothing.
    let aside = tempfile::Builder::new()
        .prefix("host-driver-")
        .tempdir_in(parent)
        .expect("the target folder can be written")
        .keep();
    fs::copy(library, aside.join(NAMES[0])).expect("the library can be copied");
    for name in &NAMES[1..] {
        fs::hard_link(aside.join(NAMES[0]), aside.join(name)).expect("a name for the library");
    }
    if fs::rename(&aside, &folder).is_err() {
        // Somebody else was first.
        let _ = fs::remove_dir_all(&aside);
    }
    assert!(folder.is_dir(), "{} was not made", folder.display());
    folder
}

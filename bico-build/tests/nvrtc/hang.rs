//! A compiler that never ends, and starts another process: a script in nvcc's place.

use crate::setup::{Setup, cubin};
use bico_build::compile::{Options, Service};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Makes this program compile with the script in the folder that follows.
pub(crate) const ARGUMENT: &str = "--compile-in=";

const SCRIPT: &str = "#!/bin/sh
case $1 in
--version) echo 'Cuda compilation tools, release 12.9, V12.9.0' ;;
--list-gpu-code) echo sm_80 ;;
*) sleep 1000 & echo $! > FOLDER/sleeper.new; mv FOLDER/sleeper.new FOLDER/sleeper; wait ;;
esac
";

fn prepare(setup: &Setup, name: &str) -> PathBuf {
    let folder = setup.folder.path().join(name);
    std::fs::create_dir_all(folder.join("kernels")).unwrap();
    std::fs::write(folder.join("kernels/kernels.cu"), "").unwrap();
    let script = folder.join("nvcc");
    let text = SCRIPT.replace("FOLDER", &folder.display().to_string());
    std::fs::write(&script, text).unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

fn service(folder: &Path, timeout: Duration) -> Service {
    Service::new(Options {
        cache: folder.join("objects"),
        root: folder.to_path_buf(),
        threads: 1,
        target: String::new(),
        host: String::new(),
        timeout,
        nvrtc: Some(folder.join("nvcc")),
        program: None,
    })
}

/// What the program does that is started with [`ARGUMENT`].
pub(crate) fn compile(folder: &Path) -> ! {
    let _ = service(folder, Options::TIMEOUT).kernel(&cubin("plain"));
    std::process::exit(0)
}

pub(crate) fn a_hanging_compiler_is_ended(setup: &Setup) {
    let folder = prepare(setup, "hang");
    let service = service(&folder, Duration::from_secs(3));
    let error = service.kernel(&cubin("plain")).unwrap_err();
    assert_eq!(
        error.summary,
        "the compiler was stopped after 3 s: `compile_seconds` in [package.metadata.bico] says how long it may take"
    );
    let sleeper = wait_for(|| std::fs::read_to_string(folder.join("sleeper")).ok());
    wait_for(|| is_gone(&sleeper).then_some(()));
}

pub(crate) fn a_hanging_compiler_ends_with_the_build(setup: &Setup) {
    let folder = prepare(setup, "orphan");
    let mut build = Command::new(std::env::current_exe().unwrap())
        .arg(format!("{ARGUMENT}{}", folder.display()))
        .spawn()
        .unwrap();
    let sleeper = wait_for(|| std::fs::read_to_string(folder.join("sleeper")).ok());
    assert!(!is_gone(&sleeper));
    // It is like a user who interrupts cargo: nothing can tidy up.
    build.kill().unwrap();
    build.wait().unwrap();
    wait_for(|| is_gone(&sleeper).then_some(()));
}

/// Gone, or a zombie until init looks: it no longer runs.
fn is_gone(process: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{}/stat", process.trim()))
        .map_or(true, |stat| stat.contains(") Z "))
}

fn wait_for<T>(mut what: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        if let Some(found) = what() {
            return found;
        }
        assert!(Instant::now() < deadline, "waited in vain");
        std::thread::sleep(Duration::from_millis(10));
    }
}

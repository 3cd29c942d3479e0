//! A test in a process of its own, whose libcuda is ours.

use std::process::Command;
use std::thread;

const MARK: &str = "BICO_HOST_CHILD";

/// Runs `body` in a child process with these GPUs and faults.
pub(crate) fn on(gpus: &str, faults: &str, body: impl FnOnce()) {
    with(gpus, faults, &[], body);
}

/// As [`on`], with further variables.
#[expect(clippy::disallowed_methods, reason = "a mark between test and child")]
pub(crate) fn with(gpus: &str, faults: &str, more: &[(&str, &str)], body: impl FnOnce()) {
    if std::env::var_os(MARK).is_some() {
        return body();
    }
    let test = thread::current();
    let name = test.name().expect("tests have names");
    let output = Command::new(std::env::current_exe().expect("this executable"))
        .args([
            name,
            "--exact",
            "--include-ignored",
            "--nocapture",
            "--test-threads=1",
        ])
        .envs(host_driver::environment(gpus, faults))
        .envs(more.iter().copied())
        .env(MARK, "1")
        .output()
        .expect("this executable starts again");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{text}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

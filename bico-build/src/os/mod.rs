//! What is particular to an operating system: processes, signals, where files lie. Linux is what
//! is tested; elsewhere measuring says that it is not supported yet ([`bico_device::os`] holds
//! the system calls).

#[cfg(all(feature = "tune", unix))]
pub(crate) mod jobserver;
#[cfg(all(feature = "tune", not(unix)))]
#[path = "without_jobserver.rs"]
pub(crate) mod jobserver;
#[cfg(feature = "tune")]
mod measuring;

use bico_core::Lists;
#[cfg(feature = "tune")]
pub(crate) use measuring::*;
use std::fs::{File, OpenOptions};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus};
use std::thread::JoinHandle;

/// The folder and the arguments of the process that started this one (cargo, for a build script).
#[cfg(target_os = "linux")]
pub(crate) fn parent_process() -> Option<(PathBuf, Vec<String>)> {
    let parent = std::os::unix::process::parent_id();
    let folder = std::fs::read_link(format!("/proc/{parent}/cwd")).ok()?;
    let arguments = std::fs::read(format!("/proc/{parent}/cmdline")).ok()?;
    let arguments = arguments
        .split(|byte| *byte == 0)
        .map(|argument| String::from_utf8_lossy(argument).into_owned())
        .collect_vec();
    Some((folder, arguments))
}

/// Not visible here.
#[cfg(not(target_os = "linux"))]
pub(crate) fn parent_process() -> Option<(PathBuf, Vec<String>)> {
    None
}

/// The controlling terminal, if there is one: cargo captures what a build script prints.
pub(crate) fn terminal() -> Option<File> {
    OpenOptions::new().write(true).open("/dev/tty").ok()
}

/// Starts a thread. One function for all who need one: `std::thread::spawn` is 25 for each.
pub(crate) fn thread(work: Box<dyn FnOnce() + Send>) -> JoinHandle<()> {
    std::thread::spawn(work)
}

/// Lets a command start as the leader of its own group, so that [`kill_group`] reaches all it starts.
pub(crate) fn own_group(command: &mut Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    #[cfg(not(unix))]
    let _ = command;
}

/// Ends a process that was started in its [`own_group`], and all that it started, and waits for it.
pub(crate) fn kill_group(child: &mut Child) -> Option<ExitStatus> {
    // The group first: once the leader is waited for, its number may mean another process.
    bico_host::process::kill_group(child.id());
    let _ = child.kill();
    child.wait().ok()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    #[test]
    fn a_group_is_killed_with_its_children() {
        let mut command = Command::new("sh");
        command
            .args(["-c", "sleep 1000 & echo $!; wait"])
            .stdout(std::process::Stdio::piped());
        own_group(&mut command);
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        std::io::BufRead::read_line(
            &mut std::io::BufReader::new(child.stdout.take().unwrap()),
            &mut line,
        )
        .unwrap();
        assert!(!kill_group(&mut child).unwrap().success());
        let grandchild = PathBuf::from(format!("/proc/{}/stat", line.trim()));
        // Gone, or a zombie until init looks: it no longer runs.
        let gone =
            || std::fs::read_to_string(&grandchild).map_or(true, |stat| stat.contains(") Z "));
        let deadline = Instant::now() + Duration::from_secs(10);
        while !gone() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(gone());
    }
}

//! What is particular to an operating system: processes, signals, where files lie. Linux is what
//! is tested; elsewhere measuring says that it is not supported yet ([`bico_device::os`] holds
//! the system calls).

// A build that measures nothing needs a part of it.
#![cfg_attr(not(feature = "tune"), allow(dead_code))]

use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

/// The folder and the arguments of the process that started this one (cargo, for a build script).
#[cfg(target_os = "linux")]
pub(crate) fn parent_process() -> Option<(PathBuf, Vec<String>)> {
    let parent = std::os::unix::process::parent_id();
    let folder = std::fs::read_link(format!("/proc/{parent}/cwd")).ok()?;
    let arguments = std::fs::read(format!("/proc/{parent}/cmdline")).ok()?;
    let arguments = arguments
        .split(|byte| *byte == 0)
        .map(|argument| String::from_utf8_lossy(argument).into_owned())
        .collect();
    Some((folder, arguments))
}

/// Not visible here.
#[cfg(not(target_os = "linux"))]
pub(crate) fn parent_process() -> Option<(PathBuf, Vec<String>)> {
    None
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
    bico_device::os::kill_group(child.id());
    let _ = child.kill();
    child.wait().ok()
}

/// Ends a process that must be asked first, because it stands for others that a signal of ours does
/// not reach (`srun` and its like): waits a little, then kills it and its group.
pub(crate) fn end_group(child: &mut Child, patience: Duration) -> Option<ExitStatus> {
    let deadline = Instant::now() + patience;
    bico_device::os::terminate_group(child.id());
    while !bico_device::os::has_ended(child.id()) && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(5));
    }
    kill_group(child)
}

/// How a process ended: `SIGSEGV`, `exit status 3`.
pub(crate) fn describe_exit(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return signal_name(signal);
    }
    match status.code() {
        // Shells and launchers pass a signal on in this way.
        #[cfg(unix)]
        Some(code) if code > 128 && code < 128 + 32 => signal_name(code - 128),
        Some(code) => format!("exit status {code}"),
        None => status.to_string(),
    }
}

#[cfg(unix)]
fn signal_name(signal: i32) -> String {
    let name = match signal {
        libc::SIGABRT => "SIGABRT",
        libc::SIGBUS => "SIGBUS",
        libc::SIGFPE => "SIGFPE",
        libc::SIGILL => "SIGILL",
        libc::SIGINT => "SIGINT",
        libc::SIGKILL => "SIGKILL",
        libc::SIGPIPE => "SIGPIPE",
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGSYS => "SIGSYS",
        libc::SIGTERM => "SIGTERM",
        libc::SIGTRAP => "SIGTRAP",
        libc::SIGXCPU => "SIGXCPU",
        _ => return format!("signal {signal}"),
    };
    name.to_string()
}

/// The folder that all users of a machine share, for files that lock it.
pub(crate) fn shared_folder() -> &'static Path {
    Path::new(if cfg!(unix) { "/tmp" } else { "." })
}

/// Bytes of memory that a new program could have; `None` where it cannot be seen.
pub(crate) fn available_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text
        .lines()
        .find(|line| line.starts_with("MemAvailable:"))?;
    let kib: u64 = line.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024)
}

/// Threads that run or want to run on this machine now, without the asking one.
pub(crate) fn busy_threads() -> Option<u32> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    let running = text.split_ascii_whitespace().nth(3)?.split('/').next()?;
    running
        .parse::<u32>()
        .ok()
        .map(|running| running.saturating_sub(1))
}

/// Percent of the last ten seconds in which some thread of this machine waited for a processor.
pub(crate) fn cpu_pressure() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/pressure/cpu").ok()?;
    let line = text.lines().find(|line| line.starts_with("some"))?;
    line.split_ascii_whitespace()
        .find_map(|word| word.strip_prefix("avg10="))?
        .parse()
        .ok()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn exits_have_names() {
        let exit =
            |script: &str| describe_exit(Command::new("sh").args(["-c", script]).status().unwrap());
        assert_eq!(exit("exit 3"), "exit status 3");
        assert_eq!(exit("kill -SEGV $$"), "SIGSEGV");
        assert_eq!(exit("exit 134"), "SIGABRT");
    }

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

/// The job tokens of the cargo that runs this build script.
#[allow(unsafe_code)]
#[cfg(feature = "tune")]
pub(crate) fn jobserver() -> Option<jobserver::Client> {
    // SAFETY: cargo opened these files before it started this process, which closes none that it
    // did not open, so the numbers in the environment still name them.
    unsafe { jobserver::Client::from_env() }
}

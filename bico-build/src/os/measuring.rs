//! What only measuring needs: the state of the machine, how workers end.

use super::kill_group;
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Ends a process that must be asked first, because it stands for others that a signal of ours does
/// not reach (`srun` and its like): waits a little, then kills it and its group.
pub(crate) fn end_group(child: &mut Child, patience: Duration) -> Option<ExitStatus> {
    let deadline = Instant::now() + patience;
    if bico_device::os::has_ended(child.id()) {
        return kill_group(child);
    }
    bico_host::process::terminate_group(child.id());
    while !bico_device::os::has_ended(child.id()) && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(5));
    }
    // The first one ends first; others may have something to remove.
    std::thread::sleep(Duration::from_millis(100));
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

/// `SIGSEGV`, or `signal 99` of one without a name.
#[cfg(unix)]
fn signal_name(signal: i32) -> String {
    let said = <ExitStatus as std::os::unix::process::ExitStatusExt>::from_raw(signal).to_string();
    let name = said.split(['(', ')']).nth(1);
    match name {
        Some(name) if name.starts_with("SIG") => name.to_string(),
        _ => format!("signal {signal}"),
    }
}

/// The folder that all users of a machine share, for files that lock it.
pub(crate) fn shared_folder() -> &'static Path {
    Path::new(if cfg!(unix) { "/tmp" } else { "." })
}

/// This machine, from one start of it to the next; nothing where that cannot be seen.
pub(crate) fn machine() -> &'static str {
    static READ: OnceLock<String> = OnceLock::new();
    READ.get_or_init(|| {
        let read = std::fs::read_to_string("/proc/sys/kernel/random/boot_id");
        read.unwrap_or_default().trim().to_string()
    })
}

/// Its name.
pub(crate) fn host() -> String {
    let read = std::fs::read_to_string("/proc/sys/kernel/hostname");
    read.unwrap_or_default().trim().to_string()
}

/// Bytes of memory that a new program could have; `None` where it cannot be seen.
pub(crate) fn available_memory() -> Option<u64> {
    /// What was read last; a trial asks several times.
    static READ: Mutex<Option<(Instant, Option<u64>)>> = Mutex::new(None);
    let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    match *read {
        Some((then, bytes)) if then.elapsed() < Duration::from_millis(100) => bytes,
        _ => {
            let bytes = read_available_memory();
            *read = Some((Instant::now(), bytes));
            bytes
        }
    }
}

fn read_available_memory() -> Option<u64> {
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
    use std::process::Command;

    #[test]
    fn exits_have_names() {
        let exit =
            |script: &str| describe_exit(Command::new("sh").args(["-c", script]).status().unwrap());
        assert_eq!(exit("exit 3"), "exit status 3");
        assert_eq!(exit("kill -SEGV $$"), "SIGSEGV");
        assert_eq!(exit("exit 134"), "SIGABRT");
        assert_eq!(exit("exit 159"), "SIGSYS");
        assert_eq!(signal_name(60), "signal 60");
    }
}

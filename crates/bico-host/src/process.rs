//! Ending processes: this one at once, and groups of them.

// Declared here, for nothing else of the C library is wanted by a build that measures nothing.
// SAFETY: the types are those of POSIX (`pid_t` is an `int` on all of Rust's Unix targets), and neither touches memory.
#[cfg(unix)]
unsafe extern "C" {
    safe fn kill(process: i32, signal: i32) -> i32;
    safe fn _exit(status: i32) -> !;
}

#[cfg(not(unix))]
fn kill(_process: i32, _signal: i32) -> i32 {
    -1
}

#[cfg(not(unix))]
fn _exit(status: i32) -> ! {
    std::process::exit(status)
}

/// Sends a signal to a process group; whether there was one.
fn signal_group(leader: u32, signal: i32) -> bool {
    // 0 and 1 would mean this group and everybody.
    let group = i32::try_from(leader).ok().filter(|group| *group > 1);
    group.is_some_and(|group| kill(-group, signal) == 0)
}

/// Kills a process group.
pub fn kill_group(leader: u32) -> bool {
    const SIGKILL: i32 = 9;
    signal_group(leader, SIGKILL)
}

/// Stops a process group where it is, until [`resume_group`].
pub fn pause_group(leader: u32) -> bool {
    signal_group(leader, if cfg!(target_os = "linux") { 19 } else { 17 })
}

/// Lets a stopped process group go on.
pub fn resume_group(leader: u32) -> bool {
    signal_group(leader, if cfg!(target_os = "linux") { 18 } else { 19 })
}

/// Asks a process group to end.
pub fn terminate_group(leader: u32) -> bool {
    const SIGTERM: i32 = 15;
    signal_group(leader, SIGTERM)
}

/// Ends this process at once: no exit handlers, no flushing.
pub fn exit_now(status: i32) -> ! {
    _exit(status)
}

//! Running a compiler or a tool of its family, with a limit to its time and to what it may say.

use super::error::CompileError;
use std::io::{self, Read};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// What is kept of the standard error; the rest is read and dropped.
const KEPT: u64 = 64 * 1024;

/// How often a waiting thread looks whether the service stops.
const TICK: Duration = Duration::from_millis(50);

/// Runs a command to its end. It is ended with all it started when it takes longer than `timeout`,
/// or once `stop` is set.
pub(super) fn run(
    mut command: Command,
    timeout: Duration,
    stop: &AtomicBool,
) -> Result<(), CompileError> {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        // Messages in English with plain quotes: their error lines are recognised by that.
        .env("LC_ALL", "C");
    crate::os::own_group(&mut command);
    let child = command.spawn();
    let mut child = child.map_err(|error| not_started(&command, &error))?;
    let (done, ended) = mpsc::channel();
    if let Some(stderr) = child.stderr.take() {
        std::thread::spawn(move || done.send(capped(stderr)));
    }
    let deadline = Instant::now() + timeout;
    // The end of its output is the end of a compiler, and wakes at once.
    let text = loop {
        match ended.recv_timeout(TICK) {
            Err(RecvTimeoutError::Timeout) => give_up(&mut child, deadline, timeout, stop)?,
            said => break said.unwrap_or_default(),
        }
    };
    let status = loop {
        let status = child.try_wait();
        match status.map_err(|error| format!("could not wait for the compiler: {error}"))? {
            Some(status) => break status,
            None => give_up(&mut child, deadline, timeout, stop)?,
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    match status.success() {
        true => Ok(()),
        false => Err(CompileError::from_output(status.code(), text)),
    }
}

/// Ends the child if its time is up.
fn give_up(
    child: &mut Child,
    deadline: Instant,
    timeout: Duration,
    stop: &AtomicBool,
) -> Result<(), String> {
    let stopped = stop.load(Ordering::Relaxed);
    if !stopped && Instant::now() < deadline {
        return Ok(());
    }
    crate::os::kill_group(child);
    Err(match stopped {
        true => "the build ended while this was compiled".to_string(),
        false => format!("the compiler was stopped after {} s", timeout.as_secs_f64()),
    })
}

/// The first line that a command prints, for versions and paths.
pub(super) fn first_line(mut command: Command) -> Result<String, CompileError> {
    command
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .env("LC_ALL", "C");
    let output = command.output();
    let output = output.map_err(|error| not_started(&command, &error))?;
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.lines().next().unwrap_or_default().trim().to_string())
}

fn not_started(command: &Command, error: &io::Error) -> String {
    let program = command.get_program().to_string_lossy();
    match error.kind() {
        io::ErrorKind::NotFound => format!("`{program}` was not found"),
        _ => format!("`{program}` could not be started: {error}"),
    }
}

fn capped(mut stream: ChildStderr) -> String {
    let mut kept = Vec::new();
    let _ = (&mut stream).take(KEPT).read_to_end(&mut kept);
    let _ = io::copy(&mut stream, &mut io::sink());
    String::from_utf8_lossy(&kept).into_owned()
}

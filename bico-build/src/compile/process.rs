//! Running a compiler or a tool of its family, with a limit to its time and to what it may say.

use super::error::CompileError;
use crate::queue::{Nothing, Receiver, queue};
use bico_host::process::{pause_group, resume_group, terminate_group};
use std::cell::Cell;
use std::io::{self, Read};
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What is kept of the standard error; the rest is read and dropped.
pub(super) const KEPT: u64 = 64 * 1024;

/// How often a waiting thread looks whether the service stops.
const TICK: Duration = Duration::from_millis(50);

/// What a command may take at most to remove its temporary files once it is asked to end.
const GRACE: Duration = Duration::from_secs(1);

/// The commands that run in the background, the one that began first at the front, and how many of them may run now: the others
/// are stopped where they are, and go on later.
#[derive(Default)]
pub(super) struct Background(Mutex<Groups>);

#[derive(Default)]
struct Groups {
    groups: Vec<Group>,
    /// How many each who wants quiet leaves.
    limits: Vec<usize>,
}

struct Group {
    leader: u32,
    /// Since when it is stopped, if it is.
    stopped: Option<Instant>,
    /// For how long it was before.
    paused: Duration,
}

thread_local! {
    /// What the commands took that this thread has run, pauses left out.
    static TAKEN: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

/// What the commands took that this thread has run since this was asked before.
pub(super) fn taken() -> Duration {
    TAKEN.take()
}

impl Background {
    /// From now on no more than so many run, whoever else wants what.
    pub(super) fn limit(&self, most: usize) {
        let mut state = self.state();
        state.limits.push(most);
        state.settle();
    }

    /// Takes back a limit.
    pub(super) fn lift(&self, most: usize) {
        let mut state = self.state();
        let known = state.limits.iter().position(|limit| *limit == most);
        known.map(|at| state.limits.swap_remove(at));
        state.settle();
    }

    /// How many may run.
    pub(super) fn most(&self) -> usize {
        self.state().most()
    }

    fn state(&self) -> MutexGuard<'_, Groups> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self, leader: u32) {
        let mut state = self.state();
        state.groups.push(Group {
            leader,
            stopped: None,
            paused: Duration::ZERO,
        });
        state.settle();
    }

    fn is_stopped(&self, leader: u32) -> bool {
        let state = self.state();
        let mut groups = state.groups.iter();
        groups.any(|group| group.leader == leader && group.stopped.is_some())
    }

    /// Whether a command has ended, and for how long it had to pause. Nobody may signal its group any more by then: its
    /// number may soon mean another.
    fn ended(&self, child: &mut Child) -> io::Result<Option<(ExitStatus, Duration)>> {
        let mut state = self.state();
        let status = child.try_wait()?;
        Ok(status.map(|status| (status, state.forget(child.id()))))
    }
}

impl Groups {
    /// A command has ended, or is about to: another may run in its place. Gives for how long it had to pause.
    fn forget(&mut self, leader: u32) -> Duration {
        let place = self.groups.iter().position(|of| of.leader == leader);
        let group = place.map(|at| self.groups.remove(at));
        self.settle();
        group.map_or(Duration::ZERO, |group| group.paused)
    }

    fn most(&self) -> usize {
        self.limits.iter().min().copied().unwrap_or(usize::MAX)
    }

    fn settle(&mut self) {
        let most = self.most();
        for (at, group) in self.groups.iter_mut().enumerate() {
            match (at >= most, group.stopped) {
                (true, None) if pause_group(group.leader) => group.stopped = Some(Instant::now()),
                (false, Some(since)) if resume_group(group.leader) => {
                    group.paused += since.elapsed();
                    group.stopped = None;
                }
                _ => {}
            }
        }
    }
}

/// When a command is ended, with all it started.
pub(super) struct Terms<'a> {
    /// When it takes longer.
    pub(super) timeout: Duration,
    /// When it takes longer than this says by then.
    pub(super) pace: &'a dyn Fn() -> Duration,
    /// Once this is set.
    pub(super) stop: &'a AtomicBool,
    /// In the background it may be made to pause, which counts for nothing.
    pub(super) background: Option<&'a Background>,
}

/// Runs a command to its end; gives what it said.
pub(super) fn run(mut command: Command, terms: &Terms<'_>) -> Result<String, CompileError> {
    let background = terms.background;
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        // Messages in English with plain quotes: their error lines are recognised by that.
        .env("LC_ALL", "C");
    crate::os::own_group(&mut command);
    let child = command.spawn();
    let mut child = child.map_err(|error| not_started(&command, &error))?;
    let (done, ended) = queue();
    if let Some(stderr) = child.stderr.take() {
        crate::os::thread(Box::new(move || {
            done.send(capped(stderr));
        }));
    }
    if let Some(background) = background {
        background.begin(child.id());
    }
    let start = Instant::now();
    let taken = |paused| start.elapsed().saturating_sub(paused);
    let mut paused = Duration::ZERO;
    // The end of its output is the end of a compiler, and wakes at once.
    let text = loop {
        match ended.within(TICK) {
            Err(Nothing::Yet) => {
                if background.is_some_and(|of| of.is_stopped(child.id())) {
                    paused += TICK;
                }
                give_up(&mut child, taken(paused), terms, &ended)?;
            }
            said => break said.unwrap_or_default(),
        }
    };
    let (status, paused) = loop {
        let status = match background {
            Some(background) => background.ended(&mut child),
            None => child.try_wait().map(|of| Some((of?, Duration::ZERO))),
        };
        match status.map_err(|error| format!("could not wait for the compiler: {error}"))? {
            Some(status) => break status,
            None => give_up(&mut child, taken(paused), terms, &ended)?,
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    TAKEN.set(TAKEN.get() + taken(paused));
    match status.success() {
        true => Ok(text),
        false => Err(CompileError::from_output(status.code(), text)),
    }
}

/// Ends the child if its time is up.
fn give_up(
    child: &mut Child,
    taken: Duration,
    terms: &Terms<'_>,
    ended: &Receiver<String>,
) -> Result<(), CompileError> {
    let stopped = terms.stop.load(Ordering::Relaxed);
    let is_given_up = taken >= (terms.pace)();
    if !stopped && !is_given_up && taken < terms.timeout {
        return Ok(());
    }
    if let Some(background) = terms.background {
        background.state().forget(child.id());
    }
    // A compiler that is asked to end removes its temporary files; one that is made to pause hears nothing.
    terminate_group(child.id());
    resume_group(child.id());
    let _ = ended.within(GRACE);
    crate::os::kill_group(child);
    TAKEN.set(TAKEN.get() + taken);
    let why = if stopped {
        "the build ended while this was compiled".to_string()
    } else if is_given_up {
        format!(
            "the compiler was stopped after {:.1} s, many times what it takes for other configs: `compile_seconds` in [package.metadata.bico] lets each take that long",
            taken.as_secs_f64()
        )
    } else {
        format!(
            "the compiler was stopped after {} s: `compile_seconds` in [package.metadata.bico] says how long it may take",
            terms.timeout.as_secs_f64()
        )
    };
    Err(CompileError {
        is_given_up: is_given_up && !stopped,
        ..CompileError::new(why)
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

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn who_is_ended_removes_its_temporary_files() {
        let file = std::env::temp_dir().join(format!("bico-ended-{}", std::process::id()));
        let script = "trap 'rm \"$0\"; exit 1' TERM; touch \"$0\"; while :; do sleep 0.01; done";
        for stopped in [false, true] {
            let background = Background::default();
            let stop = AtomicBool::new(false);
            let mut command = Command::new("sh");
            command.args(["-c", script]).arg(&file);
            std::thread::scope(|scope| {
                let (background, stop) = (&background, &stop);
                let running = scope.spawn(move || {
                    let terms = Terms {
                        timeout: Duration::from_secs(60),
                        pace: &|| Duration::MAX,
                        stop,
                        background: Some(background),
                    };
                    run(command, &terms)
                });
                while !file.exists() {
                    std::thread::sleep(TICK / 10);
                }
                if stopped {
                    background.limit(0);
                }
                stop.store(true, Ordering::Relaxed);
                running.join().unwrap().unwrap_err();
            });
            assert!(!file.exists(), "{stopped}");
        }
    }
}

//! The parent's side: starts the worker, speaks with it, and buries it when a kernel killed it.

use super::protocol::{ARGUMENT, Gpu, Place, Reply, Request};
use crate::os;
use bico_core::json::{self, ToJson};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What is kept of a worker's standard error: its end, where the cause stands.
const KEPT: usize = 8 * 1024;

/// A longer line is no answer.
const LONGEST_LINE: u64 = 16 * 1024 * 1024;

/// How often a waiting parent looks whether the worker still lives: a kernel's stray child may
/// hold the pipe open.
const TICK: Duration = Duration::from_millis(20);

/// How long the last words of a dead worker are waited for.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// What a runner's processes get to end after being asked.
const FAREWELL: Duration = Duration::from_secs(3);

/// How workers are started.
#[derive(Debug, Clone)]
pub struct Launch {
    /// The program that is its own worker: it calls [`run_if_worker`](super::run_if_worker) first.
    pub executable: PathBuf,
    /// A command that is put before it, word by word.
    pub runner: Vec<String>,
    /// Seconds until its first answer: a runner may queue it.
    pub patience: f64,
    /// What it measures on.
    pub place: Place,
}

impl Launch {
    /// This very program, behind a runner, if any.
    ///
    /// # Errors
    ///
    /// The program does not know where it is.
    pub fn this_program(runner: Vec<String>) -> Result<Launch, String> {
        let executable = std::env::current_exe()
            .map_err(|error| format!("could not find this program: {error}"))?;
        let patience = if runner.is_empty() { 30.0 } else { 600.0 };
        Ok(Launch {
            executable,
            runner,
            patience,
            place: Place::Cpu,
        })
    }
}

/// The GPUs of the machine that workers run on.
///
/// # Errors
///
/// There is none; what was looked for.
pub fn gpus(launch: &Launch) -> Result<Vec<Gpu>, String> {
    let mut client = Client::new(launch.clone());
    match client.ask(&Request::Gpus, launch.patience) {
        Ok(Reply::Gpus(gpus)) => gpus,
        Ok(other) => Err(format!("the measuring worker answered {other:?}")),
        Err(Ended::Crashed { how, .. }) => Err(format!("looking for GPUs failed: {how}")),
        Err(Ended::TimedOut { seconds, .. }) => {
            Err(format!("looking for GPUs took longer than {seconds} s"))
        }
        Err(Ended::Broken(text)) => Err(text),
    }
}

/// Why a request has no answer. The worker is gone.
#[derive(Debug)]
pub(super) enum Ended {
    /// It died on its own.
    Crashed { how: String, during: During },
    /// It took longer than allowed, and was killed.
    TimedOut { seconds: f64, during: During },
    /// It could not be started, or said what no worker says.
    Broken(String),
}

/// What a worker did when it ended.
#[derive(Debug, Clone, Default)]
pub(super) struct During {
    /// Its last announced step.
    pub(super) step: String,
    /// The entrant it was about, in finals.
    pub(super) entrant: Option<usize>,
}

/// A worker, restarted when needed.
pub(super) struct Client {
    launch: Launch,
    running: Option<Running>,
    started: u32,
}

struct Running {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    errors: Arc<Mutex<Vec<u8>>>,
    /// Closed when all of its standard error has been read.
    errors_end: Option<Receiver<()>>,
    /// Whether a kernel has run in it.
    used: bool,
}

impl Client {
    pub(super) fn new(launch: Launch) -> Client {
        Client {
            launch,
            running: None,
            started: 0,
        }
    }

    /// Whether the next request goes to a worker in which a kernel has run already: what that one left
    /// behind may end it.
    pub(super) fn is_used(&self) -> bool {
        self.running.as_ref().is_some_and(|running| running.used)
    }

    /// Sends a request and waits for its answer; `allow` seconds, and what each step announces.
    pub(super) fn ask(&mut self, request: &Request, allow: f64) -> Result<Reply, Ended> {
        if self.running.is_none() {
            self.start()?;
        }
        self.exchange(request, allow)
    }

    /// Ends the worker. The next request starts a new one.
    pub(super) fn end(&mut self) {
        let Some(mut running) = self.running.take() else {
            return;
        };
        // Its end of input tells it to go.
        drop(running.input.take());
        self.bury(running);
    }

    fn bury(&self, mut running: Running) -> String {
        let status = if self.launch.runner.is_empty() {
            os::kill_group(&mut running.child)
        } else {
            // A launcher that is killed leaves its job behind.
            os::end_group(&mut running.child, FAREWELL)
        };
        status.map_or_else(|| "it vanished".to_string(), os::describe_exit)
    }

    fn start(&mut self) -> Result<(), Ended> {
        self.started += 1;
        let mark = format!("bico-{}-{}:", std::process::id(), self.started);
        let mut words = self
            .launch
            .runner
            .iter()
            .map(std::ffi::OsString::from)
            .collect::<Vec<_>>();
        words.push(self.launch.executable.clone().into());
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).arg(format!("{ARGUMENT}{mark}"));
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        // A kernel has no business with the build's job tokens.
        command
            .env_remove("CARGO_MAKEFLAGS")
            .env_remove("MAKEFLAGS")
            .env_remove("MFLAGS");
        os::own_group(&mut command);
        let program = words[0].to_string_lossy().into_owned();
        let mut child = command.spawn().map_err(|error| {
            Ended::Broken(format!(
                "the measuring worker `{program}` could not be started: {error}"
            ))
        })?;
        let (sender, lines) = mpsc::channel();
        if let Some(output) = child.stdout.take() {
            std::thread::spawn(move || read_lines(output, &format!("{mark} "), &sender));
        }
        let errors = Arc::new(Mutex::new(Vec::new()));
        let mut errors_end = None;
        if let Some(stream) = child.stderr.take() {
            let errors = Arc::clone(&errors);
            let (open, end) = mpsc::channel();
            errors_end = Some(end);
            std::thread::spawn(move || {
                keep_end(stream, &errors);
                drop(open);
            });
        }
        let input = child.stdin.take();
        self.running = Some(Running {
            child,
            input,
            lines,
            errors,
            errors_end,
            used: false,
        });
        let hello = Request::Hello(self.launch.place);
        let ready = match self.exchange(&hello, self.launch.patience) {
            Ok(Reply::Ready(Ok(()))) => return Ok(()),
            Ok(Reply::Ready(Err(why))) => {
                self.end();
                return Err(Ended::Broken(why));
            }
            Ok(other) => Err(format!("it began with {other:?}")),
            Err(Ended::Crashed { how, .. }) => Err(how),
            Err(Ended::TimedOut { seconds, .. }) => {
                Err(format!("it did not answer within {seconds} s"))
            }
            Err(Ended::Broken(text)) => Err(text),
        };
        self.end();
        ready.map_err(|text| {
            Ended::Broken(format!(
                "the measuring worker did not start: {text}\n  = help: `bico_build::tune()` must be the first call of the build script's `main`"
            ))
        })
    }

    fn exchange(&mut self, request: &Request, allow: f64) -> Result<Reply, Ended> {
        let Some(running) = &mut self.running else {
            return Err(Ended::Broken("the measuring worker is gone".into()));
        };
        let text = request.to_json().compact();
        if let Some(input) = &mut running.input {
            // If this fails, the worker has ended, which is seen below.
            let _ = input
                .write_all(format!("{text}\n").as_bytes())
                .and_then(|()| input.flush());
        }
        let mut during = During::default();
        let mut allow = allow;
        let mut deadline = after(allow);
        let mut dead = false;
        loop {
            let wait = if dead {
                Duration::from_millis(100)
            } else {
                TICK
            };
            let line = match running.lines.recv_timeout(wait) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) if !dead => {
                    // Once more round the loop when it is dead: its last words may be on their way.
                    dead = bico_device::os::has_ended(running.child.id());
                    if !dead && Instant::now() >= deadline {
                        return Err(self.timed_out(allow, during));
                    }
                    continue;
                }
                Err(_) => return Err(self.crashed(during, deadline)),
            };
            match json::read(&line) {
                Ok(Reply::Progress {
                    step,
                    allow: seconds,
                    entrant,
                }) => {
                    during = During { step, entrant };
                    allow = seconds;
                    deadline = after(allow);
                }
                Ok(Reply::Dying(how)) => {
                    self.end();
                    return Err(Ended::Crashed { how, during });
                }
                Ok(reply) => {
                    running.used |= !matches!(
                        reply,
                        Reply::Ready(_) | Reply::Gpus(_) | Reply::Locked { .. }
                    );
                    return Ok(reply);
                }
                Err(error) => {
                    self.end();
                    return Err(Ended::Broken(format!(
                        "the measuring worker sent nonsense: {error}"
                    )));
                }
            }
        }
    }

    fn timed_out(&mut self, seconds: f64, during: During) -> Ended {
        if let Some(running) = self.running.take() {
            self.bury(running);
        }
        Ended::TimedOut { seconds, during }
    }

    /// The worker closed its output or ended.
    fn crashed(&mut self, during: During, deadline: Instant) -> Ended {
        let Some(mut running) = self.running.take() else {
            return Ended::Broken("the measuring worker is gone".into());
        };
        // It may have closed the pipe and live on; it gets no longer than its step had.
        while !bico_device::os::has_ended(running.child.id()) && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
        }
        let errors = Arc::clone(&running.errors);
        let errors_end = running.errors_end.take();
        let how = self.bury(running);
        // The thread that reads may still be at it; a process that escaped may hold the pipe open.
        if let Some(end) = errors_end {
            let _: Result<(), RecvTimeoutError> = end.recv_timeout(LAST_WORDS);
        }
        let errors = errors.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&errors);
        let how = match last_words(&text) {
            Some(words) => format!("{how}: {words}"),
            None => how,
        };
        Ended::Crashed { how, during }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.end();
    }
}

fn after(seconds: f64) -> Instant {
    // Anything absurd becomes a day.
    Instant::now()
        + Duration::try_from_secs_f64(seconds)
            .unwrap_or_default()
            .min(Duration::from_secs(86_400))
}

/// The last line that says something, shortened.
fn last_words(text: &str) -> Option<String> {
    let line = text
        .lines()
        .rev()
        .map(str::trim)
        .find(|line| !line.is_empty())?;
    Some(line.chars().filter(|c| !c.is_control()).take(200).collect())
}

/// Passes on what follows the mark in each line that bears it.
fn read_lines(output: impl Read, mark: &str, to: &mpsc::Sender<String>) {
    let mut output = BufReader::new(output);
    let mut line = Vec::new();
    loop {
        line.clear();
        match (&mut output)
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut line)
        {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let text = String::from_utf8_lossy(&line);
        if let Some((_, answer)) = text.split_once(mark)
            && to.send(answer.trim_end().to_string()).is_err()
        {
            return;
        }
    }
}

/// Reads to the end and keeps the last bytes.
fn keep_end(mut stream: impl Read, kept: &Mutex<Vec<u8>>) {
    let mut block = [0; 4096];
    while let Ok(count @ 1..) = stream.read(&mut block) {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(&block[..count]);
        let surplus = kept.len().saturating_sub(KEPT);
        kept.drain(..surplus);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_marked_lines_are_answers() {
        let (sender, lines) = mpsc::channel();
        let text = "hello\nbico-1: {\"a\":1}\n\u{7f}garbage bico-1: {\"b\":2}\n[0] bico-1: 3\r\n";
        read_lines(text.as_bytes(), "bico-1: ", &sender);
        drop(sender);
        assert_eq!(
            lines.iter().collect::<Vec<_>>(),
            ["{\"a\":1}", "{\"b\":2}", "3"]
        );
    }

    #[test]
    fn a_flood_on_standard_error_keeps_its_end() {
        let kept = Mutex::new(Vec::new());
        keep_end(
            format!("{}the end\n\n", "x".repeat(100_000)).as_bytes(),
            &kept,
        );
        let kept = kept.into_inner().unwrap();
        assert!(kept.len() <= KEPT);
        let text = String::from_utf8_lossy(&kept).into_owned();
        assert!(last_words(&text).unwrap().len() <= 200);
        assert_eq!(
            last_words("a\nfree(): invalid pointer\n \n").as_deref(),
            Some("free(): invalid pointer")
        );
    }

    #[test]
    fn a_program_that_is_no_worker_is_said_so() {
        let launch = |executable: &str| Launch {
            executable: executable.into(),
            runner: vec![],
            patience: 10.0,
            place: Place::Cpu,
        };
        let error = |executable| match Client::new(launch(executable)).ask(&Request::Gpus, 1.0) {
            Err(Ended::Broken(text)) => text,
            other => panic!("{other:?}"),
        };
        assert!(error("/nowhere/worker").contains("could not be started"));
        assert!(error("/bin/true").contains("did not start"));
    }
}

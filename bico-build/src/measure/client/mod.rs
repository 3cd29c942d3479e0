//! The parent's side: starts the worker, speaks with it, and buries it when a kernel killed it.

mod ended;
mod program;
mod running;

pub(super) use ended::Ended;
pub use program::Program;

use super::protocol::{Gpu, Reply, Request};
use bico_core::json::{self, ToJson};
use ended::During;
use running::Running;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

/// How often a waiting parent looks whether the worker still lives: a kernel's stray child may
/// hold the pipe open.
const TICK: Duration = Duration::from_millis(20);

/// How long it waits for the last words of a worker that is dead.
const LAST_TICK: Duration = Duration::from_millis(100);

/// The GPUs of the machine that workers run on.
///
/// # Errors
///
/// There is none; what was looked for.
pub fn gpus(program: &Program) -> Result<Vec<Gpu>, String> {
    let mut client = Client::new(program.clone());
    match client.ask(&Request::Gpus, program.patience) {
        Ok(Reply::Gpus(gpus)) => gpus,
        Ok(other) => Err(other.unexpected()),
        Err(Ended::Crashed { how, .. }) => Err(format!("looking for GPUs failed: {how}")),
        Err(Ended::TimedOut { seconds, .. }) => {
            Err(format!("looking for GPUs took longer than {seconds} s"))
        }
        Err(Ended::Broken(text)) => Err(text),
    }
}

/// A worker, restarted when needed.
pub(super) struct Client {
    program: Program,
    running: Option<Running>,
    started: u32,
}

impl Client {
    pub(super) fn new(program: Program) -> Client {
        Client {
            program,
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
        if let Some(running) = self.running.take() {
            running.end();
        }
    }

    fn start(&mut self) -> Result<(), Ended> {
        self.started += 1;
        let mark = format!("bico-{}-{}:", std::process::id(), self.started);
        let running = Running::start(&self.program, &mark).map_err(Ended::Broken)?;
        self.running = Some(running);
        let hello = Request::Hello(self.program.processor);
        let text = match self.exchange(&hello, self.program.patience) {
            Ok(Reply::Ready(Ok(()))) => return Ok(()),
            Ok(Reply::Ready(Err(why))) => {
                self.end();
                return Err(Ended::Broken(why));
            }
            Ok(other) => format!("it began with {other:?}"),
            Err(Ended::Crashed { how, .. }) => how,
            Err(Ended::TimedOut { seconds, .. }) => {
                format!("it did not answer within {seconds} s")
            }
            Err(Ended::Broken(text)) => text,
        };
        self.end();
        Err(Ended::Broken(format!(
            "the measuring worker did not start: {text}\n  = help: `bico_build::tune()` must be the first call of the build script's `main`"
        )))
    }

    fn exchange(&mut self, request: &Request, allow: f64) -> Result<Reply, Ended> {
        let Some(mut running) = self.running.take() else {
            return Err(Ended::Broken("the measuring worker is gone".into()));
        };
        running.send(&request.to_json().compact());
        let mut during = During::default();
        let mut seconds = allow;
        let mut deadline = after(seconds);
        let mut dead = false;
        loop {
            let wait = if dead { LAST_TICK } else { TICK };
            let line = match running.lines.recv_timeout(wait) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) if !dead => {
                    // Once more round the loop when it is dead: its last words may be on their way.
                    dead = running.has_ended();
                    if !dead && Instant::now() >= deadline {
                        running.bury();
                        return Err(Ended::TimedOut { seconds, during });
                    }
                    continue;
                }
                Err(_) => {
                    let how = running.crashed(deadline);
                    return Err(Ended::Crashed { how, during });
                }
            };
            match json::read(&line) {
                Ok(Reply::Progress {
                    step,
                    allow,
                    entrant,
                }) => {
                    (during, seconds) = (During { step, entrant }, allow);
                    deadline = after(seconds);
                }
                Ok(Reply::Dying(how)) => {
                    running.end();
                    return Err(Ended::Crashed { how, during });
                }
                Ok(reply) => {
                    running.used |= reply.is_of_a_kernel();
                    self.running = Some(running);
                    return Ok(reply);
                }
                Err(error) => {
                    running.end();
                    let text = format!("the measuring worker sent nonsense: {error}");
                    return Err(Ended::Broken(text));
                }
            }
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.end();
    }
}

/// Anything absurd becomes a day.
fn after(seconds: f64) -> Instant {
    let day = Duration::from_secs(86_400);
    let wait = Duration::try_from_secs_f64(seconds).unwrap_or_default();
    Instant::now() + wait.min(day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::protocol::Processor;

    #[test]
    fn a_program_that_is_no_worker_is_said_so() {
        let program = |executable: &str| Program {
            executable: executable.into(),
            runner: vec![],
            patience: 10.0,
            processor: Processor::Cpu,
        };
        let error = |executable| match Client::new(program(executable)).ask(&Request::Gpus, 1.0) {
            Err(Ended::Broken(text)) => text,
            other => panic!("{other:?}"),
        };
        assert!(error("/nowhere/worker").contains("could not be started"));
        assert!(error("/bin/true").contains("did not start"));
    }
}

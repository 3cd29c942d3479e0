//! The parent's side: starts the worker, speaks with it, and buries it when a kernel killed it.

mod ended;
mod program;
mod running;
#[cfg(feature = "workers")]
mod sending;

pub(crate) use ended::{During, Ended};
pub use program::Program;
#[cfg(feature = "workers")]
pub(super) use running::{Outbox, Posted};

use super::hello::{Gpu, Hello, Here};
use super::protocol::{Reply, Request};
use crate::queue::Nothing;
use bico_core::json;
use bico_search::search::Failure;
use ended::OVER;
#[cfg(not(feature = "workers"))]
use running::Posted;
use running::Running;
use std::sync::Arc;
#[cfg(feature = "workers")]
use std::sync::Weak;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often a waiting parent looks whether the worker still lives: a kernel's stray child may
/// hold the pipe open.
const TICK: Duration = Duration::from_millis(20);

/// How long it waits for the last words of a worker that is dead.
const LAST_TICK: Duration = Duration::from_millis(100);

/// Seconds that a step may ask for.
const LONGEST_STEP: f64 = 7200.0;

/// What a worker may say of one request before its answer: finals say some thousands of things.
const MOST_SAID: u32 = 50_000;

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
        Err(other) => Err(Failure::from(other).parts().1.to_string()),
    }
}

/// A worker, restarted when needed.
pub(super) struct Client {
    pub(super) program: Program,
    running: Option<Running>,
    started: u32,
    /// What the worker said it is.
    pub(super) here: Here,
    /// Whether it could not be had when it was asked last, or spoke nonsense.
    pub(super) is_broken: bool,
    /// When a request is given up, whatever it may take.
    pub(super) until: Option<Instant>,
    /// Set once whatever it is asked is given up.
    pub(super) stop: Arc<AtomicBool>,
}

/// A worker that a search leaves to the next one.
pub struct Spare(Client);

impl Client {
    pub(super) fn new(program: Program) -> Client {
        Client {
            program,
            running: None,
            started: 0,
            here: Here::default(),
            is_broken: false,
            until: None,
            stop: Arc::default(),
        }
    }

    /// Leaves the worker, where it is fit for another search, to who takes it over.
    pub(super) fn leave(&mut self) -> Option<Spare> {
        let is_fit = !self.is_broken && self.running.as_ref().is_some_and(|of| of.greeted);
        let next = Client::new(self.program.clone());
        is_fit.then(|| Spare(std::mem::replace(self, next)))
    }

    /// Takes over a worker that was started as its own would be.
    pub(super) fn go_on_with(&mut self, Spare(left): Spare) {
        if left.program == self.program {
            *self = left;
            self.until = None;
        }
    }

    /// Whether what is asked is given up.
    fn is_over(&self) -> impl Fn() -> bool + use<> {
        let (until, stop) = (self.until, Arc::clone(&self.stop));
        move || stop.load(Ordering::Relaxed) || until.is_some_and(|until| Instant::now() >= until)
    }

    /// Whether no worker runs.
    #[cfg(feature = "workers")]
    pub(super) fn has_none(&self) -> bool {
        self.running.is_none()
    }

    /// Whether the next request goes to a worker in which a kernel has run already: what that one left
    /// behind may end it.
    pub(super) fn is_used(&self) -> bool {
        self.running.as_ref().is_some_and(|running| running.used)
    }

    /// Sends a request and waits for its answer; `allow` seconds, and what each step announces.
    pub(super) fn ask(&mut self, request: &Request, allow: f64) -> Result<Reply, Ended> {
        self.converse(request, allow, &mut |_| None)
    }

    /// As [`ask`](Client::ask); what the worker says before its answer is heard, and may be answered.
    pub(super) fn converse(
        &mut self,
        request: &Request,
        allow: f64,
        hear: &mut dyn FnMut(&Reply) -> Option<Request>,
    ) -> Result<Reply, Ended> {
        let greeted = self.greet();
        let posted = greeted.and_then(|()| self.post(request));
        let reply = posted.and_then(|posted| self.heard(request, posted, allow, hear));
        self.is_broken = matches!(&reply, Err(ended @ Ended::Broken(_)) if !ended.is_decided());
        reply
    }

    /// Asks a worker that was greeted.
    pub(super) fn post(&self, request: &Request) -> Result<Posted, Ended> {
        let none = || Ended::Broken("no worker runs".into());
        let running = self.running.as_ref().ok_or_else(none)?;
        running.outbox.post(request).map_err(Ended::Broken)
    }

    /// Waits for the answer to what was asked.
    #[cfg_attr(not(feature = "workers"), allow(unused_variables))]
    pub(super) fn heard(
        &mut self,
        request: &Request,
        posted: Posted,
        allow: f64,
        hear: &mut dyn FnMut(&Reply) -> Option<Request>,
    ) -> Result<Reply, Ended> {
        let Some(mut running) = self.running.take() else {
            return Err(Ended::Broken("no worker runs".into()));
        };
        running.awaited = posted.number;
        let (reply, running) = answered(running, allow + posted.more, &self.is_over(), hear)?;
        #[cfg(feature = "workers")]
        let running = match self.program.sends {
            true => self.bring(&reply, running, request)?,
            false => running,
        };
        self.running = Some(running);
        Ok(reply)
    }

    /// Whether a worker runs that knows what it measures on.
    #[cfg(feature = "workers")]
    pub(super) fn is_greeted(&self) -> bool {
        self.running.as_ref().is_some_and(|running| running.greeted)
    }

    /// Where a worker that was greeted may be asked something by others.
    #[cfg(feature = "workers")]
    pub(super) fn outbox(&self) -> Weak<Outbox> {
        let greeted = self.running.as_ref().filter(|running| running.greeted);
        greeted.map_or_else(Weak::new, |running| Arc::downgrade(&running.outbox))
    }

    /// Ends the worker. The next request starts a new one.
    pub(super) fn end(&mut self) {
        if let Some(running) = self.running.take() {
            running.end();
        }
    }

    /// Starts the worker, where none runs. The thread that does must live as long: the worker ends with it.
    pub(super) fn launch(&mut self) -> Result<(), Ended> {
        if self.running.is_none() {
            self.started += 1;
            let mark = format!("bico-{}-{}:", std::process::id(), self.started);
            self.running = Some(Running::start(&self.program, &mark).map_err(Ended::Broken)?);
        }
        Ok(())
    }

    /// Has a worker that runs and knows what it measures on.
    #[cfg_attr(not(feature = "workers"), allow(unused_mut))]
    pub(super) fn greet(&mut self) -> Result<(), Ended> {
        self.launch()?;
        let Some(mut running) = self.running.take_if(|running| !running.greeted) else {
            return Ok(());
        };
        let (patience, is_over) = (self.program.patience, self.is_over());
        let hello = Request::Hello(Hello {
            processor: self.program.processor,
            wanted: self.program.wanted.clone(),
        });
        #[cfg(feature = "workers")]
        let copied = running.copy(&self.program, &is_over);
        #[cfg(not(feature = "workers"))]
        let copied = Ok(());
        let greeted =
            copied.and_then(|()| exchange(running, &hello, patience, &is_over, &mut |_| None));
        let text = match greeted {
            Ok((Reply::Ready(Ok(here)), mut running)) => {
                running.greeted = true;
                (self.running, self.here) = (Some(running), here);
                return Ok(());
            }
            Ok((reply, running)) => {
                running.end();
                match reply {
                    Reply::Ready(Err(why)) => return Err(Ended::Broken(why)),
                    other => format!("it began with {other:?}"),
                }
            }
            Err(Ended::Crashed { how, .. }) => how,
            Err(Ended::TimedOut { seconds, .. }) => {
                format!("it did not answer within {seconds} s")
            }
            // The time is over: no fault of the script's.
            Err(Ended::Broken(why)) if why == OVER => return Err(Ended::Broken(why)),
            Err(other) => Failure::from(other).parts().1.to_string(),
        };
        Err(Ended::Broken(format!(
            "the measuring worker did not start: {text}\n  = help: `bico_build::tune()` must be the first call of the build script's `main`"
        )))
    }
}

/// Asks a worker that runs, and gives it back if it still does.
fn exchange(
    mut running: Running,
    request: &Request,
    allow: f64,
    is_over: &dyn Fn() -> bool,
    hear: &mut dyn FnMut(&Reply) -> Option<Request>,
) -> Result<(Reply, Running), Ended> {
    running.awaited = running.outbox.ask(request);
    answered(running, allow, is_over, hear)
}

/// Waits for the answer that bears the number which the worker is waited for, and gives it back if it still runs.
fn answered(
    mut running: Running,
    allow: f64,
    is_over: &dyn Fn() -> bool,
    hear: &mut dyn FnMut(&Reply) -> Option<Request>,
) -> Result<(Reply, Running), Ended> {
    let mut said = 0;
    let mut during = During::default();
    let mut seconds = allow;
    let mut deadline = after(seconds);
    let mut dead = false;
    loop {
        let wait = if dead { LAST_TICK } else { TICK };
        let line = match running.lines.within(wait) {
            Ok(line) => line,
            Err(Nothing::Yet) if !dead => {
                // Once more round the loop when it is dead: its last words may be on their way.
                dead = running.has_ended();
                if !dead && is_over() {
                    running.bury();
                    return Err(Ended::Broken(OVER.into()));
                }
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
        said += 1;
        match read(&running, &line, said) {
            Ok(Reply::Progress {
                step,
                allow,
                entrant,
            }) => {
                hear(&Reply::Progress {
                    step: step.clone(),
                    allow,
                    entrant,
                });
                (during, seconds) = (During { step, entrant }, allow.min(LONGEST_STEP));
                deadline = after(seconds);
            }
            Ok(notice @ (Reply::Waited(_) | Reply::Quiet(_) | Reply::Loud | Reply::Part(_))) => {
                if let Some(answer) = hear(&notice) {
                    running.say(&answer);
                }
                deadline = after(seconds);
            }
            Ok(Reply::Dying(how)) => {
                running.end();
                return Err(Ended::Crashed { how, during });
            }
            Ok(Reply::Trespassed(failure)) => {
                running.end();
                return Err(Ended::Trespassed { failure, during });
            }
            Ok(reply) => {
                running.used |= reply.is_of_a_kernel();
                return Ok((reply, running));
            }
            Err(error) => {
                running.end();
                return Err(Ended::Broken(format!("the measuring worker {error}")));
            }
        }
    }
}

/// What a worker says, which may be anybody: `said` counts since it was asked.
fn read(running: &Running, line: &str, said: u32) -> Result<Reply, String> {
    let answer = running
        .answer(line)
        .ok_or("answers what it was not asked")?;
    let reply: Reply = json::read(answer).map_err(|error| format!("sent nonsense: {error}"))?;
    match () {
        () if said > MOST_SAID => Err("does not stop talking".into()),
        () if !reply.is_finite() => Err("sent times that are no numbers of seconds".into()),
        () => Ok(reply),
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
            threads: None,
            name: String::new(),
            wanted: None,
            sends: false,
        };
        let error = |executable| match Client::new(program(executable)).ask(&Request::Gpus, 1.0) {
            Err(other) => Failure::from(other).parts().1.to_string(),
            other => panic!("{other:?}"),
        };
        assert!(error("/nowhere/worker").contains("could not be started"));
        assert!(error("/bin/true").contains("did not start"));
    }
}

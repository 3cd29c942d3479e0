//! The child side: this program, started again, which loads kernels and may be damaged by them.

use super::clock::WAIT;
use super::harness::{self, Harness};
use super::lockfile::{self, Hold, Lock};
use super::protocol::{ARGUMENT, Gpu, Processor, Reply, Request};
use super::{soak, timing, trial};
use crate::queue::{Receiver, queue};
#[cfg(feature = "cuda")]
use bico_core::Lists;
use bico_core::json::{self, ToJson};
use bico_device::measure::Device;
use bico_device::os;
use bico_device::process::exit_now;
use std::cell::{Cell, RefCell};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::ops::Range;
use std::path::PathBuf;
use std::rc::Rc;

/// Serves as measuring worker and never returns, if this program was started as one.
pub fn run_if_worker() {
    let argument = std::env::args().nth(1).unwrap_or_default();
    if let Some(mark) = argument.strip_prefix(ARGUMENT) {
        exit_now(match serve(mark) {
            Ok(()) => 0,
            Err(error) => {
                eprintln!("{error}");
                1
            }
        });
    }
}

/// The way to the parent.
pub(super) struct Parent {
    mark: String,
    output: File,
    /// What it says.
    inbox: Receiver<String>,
    /// A kernel may fork; only the worker itself answers.
    process: u32,
    /// The machine-wide lock.
    pub(super) lock: RefCell<PathBuf>,
    /// Seconds that it may still be waited for.
    pub(super) patience: Cell<f64>,
    /// In finals, whose turn it is.
    pub(super) entrant: Cell<Option<usize>>,
}

impl Parent {
    pub(super) fn send(&self, reply: &Reply) {
        self.only_me();
        // One write, so that no other print comes between.
        if (&self.output).write_all(&self.line(reply)).is_err() {
            exit_now(1);
        }
    }

    /// A reply as it is written.
    pub(super) fn line(&self, reply: &Reply) -> Vec<u8> {
        format!("{}{}\n", self.mark, reply.to_json().compact()).into_bytes()
    }

    /// Has these lines sent should an address be touched; the process ends then.
    pub(super) fn alarm(&self, lines: Vec<(Range<usize>, Vec<u8>)>) {
        #[cfg(target_os = "linux")]
        bico_device::alarms::set_alarms(&self.output, lines);
        #[cfg(not(target_os = "linux"))]
        drop(lines);
    }

    /// Says what begins now, and what it may take.
    pub(super) fn step(&self, step: &str, allow: f64) {
        self.send(&Reply::Progress {
            step: step.to_string(),
            allow,
            entrant: self.entrant.get(),
        });
    }

    /// Does what is timed: while nobody else uses the device, and the parent compiles nothing. The lock comes first; the
    /// other way round two builds would wait for each other.
    pub(super) fn quietly<T>(&self, work: impl FnOnce() -> T) -> T {
        let lock = self.wait(Hold::Alone);
        self.send(&Reply::Quiet(lock.is_some()));
        let line = self.inbox.next().unwrap_or_default();
        if !matches!(json::read(&line), Ok(Request::Go)) {
            // It is no longer there, or gave it up.
            exit_now(1);
        }
        let done = work();
        drop(lock);
        self.send(&Reply::Loud);
        done
    }

    /// Waits for the machine-wide lock, and keeps others from what they must not do beside this as long as what it gives lives.
    pub(super) fn wait(&self, hold: Hold) -> Option<Lock> {
        let patience = self.patience.get();
        self.step(WAIT, patience + 10.0);
        let (lock, seconds) = lockfile::take(&self.lock.borrow(), hold, patience);
        self.patience.set((patience - seconds).max(0.0));
        self.send(&Reply::Waited(seconds));
        lock
    }

    /// Says why this process cannot go on, and ends it: a GPU that a kernel broke stays broken for it.
    pub(super) fn die(&self, why: String) -> ! {
        self.send(&Reply::Dying(why));
        exit_now(1)
    }

    /// Ends this process if it is the copy that a forking kernel left behind.
    pub(super) fn only_me(&self) {
        if std::process::id() != self.process {
            exit_now(0);
        }
    }
}

fn serve(mark: &str) -> Result<(), String> {
    os::supported()?;
    let (input, output) =
        os::become_worker().map_err(|error| format!("the worker could not start: {error}"))?;
    let (requests, inbox) = queue();
    let parent = Rc::new(Parent {
        mark: format!("{mark} "),
        output,
        inbox,
        process: std::process::id(),
        lock: RefCell::default(),
        patience: Cell::new(0.0),
        entrant: Cell::new(None),
    });
    // A thread of its own sees the parent's end even while a kernel runs for ever.
    crate::os::thread(Box::new(move || {
        for line in BufReader::new(input).lines().map_while(Result::ok) {
            if !requests.send(line) {
                break;
            }
        }
        exit_now(0);
    }));
    let mut open: Option<Harness> = None;
    while let Some(line) = parent.inbox.next() {
        let request =
            json::read(&line).map_err(|error| format!("the parent sent nonsense: {error}"))?;
        let harness = open.as_mut().ok_or("the parent named no device");
        let reply = match request {
            Request::Hello(processor) => {
                let opened =
                    device(processor).map(|device| Harness::new(device, Rc::clone(&parent)));
                Reply::Ready(opened.map(|harness| open = Some(harness)))
            }
            Request::Gpus => Reply::Gpus(gpus()),
            Request::Reference(wanted) => Reply::Referenced(trial::reference(harness?, &wanted)),
            Request::Trial(trial) => Reply::Tried(trial::run(harness?, &trial)),
            Request::Finals(finals) => Reply::Finals(timing::finals(harness?, &finals)),
            Request::Soak(soak) => Reply::Soaked(soak::run(harness?, &soak)),
            Request::Judge(judging) => Reply::Judged(harness::try_out(harness?, &judging)),
            Request::Go => return Err("the parent spoke out of turn".into()),
        };
        parent.entrant.set(None);
        parent.send(&reply);
    }
    Ok(())
}

fn device(processor: Processor) -> Result<Box<dyn Device>, String> {
    match processor {
        Processor::Cpu => bico_device::cpu(),
        #[cfg(feature = "cuda")]
        Processor::Gpu(ordinal) => Ok(Box::new(bico_device::cuda::Cuda::new(ordinal)?)),
        #[cfg(not(feature = "cuda"))]
        Processor::Gpu(_) => Err(super::NO_CUDA.to_string()),
    }
}

#[cfg(feature = "cuda")]
fn gpus() -> Result<Vec<Gpu>, String> {
    use bico_device::cuda;
    let gpu = |ordinal| {
        Ok(Gpu {
            ordinal,
            address: cuda::address(ordinal)?,
            facts: cuda::facts(ordinal)?,
        })
    };
    (0..cuda::count()?).map(gpu).try_collect_vec()
}

#[cfg(not(feature = "cuda"))]
fn gpus() -> Result<Vec<Gpu>, String> {
    Err(super::NO_CUDA.to_string())
}

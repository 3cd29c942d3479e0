//! The child side: this program, started again, which loads kernels and may be damaged by them.

use super::harness::Harness;
use super::protocol::{ARGUMENT, Gpu, Processor, Reply, Request};
use super::{lockfile, timing, trial};
use bico_core::json::{self, ToJson};
use bico_device::measure::Device;
use bico_device::os;
use bico_device::process::exit_now;
use bico_search::search::Failure;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::sync::mpsc;

/// Serves as measuring worker and never returns, if this program was started as one.
pub fn run_if_worker() {
    let argument = std::env::args().nth(1);
    if let Some(mark) = argument
        .as_deref()
        .and_then(|argument| argument.strip_prefix(ARGUMENT))
    {
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
    /// A kernel may fork; only the worker itself answers.
    process: u32,
    /// In finals, whose turn it is.
    pub(super) entrant: Option<usize>,
}

impl Parent {
    pub(super) fn send(&mut self, reply: &Reply) {
        self.only_me();
        let text = reply.to_json().compact();
        // One write, so that no other print comes between.
        if self
            .output
            .write_all(format!("{}{text}\n", self.mark).as_bytes())
            .is_err()
        {
            exit_now(1);
        }
    }

    /// Says what begins now, and what it may take.
    pub(super) fn step(&mut self, step: impl Into<String>, allow: f64) {
        self.send(&Reply::Progress {
            step: step.into(),
            allow,
            entrant: self.entrant,
        });
    }

    /// Says why this process cannot go on, and ends it: a GPU that a kernel broke stays broken for it.
    pub(super) fn die(&mut self, why: String) -> ! {
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
    let mut parent = Parent {
        mark: format!("{mark} "),
        output,
        process: std::process::id(),
        entrant: None,
    };
    let (requests, inbox) = mpsc::channel();
    // A thread of its own sees the parent's end even while a kernel runs for ever.
    std::thread::spawn(move || {
        for line in BufReader::new(input).lines() {
            let Ok(line) = line else { break };
            if requests.send(line).is_err() {
                break;
            }
        }
        exit_now(0);
    });
    let mut open: Option<Harness> = None;
    let mut lock = None;
    for line in inbox {
        let request =
            json::read(&line).map_err(|error| format!("the parent sent nonsense: {error}"))?;
        let request = match request {
            Request::Hello(processor) => {
                let device = device(processor);
                let ready = device.map(|device| open = Some(Harness::new(device)));
                parent.send(&Reply::Ready(ready));
                continue;
            }
            Request::Gpus => {
                parent.send(&Reply::Gpus(gpus()));
                continue;
            }
            other => other,
        };
        let harness = open.as_mut().ok_or("the parent named no device")?;
        let reply = match request {
            Request::Hello(_) | Request::Gpus => continue,
            Request::Lock { path, patience } => {
                let (taken, seconds) = lockfile::take(&path, patience);
                lock = taken;
                parent.send(&Reply::Locked {
                    held: lock.is_some(),
                    seconds,
                });
                continue;
            }
            Request::Reference(reference) => {
                Reply::Referenced(trial::reference(harness, &mut parent, &reference))
            }
            Request::Trial(trial) => Reply::Tried(trial::run(harness, &mut parent, &trial)),
            Request::Finals(finals) => Reply::Finals(timing::finals(harness, &mut parent, &finals)),
        };
        // Before the answer: whoever waits need not wait for the parent as well.
        lock = None;
        parent.entrant = None;
        parent.send(&reply);
    }
    drop(lock);
    Ok(())
}

fn device(processor: Processor) -> Result<Box<dyn Device>, String> {
    match processor {
        Processor::Cpu => bico_device::cpu(),
        Processor::Gpu(ordinal) => gpu(ordinal),
    }
}

#[cfg(feature = "cuda")]
fn gpu(ordinal: usize) -> Result<Box<dyn Device>, String> {
    Ok(Box::new(bico_device::cuda::Cuda::new(ordinal)?))
}

#[cfg(not(feature = "cuda"))]
fn gpu(_: usize) -> Result<Box<dyn Device>, String> {
    Err(super::NO_CUDA.to_string())
}

#[cfg(feature = "cuda")]
fn gpus() -> Result<Vec<Gpu>, String> {
    use bico_device::cuda;
    (0..cuda::count()?)
        .map(|ordinal| {
            let facts = cuda::facts(ordinal)?;
            let address = cuda::address(ordinal)?;
            Ok(Gpu {
                ordinal,
                address,
                facts,
            })
        })
        .collect()
}

#[cfg(not(feature = "cuda"))]
fn gpus() -> Result<Vec<Gpu>, String> {
    Err(super::NO_CUDA.to_string())
}

/// What a worker says that cannot do its part; not the kernel's fault.
pub(super) fn fault(text: impl Into<String>) -> Failure {
    Failure::Worker(text.into())
}

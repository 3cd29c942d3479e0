//! The child side: this program, started again, which loads kernels and may be damaged by them.

use super::clock::WAIT;
use super::harness::{self, Harness};
use super::hello::{ARGUMENT, BUILD, Gpu, Hello, Here, Wanted, own_build};
use super::lockfile::{self, Hold, Lock};
use super::protocol::{Processor, Reply, Request};
use super::{soak, timing, trial};
use crate::files::could_not;
use crate::queue::{Receiver, queue};
use bico_core::Lists;
use bico_core::device::Facts;
use bico_core::json::{self, ToJson};
use bico_device::measure::Device;
use bico_device::os;
use bico_host::process::exit_now;
use std::cell::{Cell, RefCell};
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Bytes of a file that are told at once.
const PART: usize = 1 << 18;

/// Serves as measuring worker and never returns, if this program was started as one.
pub fn run_if_worker() {
    let argument = std::env::args().nth(1).unwrap_or_default();
    if let Some(mark) = argument.strip_prefix(ARGUMENT) {
        exit_now(match is_build().and_then(|()| serve(mark)) {
            Ok(()) => 0,
            Err(error) => {
                eprintln!("{error}");
                1
            }
        });
    }
}

/// Whether this is the program that the parent runs, where that is asked.
fn is_build() -> Result<(), String> {
    let asked = std::env::args().nth(2).unwrap_or_default();
    let Some(wanted) = asked.strip_prefix(BUILD) else {
        return Ok(());
    };
    let own = own_build()?.to_string();
    match own == wanted {
        true => Ok(()),
        false => Err(format!(
            "this machine has another build of the program than the one that asks ({own}, not {wanted}): is the file system shared? `send` copies it"
        )),
    }
}

/// The way to the parent.
pub(super) struct Parent {
    mark: String,
    /// Of the request that is answered.
    number: Cell<u64>,
    output: File,
    /// What it says.
    inbox: Receiver<String>,
    /// A kernel may fork; only the worker itself answers.
    process: u32,
    /// The machine-wide lock.
    pub(super) lock: RefCell<PathBuf>,
    /// Whether what is timed waits for the parent's word.
    pub(super) asks: Cell<bool>,
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
        let (mark, number) = (&self.mark, self.number.get());
        format!("{mark}{number} {}\n", reply.to_json().compact()).into_bytes()
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
        if self.asks.get() && !matches!(self.asked(), Some(Ok(Request::Go))) {
            // It is no longer there, or gave it up.
            exit_now(1);
        }
        let done = work();
        drop(lock);
        self.send(&Reply::Loud);
        done
    }

    /// What the parent says next; `None`: it is gone.
    fn asked(&self) -> Option<Result<Request, String>> {
        let line = self.inbox.next()?;
        let (number, text) = line.split_once(' ').unwrap_or_default();
        self.number.set(number.parse().unwrap_or_default());
        Some(json::read(text).map_err(|error| format!("the parent sent nonsense: {error}")))
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

    /// Gives the parent a file.
    fn show(&self, path: &Path) -> Result<(), String> {
        let content = std::fs::read(path).map_err(could_not("read", path))?;
        for part in content.chunks(PART) {
            let digits = part.iter().map(|byte| format!("{byte:02x}"));
            self.send(&Reply::Part(digits.collect()));
        }
        Ok(())
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
        number: Cell::new(0),
        output,
        inbox,
        process: std::process::id(),
        lock: RefCell::default(),
        asks: Cell::new(true),
        patience: Cell::new(0.0),
        entrant: Cell::new(None),
    });
    // A thread of its own sees the parent's end even while a kernel runs for ever.
    crate::os::thread(Box::new(move || {
        let mut input = BufReader::new(input);
        let mut line = String::new();
        while matches!(input.read_line(&mut line), Ok(1..)) {
            let line = std::mem::take(&mut line);
            if let Some(head) = line.strip_prefix('@') {
                if let Err(why) = keep(head.trim_end(), &mut input) {
                    eprintln!("{why}");
                    exit_now(1);
                }
            } else if !requests.send(line) {
                break;
            }
        }
        exit_now(0);
    }));
    let mut open: Option<Harness> = None;
    while let Some(request) = parent.asked() {
        let request = request?;
        let harness = open.as_mut().ok_or("the parent named no device");
        let reply = match request {
            Request::Hello(hello) => {
                let chosen = chosen(&hello);
                Reply::Ready(chosen.and_then(|(processor, lock, about)| {
                    let harness = Harness::new(device(processor)?, Rc::clone(&parent));
                    parent.lock.replace(lock);
                    open = Some(harness);
                    let machine = crate::os::machine().to_string();
                    Ok(Here { machine, about })
                }))
            }
            Request::Fetch(path) => Reply::Fetched(parent.show(&path)),
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

/// Keeps a file that the parent sends; its length and name come before.
fn keep(head: &str, input: &mut impl BufRead) -> Result<(), String> {
    let (len, name) = head.split_once(' ').unwrap_or_default();
    let len: u64 = len.parse().map_err(|_| "a file without a length")?;
    let file = File::create(name);
    let copied = file.and_then(|mut file| std::io::copy(&mut input.by_ref().take(len), &mut file));
    match copied {
        Ok(all) if all == len => Ok(()),
        Ok(_) => Err(format!("{name} ended early")),
        Err(error) => Err(format!("could not write {name}: {error}")),
    }
}

/// What is measured on, what its machine-wide lock is, and what is known of it.
fn chosen(hello: &Hello) -> Result<(Processor, PathBuf, String), String> {
    let host = crate::os::host();
    let Some(Wanted { device, place }) = &hello.wanted else {
        return Ok((hello.processor, PathBuf::new(), host));
    };
    if hello.processor == Processor::Cpu {
        let own = bico_host::this_cpu().key().to_string();
        return match own == *device {
            true => Ok((Processor::Cpu, lockfile::path("cpu"), host)),
            false => Err(format!("its CPU is another one: {own}")),
        };
    }
    let all = gpus()?;
    let key = |gpu: &Gpu| Facts::Cuda(gpu.facts.clone()).key().to_string();
    let equal = || all.iter().filter(|gpu| key(gpu) == *device);
    match equal().nth(place % equal().count().max(1)) {
        Some(gpu) => {
            let clock = gpu.facts.clock_hz as f64 / 1e9;
            let about = format!(
                "{host}, GPU {}, {clock:.2} GHz, driver {}",
                gpu.address, gpu.driver
            );
            Ok((
                Processor::Gpu(gpu.ordinal),
                lockfile::path(&gpu.lock()),
                about,
            ))
        }
        None => {
            let keys = all.iter().map(key).collect_vec().join(", ");
            Err(format!("its GPU is another one: {keys}"))
        }
    }
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
            driver: cuda::version(),
            facts: cuda::facts(ordinal)?,
        })
    };
    (0..cuda::count()?).map(gpu).try_collect_vec()
}

#[cfg(not(feature = "cuda"))]
fn gpus() -> Result<Vec<Gpu>, String> {
    Err(super::NO_CUDA.to_string())
}

//! What parent and worker say to each other: one JSON value per line, after a mark that a kernel's
//! own prints do not bear.

pub(super) use super::call::{Call, Pass, SharedCall};
use super::hello::{Gpu, Hello, Here};
use super::slot::BufferSlot;
use bico_core::device::TensorKind;
use bico_core::{json_enum, json_struct};
use bico_search::search::{Failure, Sample};
use std::path::PathBuf;

json_struct! {
    /// A tensor map of a buffer.
    #[derive(Debug, Clone, PartialEq)]
    pub(super) struct TensorSlot {
        /// The buffer's slot.
        pub(super) of: usize,
        pub(super) name: String,
        pub(super) kind: TensorKind,
        /// See [`TensorKind::tensor`].
        pub(super) numbers: Vec<i64>,
    }
}

json_enum! {
    /// From the parent.
    pub(super) enum Request {
        /// Are you there? What follows runs on this device.
        Hello(hello: Hello),
        /// Give me a file that you wrote.
        Fetch(path: PathBuf),
        /// Which GPUs are there?
        Gpus,
        /// Run the reference, keep its outputs.
        Reference(reference: Reference),
        /// Verify a config, and time it.
        Trial(trial: Trial),
        /// Time several configs against each other.
        Finals(finals: Finals),
        /// Call a config again and again.
        Soak(soak: Soak),
        /// See whether a judge tells right from wrong.
        Judge(judging: Judging),
        /// All is quiet, go on: the answer to [`Reply::Quiet`].
        Go,
    }

    /// From the worker.
    #[derive(Debug)]
    pub(super) enum Reply {
        /// Yes; or why the device cannot be used.
        Ready(ready: Result<Here, String>),
        /// A part of a file, in hexadecimal digits.
        Part(digits: String),
        /// That was all of it.
        Fetched(read: Result<(), String>),
        /// The GPUs, or why there is none.
        Gpus(gpus: Result<Vec<Gpu>, String>),
        /// A kernel broke the device for this process, which ends now.
        Dying(how: String),
        /// A kernel touched memory that it must not touch, and the process ends now.
        Trespassed(failure: Failure),
        /// Seconds that the machine-wide lock was waited for.
        Waited(seconds: f64),
        /// What follows is timed, after [`Request::Go`]; whether the lock was free in time.
        Quiet(held: bool),
        /// What follows is not.
        Loud,
        /// What begins now, the seconds it may take, and in finals which entrant it concerns.
        Progress { step: String, allow: f64, entrant: Option<usize> },
        /// The reference ran.
        Referenced(run: Result<ReferenceRun, Failure>),
        /// A trial's end.
        Tried(tried: Result<Tried, Failure>),
        /// One result per config.
        Finals(times: Vec<Result<Times, Failure>>),
        /// What was seen of many calls.
        Soaked(soaked: Result<Soaked, Failure>),
        /// What is wrong with the judge; or with the kernel that it was tried on.
        Judged(judged: Result<Option<String>, Failure>),
    }

    /// The device that a worker measures on.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub enum Processor {
        /// The CPU of the worker's machine.
        Cpu,
        /// The GPU of this number, as the worker's process counts them.
        Gpu(ordinal: usize),
    }

    /// One argument.
    #[derive(Clone, PartialEq)]
    pub(super) enum Slot {
        /// The bits of a number, as the machine stores it.
        Scalar(bits: u64),
        /// A buffer.
        Buffer(slot: BufferSlot),
        /// Another slot's buffer as a tensor.
        Tensor(map: TensorSlot),
    }

    /// What a kernel does with a buffer.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub(super) enum Role {
        Input,
        Output,
        InOut,
        /// Belongs to bico: nobody looks at what is in it.
        Scratch,
        /// Belongs to bico too: zeros before each run, and behind it.
        Zeroed,
    }

    /// Which numbers the inputs of a call hold.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub(super) enum Inputs {
        /// Those that calls are timed with.
        Timed,
        /// The first half of each input is as in those, the second is not; floats of which the attribute says nothing are of all sizes there.
        Others,
        /// Those with a few NaNs and infinities among the floats of which the attribute says nothing.
        Special,
    }
}

json_struct! {
    /// A config's kernels, ready to be loaded.
    #[derive(Clone)]
    pub(super) struct Loadable {
        /// The shared object with its shim, or the cubin.
        pub(super) path: PathBuf,
        /// The function in it that the shim is; of a cubin that of each pass.
        pub(super) entries: Vec<String>,
        /// The `__device__` variables of a cubin.
        pub(super) variables: Vec<String>,
        /// The shared object that calls a cubin's kernels, where they are not launched one after the other.
        pub(super) drive: Option<PathBuf>,
    }

    /// One run of the reference.
    pub(super) struct Reference {
        pub(super) kernel: Loadable,
        pub(super) call: Call,
        /// `m = 1, n = 3`, for messages.
        pub(super) label: String,
        pub(super) out: PathBuf,
        pub(super) allow: f64,
        pub(super) memory: u64,
    }

    /// What came of it.
    #[derive(Debug, Clone)]
    pub(super) struct ReferenceRun {
        /// Seconds of the call.
        pub(super) seconds: f64,
        /// An output that is NaN in every element.
        pub(super) blank: Option<String>,
        /// An output, and the buffer that held the same before the call, as far as its tolerance tells.
        pub(super) faint: Option<Vec<String>>,
    }

    /// One config to verify and to time.
    pub(super) struct Trial {
        pub(super) kernel: Loadable,
        /// The sizes; at the last one calls are timed.
        pub(super) checks: Vec<Check>,
        /// `None`: only to verify.
        pub(super) timing: Option<Timing>,
        pub(super) terms: Terms,
    }

    /// What a request that runs kernels may take.
    pub(super) struct Terms {
        pub(super) memory: u64,
        /// The machine-wide lock: shared with others who verify, one's own while one times. `None`: that of the worker's
        /// own device.
        pub(super) lock: Option<PathBuf>,
        /// Whether it waits for [`Request::Go`].
        pub(super) asks: bool,
        /// Seconds to wait for it.
        pub(super) patience: f64,
    }

    /// One size at which results are checked.
    #[derive(Clone)]
    pub(super) struct Check {
        pub(super) label: String,
        /// The call that would be timed.
        pub(super) timed: Case,
        /// The same call with other inputs.
        pub(super) others: Vec<Case>,
        /// An output of the reference that is all NaN.
        pub(super) blank: Option<String>,
        /// Seconds one call may take.
        pub(super) allow: f64,
    }

    /// A call, and what is right.
    #[derive(Clone)]
    pub(super) struct Case {
        pub(super) call: SharedCall,
        /// The outputs it must have.
        pub(super) reference: Option<PathBuf>,
        /// Who looks at its outputs, in place of a tolerance.
        pub(super) judge: Option<Judge>,
        /// Without a reference: outputs of configs measured before, one entry per opinion.
        pub(super) opinions: Vec<Option<PathBuf>>,
        /// Where its own outputs go, should it be the first of a new opinion.
        pub(super) save: Option<PathBuf>,
    }

    /// A function of the author's that says whether results are right.
    #[derive(Clone)]
    pub(super) struct Judge {
        /// What it is called: "the judge `is_sorted`".
        pub(super) name: String,
        pub(super) kernel: Loadable,
        /// Results are among what it reads: the kernel's, then the reference's if there is one.
        pub(super) call: Call,
        /// Seconds that it may take.
        pub(super) allow: f64,
    }

    /// A judge that is tried on what is certainly wrong.
    pub(super) struct Judging {
        /// At the problem's size.
        pub(super) check: Check,
        /// Gives results, where no reference does.
        pub(super) kernel: Option<Loadable>,
        pub(super) terms: Terms,
    }

    /// How long and how exactly to time.
    #[derive(Clone, Copy)]
    pub struct Timing {
        /// Seconds at most.
        pub seconds: f64,
        /// Seconds after which a few runs are enough.
        pub soon: f64,
        /// So many.
        pub few: usize,
        /// Stop when the confidence interval is narrower than this share of the median.
        pub interval: f64,
        /// Do not flush the caches.
        pub warm: bool,
        /// Let the device's clock settle before.
        pub sustained: bool,
        /// Seconds of the best config so far.
        pub best: Option<f64>,
        /// Nothing is timed beside others, however roughly: the kernel runs on several cores.
        pub alone: bool,
    }

    /// A trial that was right.
    #[derive(Debug)]
    pub(super) struct Tried {
        /// `None`: it was not timed.
        pub(super) times: Option<Times>,
        /// The opinion it agrees with; `None`: with none of them.
        pub(super) opinion: Option<usize>,
    }

    /// What calls of a config took.
    #[derive(Debug, Clone)]
    pub(super) struct Times {
        pub(super) sample: Sample,
        /// Runs in which another program had the processor.
        pub(super) disturbed: u32,
    }

    /// Configs to time in turns.
    pub(super) struct Finals {
        pub(super) entrants: Vec<Entrant>,
        /// `seconds` is for all together.
        pub(super) timing: Timing,
        /// Nobody leaves early: it is not asked who wins, but how much lies between them.
        pub(super) stay: bool,
        pub(super) terms: Terms,
    }

    /// The config that is about to win.
    pub(super) struct Soak {
        pub(super) entrant: Entrant,
        pub(super) terms: Terms,
    }

    /// What was seen of many calls of a config at the problem's size.
    #[derive(Debug, Clone, Copy)]
    pub(super) struct Soaked {
        /// How many there were.
        pub(super) calls: u32,
        /// Whether all of them gave the same bits.
        pub(super) alike: bool,
    }

    /// One config of the finals.
    pub(super) struct Entrant {
        pub(super) kernel: Loadable,
        pub(super) check: Check,
    }
}

impl Timing {
    /// Whether a config is slower than the best so far: it need not show more than the problem's outputs, unless it is kept
    /// after all.
    pub(super) fn is_lost(&self, sample: &Sample) -> bool {
        sample.cut || self.best.is_some_and(|best| sample.low > best)
    }
}

impl Check {
    /// Whether no output has an element.
    pub(super) fn is_empty(&self) -> bool {
        !self.timed.call.buffers().any(BufferSlot::is_result)
    }

    /// All its calls, with what they are called in messages.
    pub(super) fn cases(&mut self) -> Vec<(String, &mut Case)> {
        let mut cases = vec![(self.timed.label(&self.label), &mut self.timed)];
        for case in &mut self.others {
            cases.push((case.label(&self.label), case));
        }
        cases
    }
}

impl Case {
    /// What it is called in messages, given its size's name.
    pub(super) fn label(&self, size: &str) -> String {
        match self.call.inputs {
            Inputs::Timed => size.to_string(),
            Inputs::Others => {
                let is_ours = self.call.buffers().any(|slot| slot.differs(Inputs::Others));
                let hint = " (`#[init(..)]` says which are allowed)";
                format!("{size} and other inputs{}", if is_ours { hint } else { "" })
            }
            Inputs::Special => format!(
                "{size} and inputs with NaN and infinity (`#[init(..)]` says that there are none)"
            ),
        }
    }
}

impl Reply {
    /// Whether a kernel has run for it.
    pub(super) fn is_of_a_kernel(&self) -> bool {
        use Reply::{Finals, Judged, Referenced, Soaked, Tried};
        matches!(
            self,
            Referenced(_) | Tried(_) | Finals(_) | Soaked(_) | Judged(_)
        )
    }

    /// Whether its times may be any.
    pub(super) fn is_finite(&self) -> bool {
        let right = |times: &Times| {
            let of = &times.sample;
            let all = [of.seconds, of.low, of.high, of.decile, of.confidence];
            let rounds = of.rounds.iter();
            let mut all = all.iter().chain(rounds);
            all.all(|seconds| seconds.is_finite() && *seconds >= 0.0)
        };
        match self {
            Reply::Tried(Ok(tried)) => tried.times.as_ref().is_none_or(right),
            Reply::Finals(times) => times.iter().flatten().all(right),
            Reply::Referenced(Ok(run)) => run.seconds.is_finite(),
            _ => true,
        }
    }

    /// What is said of it where it answers something else.
    pub(super) fn unexpected(&self) -> String {
        format!("the measuring worker answered {self:?}")
    }
}

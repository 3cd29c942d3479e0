//! What parent and worker say to each other: one JSON value per line, after a mark that a kernel's
//! own prints do not bear.

use bico_core::device::{CudaFacts, Dims};
use bico_search::search::Failure;
use bico_syntax::{Element, Init};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The argument that makes a program a worker: this and the conversation's mark.
pub(super) const ARGUMENT: &str = "--bico-measuring-worker=";

/// From the parent.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Request {
    /// Are you there? What follows runs on this device.
    Hello(Place),
    /// Which GPUs are there?
    Gpus,
    /// Take the machine-wide lock, for the next request only.
    Lock { path: PathBuf, patience: f64 },
    /// Run the reference, keep its outputs.
    Reference(Reference),
    /// Verify a config, and time it.
    Trial(Trial),
    /// Time several configs against each other.
    Finals(Finals),
}

/// From the worker.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Reply {
    /// Yes; or why the device cannot be used.
    Ready(Result<(), String>),
    /// The GPUs, or why there is none.
    Gpus(Result<Vec<Gpu>, String>),
    /// A kernel broke the device for this process, which ends now.
    Dying(String),
    /// Whether the lock was free in time. Seconds waited.
    Locked { held: bool, seconds: f64 },
    /// What begins now, the seconds it may take, and in finals which entrant it concerns.
    Progress {
        step: String,
        allow: f64,
        entrant: Option<usize>,
    },
    /// The reference ran: seconds of the call.
    Referenced(Result<f64, Failure>),
    /// A trial's end.
    Tried(Result<Tried, Failure>),
    /// One result per config.
    Finals(Vec<Result<Times, Failure>>),
}

/// The device that a worker measures on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Place {
    /// The CPU of the worker's machine.
    #[default]
    Cpu,
    /// The GPU of this number, as the worker's process counts them.
    Gpu(usize),
}

/// A GPU of the worker's machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Gpu {
    /// Its number there.
    pub ordinal: usize,
    /// Which one it is in that machine: the address on its bus.
    pub address: String,
    /// What it is.
    #[serde(with = "CudaFactsFields")]
    pub facts: CudaFacts,
}

/// The fields of [`CudaFacts`].
#[derive(Serialize, Deserialize)]
#[serde(remote = "CudaFacts")]
struct CudaFactsFields {
    name: String,
    architecture: String,
    compute_capability: i64,
    max_threads_per_block: i64,
    shared_memory_per_block: i64,
    shared_memory_per_block_optin: i64,
    shared_memory_per_multiprocessor: i64,
    registers_per_block: i64,
    registers_per_multiprocessor: i64,
    max_threads_per_multiprocessor: i64,
    warp_size: i64,
    multiprocessors: i64,
    l2_bytes: i64,
    memory_bytes_per_second: i64,
    clock_hz: i64,
}

/// A kernel, ready to be loaded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Kernel {
    /// The shared object with its shim, or the cubin.
    pub(super) path: PathBuf,
    /// The function in it.
    pub(super) entry: String,
}

/// A call of a kernel: its arguments in order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Call {
    pub(super) slots: Vec<Slot>,
    /// How it is launched, on a GPU.
    #[serde(with = "dims")]
    pub(super) dims: Option<Dims>,
}

/// One argument.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) enum Slot {
    /// The bits of a number, as the machine stores it.
    Scalar(u64),
    /// A buffer.
    Buffer(BufferSlot),
}

/// A buffer of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct BufferSlot {
    pub(super) name: String,
    #[serde(with = "element")]
    pub(super) element: Element,
    pub(super) len: u64,
    pub(super) role: Role,
    pub(super) fill: Fill,
    /// Of the generator: inputs of equal shape must differ.
    pub(super) seed: u64,
}

impl BufferSlot {
    pub(super) fn bytes(&self) -> Option<usize> {
        usize::try_from(self.len)
            .ok()?
            .checked_mul(self.element.size())
    }
}

/// What a kernel does with a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Role {
    Input,
    Output,
    InOut,
    /// Belongs to bico: nobody looks at what is in it.
    Scratch,
    /// Belongs to bico too: zeros before each run, and behind it.
    Zeroed,
}

impl Role {
    pub(super) fn is_checked(self) -> bool {
        matches!(self, Role::Output | Role::InOut)
    }

    pub(super) fn is_filled(self) -> bool {
        matches!(self, Role::Input | Role::InOut)
    }
}

/// How a buffer is filled.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) enum Fill {
    Uniform(f64, f64),
    Zeros,
    Ones,
    Iota,
}

impl From<Init> for Fill {
    fn from(init: Init) -> Fill {
        match init {
            Init::Uniform(low, high) => Fill::Uniform(low, high),
            Init::Zeros => Fill::Zeros,
            Init::Ones => Fill::Ones,
            Init::Iota => Fill::Iota,
        }
    }
}

/// One run of the reference.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Reference {
    pub(super) kernel: Kernel,
    pub(super) call: Call,
    /// `m = 1, n = 3`, for messages.
    pub(super) label: String,
    pub(super) out: PathBuf,
    pub(super) allow: f64,
    pub(super) memory: u64,
}

/// One config to verify and to time.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Trial {
    pub(super) kernel: Kernel,
    /// Of the last one the calls are timed.
    pub(super) checks: Vec<Check>,
    pub(super) tolerance: Tolerance,
    /// `None`: only to verify.
    pub(super) timing: Option<Timing>,
    pub(super) memory: u64,
}

/// One size at which results are checked.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Check {
    pub(super) label: String,
    pub(super) call: Call,
    /// The outputs it must have.
    pub(super) reference: Option<PathBuf>,
    /// Without a reference: outputs of configs measured before, one entry per opinion.
    pub(super) opinions: Vec<Option<PathBuf>>,
    /// Where its own outputs go, should it be the first of a new opinion.
    pub(super) save: Option<PathBuf>,
    /// Seconds one call may take.
    pub(super) allow: f64,
}

/// |x - r| <= atol + rtol |r|
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Tolerance {
    pub(super) rtol: f64,
    /// Default: `rtol` times the root mean square of the reference.
    pub(super) atol: Option<f64>,
}

/// How long and how exactly to time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// Seconds at most.
    pub seconds: f64,
    /// Stop when the confidence interval is narrower than this share of the median.
    pub interval: f64,
    /// Do not flush the caches.
    pub warm: bool,
    /// Seconds of the best config so far.
    pub best: Option<f64>,
}

/// A trial that was right.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Tried {
    /// `None`: it was not timed.
    pub(super) times: Option<Times>,
    /// The opinion it agrees with; `None`: with none of them.
    pub(super) opinion: Option<usize>,
}

/// Seconds of one call.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Times {
    /// The median; in finals the lower decile.
    pub(super) seconds: f64,
    /// Its 95 % confidence interval.
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) minimum: f64,
    pub(super) runs: u32,
    /// Runs in which another program had the processor.
    pub(super) disturbed: u32,
    /// The device's clock was held back, before or after.
    pub(super) throttled: bool,
    pub(super) cut: bool,
}

/// Configs to time in turns.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Finals {
    pub(super) entrants: Vec<Entrant>,
    pub(super) tolerance: Tolerance,
    /// `seconds` is for all together.
    pub(super) timing: Timing,
    pub(super) memory: u64,
}

/// One config of the finals.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Entrant {
    pub(super) kernel: Kernel,
    pub(super) check: Check,
}

/// A launch as a row of numbers: grid, block, shared memory.
mod dims {
    use bico_core::device::Dims;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    type Row = ([u32; 3], [u32; 3], u32);

    pub(super) fn serialize<S: Serializer>(dims: &Option<Dims>, to: S) -> Result<S::Ok, S::Error> {
        let row: Option<Row> = dims.map(|dims| (dims.grid, dims.block, dims.shared));
        row.serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Dims>, D::Error> {
        let row = Option::<Row>::deserialize(from)?;
        Ok(row.map(|(grid, block, shared)| Dims {
            grid,
            block,
            shared,
        }))
    }
}

/// Element types by their Rust names.
mod element {
    use bico_syntax::Element;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    const ALL: [Element; 15] = [
        Element::F32,
        Element::F64,
        Element::F16,
        Element::Bf16,
        Element::I8,
        Element::I16,
        Element::I32,
        Element::I64,
        Element::Isize,
        Element::U8,
        Element::U16,
        Element::U32,
        Element::U64,
        Element::Usize,
        Element::Bool,
    ];

    pub(super) fn serialize<S: Serializer>(element: &Element, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(element.name())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Element, D::Error> {
        let name = String::deserialize(from)?;
        let found = ALL.into_iter().find(|element| element.name() == name);
        found.ok_or_else(|| D::Error::custom(format!("`{name}` is no element type")))
    }
}

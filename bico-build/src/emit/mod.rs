//! What the build leaves behind for one tunable: the dispatcher's data and the compiled kernels.
//!
//! ```text
//! OUT_DIR/bico/<key>.rs           one expression of type `Data`, which the macro includes
//! OUT_DIR/bico/lib<symbol>.a      all candidates and the table of their entries
//! OUT_DIR/bico/<key>.stamp        what both were made from
//! OUT_DIR/bico/<symbol>_table.c    the table's source
//! ```
//!
//! Nothing is written when its content is the same, and no process is started when nothing has
//! changed.

mod archive;
mod data;
#[cfg(feature = "cuda")]
mod gpu;
mod isa;
mod isolate;
mod spare;
mod stamp;

use crate::compile::{GpuTarget, Hash, Unit};
use bico_core::Value;
use bico_core::device::DeviceKey;
use bico_syntax::{Language, Layout, Name};
use std::fmt;
use std::path::PathBuf;

pub use archive::emit;
pub use isa::runs_on;
#[cfg(feature = "tune")]
pub(crate) use isolate::may_define;

/// All that is emitted for one tunable.
pub struct Emission {
    /// Where the user's crate finds the runtime library: `::bico`.
    pub crate_path: String,
    /// The tunable's key.
    pub key: String,
    /// The attribute's fingerprint.
    pub fingerprint: u64,
    /// A hash of what the candidates' times depend on ([`crate::lock::Hashes::kernel`]).
    pub hash: Hash,
    /// The stem of its symbols: `bico_syntax::symbol(package, version, key)`.
    pub symbol: String,
    /// Whether bico wrote the source: then its path is this machine's.
    pub generated: bool,
    /// Whether it is for GPUs.
    pub gpu: bool,
    /// Whether a Rust function ships as it was measured, and isn't compiled by the program.
    pub ships_measured: bool,
    /// Names of the parameters, in declaration order.
    pub parameters: Vec<String>,
    /// Names of the integer scalar arguments.
    pub sizes: Vec<String>,
    /// Names of the problems' compile-time constants.
    pub consts: Vec<String>,
    /// The configs that the binary carries. Never empty.
    pub candidates: Vec<EmittedCandidate>,
    /// The tuned problems. Never empty.
    pub problems: Vec<EmittedProblem>,
    /// Keys of the devices that the winners refer to.
    pub devices: Vec<DeviceKey>,
    /// `const` items of the user's file, with the value that the build saw; rustc is made to check.
    pub file_consts: Vec<(String, Value)>,
    /// How many passes each of the tunable's kernels has.
    pub passes: Vec<usize>,
    /// The libraries of variants that candidates need; those of all are linked by the macro.
    pub libraries: Vec<String>,
    /// What buffers hold, as far as it is a `struct` of that file; rustc checks that, too.
    pub structures: Vec<Layout>,
}

impl Emission {
    /// Whether it is a Rust function, whose candidates rustc compiles with the program.
    fn is_rust(&self) -> bool {
        let mut units = self.candidates.iter().map(|of| of.unit.language);
        units.next() == Some(Language::Rust)
    }
}

/// One config that the binary carries.
#[derive(Clone)]
pub struct EmittedCandidate {
    /// The value of each parameter.
    pub values: Vec<Value>,
    /// Which combination of the problems' constants it belongs to.
    pub variant: u16,
    /// Which of the tunable's kernels it is of.
    pub kernel: usize,
    /// How it is compiled.
    pub unit: Unit,
    /// The function of each pass in the compiled code, with C linkage.
    pub entries: Vec<String>,
    /// What its code needs of a CPU ([`runs_on`]).
    pub needs: Vec<String>,
    /// Keys of the only devices that may run it; empty: any that has what it needs.
    pub only_on: Vec<DeviceKey>,
    /// Whether it was measured, and right, with the kernel as it is.
    pub verified: bool,
    /// What is compiled of a CUDA candidate; its unit's own target is one of any.
    pub targets: Vec<GpuTarget>,
    /// Whether such code is for what only one kind of GPU has.
    pub exact: bool,
    /// What a function of the host is linked with, beside kernels of a GPU.
    pub host: Option<Host>,
}

/// What a function of the host is linked with.
#[derive(Clone)]
pub struct Host {
    /// The text of the shim that calls it.
    pub shim: String,
    /// Libraries, as linkers name them.
    pub libraries: Vec<Name>,
}

/// One tuned problem.
#[derive(Clone)]
pub struct EmittedProblem {
    /// The integer scalar arguments.
    pub sizes: Vec<i64>,
    /// The values of the compile-time constants.
    pub consts: Vec<Value>,
    /// Which combination of constants this is.
    pub variant: u16,
    /// `(device, candidate)`.
    pub winners: Vec<(u16, u16)>,
    /// The candidates of this variant, most promising first.
    pub order: Vec<u16>,
    /// The candidate that is the first valid config of the space.
    pub first: u16,
    /// The candidate that was ranked first.
    pub top: u16,
}

/// What [`emit`] did.
#[derive(Debug)]
pub struct Emitted {
    /// Lines for cargo.
    pub directives: Vec<String>,
    /// Files below the package root that the objects were made from.
    pub files: Vec<PathBuf>,
    /// Whether anything was written.
    pub changed: bool,
    /// Why the program carries a CUDA kernel as source only, if it does.
    pub without_compiler: Option<String>,
    /// What a CUDA compiler that is there refused, if anything.
    pub uncompiled: Option<String>,
}

/// Why nothing was emitted.
#[derive(Debug)]
pub struct EmitError {
    /// What is wrong, in one line or a few, and what to do.
    pub message: String,
    /// The candidate that is at fault, if one is: the others might do.
    pub candidate: Option<usize>,
}

impl From<String> for EmitError {
    fn from(message: String) -> EmitError {
        EmitError {
            message,
            candidate: None,
        }
    }
}

impl EmitError {
    /// Says what to do.
    fn help(mut self, help: &str) -> EmitError {
        self.message.push_str(&format!("\n  = help: {help}"));
        self
    }

    /// Says whose fault it is.
    fn of(mut self, candidate: usize) -> EmitError {
        self.candidate = Some(candidate);
        self
    }
}

impl fmt::Display for EmitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.message)
    }
}

#[cfg(test)]
mod tests;

//! Compiling as a service: each unit once, ahead of need where it is announced, kept by content.
//!
//! The `cc` crate finds the compiler, its flags and its environment, so kernels are built as cargo
//! users know it from other crates (`CC`, `CFLAGS` and their variants). Objects are kept in one
//! folder that outlives the build; what they were made from says whether they may be used again.
//! Looking for a compiler starts processes, so it waits until something must be compiled.

mod cache;
mod commands;
#[cfg(feature = "cuda")]
mod cuda;
#[cfg(not(feature = "cuda"))]
#[path = "without_cuda.rs"]
mod cuda;
#[cfg(feature = "rust")]
mod dependencies;
mod depfile;
mod error;
mod hash;
mod includes;
#[cfg(any(feature = "tune", feature = "cuda"))]
mod linked;
mod pace;
mod process;
#[cfg(feature = "tune")]
mod reach;
mod redefined;
#[cfg(feature = "rust")]
mod rust;
#[cfg(not(feature = "rust"))]
#[path = "without_rust.rs"]
mod rust;
mod service;
mod shared;
mod source;
pub(crate) mod text;
#[cfg(feature = "cuda")]
mod texture;
mod told;
mod tool;

use bico_core::device::ACCELERATED;
pub use bico_core::device::Resources;
use bico_syntax::Language;
use std::path::PathBuf;
use std::time::Duration;

pub(crate) use cache::{is_of_cpp, lines, unchanged};
pub use cuda::run_if_compiler;
pub use error::CompileError;
pub use hash::{Hash, Hasher};
#[cfg(feature = "tune")]
pub(crate) use linked::Linked;
#[cfg(any(feature = "tune", feature = "cuda"))]
pub(crate) use linked::Shim;
#[cfg(feature = "tune")]
pub(crate) use pace::Hurry;
#[cfg(feature = "tune")]
pub use reach::{names, reach};
#[cfg(feature = "tune")]
pub(crate) use redefined::mentioned;
pub(crate) use redefined::redefined;
#[cfg(feature = "workers")]
pub(crate) use service::Pausing;
pub use service::Service;
pub use shared::Quiet;
#[cfg(feature = "tune")]
pub(crate) use shared::Upcoming;
pub use source::{SourceHash, source_hash};
pub(crate) use source::{file_hash, relative};
#[cfg(feature = "cuda")]
pub(crate) use texture::textured;
pub(crate) use told::Teller;
#[cfg(any(feature = "tune", feature = "cuda"))]
pub(crate) use tool::is_identifier;
pub use tool::variables;
pub(crate) use tool::{archiver, spelled};

/// What is compiled: one object.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unit {
    /// The file, absolute or relative to the package root.
    pub source: PathBuf,
    /// What it is written in.
    pub language: Language,
    /// `-DNAME=VALUE`, in order; of a Rust function its const arguments, of its reference none.
    pub defines: Vec<(String, String)>,
    /// The author's flags; they come after all others, so that they win.
    pub flags: Vec<String>,
    /// What is compiled of a CUDA source, and for which GPUs.
    pub gpu: Option<GpuUnit>,
}

/// What is compiled of a CUDA source.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct GpuUnit {
    /// Cubin or PTX, and for what.
    pub target: GpuTarget,
    /// The kernels as C++ expressions, one for each pass: `gemm`, `gemm<32, 64>`.
    pub expressions: Vec<String>,
    /// Whether no compiler but nvcc will do.
    pub nvcc: bool,
}

bico_core::json_enum! {
    /// What a CUDA compiler makes, by compute capability (89 for 8.9).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum GpuTarget {
        /// Machine code, `sm_89`.
        Cubin(capability: u16),
        /// What the driver compiles, `compute_89`.
        Ptx(capability: u16),
        /// Machine code that uses what only this compute capability has, `sm_90a`.
        Exact(capability: u16),
        /// What such code is assembled from, `compute_90a`.
        ExactPtx(capability: u16),
    }
}

impl GpuTarget {
    /// The compute capability.
    pub fn capability(self) -> u16 {
        match self {
            GpuTarget::Cubin(of) | GpuTarget::Ptx(of) => of,
            GpuTarget::Exact(of) | GpuTarget::ExactPtx(of) => of,
        }
    }

    /// Machine code with all that this compute capability has: its architecture has a letter behind, if it has any such features.
    pub fn exact(capability: u16) -> GpuTarget {
        match capability >= ACCELERATED {
            true => GpuTarget::Exact(capability),
            false => GpuTarget::Cubin(capability),
        }
    }

    /// The PTX of the same code.
    #[cfg(feature = "tune")]
    pub(crate) fn ptx(self) -> GpuTarget {
        match self {
            GpuTarget::Cubin(of) | GpuTarget::Ptx(of) => GpuTarget::Ptx(of),
            GpuTarget::Exact(of) | GpuTarget::ExactPtx(of) => GpuTarget::ExactPtx(of),
        }
    }

    /// As compilers' options have it.
    #[cfg(any(feature = "tune", feature = "cuda"))]
    pub(crate) fn architecture(self) -> String {
        match self {
            GpuTarget::Cubin(of) => format!("sm_{of}"),
            GpuTarget::Exact(of) => format!("sm_{of}a"),
            GpuTarget::Ptx(of) => format!("compute_{of}"),
            GpuTarget::ExactPtx(of) => format!("compute_{of}a"),
        }
    }

    /// Whether it is machine code.
    #[cfg(feature = "cuda")]
    pub(crate) fn is_cubin(self) -> bool {
        matches!(self, GpuTarget::Cubin(_) | GpuTarget::Exact(_))
    }
}

/// Compiled CUDA kernels, those of a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GpuKernel {
    /// The cubin, or the PTX.
    pub path: PathBuf,
    /// What it says of each, in the order of the unit's expressions.
    pub entries: Vec<GpuEntry>,
    /// The variables of its module; `None` for PTX.
    pub variables: Option<Vec<Variable>>,
}

impl GpuKernel {
    /// What the kernel of the first pass takes of a multiprocessor: that is the one that the model goes by; `None` for PTX.
    pub fn resources(&self) -> Option<Resources> {
        self.entries.first()?.resources
    }
}

bico_core::json_struct! {
    /// What compiled code says of a kernel.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct GpuEntry {
        /// Its (mangled) name.
        pub name: String,
        /// What it takes of a multiprocessor; `None` for PTX.
        pub resources: Option<Resources>,
        /// Bytes of each of its parameters, in order; `None` where the code does not tell.
        pub parameters: Option<Vec<u32>>,
        /// Threads of a block, at most, by its `__launch_bounds__`; `None` where it has none, and for PTX.
        pub max_threads: Option<u32>,
    }

    /// A variable of a CUDA module, `__constant__` or `__device__`.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Variable {
        /// The (mangled) name.
        pub name: String,
        /// Whether it is `__constant__`.
        pub constant: bool,
        /// How long it is.
        pub bytes: u64,
        /// Whether all its bytes are zero when the module is loaded.
        pub zeros: bool,
    }
}

impl Unit {
    /// A file in C that is compiled as it is.
    pub(crate) fn of_c(source: PathBuf) -> Unit {
        Unit {
            source,
            language: Language::C,
            defines: Vec::new(),
            flags: Vec::new(),
            gpu: None,
        }
    }

    /// Whether it is linked with a shim that calls it.
    #[cfg(feature = "tune")]
    pub(crate) fn has_shim(&self) -> bool {
        self.gpu.is_none() && self.language != Language::Rust
    }

    /// Its defines, as compilers are given them.
    fn macros(&self) -> impl Iterator<Item = String> {
        let defines = self.defines.iter();
        defines.map(|(name, value)| format!("-D{name}={value}"))
    }

    /// Its part of what results depend on.
    pub(crate) fn hash_options(&self, hasher: &mut Hasher) {
        let defines = self.defines.iter();
        hasher
            .fields(defines.map(|(name, value)| format!("{name}={value}")))
            .fields(self.flags.iter());
    }
}

/// The options that belong to a CUDA unit wherever it is compiled: not the architecture, nor folders.
#[cfg(feature = "cuda")]
pub(crate) fn own_options(unit: &Unit) -> Vec<String> {
    let mut options = Vec::new();
    let mut flags = unit.flags.iter();
    if !flags.any(|flag| flag.trim_start_matches('-').starts_with("std")) {
        options.push("--std=c++17".to_string());
    }
    options.extend(unit.macros());
    options.extend(unit.flags.iter().cloned());
    options
}

/// How a [`Service`] works.
#[derive(Clone)]
pub struct Options {
    /// Where objects are kept: `target/bico/objects`.
    pub cache: PathBuf,
    /// The package root, in which the compiler runs.
    pub root: PathBuf,
    /// Compiles at once in the background.
    pub threads: usize,
    /// The triple that is built for.
    pub target: String,
    /// The triple that builds.
    pub host: String,
    /// A compile that takes longer is ended; [`Options::TIMEOUT`] unless the package says otherwise.
    pub timeout: Duration,
    /// CUDA: the NVRTC that is taken, as `BICO_NVRTC` says it; `None` looks for one.
    pub nvrtc: Option<PathBuf>,
    /// CUDA: the program that is started as compiling process, which calls [`run_if_compiler`] first;
    /// `None` is this very program.
    pub program: Option<PathBuf>,
}

impl Options {
    /// What one compile may take where the package says nothing.
    pub const TIMEOUT: Duration = Duration::from_secs(60);
}

#[cfg(test)]
mod tests;

//! What the compiling process is asked, and what it answers.

use crate::compile::{GpuTarget, Resources};
use bico_core::{json_enum, json_struct};
use std::path::{Path, PathBuf};

/// The first argument of a compiling process; behind it stands the path of its job.
pub(super) const ARGUMENT: &str = "--bico-compile=";

/// One process does one of these.
#[derive(Debug)]
pub(super) enum Job {
    Find(Find),
    Compile(Compile),
}
json_enum!(Job, Find(find), Compile(compile));

impl Job {
    /// The file that is there when it is done.
    pub(super) fn result(&self) -> &Path {
        match self {
            Job::Find(find) => &find.answer,
            Job::Compile(compile) => &compile.sidecar,
        }
    }
}

json_struct! {
    /// Looks for a compiler.
    #[derive(Debug)]
    pub(super) struct Find {
        /// What `BICO_NVRTC` says.
        pub(super) nvrtc: Option<PathBuf>,
        /// Where nvcc may be, in order.
        pub(super) nvcc: Vec<PathBuf>,
        /// Where the `Result<Found, String>` is written.
        pub(super) answer: PathBuf,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    Nvrtc,
    Nvcc,
}
json_enum!(Which, Nvrtc, Nvcc);

json_struct! {
    /// A compiler for CUDA.
    #[derive(Debug, Clone)]
    pub(super) struct Found {
        pub(super) which: Which,
        pub(super) path: PathBuf,
        pub(super) version: (u32, u32),
        /// Compute capabilities; empty where it does not tell.
        pub(super) architectures: Vec<u16>,
        /// Folders of CUDA's headers that it must be told of.
        pub(super) headers: Vec<PathBuf>,
    }

    /// Compiles one kernel.
    #[derive(Debug)]
    pub(super) struct Compile {
        pub(super) compiler: Which,
        pub(super) library: PathBuf,
        /// Relative to the package root, in which the process runs.
        pub(super) source: PathBuf,
        pub(super) options: Vec<String>,
        pub(super) expression: String,
        pub(super) target: GpuTarget,
        pub(super) object: PathBuf,
        pub(super) sidecar: PathBuf,
    }

    /// What is kept beside compiled code.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub(super) struct Sidecar {
        pub(super) entry: String,
        pub(super) resources: Option<Resources>,
        pub(super) parameters: Option<Vec<u32>>,
        pub(super) max_threads: Option<u32>,
    }
}

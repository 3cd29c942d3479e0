//! What the compiling process is asked, and what it answers.

use crate::compile::{GpuEntry, GpuTarget, Variable};
use bico_core::{json_enum, json_struct};
use std::path::PathBuf;

/// The first argument of a compiling process; behind it stands the path of its job.
pub(super) const ARGUMENT: &str = "--bico-compile=";

json_enum! {
    /// One process does one of these.
    pub(super) enum Job {
        Find(find: Find),
        Compile(compile: Compile),
    }
}

json_struct! {
    /// Looks for a compiler.
    pub(super) struct Find {
        /// What `BICO_NVRTC` says.
        pub(super) nvrtc: Option<PathBuf>,
        /// Whether NVRTC is not looked for.
        pub(super) only_nvcc: bool,
        /// Where nvcc may be, in order.
        pub(super) nvcc: Vec<PathBuf>,
        /// Where the `Result<Found, String>` is written.
        pub(super) answer: PathBuf,
    }
}

json_enum! {
    #[derive(Clone, Copy, PartialEq)]
    pub(super) enum Which {
        Nvrtc,
        Nvcc,
    }
}

json_struct! {
    /// A compiler for CUDA.
    pub(super) struct Found {
        pub(super) which: Which,
        pub(super) path: PathBuf,
        pub(super) version: (u32, u32),
        /// Compute capabilities; empty where it does not tell.
        pub(super) architectures: Vec<u16>,
        /// Folders of CUDA's headers that it must be told of.
        pub(super) headers: Vec<PathBuf>,
    }

    /// Compiles the kernels of one unit.
    pub(super) struct Compile {
        pub(super) compiler: Which,
        pub(super) library: PathBuf,
        /// Relative to the package root, in which the process runs.
        pub(super) source: PathBuf,
        pub(super) options: Vec<String>,
        pub(super) expressions: Vec<String>,
        pub(super) target: GpuTarget,
        pub(super) object: PathBuf,
        pub(super) sidecar: PathBuf,
    }

    /// What is kept beside compiled code.
    #[derive(Debug)]
    pub(super) struct Sidecar {
        pub(super) entries: Vec<GpuEntry>,
        pub(super) warnings: Vec<String>,
        pub(super) variables: Option<Vec<Variable>>,
    }
}

//! NVRTC, CUDA's compiler as a library: found and loaded when it is needed, called through about
//! fifteen symbols. Works without a GPU or a driver.

mod api;
mod find;
mod headers;
mod missing;
mod places;

use api::{Handle, Symbols};
use bico_core::Lists;
pub use missing::NvrtcMissing;
use places::System;
use std::path::{Path, PathBuf};

/// The environment variable that says which NVRTC is taken: the library, or a folder that holds it.
pub const VARIABLE: &str = "BICO_NVRTC";

/// A loaded NVRTC. It stays loaded until the process ends.
#[derive(Debug, Clone)]
pub struct Nvrtc {
    symbols: Symbols,
    path: PathBuf,
    version: (u32, u32),
    architectures: Vec<u16>,
}

/// What is compiled.
#[derive(Debug, Clone, Copy)]
pub struct Program<'a> {
    /// CUDA C++.
    pub source: &'a str,
    /// The file's name, for messages, `__FILE__` and includes in quotes.
    pub name: &'a str,
    /// NVRTC's options. `--gpu-architecture=sm_89` gives a cubin and PTX, `=compute_89` PTX only.
    pub options: &'a [String],
    /// The kernels as C++ expressions: `gemm`, `gemm<32, 64>`.
    pub expressions: &'a [&'a str],
}

/// What NVRTC made of a [`Program`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compiled {
    /// Machine code; `None` where only PTX was asked for.
    pub cubin: Option<Vec<u8>>,
    /// PTX, without a NUL at its end.
    pub ptx: Option<Vec<u8>>,
    /// The kernels' (mangled) names in both, in the expressions' order.
    pub entries: Vec<String>,
    /// What the compiler said: warnings, and ptxas' report where it was asked for.
    pub log: String,
}

impl Nvrtc {
    /// Finds and loads NVRTC: `explicit`, else what `BICO_NVRTC` names (nothing else is tried
    /// then), else by name, in the folders of toolkits, and in those of Python wheels.
    ///
    /// # Errors
    ///
    /// There is none, or none that loads. The error tells all that was looked for.
    pub fn find(explicit: Option<&Path>) -> Result<Nvrtc, NvrtcMissing> {
        find::find(explicit, &System::this())
    }

    /// Major and minor version: `(12, 9)`.
    pub fn version(&self) -> (u32, u32) {
        self.version
    }

    /// Where it lies; only its name where the system's loader found it and does not tell.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The compute capabilities that it compiles for (89 for `sm_89`), in ascending order.
    pub fn architectures(&self) -> &[u16] {
        &self.architectures
    }

    /// The folders of CUDA's headers (`cuda_fp16.h`) that belong to it, for `-I`. Empty where
    /// they are not installed: plain kernels need none.
    pub fn headers(&self) -> Vec<PathBuf> {
        headers::beside(&self.path, self.version, &System::this())
    }

    /// Compiles a program. May be called from several threads at once.
    ///
    /// # Errors
    ///
    /// The compiler's log, or what is wrong where it has none.
    pub fn compile(&self, program: &Program<'_>) -> Result<Compiled, String> {
        let handle = Handle::new(&self.symbols, program.source, program.name)?;
        let expressions = program.expressions.iter();
        let mut each = expressions.clone();
        each.try_for_each(|expression| handle.add_expression(expression))?;
        let result = handle.compile(program.options);
        let log = handle.log();
        if let Err(error) = result {
            return Err(if log.trim().is_empty() { error } else { log });
        }
        Ok(Compiled {
            cubin: handle.cubin()?,
            ptx: handle.ptx()?,
            entries: expressions
                .map(|expression| handle.lowered_name(expression))
                .try_collect_vec()?,
            log,
        })
    }
}

//! Compiling as a service: each unit once, ahead of need where it is announced, kept by content.
//!
//! The `cc` crate finds the compiler, its flags and its environment, so kernels are built as cargo
//! users know it from other crates (`CC`, `CFLAGS` and their variants). Objects are kept in one
//! folder that outlives the build; what they were made from says whether they may be used again.
//! Looking for a compiler starts processes, so it waits until something must be compiled.

mod cache;
#[cfg(feature = "cuda")]
mod cuda;
#[cfg(not(feature = "cuda"))]
#[path = "without_cuda.rs"]
mod cuda;
mod depfile;
mod error;
mod hash;
mod process;
mod queue;
mod source;
mod tool;

use crate::files::could_not;
pub use bico_core::device::Resources;
use bico_syntax::Language;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

pub(crate) use cache::{is_of_cpp, lines, unchanged};
pub use cuda::run_if_compiler;
pub use error::CompileError;
pub use hash::{Hash, Hasher};
pub use source::{SourceHash, source_hash};
pub(crate) use source::{file_hash, relative};
#[cfg(feature = "tune")]
pub(crate) use tool::is_identifier;
pub use tool::variables;
pub(crate) use tool::{archiver, spelled};

/// What is compiled: one object.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Unit {
    /// The file, absolute or relative to the package root.
    pub source: PathBuf,
    /// What it is written in.
    pub language: Language,
    /// `-DNAME=VALUE`, in order.
    pub defines: Vec<(String, String)>,
    /// The author's flags; they come after all others, so that they win.
    pub flags: Vec<String>,
    /// What is compiled of a CUDA source, and for which GPUs.
    pub gpu: Option<GpuUnit>,
}

/// What is compiled of a CUDA source.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct GpuUnit {
    /// Cubin or PTX, and for what.
    pub target: GpuTarget,
    /// The kernel as a C++ expression: `gemm`, `gemm<32, 64>`.
    pub expression: String,
}

bico_core::json_enum! {
    /// What a CUDA compiler makes, by compute capability (89 for 8.9).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum GpuTarget {
        /// Machine code, `sm_89`.
        Cubin(capability: u16),
        /// What the driver compiles, `compute_89`.
        Ptx(capability: u16),
    }
}

/// A compiled CUDA kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GpuKernel {
    /// The cubin, or the PTX.
    pub path: PathBuf,
    /// The kernel's (mangled) name in it.
    pub entry: String,
    /// What the kernel takes of a multiprocessor; `None` for PTX.
    pub resources: Option<Resources>,
    /// Bytes of each of its parameters, in order; `None` where the code does not tell.
    pub parameters: Option<Vec<u32>>,
    /// Threads of a block, at most, by its `__launch_bounds__`; `None` where it has none, and for PTX.
    pub max_threads: Option<u32>,
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
    /// A compile that takes longer is ended; [`Options::TIMEOUT`] unless a test says otherwise.
    pub timeout: Duration,
    /// CUDA: the NVRTC that is taken, as `BICO_NVRTC` says it; `None` looks for one.
    pub nvrtc: Option<PathBuf>,
    /// CUDA: the program that is started as compiling process, which calls [`run_if_compiler`] first;
    /// `None` is this very program.
    pub program: Option<PathBuf>,
}

impl Options {
    /// What one compile may take.
    pub const TIMEOUT: Duration = Duration::from_secs(60);
}

/// Compiles units.
pub struct Service {
    shared: Arc<queue::Shared>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl Service {
    /// A service that has compiled nothing yet. Starts no thread and no process.
    pub fn new(options: Options) -> Service {
        Service {
            shared: Arc::new(queue::Shared::new(options)),
            threads: Mutex::default(),
        }
    }

    /// The object of a unit: kept, compiled ahead, or compiled now.
    ///
    /// # Errors
    ///
    /// The compiler refused it, took too long, or does not exist.
    pub fn object(&self, unit: &Unit) -> Result<PathBuf, CompileError> {
        self.shared.object(unit).map(|object| object.path)
    }

    /// The compiled kernel of a unit with a [`GpuUnit`]: kept, compiled ahead, or compiled now.
    ///
    /// # Errors
    ///
    /// It does not compile, or the unit has no [`GpuUnit`].
    pub fn kernel(&self, unit: &Unit) -> Result<GpuKernel, CompileError> {
        let object = self.shared.object(unit)?;
        object
            .kernel
            .ok_or_else(|| CompileError::new("the unit is no GPU kernel"))
    }

    /// What is compiled to run on a GPU of this compute capability: machine code, or PTX where the
    /// compiler is older than the GPU.
    pub fn target(&self, capability: u16) -> GpuTarget {
        match self.shared.cuda() {
            Ok(compiler) => compiler.target(capability),
            Err(_) => GpuTarget::Cubin(capability),
        }
    }

    /// The files below the package root that the object of a unit was made from. Compiles it if need be.
    ///
    /// # Errors
    ///
    /// It does not compile.
    pub fn dependencies(&self, unit: &Unit) -> Result<Vec<PathBuf>, CompileError> {
        self.shared.object(unit).map(|object| object.dependencies)
    }

    /// Says what will be needed next, in order. It is compiled in the background, in place of what
    /// was announced before and is not begun.
    pub fn announce(&self, units: Vec<Unit>) {
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        while threads.len() < self.shared.options.threads.min(units.len()) {
            let shared = Arc::clone(&self.shared);
            threads.push(std::thread::spawn(move || shared.work()));
        }
        self.shared.announce(units);
    }

    /// Waits until nothing is compiled in the background, and lets nothing begin there until the
    /// guard is dropped: for timing on the processor that compiles.
    pub fn quiet(&self) -> Quiet<'_> {
        self.shared.hush();
        Quiet(&self.shared)
    }

    /// Links objects of this service to a shared library.
    ///
    /// # Errors
    ///
    /// The linker refused them, or `out` cannot be written.
    pub fn shared(&self, objects: &[PathBuf], out: &Path) -> Result<(), CompileError> {
        // A kernel's function must not give way to one of that name in a library of this process.
        self.link(&["-shared", "-Wl,-Bsymbolic"], objects, &["-lm"], out)
    }

    /// Makes an object as final as an object can be: groups of inline functions and templates, which a
    /// linker would share between it and another, are dissolved.
    pub(crate) fn relocatable(&self, object: PathBuf, out: &Path) -> Result<(), CompileError> {
        let dissolve = "-Wl,--force-group-allocation";
        let options = ["-r", "-nostdlib", "-fno-lto", dissolve];
        self.link(&options, &[object], &[], out)
    }

    fn link(
        &self,
        options: &[&str],
        objects: &[PathBuf],
        libraries: &[&str],
        out: &Path,
    ) -> Result<(), CompileError> {
        // C++ objects need the C++ library, which its compiler knows.
        let language = match objects.iter().any(|object| is_of_cpp(object)) {
            true => Language::Cpp,
            false => Language::C,
        };
        let compiler = self.shared.compiler(language)?;
        let temporary = cache::Temporary::new(out.parent().unwrap_or(Path::new("")))?;
        let mut command = compiler.link(options, &temporary.object);
        command.args(objects).args(libraries);
        self.run(command)?;
        Ok(std::fs::rename(&temporary.object, out).map_err(could_not("write", out))?)
    }

    /// What rewrites object files.
    pub(crate) fn objcopy(&self) -> Result<Command, CompileError> {
        let compiler = self.shared.compiler(Language::C)?;
        compiler.objcopy(&self.shared.options)
    }

    /// Runs a tool under the service's time limit.
    pub(crate) fn run(&self, command: Command) -> Result<(), CompileError> {
        self.shared.run(command)
    }

    /// The hash of a source with its includes ([`source_hash`]), taken once.
    ///
    /// # Errors
    ///
    /// The source cannot be read.
    pub fn source(&self, path: &Path) -> std::io::Result<SourceHash> {
        self.shared.source(path)
    }

    /// The version line of the compiler of a language; `NVRTC 12.9` or `nvcc 12.9` for CUDA.
    ///
    /// # Errors
    ///
    /// There is no compiler.
    pub fn compiler(&self, language: Language) -> Result<String, CompileError> {
        Ok(match language {
            Language::Cuda => self.shared.cuda()?.version.clone(),
            _ => self.shared.compiler(language)?.version.clone(),
        })
    }

    /// The flags that the environment adds to those of every unit (`CFLAGS` and its variants), as
    /// far as they can be seen without looking for a compiler.
    pub fn environment_flags(&self, language: Language) -> Vec<String> {
        if language == Language::Cuda {
            return Vec::new();
        }
        let Options { target, host, .. } = self.options();
        tool::environment_flags(spelled(language, "CFLAGS", "CXXFLAGS"), target, host)
    }

    /// How it works.
    pub fn options(&self) -> &Options {
        &self.shared.options
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.shared.end();
        let threads = self.threads.get_mut();
        for thread in threads.unwrap_or_else(PoisonError::into_inner).drain(..) {
            let _ = thread.join();
        }
    }
}

/// While it lives, nothing is compiled in the background.
pub struct Quiet<'a>(&'a queue::Shared);

impl Drop for Quiet<'_> {
    fn drop(&mut self) {
        self.0.resume();
    }
}

#[cfg(test)]
mod tests;

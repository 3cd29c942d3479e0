//! What others ask of compiling.

use super::cache;
use super::shared::{Progress, Quiet, Shared, Upcoming};
use super::source::SourceHash;
use super::told::Teller;
use super::tool::{environment_flags, spelled};
use super::{CompileError, GpuKernel, GpuTarget, Options, Unit, rust};
use bico_core::Lists;
use bico_syntax::Language;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
#[cfg(feature = "tune")]
use std::time::Duration;

/// Compiles units.
pub struct Service {
    pub(super) shared: Arc<Shared>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    teller: Option<JoinHandle<()>>,
}

#[cfg(feature = "workers")]
/// Makes the compilers of a service pause, from any thread.
#[cfg(feature = "tune")]
pub(crate) struct Pausing(Arc<Shared>);

#[cfg(feature = "tune")]
#[cfg(feature = "workers")]
impl Pausing {
    /// See [`Service::leave`].
    pub(crate) fn leave(&self, most: usize) -> Quiet<'_> {
        self.0.leave(most)
    }
}

impl Service {
    /// A service that has compiled nothing yet. Starts no thread and no process.
    pub fn new(options: Options) -> Service {
        Service {
            shared: Arc::new(Shared::new(options)),
            threads: Mutex::default(),
            teller: None,
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

    /// The compiled kernels of a unit with a [`GpuUnit`]: kept, compiled ahead, or compiled now.
    ///
    /// # Errors
    ///
    /// It does not compile, or the unit has no [`GpuUnit`].
    pub fn kernel(&self, unit: &Unit) -> Result<GpuKernel, CompileError> {
        let none = || CompileError::new("the unit is no GPU kernel");
        self.shared.object(unit)?.kernel.ok_or_else(none)
    }

    /// The objects of a Rust function's configs, which a program that ships what was measured is linked with.
    ///
    /// # Errors
    ///
    /// They do not compile.
    pub(crate) fn shipped(
        &self,
        units: &[(Unit, String)],
        name: &str,
        folder: &Path,
    ) -> Result<Vec<PathBuf>, CompileError> {
        rust::shipped(units, name, folder, &self.shared)
    }

    /// What is compiled to run on a GPU of this compute capability: machine code, or PTX where the
    /// compiler is older than the GPU.
    pub fn target(&self, capability: u16, nvcc: bool) -> GpuTarget {
        match self.shared.cuda(nvcc) {
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

    /// The code of `entry` as a text, and its name there: the preprocessed source, of a GPU kernel the PTX.
    ///
    /// # Errors
    ///
    /// It does not compile.
    #[cfg(feature = "tune")]
    pub fn text(&self, unit: &Unit, entry: &str) -> Result<(String, String), CompileError> {
        if unit.gpu.is_none() {
            return Ok((cache::preprocessed(unit, &self.shared)?, entry.into()));
        }
        let mut unit = unit.clone();
        if let Some(gpu) = &mut unit.gpu {
            gpu.target = gpu.target.ptx();
        }
        let kernel = self.kernel(&unit)?;
        let name = kernel.entries.into_iter().next().map(|entry| entry.name);
        Ok((cache::text(&kernel.path)?, name.unwrap_or_default()))
    }

    /// How many units of a language are worth announcing: two batches of those that are compiled together.
    #[cfg(feature = "tune")]
    pub(crate) fn ahead(language: Language) -> usize {
        match language {
            Language::Rust => 2 * super::rust::BATCH,
            _ => 1,
        }
    }

    /// Says what will be needed next, in order. It is compiled in the background, in place of what
    /// was announced before and is not begun.
    pub fn announce(&self, units: Vec<Unit>) {
        self.announce_linked(units.into_iter().map(Upcoming::from).collect_vec());
    }

    /// The same, of units that are linked ahead, too.
    pub(crate) fn announce_linked(&self, units: Vec<Upcoming>) {
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        while threads.len() < self.shared.options.threads.min(units.len()) {
            let shared = Arc::clone(&self.shared);
            threads.push(crate::os::thread(Box::new(move || shared.work())));
        }
        let mut state = self.shared.state();
        state.waiting.clear();
        for upcoming in units {
            if !state.units.contains_key(&upcoming.unit) {
                state.waiting.push_back(upcoming);
            }
        }
        self.shared.wake(&state);
    }

    /// From now on it is said on this terminal, else on stderr, where compiling stands that is waited for.
    pub(crate) fn tell(&mut self, teller: Teller) {
        let shared = Arc::clone(&self.shared);
        self.teller = Some(crate::os::thread(Box::new(move || teller.tell(&shared))));
    }

    /// Lets no more than so many compilers run in the background until the guard is dropped: others are stopped where they
    /// are. For what runs on the processor that compiles; none of them, while something is timed there.
    pub fn leave(&self, most: usize) -> Quiet<'_> {
        self.shared.leave(most)
    }

    #[cfg(feature = "workers")]
    /// For threads of their own.
    #[cfg(feature = "tune")]
    pub(crate) fn pausing(&self) -> Pausing {
        Pausing(Arc::clone(&self.shared))
    }

    /// Looks whether a library can be linked.
    ///
    /// # Errors
    ///
    /// What the linker says.
    pub(crate) fn library(&self, name: &str) -> Result<(), CompileError> {
        let made = cache::Temporary::new(&self.shared.options.cache)?;
        let libraries = [format!("-l{name}")];
        self.shared
            .link(&["-shared"], &[], &libraries, &made.object)
            .map(drop)
    }

    /// Makes an object as final as an object can be: groups of inline functions and templates, which a
    /// linker would share between it and another, are dissolved.
    pub(crate) fn relocatable(&self, object: PathBuf, out: &Path) -> Result<(), CompileError> {
        let dissolve = "-Wl,--force-group-allocation";
        let options = ["-r", "-nostdlib", "-fno-lto", dissolve];
        self.shared.link(&options, &[object], &[], out).map(drop)
    }

    /// What rewrites object files.
    pub(crate) fn objcopy(&self) -> Result<Command, CompileError> {
        let compiler = self.shared.compiler(Language::C)?;
        compiler.objcopy(&self.shared.options)
    }

    /// Runs a tool under the service's time limit.
    pub(crate) fn run(&self, command: Command) -> Result<(), CompileError> {
        self.shared.run(command).map(drop)
    }

    /// What the longest compile took, of those that were not made to pause.
    #[cfg(feature = "tune")]
    pub(crate) fn slowest(&self) -> Duration {
        self.shared.state().slowest
    }

    /// What the compiler of a unit took, waited for or not, also where it was given up; `None` where it was kept from before,
    /// compiled with others, or refused.
    #[cfg(feature = "tune")]
    pub(crate) fn taken(&self, unit: &Unit) -> Option<Duration> {
        let state = self.shared.state();
        match state.units.get(unit) {
            Some(Progress::Done(Ok(object))) => object.taken,
            Some(Progress::Done(Err(_))) => state.pace.as_ref()?.given_up(unit),
            _ => None,
        }
    }

    /// For how long its compilers were waited for, all in all.
    #[cfg(feature = "tune")]
    pub(crate) fn waited(&self) -> Duration {
        self.shared.state().waited
    }

    /// What the compiler warned of when it compiled a unit, one line each; nothing of one that this service was not asked for.
    pub fn warnings(&self, unit: &Unit) -> Vec<String> {
        match self.shared.state().units.get(unit) {
            Some(Progress::Done(Ok(object))) => object.warnings.clone(),
            _ => Vec::new(),
        }
    }

    /// The hash of a unit's source with its includes ([`source_hash`]), taken once.
    ///
    /// # Errors
    ///
    /// The source cannot be read.
    pub fn source(&self, unit: &Unit) -> io::Result<SourceHash> {
        self.shared.source(unit)
    }

    /// The version line of the compiler of a language; `NVRTC 12.9` or `nvcc 12.9` for CUDA.
    ///
    /// # Errors
    ///
    /// There is no compiler.
    pub fn compiler(&self, language: Language) -> Result<String, CompileError> {
        Ok(match language {
            Language::Cuda => self.cuda(false)?,
            Language::Rust => self.shared.rust()?.version.clone(),
            _ => self.shared.compiler(language)?.version.clone(),
        })
    }

    /// The version line of the CUDA compiler, which is nvcc where nothing else will do.
    ///
    /// # Errors
    ///
    /// There is no compiler.
    pub fn cuda(&self, nvcc: bool) -> Result<String, CompileError> {
        Ok(self.shared.cuda(nvcc)?.version.clone())
    }

    /// The flags that the environment adds to those of every unit (`CFLAGS` and its variants), as
    /// far as they can be seen without looking for a compiler.
    pub fn environment_flags(&self, language: Language) -> Vec<String> {
        if matches!(language, Language::Cuda | Language::Rust) {
            return Vec::new();
        }
        let Options { target, host, .. } = self.options();
        environment_flags(spelled(language, "CFLAGS", "CXXFLAGS"), target, host)
    }

    /// How it works.
    pub fn options(&self) -> &Options {
        &self.shared.options
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        // Under the lock: nobody looks at it and waits then.
        self.shared.state().waiting.clear();
        self.shared.wanted.notify_all();
        self.shared.over.notify_all();
        let threads = self.threads.get_mut();
        let threads = threads.unwrap_or_else(PoisonError::into_inner).drain(..);
        for thread in threads.chain(self.teller.take()) {
            let _ = thread.join();
        }
    }
}

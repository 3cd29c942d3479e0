//! Who compiles what, and when: each unit once, by whoever needs it first.

use super::cache::{self, Object};
use super::includes::search;
use super::process::{self, Background};
use super::source::{Search, SourceHash, follow};
use super::tool::{Compiler, environment_flags, spelled};
use super::{CompileError, GpuKernel, GpuTarget, Options, Unit, cuda};
use crate::files::could_not;
use bico_syntax::Language;
use std::cell::Cell;
use std::collections::{HashMap, VecDeque};
use std::io;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;

/// Compiles units.
pub struct Service {
    shared: Arc<Shared>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl Service {
    /// A service that has compiled nothing yet. Starts no thread and no process.
    pub fn new(options: Options) -> Service {
        Service {
            shared: Arc::new(Shared::new(options)),
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

    /// The compiled kernels of a unit with a [`GpuUnit`]: kept, compiled ahead, or compiled now.
    ///
    /// # Errors
    ///
    /// It does not compile, or the unit has no [`GpuUnit`].
    pub fn kernel(&self, unit: &Unit) -> Result<GpuKernel, CompileError> {
        let none = || CompileError::new("the unit is no GPU kernel");
        self.shared.object(unit)?.kernel.ok_or_else(none)
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
            let (GpuTarget::Cubin(capability) | GpuTarget::Ptx(capability)) = gpu.target;
            gpu.target = GpuTarget::Ptx(capability);
        }
        let kernel = self.kernel(&unit)?;
        let name = kernel.entries.into_iter().next().map(|entry| entry.name);
        Ok((cache::text(&kernel.path)?, name.unwrap_or_default()))
    }

    /// Says what will be needed next, in order. It is compiled in the background, in place of what
    /// was announced before and is not begun.
    pub fn announce(&self, units: Vec<Unit>) {
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        while threads.len() < self.shared.options.threads.min(units.len()) {
            let shared = Arc::clone(&self.shared);
            threads.push(std::thread::spawn(move || shared.work()));
        }
        let mut state = self.shared.state();
        state.waiting.clear();
        for unit in units {
            if !state.units.contains_key(&unit) {
                state.waiting.push_back(unit);
            }
        }
        self.shared.changed.notify_all();
    }

    /// Lets no more than so many compilers run in the background until the guard is dropped: others are stopped where they
    /// are. For what runs on the processor that compiles; none of them, while something is timed there.
    pub fn leave(&self, most: usize) -> Quiet<'_> {
        self.shared.leave(most)
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
        let language = match objects.iter().any(|object| cache::is_of_cpp(object)) {
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
        self.shared.run(command).map(drop)
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
        self.shared.changed.notify_all();
        let threads = self.threads.get_mut();
        for thread in threads.unwrap_or_else(PoisonError::into_inner).drain(..) {
            let _ = thread.join();
        }
    }
}

/// While it lives, no more than so many compilers run in the background.
pub struct Quiet<'a>(&'a Shared, usize);

impl Drop for Quiet<'_> {
    fn drop(&mut self) {
        let Quiet(shared, most) = self;
        shared.background.lift(*most);
        // Under the lock: nobody looks how many may run, and waits then.
        let _state = shared.state();
        shared.changed.notify_all();
    }
}

thread_local! {
    /// Whether what this thread compiles is not needed yet.
    static IS_BACKGROUND: Cell<bool> = const { Cell::new(false) };
}

/// What the threads of a service share.
pub(super) struct Shared {
    pub(super) options: Options,
    /// Set when the service is dropped: running compilers are ended.
    pub(super) stop: AtomicBool,
    background: Background,
    state: Mutex<State>,
    /// Told of every change of the state.
    changed: Condvar,
    c: OnceLock<Result<Compiler, CompileError>>,
    cpp: OnceLock<Result<Compiler, CompileError>>,
    cuda: OnceLock<Result<cuda::Compiler, CompileError>>,
    sources: Mutex<HashMap<(PathBuf, Search), SourceHash>>,
}

#[derive(Default)]
struct State {
    units: HashMap<Unit, Progress>,
    /// Announced and not begun, in order.
    waiting: VecDeque<Unit>,
    /// Units that background threads compile now.
    running: usize,
}

enum Progress {
    Running,
    Done(Result<Object, CompileError>),
}

impl Shared {
    fn new(options: Options) -> Shared {
        Shared {
            options,
            stop: AtomicBool::new(false),
            background: Background::default(),
            state: Mutex::default(),
            changed: Condvar::new(),
            c: OnceLock::new(),
            cpp: OnceLock::new(),
            cuda: OnceLock::new(),
            sources: Mutex::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed
            .wait(state)
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// The compiler of a language, looked for once.
    pub(super) fn compiler(&self, language: Language) -> Result<&Compiler, CompileError> {
        let cell = match language {
            Language::C => &self.c,
            Language::Cpp => &self.cpp,
            Language::Cuda => {
                return Err(CompileError::new(
                    "a CUDA source cannot be compiled for a CPU",
                ));
            }
        };
        let found = cell.get_or_init(|| Compiler::find(language, &self.options));
        found.as_ref().map_err(CompileError::clone)
    }

    /// The compiler for CUDA, looked for once.
    pub(super) fn cuda(&self) -> Result<&cuda::Compiler, CompileError> {
        let found = self.cuda.get_or_init(|| cuda::Compiler::find(self));
        found.as_ref().map_err(CompileError::clone)
    }

    /// Runs a compiler, or a tool of its family, under the service's time limit; gives what it said.
    pub(super) fn run(&self, command: Command) -> Result<String, CompileError> {
        let background = IS_BACKGROUND.get().then_some(&self.background);
        process::run(command, self.options.timeout, &self.stop, background)
    }

    /// What a unit's source reads, looked up once: a service sees the sources as they were at first.
    pub(super) fn source(&self, unit: &Unit) -> io::Result<SourceHash> {
        let mut sources = self.sources.lock().unwrap_or_else(PoisonError::into_inner);
        let path = &unit.source;
        // A compiler of C lists what it read, whatever macros named it.
        let defines = unit.gpu.as_ref().map_or(&[][..], |_| &unit.defines);
        let asked = (path.clone(), search(path, &unit.flags, defines));
        if let Some(known) = sources.get(&asked) {
            return Ok(known.clone());
        }
        let found = follow(path, &self.options.root, &asked.1)?;
        sources.insert(asked, found.clone());
        Ok(found)
    }

    /// The object of a unit: waits for whoever compiles it, or compiles it on this thread.
    fn object(&self, unit: &Unit) -> Result<Object, CompileError> {
        let mut state = self.state();
        loop {
            match state.units.get(unit) {
                Some(Progress::Done(result)) => return result.clone(),
                Some(Progress::Running) => state = self.wait(state),
                None => break,
            }
        }
        state.waiting.retain(|waiting| waiting != unit);
        state.units.insert(unit.clone(), Progress::Running);
        drop(state);
        // What is waited for comes before what may be needed later.
        let _others = self.leave(self.options.threads.saturating_sub(1));
        self.compile(unit)
    }

    fn leave(&self, most: usize) -> Quiet<'_> {
        self.background.limit(most);
        Quiet(self, most)
    }

    fn compile(&self, unit: &Unit) -> Result<Object, CompileError> {
        // Others wait for the outcome, so there must be one whatever happens.
        let result = std::panic::catch_unwind(AssertUnwindSafe(|| cache::object(unit, self)));
        let panicked = "compiling panicked; this is a bug of bico";
        let result = result.unwrap_or_else(|_| Err(CompileError::new(panicked)));
        let done = Progress::Done(result.clone());
        self.state().units.insert(unit.clone(), done);
        self.changed.notify_all();
        result
    }

    /// What a background thread does until the service is dropped.
    fn work(&self) {
        IS_BACKGROUND.set(true);
        let mut state = self.state();
        while !self.stop.load(Ordering::Relaxed) {
            let next = match state.running < self.background.most() {
                true => state.waiting.pop_front(),
                false => None,
            };
            let Some(unit) = next else {
                state = self.wait(state);
                continue;
            };
            if state.units.contains_key(&unit) {
                continue;
            }
            state.units.insert(unit.clone(), Progress::Running);
            state.running += 1;
            drop(state);
            let _ = self.compile(&unit);
            state = self.state();
            state.running -= 1;
            self.changed.notify_all();
        }
    }
}

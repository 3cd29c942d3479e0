//! Who compiles what, and when: each unit once, by whoever needs it first.

use super::cache::{self, Object};
use super::source::{SourceHash, source_hash};
use super::tool::Compiler;
use super::{CompileError, Options, Unit, cuda};
use bico_syntax::Language;
use std::collections::{HashMap, VecDeque};
use std::io;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

/// What the threads of a service share.
pub(super) struct Shared {
    pub(super) options: Options,
    /// Set when the service is dropped: running compilers are ended.
    pub(super) stop: AtomicBool,
    state: Mutex<State>,
    /// Told of every change of the state.
    changed: Condvar,
    c: OnceLock<Result<Arc<Compiler>, CompileError>>,
    cpp: OnceLock<Result<Arc<Compiler>, CompileError>>,
    cuda: OnceLock<Result<Arc<cuda::Compiler>, CompileError>>,
    sources: Mutex<HashMap<PathBuf, SourceHash>>,
    #[cfg(feature = "cuda")]
    includes: Mutex<HashMap<(PathBuf, cuda::Search), cuda::Read>>,
}

#[derive(Default)]
struct State {
    units: HashMap<Unit, Progress>,
    /// Announced and not begun, in order.
    waiting: VecDeque<Unit>,
    /// Units that background threads compile now.
    running: usize,
    /// How many ask for quiet: nothing is begun in the background meanwhile.
    quiet: usize,
}

enum Progress {
    Running,
    Done(Result<Object, CompileError>),
}

impl Shared {
    pub(super) fn new(options: Options) -> Shared {
        Shared {
            options,
            stop: AtomicBool::new(false),
            state: Mutex::default(),
            changed: Condvar::new(),
            c: OnceLock::new(),
            cpp: OnceLock::new(),
            cuda: OnceLock::new(),
            sources: Mutex::default(),
            #[cfg(feature = "cuda")]
            includes: Mutex::default(),
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
    pub(super) fn compiler(&self, language: Language) -> Result<Arc<Compiler>, CompileError> {
        let cell = match language {
            Language::C => &self.c,
            Language::Cpp => &self.cpp,
            Language::Cuda => {
                return Err(CompileError::new(
                    "a CUDA source cannot be compiled for a CPU",
                ));
            }
        };
        cell.get_or_init(|| Compiler::find(language, &self.options).map(Arc::new))
            .clone()
    }

    /// The compiler for CUDA, looked for once.
    pub(super) fn cuda(&self) -> Result<Arc<cuda::Compiler>, CompileError> {
        self.cuda
            .get_or_init(|| cuda::Compiler::find(self).map(Arc::new))
            .clone()
    }

    /// What a CUDA source reads, looked up once.
    #[cfg(feature = "cuda")]
    pub(super) fn includes(&self, source: &Path, search: &cuda::Search) -> io::Result<cuda::Read> {
        let mut includes = self.includes.lock().unwrap_or_else(PoisonError::into_inner);
        let asked = (source.to_path_buf(), search.clone());
        if let Some(known) = includes.get(&asked) {
            return Ok(known.clone());
        }
        let root = super::source::normal(&self.options.root);
        let found = cuda::read(source, &root, search)?;
        includes.insert(asked, found.clone());
        Ok(found)
    }

    /// The hash of a source, taken once: a service sees the sources as they were at first.
    pub(super) fn source(&self, path: &Path) -> io::Result<SourceHash> {
        let mut sources = self.sources.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = sources.get(path) {
            return Ok(known.clone());
        }
        let found = source_hash(path, &self.options.root)?;
        sources.insert(path.to_path_buf(), found.clone());
        Ok(found)
    }

    /// Replaces what was announced and not begun.
    pub(super) fn announce(&self, units: Vec<Unit>) {
        let mut state = self.state();
        let State {
            units: known,
            waiting,
            ..
        } = &mut *state;
        waiting.clear();
        waiting.extend(units.into_iter().filter(|unit| !known.contains_key(unit)));
        self.changed.notify_all();
    }

    /// The object of a unit: waits for whoever compiles it, or compiles it on this thread.
    pub(super) fn object(&self, unit: &Unit) -> Result<Object, CompileError> {
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
        self.compile(unit)
    }

    fn compile(&self, unit: &Unit) -> Result<Object, CompileError> {
        // Others wait for the outcome, so there must be one whatever happens.
        let result = std::panic::catch_unwind(AssertUnwindSafe(|| cache::object(unit, self)))
            .unwrap_or_else(|_| {
                Err(CompileError::new(
                    "compiling panicked; this is a bug of bico",
                ))
            });
        self.state()
            .units
            .insert(unit.clone(), Progress::Done(result.clone()));
        self.changed.notify_all();
        result
    }

    /// What a background thread does until the service is dropped.
    pub(super) fn work(&self) {
        let mut state = self.state();
        while !self.stop.load(Ordering::Relaxed) {
            let next = if state.quiet == 0 {
                state.waiting.pop_front()
            } else {
                None
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

    /// Waits until no background thread compiles, and lets none begin.
    pub(super) fn hush(&self) {
        let mut state = self.state();
        state.quiet += 1;
        while state.running > 0 {
            state = self.wait(state);
        }
    }

    /// Takes one [`Shared::hush`] back.
    pub(super) fn resume(&self) {
        self.state().quiet -= 1;
        self.changed.notify_all();
    }

    /// Ends running compilers and lets the threads come to their end.
    pub(super) fn end(&self) {
        let mut state = self.state();
        self.stop.store(true, Ordering::Relaxed);
        state.waiting.clear();
        self.changed.notify_all();
    }
}

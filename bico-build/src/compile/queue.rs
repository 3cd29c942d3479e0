//! Who compiles what, and when: each unit once, by whoever needs it first.

use super::cache::{self, Object};
use super::source::{Search, SourceHash, follow};
use super::tool::Compiler;
use super::{CompileError, Options, Unit, cuda, process};
use bico_syntax::Language;
use std::collections::{HashMap, VecDeque};
use std::io;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

/// What the threads of a service share.
pub(super) struct Shared {
    pub(super) options: Options,
    /// Set when the service is dropped: running compilers are ended.
    pub(super) stop: AtomicBool,
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

    /// Runs a compiler, or a tool of its family, under the service's time limit.
    pub(super) fn run(&self, command: Command) -> Result<(), CompileError> {
        process::run(command, self.options.timeout, &self.stop)
    }

    /// The hash of a source, taken once: a service sees the sources as they were at first.
    pub(super) fn source(&self, path: &Path) -> io::Result<SourceHash> {
        self.follow(path, Search::plain(path))
    }

    /// What a source reads, looked up once.
    pub(super) fn follow(&self, path: &Path, search: Search) -> io::Result<SourceHash> {
        let mut sources = self.sources.lock().unwrap_or_else(PoisonError::into_inner);
        let asked = (path.to_path_buf(), search);
        if let Some(known) = sources.get(&asked) {
            return Ok(known.clone());
        }
        let found = follow(path, &self.options.root, &asked.1)?;
        sources.insert(asked, found.clone());
        Ok(found)
    }

    /// Replaces what was announced and not begun.
    pub(super) fn announce(&self, mut units: Vec<Unit>) {
        let mut state = self.state();
        units.retain(|unit| !state.units.contains_key(unit));
        state.waiting = units.into();
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
        let result = std::panic::catch_unwind(AssertUnwindSafe(|| cache::object(unit, self)));
        let panicked = "compiling panicked; this is a bug of bico";
        let result = result.unwrap_or_else(|_| Err(CompileError::new(panicked)));
        let done = Progress::Done(result.clone());
        self.state().units.insert(unit.clone(), done);
        self.changed.notify_all();
        result
    }

    /// What a background thread does until the service is dropped.
    pub(super) fn work(&self) {
        let mut state = self.state();
        while !self.stop.load(Ordering::Relaxed) {
            let next = match state.quiet {
                0 => state.waiting.pop_front(),
                _ => None,
            };
            let Some(unit) = next else {
                state = self.wait(state);
                continue;
            };
            // Whoever needs a unit earlier takes it out of those that wait.
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

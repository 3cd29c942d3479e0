//! Who compiles what, and when: each unit once, by whoever needs it first.

use super::cache::{self, Object};
use super::includes::search;
use super::pace::Pace;
use super::process::{self, Background};
use super::source::{Search, SourceHash, follow};
use super::told::Awaited;
use super::tool::Compiler;
use super::{CompileError, Options, Unit, cuda, rust};
use bico_core::Map;
use bico_syntax::Language;
use std::cell::Cell;
use std::collections::VecDeque;
use std::io;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// While it lives, no more than so many compilers run in the background.
pub struct Quiet<'a>(&'a Shared, usize);

impl Drop for Quiet<'_> {
    fn drop(&mut self) {
        let Quiet(shared, most) = self;
        shared.background.lift(*most);
        // Under the lock: nobody looks how many may run, and waits then.
        shared.wake(&shared.state());
    }
}

thread_local! {
    /// Whether what this thread compiles is not needed yet.
    pub(super) static IS_BACKGROUND: Cell<bool> = const { Cell::new(false) };
    /// Whether what it compiles may take no longer than others do.
    pub(super) static IS_PACED: Cell<bool> = const { Cell::new(false) };
}

/// What the threads of a service share.
pub(super) struct Shared {
    pub(super) options: Options,
    /// Set when the service is dropped: running compilers are ended.
    pub(super) stop: AtomicBool,
    pub(super) background: Background,
    state: Mutex<State>,
    /// Told when something is compiled or linked.
    pub(super) changed: Condvar,
    /// Told when a background thread may begin something. To wake a thread takes longer than most of what is done here.
    pub(super) wanted: Condvar,
    /// Told when what a terminal shows is over.
    pub(super) over: Condvar,
    c: OnceLock<Result<Compiler, CompileError>>,
    cpp: OnceLock<Result<Compiler, CompileError>>,
    cuda: OnceLock<Result<cuda::Compiler, CompileError>>,
    nvcc: OnceLock<Result<cuda::Compiler, CompileError>>,
    rust: OnceLock<Result<rust::Compiler, CompileError>>,
    sources: Mutex<Map<(PathBuf, Search), SourceHash>>,
}

impl State {
    /// What to compile ahead of need: of units that are compiled together as soon as there are some.
    fn begin(&mut self) -> Option<Upcoming> {
        let alone = self.waiting.front()?.unit.language != Language::Rust;
        (alone || 2 * self.waiting.len() >= rust::BATCH)
            .then(|| self.waiting.pop_front())
            .flatten()
    }
}

#[derive(Default)]
pub(super) struct State {
    pub(super) units: Map<Unit, Progress>,
    /// Announced and not begun, in order.
    pub(super) waiting: VecDeque<Upcoming>,
    /// Units that background threads compile now.
    running: usize,
    /// Libraries that are being linked.
    #[cfg(any(feature = "tune", feature = "cuda"))]
    pub(super) linking: Vec<PathBuf>,
    /// Sources of which an object did not link alone: it calls something of a library.
    #[cfg(any(feature = "tune", feature = "cuda"))]
    pub(super) dependent: Vec<PathBuf>,
    /// What a config's compiler may take beside the others', where that is asked.
    pub(super) pace: Option<Pace>,
    pub(super) awaited: Option<Awaited>,
    /// Whether a terminal shows it.
    pub(super) is_told: bool,
    /// For how long compilers were waited for, all in all.
    pub(super) waited: Duration,
    /// What the longest compile took that was waited for from its beginning.
    pub(super) slowest: Duration,
}

/// A unit that will be needed.
pub(crate) struct Upcoming {
    pub(crate) unit: Unit,
    /// The text of the shim that it is linked with, and where that is kept, if it is linked ahead, too.
    #[cfg(feature = "tune")]
    pub(crate) shim: Option<(String, PathBuf)>,
}

impl From<Unit> for Upcoming {
    fn from(unit: Unit) -> Upcoming {
        Upcoming {
            unit,
            #[cfg(feature = "tune")]
            shim: None,
        }
    }
}

pub(super) enum Progress {
    Running,
    Done(Result<Object, CompileError>),
}

impl Shared {
    pub(super) fn new(options: Options) -> Shared {
        Shared {
            options,
            stop: AtomicBool::new(false),
            background: Background::default(),
            state: Mutex::default(),
            changed: Condvar::new(),
            wanted: Condvar::new(),
            over: Condvar::new(),
            c: OnceLock::new(),
            cpp: OnceLock::new(),
            cuda: OnceLock::new(),
            nvcc: OnceLock::new(),
            rust: OnceLock::new(),
            sources: Mutex::default(),
        }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed
            .wait(state)
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Has background threads begin what waits.
    pub(super) fn wake(&self, state: &State) {
        if !state.waiting.is_empty() {
            self.wanted.notify_all();
        }
    }

    /// Waits for no longer than this until what was told of is over.
    pub(super) fn wait_until_over(&self, state: MutexGuard<'_, State>, most: Duration) {
        drop(self.over.wait_timeout(state, most));
    }

    /// The compiler of a language, looked for once.
    pub(super) fn compiler(&self, language: Language) -> Result<&Compiler, CompileError> {
        let cell = match language {
            Language::C => &self.c,
            Language::Cpp => &self.cpp,
            Language::Cuda | Language::Rust => {
                return Err(CompileError::new(
                    "a source of this language is compiled in another way",
                ));
            }
        };
        let found = cell.get_or_init(|| Compiler::find(language, &self.options));
        found.as_ref().map_err(CompileError::clone)
    }

    /// The compiler for CUDA, or nvcc, looked for once.
    pub(super) fn cuda(&self, nvcc: bool) -> Result<&cuda::Compiler, CompileError> {
        let known = if nvcc { &self.nvcc } else { &self.cuda };
        let found = known.get_or_init(|| cuda::Compiler::find(self, nvcc));
        found.as_ref().map_err(CompileError::clone)
    }

    /// The compiler of Rust functions, looked for once.
    pub(super) fn rust(&self) -> Result<&rust::Compiler, CompileError> {
        let found = self
            .rust
            .get_or_init(|| rust::Compiler::find(&self.options));
        found.as_ref().map_err(CompileError::clone)
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
    pub(super) fn object(&self, unit: &Unit) -> Result<Object, CompileError> {
        let mut state = self.state();
        if let Some(Progress::Done(result)) = state.units.get(unit) {
            return result.clone();
        }
        // Nobody waits for what is linked ahead; and who compiles in the background would make itself pause.
        let is_awaited = !IS_BACKGROUND.get();
        if is_awaited {
            state.wait_for(unit.source.clone());
        }
        let result = loop {
            match state.units.get(unit) {
                Some(Progress::Done(result)) => break result.clone(),
                Some(Progress::Running) => state = self.wait(state),
                None => {
                    state.waiting.retain(|waiting| waiting.unit != *unit);
                    state.units.insert(unit.clone(), Progress::Running);
                    drop(state);
                    let others = self.before_others();
                    let result = self.compile(unit);
                    drop(others);
                    state = self.state();
                    break result;
                }
            }
        };
        if is_awaited {
            state.wait_no_more();
            if state.is_told {
                self.over.notify_all();
            }
        }
        result
    }

    /// Has what is waited for come before what may be needed later.
    pub(super) fn before_others(&self) -> Option<Quiet<'_>> {
        let most = self.options.threads.saturating_sub(1);
        (!IS_BACKGROUND.get()).then(|| self.leave(most))
    }

    pub(super) fn leave(&self, most: usize) -> Quiet<'_> {
        self.background.limit(most);
        Quiet(self, most)
    }

    fn compile(&self, unit: &Unit) -> Result<Object, CompileError> {
        let start = Instant::now();
        // Others wait for the outcome, so there must be one whatever happens.
        let units = self.batch(unit);
        let is_alone = unit.language != Language::Rust;
        let is_paced = |pace: &Pace| is_alone && pace.is_for(unit);
        IS_PACED.set(self.state().pace.as_ref().is_some_and(is_paced));
        process::taken();
        let made = || match unit.language {
            Language::Rust => rust::objects(&units, self),
            _ => vec![cache::object(unit, self)],
        };
        let results = std::panic::catch_unwind(AssertUnwindSafe(made));
        let panicked = || CompileError::new("compiling panicked; this is a bug of bico");
        let mut results = results.unwrap_or_default();
        results.resize_with(units.len(), || Err(panicked()));
        IS_PACED.set(false);
        let taken = process::taken();
        if let Ok(object) = &mut results[0]
            && is_alone
            && taken > Duration::ZERO
        {
            object.taken = Some(taken);
        }
        let result = results[0].clone();
        let mut state = self.state();
        if is_alone && let Some(pace) = &mut state.pace {
            match &result {
                Ok(_) => pace.note(unit, taken, false),
                Err(error) if error.is_given_up => pace.note(unit, taken, true),
                Err(_) => {}
            }
        }
        for (unit, result) in units.into_iter().zip(results) {
            let is_open = matches!(&result, Err(error) if error.is_given_up);
            if is_open && state.pace.is_none() {
                // Nobody is in a hurry any more.
                state.units.retain(|of, _| *of != unit);
                continue;
            }
            state.units.insert(unit, Progress::Done(result));
        }
        if !IS_BACKGROUND.get() {
            state.slowest = state.slowest.max(start.elapsed());
        }
        drop(state);
        self.changed.notify_all();
        result
    }

    /// A unit, and those that are announced and compiled with it in one go: of a Rust function, which has much to compile that
    /// is the same for all configs.
    fn batch(&self, unit: &Unit) -> Vec<Unit> {
        let mut units = vec![unit.clone()];
        if unit.language != Language::Rust {
            return units;
        }
        let mut state = self.state();
        let mut at = 0;
        while at < state.waiting.len() && units.len() < rust::BATCH {
            let next = &state.waiting[at].unit;
            if next.source != unit.source || state.units.contains_key(next) {
                at += 1;
                continue;
            }
            let Some(Upcoming { unit: next, .. }) = state.waiting.remove(at) else {
                break;
            };
            state.units.insert(next.clone(), Progress::Running);
            units.push(next);
        }
        units
    }

    /// What a background thread does until the service is dropped.
    pub(super) fn work(&self) {
        IS_BACKGROUND.set(true);
        let mut state = self.state();
        while !self.stop.load(Ordering::Relaxed) {
            let next = match state.running < self.background.most() {
                true => state.begin(),
                false => None,
            };
            let Some(next) = next else {
                let waited = self.wanted.wait(state);
                state = waited.unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            if state.units.contains_key(&next.unit) {
                continue;
            }
            state.units.insert(next.unit.clone(), Progress::Running);
            state.running += 1;
            drop(state);
            let made = self.compile(&next.unit);
            #[cfg(feature = "tune")]
            if made.is_ok() {
                self.link_ahead(&next);
            }
            drop(made);
            state = self.state();
            state.running -= 1;
            self.wake(&state);
        }
    }
}

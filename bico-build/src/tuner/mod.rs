//! One run of the build script: from the package's sources to what cargo links.

pub mod architectures;
pub mod cover;
pub mod devices;
pub mod emission;
mod error;
mod features;
mod jobs;
pub mod plan;
mod policy;
#[cfg(feature = "tune")]
mod session;
pub mod store;
#[cfg(feature = "tune")]
pub mod subject;
mod unit;
#[cfg(not(feature = "tune"))]
mod unmeasured;
mod watch;

pub use error::TuneError;
#[cfg(feature = "tune")]
pub use session::KEPT_TRIALS;

use crate::arguments::parameters;
use crate::compile::{Options, Service};
use crate::emit;
use crate::env::{Env, Mode, Skip};
use crate::scan::{self, Found, Settings};
use bico_bind::SpaceError;
use devices::Devices;
use emission::Predicted;
use error::brief;
use jobs::Job;
use plan::Plan;
use policy::Action;
#[cfg(feature = "tune")]
use session::Session;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use store::Store;
#[cfg(not(feature = "tune"))]
use unmeasured::Session;

/// Tunes the package whose build script calls it, and writes what `#[bico::tunable]` includes.
///
/// Call it first in `main`: the same executable is started again as the measuring worker. A mistake
/// is printed in rustc's manner, and the process ends with exit code 1.
pub fn tune() {
    let (run, result) = match run() {
        Ok(ran) => ran,
        Err(error) => stop(&error),
    };
    match result {
        Ok(()) => run.print(),
        Err(error) => {
            // Cargo runs a script that failed again in any case, and shows all that it printed.
            run.print_warnings();
            stop(&error);
        }
    }
}

fn stop(error: &TuneError) -> ! {
    eprintln!("{error}");
    std::process::exit(1);
}

/// As [`tune`], for build scripts that go on after a mistake.
///
/// # Errors
///
/// What is wrong with the attribute's expressions, the kernels, the lock or the environment.
pub fn try_tune() -> Result<(), TuneError> {
    let (run, result) = run()?;
    // Also after an error: the next run depends on the same files.
    run.print();
    result
}

fn run() -> Result<(Run, Result<(), TuneError>), TuneError> {
    #[cfg(feature = "tune")]
    crate::measure::run_if_worker();
    crate::compile::run_if_compiler();
    let start = SystemTime::now();
    let env = Env::read().map_err(TuneError::plain)?;
    let mut run = Run {
        directives: env.directives(),
        start: env.begun(start),
        env,
        inputs: BTreeSet::new(),
        not_measured: None,
    };
    let result = run.all();
    Ok((run, result))
}

/// What `cargo bico tune` does: the same without a build. `only` these keys, if there are any.
pub fn command(env: Env, only: &[String]) -> Result<(), TuneError> {
    let mut run = Run {
        directives: Vec::new(),
        start: SystemTime::now(),
        env,
        inputs: BTreeSet::new(),
        not_measured: None,
    };
    let result = run.work(only, false);
    // What was not measured is said as the error.
    let said = |warning: &str| run.not_measured.is_some() && warning.contains("did not measure");
    for directive in &run.directives {
        if let Some(warning) = directive.strip_prefix(WARNING)
            && !said(warning)
        {
            eprintln!("warning: {warning}");
        }
    }
    result?;
    // A build goes on without; a command that was to measure has failed.
    match run.not_measured {
        Some(why) => Err(TuneError::plain(why)),
        None => Ok(()),
    }
}

const WARNING: &str = "cargo::warning=";

struct Run {
    env: Env,
    directives: Vec<String>,
    /// What cargo watches, relative to the package or absolute.
    inputs: BTreeSet<PathBuf>,
    start: SystemTime,
    /// What was not measured for want of a GPU, and why.
    not_measured: Option<String>,
}

impl Run {
    fn print(&self) {
        for directive in &self.directives {
            println!("{directive}");
        }
        for input in &self.inputs {
            println!("cargo::rerun-if-changed={}", input.display());
        }
    }

    fn print_warnings(&self) {
        let warnings = self.directives.iter();
        for warning in warnings.filter(|directive| directive.starts_with(WARNING)) {
            println!("{warning}");
        }
    }

    fn warn(&mut self, text: &str) {
        // A directive is one line.
        self.directives.push(format!(
            "{WARNING}bico: {}",
            text.replace(['\n', '\r'], " ")
        ));
    }

    fn all(&mut self) -> Result<(), TuneError> {
        self.work(&[], true)
    }

    /// Everything; without the last step where nothing is built. `only` these keys, if there are any.
    fn work(&mut self, only: &[String], emits: bool) -> Result<(), TuneError> {
        let (found, cap) = self.scan(only)?;
        let gpus = found
            .iter()
            .any(|found| found.spec.source.language.is_cuda());
        let service = service(&self.env);
        let devices = Devices::find(&self.env, gpus, &service);
        let plans = self.plan(found, &devices)?;
        let mut store = self.open(&plans, only)?;
        if plans.is_empty() {
            return Ok(());
        }
        let jobs = self.decide(&plans, &store, &devices)?;
        let mut session = Session::new(&self.env, &service, cap);
        let predicted = measure(&self.env, &mut session, &plans, &jobs, &mut store)?;
        let measured = session.has_measured();
        let (warnings, closing) = (session.warnings(), session.closing_line());
        self.conclude(&store, warnings, closing.filter(|_| emits));
        if (measured || devices.missing().is_some()) && self.env.mode == Mode::Tune {
            // A file that is never there: who asks to tune once more gets it, though nothing changed.
            self.inputs.insert(self.env.state_dir().join("tune-again"));
        }
        if emits {
            self.emit(&plans, &predicted, &store, &devices, &service)?;
        }
        Ok(())
    }

    /// Finds the tunables, and the seconds that tuning the package may take.
    fn scan(&mut self, only: &[String]) -> Result<(Vec<Found>, f64), TuneError> {
        self.directives.push(format!(
            "cargo::rustc-env=BICO_BUILD={}",
            env!("CARGO_PKG_VERSION")
        ));
        self.inputs.insert("Cargo.toml".into());
        self.inputs.insert("build.rs".into());
        let settings = Settings::read(&self.env.manifest_dir).map_err(TuneError::plain)?;
        let scan = scan::scan(&self.env);
        self.inputs.extend(scan.inputs);
        if !scan.errors.is_empty() {
            return Err(TuneError::new(scan.errors.join("\n")));
        }
        let mut found = scan.tunables;
        retain(&mut found, only)?;
        Ok((found, settings.cap))
    }

    /// Evaluates what does not depend on the device; all mistakes at once.
    fn plan(&mut self, found: Vec<Found>, devices: &Devices) -> Result<Vec<Plan>, TuneError> {
        let mut errors = Vec::new();
        let mut plans = Vec::new();
        for found in found {
            if found.spec.contraction.is_none() {
                self.inputs.insert(found.source.clone());
            }
            let facts = devices.facts(found.spec.source.language);
            match Plan::new(found, &self.env.manifest_dir, facts) {
                Ok(plan) => plans.push(plan),
                Err(error) => errors.push(error),
            }
        }
        if !errors.is_empty() {
            return Err(TuneError::new(errors.join("\n")));
        }
        for plan in &plans {
            self.watch(plan.files.iter());
        }
        Ok(plans)
    }

    /// Reads the lock, and holds it against the tunables.
    fn open(&mut self, plans: &[Plan], only: &[String]) -> Result<Store, TuneError> {
        if self.env.manifest_dir.join("bico.lock").exists() {
            self.inputs.insert("bico.lock".into());
        }
        let store = Store::open(&self.env, self.start);
        let mut store = store.map_err(|e| TuneError::new(e.to_string()))?;
        for plan in plans {
            self.check(plan, &mut store)?;
        }
        if only.is_empty() {
            self.warn_of_removed(plans, &store);
        }
        Ok(store)
    }

    /// Warns of what measuring met, and lists what cargo watches of the lock.
    fn conclude(&mut self, store: &Store, warnings: Vec<String>, closing: Option<String>) {
        for warning in warnings {
            self.warn(&warning);
        }
        if let Some(why) = store.unwritable() {
            self.warn(&format!("{why}: results are kept on this machine only"));
        }
        if let Some(line) = closing {
            self.warn(&line);
        }
        if store.exists {
            self.inputs.insert("bico.lock".into());
        } else {
            let lock = self.env.manifest_dir.join("bico.lock");
            self.inputs
                .extend(watch::missing(&self.env.out_dir, &lock, self.start));
        }
    }

    /// Writes what the macro includes.
    fn emit(
        &mut self,
        plans: &[Plan],
        predicted: &[Vec<Option<Predicted>>],
        store: &Store,
        devices: &Devices,
        service: &Service,
    ) -> Result<(), TuneError> {
        let mut directives = BTreeSet::new();
        let mut sources_only = BTreeSet::new();
        for (plan, predicted) in plans.iter().zip(predicted) {
            let emitted = emit_one(&self.env, plan, store, devices, predicted, service)?;
            sources_only.extend(emitted.without_compiler.clone());
            if let Some(text) = &emitted.uncompiled {
                self.warn(&brief(text));
            }
            directives.extend(emitted.directives);
            // What bico generated follows from the sources.
            let own = self.env.trail_dir();
            self.watch(emitted.files.iter().filter(|file| !file.starts_with(&own)));
        }
        self.directives.extend(directives);
        for why in sources_only {
            self.warn(&format!(
                "the program carries CUDA kernels as source only, and compiles them when it runs: {}",
                brief(&why)
            ));
        }
        Ok(())
    }

    /// Has cargo watch files, relative to the package where they lie in it.
    fn watch<'f>(&mut self, files: impl Iterator<Item = &'f PathBuf>) {
        let root = &self.env.manifest_dir;
        let relative = files.map(|file| file.strip_prefix(root).unwrap_or(file).to_path_buf());
        self.inputs.extend(relative);
    }

    /// Whether this run measures everything anew.
    fn tunes_all(&self) -> bool {
        let skip = self.env.skip.is_some_and(|skip| skip != Skip::Ci);
        self.env.mode == Mode::Tune && !skip
    }

    /// An entry that cannot be true is an error, but where everything is measured anew it goes.
    fn check(&mut self, plan: &Plan, store: &mut Store) -> Result<(), TuneError> {
        let faults = emission::faults(plan, store, Path::new("bico.lock"));
        for fault in faults.map_err(TuneError::new)? {
            if !self.tunes_all() {
                return Err(TuneError::new(fault.error.to_string()));
            }
            self.warn(&format!(
                "removed the entry of `{}` ({}) on {} from bico.lock, line {}: {}",
                plan.key(),
                fault.problem,
                fault.device,
                fault.error.place.line,
                fault.error.message
            ));
            store.discard(plan.key(), &fault.device, &fault.problem);
        }
        Ok(())
    }

    /// Entries without a tunable stay: it may be one of a feature that is off here.
    fn warn_of_removed(&mut self, plans: &[Plan], store: &Store) {
        let keys = store.committed.kernels.keys();
        let unknown: Vec<&str> = keys
            .map(String::as_str)
            .filter(|key| !plans.iter().any(|plan| plan.key() == *key))
            .collect();
        if self.tunes_all() && !unknown.is_empty() {
            self.warn(&format!(
                "bico.lock has results of {}, which this build does not have: delete them from `kernels` if they were removed or renamed, keep them if a feature that is off here brings them",
                unknown.join(", ")
            ));
        }
    }
}

/// Measures what the jobs ask for. Gives, per tunable and problem, what is predicted where nothing was measured.
fn measure(
    env: &Env,
    session: &mut Session<'_>,
    plans: &[Plan],
    jobs: &[Vec<Job<'_>>],
    store: &mut Store,
) -> Result<Vec<Vec<Option<Predicted>>>, TuneError> {
    let mut asked = jobs.iter().flatten().flat_map(|job| &job.actions);
    if asked.any(|action| matches!(action, Action::Check | Action::Tune)) {
        store
            .try_write(env.mode)
            .map_err(|e| TuneError::new(e.to_string()))?;
    }
    session.run(plans, jobs, store)
}

/// What compiles the package's kernels.
pub fn service(env: &Env) -> Service {
    Service::new(Options {
        cache: env.state_dir().join("objects"),
        root: env.manifest_dir.clone(),
        threads: env.jobs,
        target: env.target.clone(),
        host: env.host.clone(),
        timeout: Options::TIMEOUT,
        nvrtc: env.nvrtc.clone(),
        program: None,
    })
}

/// Keeps the tunables of these keys, where there are any.
pub fn retain(found: &mut Vec<Found>, only: &[String]) -> Result<(), TuneError> {
    let key = |found: &Found| found.spec.key.text.clone();
    for wanted in only {
        if !found.iter().any(|found| key(found) == *wanted) {
            let known: Vec<String> = found.iter().map(key).collect();
            return Err(TuneError::plain(format!(
                "the package has no tunable `{wanted}`; it has: {}",
                known.join(", ")
            )));
        }
    }
    found.retain(|found| only.is_empty() || only.contains(&key(found)));
    Ok(())
}

fn emit_one(
    env: &Env,
    plan: &Plan,
    store: &Store,
    devices: &Devices,
    predicted: &[Option<Predicted>],
    service: &Service,
) -> Result<emit::Emitted, TuneError> {
    let here = devices.keys(plan.found.spec.source.language);
    let mut emission = emission::emission(env, plan, store, devices, predicted, service)
        .map_err(|error| TuneError::new(plan::render(&plan.found, &env.manifest_dir, &error)))?;
    if emission.candidates.is_empty() {
        return Err(TuneError::plain(format!(
            "no config of `{}` can be built into the program\n  = help: every config that was measured failed: see {}",
            plan.key(),
            env.trail_dir().join(plan.trail_file()).display()
        )));
    }
    // Where nothing was measured, nobody looked yet.
    let arguments = emission
        .candidates
        .first()
        .filter(|candidate| candidate.unit.gpu.is_some())
        .map(|candidate| parameters::check_arguments(service, &candidate.unit, &plan.found.spec));
    if let Some(Err(message)) = arguments {
        let error = SpaceError::new(
            plan.found.spec.source.path.span,
            format!("`{}`: {message}", plan.key()),
        );
        return Err(TuneError::new(plan::render(
            &plan.found,
            &env.manifest_dir,
            &error,
        )));
    }
    loop {
        match emit::emit(&emission, &env.out_dir, service) {
            Ok(emitted) => return Ok(emitted),
            // Another device's config may need a newer compiler, a predicted one may not compile at
            // all: the others serve. This device's winners must be there.
            Err(error) => match error.candidate {
                Some(index) if emission::is_spare(&emission, index, &here) => {
                    emission::remove(&mut emission, index);
                }
                _ => return Err(TuneError::new(error.to_string())),
            },
        }
    }
}

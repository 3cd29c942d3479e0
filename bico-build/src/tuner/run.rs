//! The steps of one run, in their order.

#[cfg(feature = "tune")]
use super::asked::Asked;
use super::devices::Devices;
use super::emission::{self, Predicted};
use super::error::{TuneError, brief};
use super::faults::faults;
use super::plan::Plan;
#[cfg(all(feature = "tune", not(feature = "workers")))]
use super::session::measure;
#[cfg(feature = "tune")]
use super::session::{Shared, prepare};
use super::store::Store;
#[cfg(not(feature = "tune"))]
use super::unmeasured::{measure, prepare};
use super::{quiet_service, watch};
use crate::compile::{Service, Teller};
use crate::env::{Env, Mode, Skip};
use crate::os::terminal;
#[cfg(feature = "tune")]
use crate::report::{Listener, Progress};
use crate::scan::{self, Found, Limits};
use bico_core::{Lists, Set};
use bico_syntax::{Name, TunableSpec};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

pub(super) const WARNING: &str = "cargo::warning=";

/// What a run reads, and what it has to tell cargo.
pub(super) struct Run {
    pub(super) env: Env,
    pub(super) directives: Vec<String>,
    /// What cargo watches, relative to the package or absolute.
    pub(super) inputs: Set<PathBuf>,
    pub(super) start: SystemTime,
    /// What a command was asked for.
    #[cfg(feature = "tune")]
    pub(super) asked: Asked,
    #[cfg(feature = "tune")]
    pub(super) listener: Box<dyn Listener>,
    #[cfg(feature = "tune")]
    pub(super) shared: Shared,
    /// What was not measured for want of a GPU, and why.
    pub(super) not_measured: Option<String>,
}

/// What came of measuring, where there was something to measure.
#[derive(Default)]
pub(super) struct Measured {
    /// Per tunable and problem, what is predicted where nothing was measured.
    pub(super) predicted: Vec<Vec<Option<Predicted>>>,
    /// Whether anything was measured.
    pub(super) any: bool,
    /// What the user should know, one line each.
    pub(super) warnings: Vec<String>,
}

#[cfg(feature = "workers")]
impl Measured {
    /// Takes over what came of other devices, for the same tunables and problems.
    pub(super) fn join(&mut self, other: Measured) {
        self.any |= other.any;
        let both = self.predicted.iter_mut().zip(other.predicted);
        for (own, other) in both.flat_map(|(own, other)| own.iter_mut().zip(other)) {
            *own = own.take().or(other);
        }
        for warning in other.warnings {
            if !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
    }
}

impl Run {
    pub(super) fn new(env: Env, start: SystemTime, directives: Vec<String>) -> Run {
        Run {
            #[cfg(feature = "tune")]
            shared: Shared::of(&env),
            env,
            directives,
            inputs: Set::default(),
            start,
            #[cfg(feature = "tune")]
            asked: Asked::default(),
            #[cfg(feature = "tune")]
            listener: Box::new(Progress::new(terminal())),
            not_measured: None,
        }
    }

    pub(super) fn print(&self) {
        for directive in &self.directives {
            println!("{directive}");
        }
        for input in &self.inputs {
            println!("cargo::rerun-if-changed={}", input.display());
        }
    }

    /// The warnings among the directives.
    pub(super) fn warnings(&self) -> impl Iterator<Item = &str> {
        let directives = self.directives.iter();
        directives.filter_map(|directive| directive.strip_prefix(WARNING))
    }

    pub(super) fn warn(&mut self, text: &str) {
        // A directive is one line.
        let line = text.replace(['\n', '\r'], " ");
        self.directives.push(format!("{WARNING}bico: {line}"));
    }

    /// Everything; without the last step where nothing is built.
    pub(super) fn work(&mut self, emits: bool) -> Result<(), TuneError> {
        let (found, limits) = self.scan()?;
        let gpus = found.iter().any(|of| of.spec.is_cuda());
        let mut service = quiet_service(&self.env);
        // A display of its own may be on the terminal of a command.
        if emits || !std::io::stderr().is_terminal() {
            service.tell(Teller::new(terminal().filter(|_| emits)));
        }
        let devices = Devices::find(&self.env, gpus, &service);
        let plans = self.plan(found, &devices, &service)?;
        #[cfg(feature = "tune")]
        self.asked.check(&plans, &devices)?;
        let mut store = self.open(&plans)?;
        if plans.is_empty() {
            return Ok(());
        }
        let jobs = self.decide(&plans, &store, &devices)?;
        prepare(self, &plans, &jobs, &mut store)?;
        #[cfg(feature = "workers")]
        let measured = self.measure_kinds(&service, limits, &devices, &plans, jobs, &mut store)?;
        #[cfg(not(feature = "workers"))]
        let measured = measure(self, &service, limits, &plans, &jobs, &mut store)?;
        #[cfg(feature = "tune")]
        self.shared.end();
        self.conclude(&store, &measured.warnings);
        self.warn_of_outdated(&plans, &store);
        if (measured.any || devices.missing.is_some()) && self.env.mode == Mode::Tune {
            // A file that is never there: who asks to tune once more gets it, though nothing changed.
            self.inputs.insert(self.env.state_dir().join("tune-again"));
        }
        if emits {
            self.emit(&plans, &measured.predicted, &store, &devices, &service)?;
        }
        Ok(())
    }

    /// Finds the tunables, and what the package says of tuning.
    pub(super) fn scan(&mut self) -> Result<(Vec<Found>, Limits), TuneError> {
        let version = concat!("cargo::rustc-env=BICO_BUILD=", env!("CARGO_PKG_VERSION"));
        self.directives.push(version.to_string());
        self.inputs.insert("Cargo.toml".into());
        self.inputs.insert("build.rs".into());
        let scan = scan::scan(&self.env);
        let limits = scan.limits.map_err(TuneError::plain)?;
        self.inputs.extend(scan.inputs);
        if !scan.errors.is_empty() {
            return Err(TuneError::new(scan.errors.join("\n")));
        }
        let found = scan.tunables;
        #[cfg(feature = "tune")]
        let found = scan::liked_first(self.asked.choose(found)?);
        Ok((found, limits))
    }

    /// Evaluates what does not depend on the device; all mistakes at once.
    pub(super) fn plan(
        &mut self,
        found: Vec<Found>,
        devices: &Devices,
        service: &Service,
    ) -> Result<Vec<Plan>, TuneError> {
        let mut errors = Vec::new();
        let mut plans = Vec::new();
        for mut found in found {
            found.absent = self.absent(&found.spec, service);
            if !found.spec.is_written() {
                self.inputs.extend(found.sources.iter().cloned());
            }
            let facts = devices.facts(found.spec.language());
            match Plan::new(found, &self.env.manifest_dir, facts) {
                Ok(plan) => {
                    self.watch(plan.files.clone());
                    plans.push(plan);
                }
                Err(error) => errors.push(error),
            }
        }
        match errors.is_empty() {
            true => Ok(plans),
            false => Err(TuneError::new(errors.join("\n"))),
        }
    }

    /// The variants whose libraries are not here. Nobody is to do without the others for them.
    fn absent(&mut self, spec: &TunableSpec, service: &Service) -> Vec<Name> {
        let mut absent = Vec::new();
        for kernel in spec.kernels.iter().filter(|kernel| !kernel.link.is_empty()) {
            let looks = "cargo::rerun-if-env-changed=LIBRARY_PATH";
            self.directives.push(looks.to_string());
            let mut libraries = kernel.link.iter();
            let missing = libraries.find(|library| service.library(&library.text).is_err());
            if let (Some(name), Some(library)) = (&kernel.name, missing) {
                let (key, variant, library) = (&spec.key.text, &name.text, &library.text);
                self.warn(&format!(
                    "`{key}` does without its variant `{variant}` here: the linker finds no library `{library}`"
                ));
                absent.push(name.clone());
            }
        }
        absent
    }

    /// Reads the lock, and holds it against the tunables.
    fn open(&mut self, plans: &[Plan]) -> Result<Store, TuneError> {
        if self.env.manifest_dir.join("bico.lock").exists() {
            self.inputs.insert("bico.lock".into());
        }
        let mut store = Store::open(&self.env, self.start)?;
        for plan in plans {
            self.check(plan, &mut store)?;
        }
        self.warn_of_removed(plans, &store);
        Ok(store)
    }

    /// Warns of what measuring met, and lists what cargo watches of the lock.
    fn conclude(&mut self, store: &Store, warnings: &[String]) {
        for warning in warnings {
            self.warn(warning);
        }
        if store.exists {
            self.inputs.insert("bico.lock".into());
        } else {
            let lock = self.env.manifest_dir.join("bico.lock");
            let watched = watch::missing(&self.env.out_dir, &lock, self.start);
            self.inputs.extend(watched);
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
        #[cfg(feature = "rust")]
        super::shipped::linkable(&self.env, plans)?;
        let mut directives = Set::default();
        let (mut sources_only, mut warnings) = (Set::default(), Set::default());
        for (plan, predicted) in plans.iter().zip(predicted) {
            let emitted = emission::emit(&self.env, plan, store, devices, predicted, service)?;
            let (emitted, told) = emitted;
            // Winners of one source share its warnings.
            warnings.extend(told);
            sources_only.extend(emitted.without_compiler);
            if let Some(text) = &emitted.uncompiled {
                self.warn(&brief(text));
            }
            directives.extend(emitted.directives);
            // What bico generated follows from the sources.
            let own = self.env.trail_dir();
            let files = emitted.files.into_iter();
            self.watch(files.filter(|file| !file.starts_with(&own)).collect_vec());
        }
        self.directives.extend(directives);
        for line in warnings {
            self.warn(&format!("the code of a winner: {line}"));
        }
        #[cfg(feature = "rust")]
        for text in super::shipped::warnings(&self.env, plans, store, devices) {
            self.warn(&text);
        }
        for why in sources_only {
            self.warn(&format!(
                "the program carries CUDA kernels as source only, and compiles them when it runs: {}",
                brief(&why)
            ));
        }
        Ok(())
    }

    /// Has cargo watch files, relative to the package where they lie in it.
    fn watch(&mut self, files: Vec<PathBuf>) {
        for file in files {
            if !file.exists() {
                let watched = watch::missing(&self.env.out_dir, &file, self.start);
                self.inputs.extend(watched);
                continue;
            }
            let relative = file.strip_prefix(&self.env.manifest_dir).unwrap_or(&file);
            self.inputs.insert(relative.to_path_buf());
        }
    }

    /// Whether this run measures everything anew.
    fn tunes_all(&self) -> bool {
        let skip = self.env.skip.is_some_and(|skip| skip != Skip::Ci);
        self.env.mode == Mode::Tune && !skip
    }

    /// An entry that cannot be true is an error, but where everything is measured anew it goes.
    fn check(&mut self, plan: &Plan, store: &mut Store) -> Result<(), TuneError> {
        let faults = faults(plan, &store.committed, Path::new("bico.lock"));
        for fault in faults.map_err(TuneError::new)? {
            if !self.tunes_all() {
                return Err(fault.error.into());
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

    /// What was verified by older rules, and could not be verified again here.
    fn warn_of_outdated(&mut self, plans: &[Plan], store: &Store) {
        let is_foreign = self.env.skip.is_some_and(Skip::is_foreign);
        if is_foreign || !matches!(self.env.mode, Mode::Auto | Mode::Locked) {
            return;
        }
        let (mut count, mut on) = (0, Set::default());
        for plan in plans {
            let devices = store.committed.kernels.get(plan.key());
            for (device, problems) in devices.into_iter().flatten() {
                let entries = plan.problems.iter().filter_map(|of| problems.get(&of.key));
                let outdated = entries.filter(|entry| {
                    entry.is_outdated() && entry.hashes.changed(&plan.hashes).is_empty()
                });
                let outdated = outdated.count();
                count += outdated;
                on.extend((outdated > 0).then(|| device.to_string()));
            }
        }
        if count == 0 {
            return;
        }
        let were = if count == 1 { " was" } else { "s were" };
        let with = match cfg!(feature = "tune") {
            true => "",
            false => ", with bico-build's feature `tune`,",
        };
        let on = Vec::from_iter(on).join(", ");
        self.warn(&format!(
            "{count} result{were} verified by older rules than this bico's: run `BICO=auto cargo build`{with} on {on}, and commit bico.lock"
        ));
    }

    /// Entries without a tunable stay: it may be one of a feature that is off here.
    fn warn_of_removed(&mut self, plans: &[Plan], store: &Store) {
        #[cfg(feature = "tune")]
        if !self.asked.only.is_empty() {
            return;
        }
        let keys = store.committed.kernels.keys().map(String::as_str);
        let unknown = keys.filter(|key| !plans.iter().any(|plan| plan.key() == *key));
        let unknown: Vec<&str> = unknown.collect_vec();
        if self.tunes_all() && !unknown.is_empty() {
            self.warn(&format!(
                "bico.lock has results of {}, which this build does not have: `cargo bico status --prune` removes them, but for those of a feature that is off here",
                unknown.join(", ")
            ));
        }
    }
}

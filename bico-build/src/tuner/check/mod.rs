//! What `cargo bico check` does: configs are compiled and verified, and nothing is timed.

mod report;
mod sizes;

use super::architectures::capability;
use super::devices::{Devices, Target};
use super::plan::{self, Plan, ProblemPlan};
use super::spread::spread;
use super::store::Store;
use super::subject::{Subject, scalars};
use super::{TuneError, emission, retain, service};
use crate::compile::Service;
use crate::env::Env;
use crate::measure::{Candidates, KernelMeasure, Launch, ScalarValue, Settings};
use crate::report::assignment;
use crate::scan;
use bico_bind::SpaceError;
use bico_search::search::Failure;
use bico_search::space::Space;
pub(crate) use report::{Fault, Report};
pub(crate) use sizes::Sizes;
use std::time::{Instant, SystemTime};

/// What is to be checked.
pub(crate) struct Asked {
    /// Keys; none: all tunables.
    pub(crate) only: Vec<String>,
    /// Configs of each problem, spread evenly over its space.
    pub(crate) configs: u64,
    /// The winners of the lock instead, those of all devices.
    pub(crate) winners: bool,
    /// Sizes beside the small ones.
    pub(crate) sizes: Vec<Sizes>,
    /// The problems' own sizes too.
    pub(crate) problems: bool,
    /// Of the inputs.
    pub(crate) seed: u64,
}

/// Checks the tunables of a package on every kind of device here, and shows `told` each report when it
/// is there. `env` is one that may measure.
///
/// # Errors
///
/// The package or the lock cannot be read, no tunable has what was asked for, or a device is missing.
pub(crate) fn check(
    env: &Env,
    asked: &Asked,
    told: &mut dyn FnMut(&Report),
) -> Result<(), TuneError> {
    let mut found = scan::scan(env).found().map_err(TuneError::new)?;
    retain(&mut found, &asked.only)?;
    for sizes in &asked.sizes {
        if !found.iter().any(|found| sizes.fit(&scalars(&found.spec))) {
            return Err(TuneError::plain(
                "no tunable has all arguments that `--problem` names",
            ));
        }
    }
    let gpus = found
        .iter()
        .any(|found| found.spec.source.language.is_cuda());
    let service = service(env);
    let devices = Devices::find(env, gpus, &service);
    let store = Store::open(env, SystemTime::now()).map_err(|e| TuneError::new(e.to_string()))?;
    let mut missing = Vec::new();
    for found in found {
        let language = found.spec.source.language;
        let plan = Plan::new(found, &env.manifest_dir, devices.facts(language));
        let plan = plan.map_err(TuneError::new)?;
        if devices.of(language).is_empty() {
            missing.push(plan.key().to_string());
        }
        for target in devices.of(language) {
            for problem in &plan.problems {
                let start = Instant::now();
                let check = Check {
                    env,
                    asked,
                    service: &service,
                    store: &store,
                    plan: &plan,
                    problem,
                    target,
                };
                let mut report = check.empty();
                if let Err(error) = check.run(&mut report) {
                    report.error = Some(error);
                }
                report.seconds = start.elapsed().as_secs_f64();
                told(&report);
            }
        }
    }
    match devices.missing() {
        Some(why) if !missing.is_empty() => Err(TuneError::plain(format!(
            "no GPU can be used here, {why}: {}",
            missing.join(", ")
        ))),
        _ => Ok(()),
    }
}

/// One tunable at one problem on one device.
struct Check<'a> {
    env: &'a Env,
    asked: &'a Asked,
    service: &'a Service,
    store: &'a Store,
    plan: &'a Plan,
    problem: &'a ProblemPlan,
    target: &'a Target,
}

impl Check<'_> {
    fn empty(&self) -> Report {
        Report {
            tunable: self.plan.key().to_string(),
            device: self.target.facts.key(),
            problem: self.problem.label.clone(),
            seed: self.asked.seed,
            valid: 0,
            configs: 0,
            right: 0,
            wrong: 0,
            failed: 0,
            unchecked: 0,
            runs: 0,
            seconds: 0.0,
            failures: Vec::new(),
            notes: Vec::new(),
            error: None,
        }
    }

    /// Fills the report; a mistake that no config mends is a text in rustc's manner.
    fn run(&self, report: &mut Report) -> Result<(), String> {
        let (spec, facts) = (&self.plan.found.spec, &self.target.facts);
        let root = &self.env.manifest_dir;
        let shown = |error: SpaceError| plan::render(&self.plan.found, root, &error);
        let space = Space::new(spec, facts, &self.problem.scope).map_err(shown)?;
        report.valid = space.len();
        let configs = match self.asked.winners {
            true => self.winners(&space),
            false => spread(space.len(), self.asked.configs),
        };
        if configs.is_empty() {
            report.notes.push(match self.asked.winners {
                true => "no winner of bico.lock is in the space of this device".to_string(),
                false => match space.why_empty() {
                    Some(why) => format!("the space is empty: {why}"),
                    None => "no config was asked for".to_string(),
                },
            });
            return Ok(());
        }
        let made_for = capability(facts).map(|capability| self.service.target(capability));
        let subject = Subject::new(spec, root, facts, self.problem, &space, made_for);
        let subject = subject.map_err(shown)?;
        let sizes = self.sizes(&subject.scalars())?;
        let launch = Launch {
            place: self.target.place,
            ..Launch::this_program(self.env.runner.clone())?
        };
        let folder = self.env.state_dir().join("measure");
        let mut settings = Settings::new(launch, &self.target.lock, folder);
        settings.seed = self.asked.seed;
        let mut measure =
            KernelMeasure::new(spec, subject.scalars(), self.service, &subject, settings);
        let units = configs
            .iter()
            .filter_map(|config| subject.unit(*config).ok());
        self.service.announce(units.collect());
        if let Err(message) = measure.prepare_to_verify(&configs) {
            let reference = spec.verify.reference.as_ref();
            let reference = reference.filter(|_| measure.blames_reference());
            let span = reference.map_or(spec.source.path.span, |reference| reference.span);
            let message = format!("`{}`: {message}", self.plan.key());
            return Err(shown(SpaceError { message, span }));
        }
        let mut verified: Vec<(u64, Result<usize, Failure>)> = configs
            .iter()
            .map(|config| (*config, measure.verify(*config, &sizes)))
            .collect();
        for (config, result) in &mut verified {
            // The first ones were judged before most opinions were known, or taken for right.
            if let Ok(runs) = result {
                *result = measure.verdict(*config).map(|()| *runs);
            }
            let name = assignment(space.names(), &space.config(*config));
            report.add(name, result);
        }
        if spec.verify.reference.is_none() {
            let note = "there is no reference: configs are compared with each other";
            report.notes.push(note.to_string());
        }
        if let Some(fault) = measure.fault() {
            report.notes.push(format!("left sizes out: {fault}"));
        }
        Ok(())
    }

    /// What the lock holds for best, on whatever device, and is in the space of this one.
    fn winners(&self, space: &Space) -> Vec<u64> {
        let spec = &self.plan.found.spec;
        let entries = self.store.entries(self.plan.key(), &self.problem.key);
        let mut configs: Vec<u64> = entries
            .iter()
            .filter_map(|(_, entry)| {
                let values = emission::values(spec, &entry.winner.config)?;
                space.index_of(&values)
            })
            .collect();
        configs.sort_unstable();
        configs.dedup();
        configs
    }

    /// Sizes beside the small ones. A problem of a single size has no others.
    fn sizes(&self, own: &[ScalarValue]) -> Result<Vec<Vec<ScalarValue>>, String> {
        let names = scalars(&self.plan.found.spec);
        let fit = self.asked.sizes.iter().filter(|sizes| sizes.fit(&names));
        let mut all = fit
            .map(|sizes| sizes.put(&names, own))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|text| format!("error: {text}"))?;
        let others = own
            .iter()
            .any(|value| matches!(value, ScalarValue::Int(size) if *size > 1));
        if (self.asked.problems || !others) && !all.iter().any(|sizes| sizes == own) {
            all.push(own.to_vec());
        }
        Ok(all)
    }
}

impl Report {
    fn add(&mut self, config: String, result: &Result<usize, Failure>) {
        self.configs += 1;
        match result {
            Ok(0) => self.unchecked += 1,
            Ok(runs) => {
                self.right += 1;
                self.runs += *runs as u64;
            }
            Err(failure) => {
                let fault = Fault::new(config, failure);
                match fault.wrong {
                    true => self.wrong += 1,
                    false => self.failed += 1,
                }
                self.failures.push(fault);
            }
        }
    }
}

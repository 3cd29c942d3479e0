//! What `cargo bico check` does: configs are compiled and verified, and nothing is timed.

mod report;
mod sizes;

use crate::opened::{Configs, Tunable};
use crate::spread::spread;
use crate::{Error, package};
use bico_bind::{SpaceError, scalars};
use bico_build::compile::Service;
use bico_build::env::Env;
use bico_build::measure::{Candidates, KernelMeasure, Program, Settings};
use bico_build::report::assignment;
use bico_build::tuner::devices::{Devices, Target};
use bico_build::tuner::plan::ProblemPlan;
use bico_build::tuner::store::Store;
use bico_build::tuner::{service, stored};
use bico_core::Value;
use bico_search::search::Failure;
use bico_search::space::Space;
use std::time::{Instant, SystemTime};

pub(crate) use report::{Fault, Report};
pub(crate) use sizes::Sizes;

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
    /// Seed of the inputs.
    pub(crate) seed: u64,
}

/// Checks the tunables of a package on every kind of device here, and shows `told` each report when it
/// is there. `env` is one that may measure.
///
/// # Errors
///
/// The package or the lock cannot be read, no tunable has what was asked for, or a device is missing.
pub(crate) fn check(env: &Env, asked: &Asked, told: &mut dyn FnMut(&Report)) -> Result<(), Error> {
    let found = package::tunables(env, &asked.only)?;
    for sizes in &asked.sizes {
        if !found.iter().any(|found| sizes.fit(&scalars(&found.spec))) {
            return Err("no tunable has all arguments that `--problem` names".into());
        }
    }
    let gpus = found
        .iter()
        .any(|found| found.spec.source.language.is_cuda());
    let service = service(env);
    let devices = Devices::find(env, gpus, &service);
    let store = Store::open(env, SystemTime::now()).map_err(Error::work)?;
    let mut missing = Vec::new();
    for found in found {
        let targets = devices.of(found.spec.source.language);
        if targets.is_empty() {
            missing.push(found.spec.key.text.clone());
        }
        for target in targets {
            let tunable = Tunable::new(env, &service, &target.facts, found.clone())?;
            for problem in &tunable.plan.problems {
                let start = Instant::now();
                let check = Check {
                    env,
                    asked,
                    service: &service,
                    store: &store,
                    tunable: &tunable,
                    problem,
                    target,
                };
                let mut report = Report {
                    tunable: tunable.key().to_string(),
                    device: target.facts.key().to_string(),
                    problem: problem.label.clone(),
                    seed: asked.seed,
                    ..Report::default()
                };
                if let Err(error) = check.run(&mut report) {
                    report.error = Some(error.to_string());
                }
                report.seconds = start.elapsed().as_secs_f64();
                told(&report);
            }
        }
    }
    match &devices.missing {
        Some(why) if !missing.is_empty() => Err(Error::Work(format!(
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
    tunable: &'a Tunable<'a>,
    problem: &'a ProblemPlan,
    target: &'a Target,
}

impl Check<'_> {
    /// Fills the report; a mistake that no config mends is an error with a text in rustc's manner.
    fn run(&self, report: &mut Report) -> Result<(), Error> {
        let spec = &self.tunable.plan.found.spec;
        let configs = self.tunable.configs(&self.problem.scope)?;
        let space = configs.space();
        report.valid = space.len();
        let numbers = self.chosen(space);
        if numbers.is_empty() {
            report.notes.push(match self.asked.winners {
                true => "no winner of bico.lock is in the space of this device".to_string(),
                false => match space.why_empty() {
                    Some(why) => format!("the space is empty: {why}"),
                    None => "no config was asked for".to_string(),
                },
            });
            return Ok(());
        }
        self.verify(&configs, &numbers, report)?;
        if spec.verify.reference.is_none() {
            let note = "there is no reference: configs are compared with each other";
            report.notes.insert(0, note.to_string());
        }
        Ok(())
    }

    /// Verifies configs and reports on each.
    fn verify(
        &self,
        configs: &Configs<'_>,
        numbers: &[u64],
        report: &mut Report,
    ) -> Result<(), Error> {
        let spec = &self.tunable.plan.found.spec;
        let subject = configs.subject();
        let sizes = self.sizes(&subject.scalars())?;
        let program = Program {
            processor: self.target.processor,
            ..Program::this(self.env.runner.clone())?
        };
        let folder = self.env.state_dir().join("measure");
        let mut settings = Settings::new(program, &self.target.lock, folder);
        settings.seed = self.asked.seed;
        let mut measure =
            KernelMeasure::new(spec, subject.scalars(), self.service, &subject, settings);
        let units = numbers
            .iter()
            .filter_map(|config| subject.unit(*config).ok());
        self.service.announce(units.collect());
        if let Err(message) = measure.prepare_to_verify(numbers) {
            let reference = spec.verify.reference.as_ref();
            let reference = reference.filter(|_| measure.blames_reference());
            let span = reference.map_or(spec.source.path.span, |reference| reference.span);
            let message = format!("`{}`: {message}", self.tunable.key());
            return Err(self.tunable.shown(&SpaceError::new(span, message)));
        }
        let first: Vec<_> = numbers
            .iter()
            .map(|config| measure.verify(*config, &sizes))
            .collect();
        let space = configs.space();
        for (config, result) in numbers.iter().zip(first) {
            // The first ones were judged before most opinions were known, or taken for right.
            let result = result.and_then(|runs| measure.verdict(*config).map(|()| runs));
            report.add(assignment(space.names(), &space.config(*config)), result);
        }
        if let Some(fault) = measure.fault() {
            report.notes.push(format!("left sizes out: {fault}"));
        }
        Ok(())
    }

    fn chosen(&self, space: &Space) -> Vec<u64> {
        match self.asked.winners {
            true => self.winners(space),
            false => spread(space.len(), self.asked.configs),
        }
    }

    /// What the lock holds for best, on whatever device, and is in the space of this one.
    fn winners(&self, space: &Space) -> Vec<u64> {
        let spec = &self.tunable.plan.found.spec;
        let entries = self.store.entries(self.tunable.key(), &self.problem.key);
        let mut configs: Vec<u64> = entries
            .iter()
            .filter_map(|(_, entry)| {
                let values = stored::values(spec, &entry.winner.config)?;
                space.index_of(&values)
            })
            .collect();
        configs.sort_unstable();
        configs.dedup();
        configs
    }

    /// Sizes beside the small ones. A problem of a single size has no others.
    fn sizes(&self, own: &[Value]) -> Result<Vec<Vec<Value>>, String> {
        let names = scalars(&self.tunable.plan.found.spec);
        let fit = self.asked.sizes.iter().filter(|sizes| sizes.fit(&names));
        let mut all = fit
            .map(|sizes| sizes.put(&names, own))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|text| format!("error: {text}"))?;
        let others = own
            .iter()
            .any(|value| matches!(value, Value::Int(size) if *size > 1));
        if (self.asked.problems || !others) && !all.iter().any(|sizes| sizes == own) {
            all.push(own.to_vec());
        }
        Ok(all)
    }
}

impl Report {
    fn add(&mut self, config: String, result: Result<usize, Failure>) {
        self.configs += 1;
        match result {
            Ok(0) => self.unchecked += 1,
            Ok(runs) => {
                self.right += 1;
                self.runs += runs as u64;
            }
            Err(failure) => {
                let fault = Fault::new(config, &failure);
                match fault.wrong {
                    true => self.wrong += 1,
                    false => self.failed += 1,
                }
                self.failures.push(fault);
            }
        }
    }
}

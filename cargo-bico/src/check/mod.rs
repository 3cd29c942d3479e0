//! What `cargo bico check` does: configs are compiled and verified, and nothing is timed.

pub(crate) mod perf;
pub(crate) mod report;
mod sizes;

use crate::opened::{Configs, Tunable};
use crate::spread::spread;
use crate::{Error, package};
use bico_build::env::Env;
use bico_build::measure::{Candidates, KernelMeasure, Program, Settings};
use bico_build::report::assignment;
use bico_build::scan::Found;
use bico_build::tuner::devices::{Devices, Target};
use bico_build::tuner::plan::ProblemPlan;
use bico_build::tuner::store::Store;
use bico_build::tuner::{service, stored};
use bico_core::Value;
use bico_search::space::Space;
use bico_syntax::bind::{SpaceError, scalars};
use std::time::{Instant, SystemTime};

pub(crate) use report::Report;
pub(crate) use sizes::Sizes;

/// What a kernel or its reference may take at a size beyond 32 bits.
const LARGE_SECONDS: f64 = 300.0;

/// What is to be checked.
#[derive(clap::Args)]
pub(crate) struct Asked {
    /// Configs of each problem, spread evenly over its space
    #[arg(short, long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    configs: u64,
    /// The winners of bico.lock in place of configs that are spread
    #[arg(long)]
    winners: bool,
    /// Further sizes, `m=64,n=64`: what is not named is as in the attribute; may be repeated
    #[arg(long, value_name = "SIZES", value_parser = Sizes::read)]
    problem: Vec<Sizes>,
    /// The attribute's own sizes too
    #[arg(long)]
    problems: bool,
    /// Sizes at which a buffer has more elements than 32 bits can count, too: minutes and gigabytes for each
    #[arg(long)]
    large: bool,
    /// Seed of the inputs; tuning has 0
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
}

/// Checks the tunables of a package on every kind of device here, and shows `told` each report when it
/// is there. `env` is one that may measure.
///
/// # Errors
///
/// The package or the lock cannot be read, no tunable has what was asked for, or a device is missing.
pub(crate) fn check(
    env: &Env,
    only: &[String],
    asked: &Asked,
    told: &mut dyn FnMut(&Report),
) -> Result<(), Error> {
    let found = package::tunables(env, only)?;
    for sizes in &asked.problem {
        if !found.iter().any(|found| sizes.fit(&scalars(&found.spec))) {
            return Err(no_such_problem(&found));
        }
    }
    each(env, found, &mut |case| {
        let start = Instant::now();
        let mut report = Report {
            tunable: case.tunable.key().to_string(),
            device: case.target.facts.key().to_string(),
            problem: case.problem.key.clone(),
            seed: asked.seed,
            ..Report::default()
        };
        if let Err(error) = (Check { asked, case }).run(&mut report) {
            report.error = Some(error.to_string());
        }
        report.seconds = start.elapsed().as_secs_f64();
        told(&report);
        Ok(())
    })
}

/// One tunable at one problem on one device.
struct Case<'a> {
    store: &'a Store,
    tunable: &'a Tunable<'a>,
    problem: &'a ProblemPlan,
    target: &'a Target,
}

/// Does something for each tunable at each problem on every kind of device here.
fn each(
    env: &Env,
    found: Vec<Found>,
    act: &mut dyn FnMut(&Case<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let is_cuda = |found: &Found| found.spec.is_cuda();
    let service = service(env);
    let devices = Devices::find(env, found.iter().any(is_cuda), &service);
    let store = Store::open(env, SystemTime::now()).map_err(Error::work)?;
    let mut missing = Vec::new();
    for found in found {
        let targets = devices.of(found.spec.language());
        if targets.is_empty() {
            missing.push(found.spec.key.text.clone());
        }
        for target in targets {
            let tunable = Tunable::new(env, &service, &target.facts, None, found.clone())?;
            for problem in &tunable.plan.problems {
                // Of a range's sizes those that something is known of.
                if problem.is_between() && store.entries(tunable.key(), &problem.key).is_empty() {
                    continue;
                }
                act(&Case {
                    store: &store,
                    tunable: &tunable,
                    problem,
                    target,
                })?;
            }
        }
    }
    match &devices.missing {
        Some(why) if !missing.is_empty() => Err(Error::Work(format!(
            "no GPU can be used here, {why}: {}",
            missing.join(", ")
        ))
        .help("run it on a machine with the GPU; `cargo bico compile` says without one whether kernels compile")),
        _ => Ok(()),
    }
}

impl Case<'_> {
    /// How to measure its configs.
    fn settings(&self, configs: &Configs<'_>) -> Result<Settings, Error> {
        let env = self.tunable.env;
        let program = Program {
            processor: self.target.processor,
            threads: configs.bound.threads,
            ..Program::this(env.runner.clone())?
        };
        let folder = env.state_dir().join("measure");
        Ok(Settings::new(program, &self.target.lock, folder))
    }

    /// That nothing can be measured, shown on its place.
    fn unprepared(&self, measure: &KernelMeasure<'_>, message: &str) -> Error {
        let spec = &self.tunable.plan.found.spec;
        let span = measure.blamed.unwrap_or(spec.place());
        let message = format!("`{}`: {message}", self.tunable.key());
        self.tunable.shown(&SpaceError::new(span, message))
    }
}

/// What is checked of one.
struct Check<'a> {
    asked: &'a Asked,
    case: &'a Case<'a>,
}

impl Check<'_> {
    /// Fills the report; a mistake that no config mends is an error with a text in rustc's manner.
    fn run(&self, report: &mut Report) -> Result<(), Error> {
        let Case {
            tunable, problem, ..
        } = self.case;
        let configs = tunable.configs(&problem.scope)?;
        let space = configs.space();
        report.valid = space.len();
        let numbers = match self.asked.winners {
            true => self.winners(space),
            false => spread(space.len(), self.asked.configs),
        };
        if numbers.is_empty() {
            report
                .notes
                .push(match (self.asked.winners, space.why_empty()) {
                    (true, _) => {
                        "no winner of bico.lock is in the space of this device".to_string()
                    }
                    (false, Some(why)) => format!("the space is empty: {why}"),
                    (false, None) => "no config was asked for".to_string(),
                });
            return Ok(());
        }
        self.verify(&configs, &numbers, report)?;
        if tunable.plan.found.spec.verify.reference.is_none() {
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
        let tunable = self.case.tunable;
        let spec = &tunable.plan.found.spec;
        let subject = configs.subject();
        let sizes = self.sizes(&subject.scalars())?;
        let service = tunable.service;
        let mut settings = self.case.settings(configs)?;
        settings.seed = self.asked.seed;
        if self.asked.large {
            settings.reference_seconds = LARGE_SECONDS;
            settings.hang_seconds = LARGE_SECONDS;
        }
        let mut measure = KernelMeasure::new(spec, subject.scalars(), service, &subject, settings);
        let units = numbers.iter().filter_map(|n| subject.unit(*n).ok());
        service.announce(units.collect());
        if let Err(message) = measure.prepare_to_verify(numbers) {
            return Err(self.case.unprepared(&measure, &message));
        }
        let first = numbers
            .iter()
            .map(|config| measure.verify(*config, &sizes, self.asked.large));
        let first: Vec<_> = first.collect();
        let space = configs.space();
        for (config, result) in numbers.iter().zip(first) {
            // What most results are is known now.
            let result = result.and_then(|runs| measure.verdict(*config).map(|()| runs));
            if matches!(result, Ok(0)) && report.unchecked == 0 {
                let excluded = measure.excluded(*config);
                let names = scalars(spec);
                let told = |why| report::excluded(&why, &names, &subject.scalars());
                report.notes.extend(excluded.and_then(told));
            }
            report.add(assignment(space.names(), &space.config(*config)), result);
        }
        if let Some(fault) = &measure.fault {
            report.notes.push(format!("left sizes out: {fault}"));
            report.incomplete = true;
        }
        Ok(())
    }

    /// What the lock holds for best, on whatever device, and is in the space of this one.
    fn winners(&self, space: &Space) -> Vec<u64> {
        let Case {
            store,
            tunable,
            problem,
            ..
        } = self.case;
        let spec = &tunable.plan.found.spec;
        let entries = store.entries(tunable.key(), &problem.key);
        let configs = entries
            .iter()
            .filter_map(|(_, entry)| space.index_of(&stored::values(spec, &entry.winner.config)?));
        let mut configs: Vec<u64> = configs.collect();
        configs.sort_unstable();
        configs.dedup();
        configs
    }

    /// Sizes beside the small ones. A problem of a single size has no others.
    fn sizes(&self, own: &[Value]) -> Result<Vec<Vec<Value>>, String> {
        let names = scalars(&self.case.tunable.plan.found.spec);
        let fit = self.asked.problem.iter().filter(|sizes| sizes.fit(&names));
        let mut all = fit
            .map(|sizes| sizes.put(&names, own))
            .collect::<Result<Vec<_>, _>>()?;
        let is_large = |value: &Value| matches!(value, Value::Int(size) if *size > 1);
        let others = own.iter().any(is_large);
        if (self.asked.problems || !others) && !all.iter().any(|sizes| sizes == own) {
            all.push(own.to_vec());
        }
        Ok(all)
    }
}

/// That sizes name arguments which no tunable has, and which there are.
pub(crate) fn no_such_problem(found: &[Found]) -> Error {
    let known = found.iter().map(|found| {
        let names = scalars(&found.spec).join(", ");
        format!("{} ({names})", found.spec.key.text)
    });
    let known: Vec<String> = known.collect();
    let error = Error::usage("no tunable has all arguments that `--problem` names");
    error.help(format!("there are: {}", known.join("; ")))
}

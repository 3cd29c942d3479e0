//! What `cargo bico status` does: holds `bico.lock` against the sources, without a device or a compiler.
//!
//! The judgement is a build's: the hashes of a [`Plan`], what changed of them, and [`faults`].

mod prune;
mod row;

pub(crate) use row::{Row, State};

use crate::{Error, Features, package};
use bico_build::env::Env;
use bico_build::lock::{self, Entry, Lock};
use bico_build::scan::{Found, scan};
use bico_build::tuner::devices::Devices;
use bico_build::tuner::faults::{Faulty, faults};
use bico_build::tuner::plan::{Plan, ProblemPlan};
use bico_build::tuner::service;
use bico_core::device::DeviceKey;
use bico_syntax::file_stem;
use std::path::{Path, PathBuf};

/// What makes or mends a lock, in messages.
const TUNE: &str = "run `cargo bico tune` on a machine with the device, and commit bico.lock";

/// A package's lock beside its tunables.
pub(crate) struct Survey {
    pub(crate) env: Env,
    pub(crate) lock: Lock,
    /// The tunables that are on, in the order of the sources.
    pub(crate) plans: Vec<Plan>,
    /// Those that other features bring, as far as the lock has results that are nobody else's.
    hidden: Vec<Plan>,
    /// Why there may be more of them.
    unseen: Vec<String>,
}

impl Survey {
    /// Reads a package and its lock.
    ///
    /// # Errors
    ///
    /// A mistake in the sources or in the lock, or there is no lock.
    pub(crate) fn new(env: Env) -> Result<Survey, Error> {
        let found = package::tunables(&env, &[])?;
        let lock = read(&env.manifest_dir, &found)?;
        let devices = Devices::find(&env, false, &service(&env));
        let mut survey = Survey {
            plans: plans(found, &env, &devices)?,
            hidden: Vec::new(),
            unseen: Vec::new(),
            env,
            lock,
        };
        survey.look_behind_features(&devices)?;
        Ok(survey)
    }

    /// Finds whose results they are that no tunable here has.
    fn look_behind_features(&mut self, devices: &Devices) -> Result<(), Error> {
        let none = Features::Some {
            names: Vec::new(),
            default: false,
        };
        for features in [Features::All, none] {
            let keys: Vec<String> = self.left().into_iter().map(str::to_string).collect();
            if keys.is_empty() {
                break;
            }
            let env = package::env(&self.env.manifest_dir, &features, self.env.mode)?;
            let scan = scan(&env);
            self.unseen.extend(scan.errors);
            let mut found = scan.tunables;
            found.retain(|found| keys.contains(&found.spec.key.text));
            self.hidden.extend(plans(found, &env, devices)?);
        }
        Ok(())
    }

    /// Keys of what has results that no tunable asks for.
    fn left(&self) -> Vec<&str> {
        let entries = self.entries();
        let left = entries.filter(|(key, _, problem, _)| self.plan(key, problem).is_none());
        let mut keys: Vec<&str> = left.map(|(key, ..)| key).collect();
        keys.dedup();
        keys
    }

    /// All results, in the order of the file.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&str, &DeviceKey, &str, &Entry)> {
        let kernels = self.lock.kernels.iter();
        let devices = kernels.flat_map(|(key, devices)| devices.iter().map(move |of| (key, of)));
        devices.flat_map(|(key, (device, problems))| {
            let problems = problems.iter();
            problems.map(move |(problem, entry)| (key.as_str(), device, problem.as_str(), entry))
        })
    }

    /// Keys of all tunables, those of the lock among them.
    pub(crate) fn tunables(&self) -> impl Iterator<Item = &str> {
        let plans = self.plans.iter().map(Plan::key);
        plans.chain(self.lock.kernels.keys().map(String::as_str))
    }

    /// Parameters of a tunable, as its attribute lists them; none where no source has it.
    pub(crate) fn parameters(&self, key: &str) -> Vec<String> {
        let mut plans = self.plans.iter().chain(&self.hidden);
        let plan = plans.find(|plan| plan.key() == key);
        let parameters = plan.map_or(&[][..], |plan| &plan.found.spec.parameters);
        parameters.iter().map(|of| of.name.text.clone()).collect()
    }

    /// Where searches of a tunable leave their trails.
    pub(crate) fn trail(&self, key: &str) -> PathBuf {
        let name = format!("{}.jsonl", file_stem(key));
        self.env.trail_dir().join(name)
    }

    /// The tunable that asks for these results.
    pub(crate) fn plan(&self, key: &str, problem: &str) -> Option<&Plan> {
        let has = |plan: &Plan| plan.problems.iter().any(|of| of.key == problem);
        let mut plans = self.plans.iter().chain(&self.hidden);
        plans.find(|plan| plan.key() == key && has(plan))
    }

    /// What is to be said of each result, and of each problem without one, by tunables.
    ///
    /// # Errors
    ///
    /// An expression cannot be evaluated on a device of the lock.
    pub(crate) fn rows(&self) -> Result<Vec<Row>, Error> {
        let mut wrong: Vec<(&Plan, Faulty)> = Vec::new();
        for plan in self.plans.iter().chain(&self.hidden) {
            let faults = faults(plan, &self.lock, Path::new("bico.lock"))?;
            wrong.extend(faults.into_iter().map(|fault| (plan, fault)));
        }
        let row = |(key, device, problem, entry): (&str, &DeviceKey, &str, &Entry)| {
            let Some(plan) = self.plan(key, problem) else {
                let known = self.plans.iter().find(|plan| plan.key() == key);
                return Row::unused(known, key, device, problem);
            };
            let fault = wrong.iter().find(|(of, fault)| {
                std::ptr::eq(*of, plan) && fault.device == *device && fault.problem == problem
            });
            Row::of(plan, device, problem, entry, fault.map(|(_, fault)| fault))
        };
        let mut rows: Vec<Row> = self.entries().map(row).collect();
        for plan in &self.plans {
            let devices = self.lock.kernels.get(plan.key());
            let known = |problem: &str| {
                let mut devices = devices.into_iter().flatten();
                devices.any(|(_, problems)| problems.contains_key(problem))
            };
            let is_missing = |of: &&ProblemPlan| !of.is_between() && !known(&of.key);
            let missing = plan.problems.iter().filter(is_missing);
            rows.extend(missing.map(|problem| Row::missing(plan.key(), &problem.key)));
        }
        rows.sort_by(|a, b| a.tunable.cmp(&b.tunable));
        Ok(rows)
    }
}

/// Evaluates tunables; all mistakes at once.
pub(crate) fn plans(found: Vec<Found>, env: &Env, devices: &Devices) -> Result<Vec<Plan>, Error> {
    let (mut plans, mut errors) = (Vec::new(), Vec::new());
    for found in found {
        let facts = devices.facts(found.spec.language());
        match Plan::new(found, &env.manifest_dir, facts) {
            Ok(plan) => plans.push(plan),
            Err(error) => errors.push(error),
        }
    }
    match errors.is_empty() {
        true => Ok(plans),
        false => Err(Error::Work(errors.join("\n"))),
    }
}

/// The package's lock. Where nothing is tunable there need not be one.
fn read(root: &Path, found: &[Found]) -> Result<Lock, Error> {
    let path = root.join("bico.lock");
    match lock::load(&path).map_err(Error::work)? {
        Some(lock) => Ok(lock),
        None if found.is_empty() => Ok(Lock::default()),
        None => Err(Error::Work(format!(
            "there is no bico.lock in {}\n  = help: {TUNE}",
            root.display()
        ))),
    }
}

#[cfg(test)]
mod tests;

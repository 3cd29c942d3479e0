//! What a run was asked for beside its mode: nothing in a build; the command's arguments.

use super::devices::{Devices, Target};
use super::plan::{Plan, ProblemPlan};
use super::policy::Action;
use super::store::Store;
use super::{TuneError, retain};
use crate::lock::{Entry, rounded};
use crate::scan::Found;
use bico_core::{Lists, Set};
use bico_syntax::Name;
use bico_syntax::bind::bare;

/// What a run was asked for.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    /// Only tunables of these keys; all, where there are none.
    pub only: Vec<String>,
    /// Only devices whose key holds one of these texts, or `cpu`, or `gpu`.
    pub devices: Vec<String>,
    /// Only problems in which these names have these values.
    pub problems: Vec<Vec<(String, String)>>,
    /// In place of the attribute's.
    pub evaluations: Option<u32>,
    /// In place of the attribute's, whatever the package's cap says.
    pub seconds: Option<f64>,
    /// In place of the attribute's.
    pub strategy: Option<String>,
    /// Whether `tune` leaves what is fresh as it is.
    pub keeps_fresh: bool,
    /// What parts of searches measured elsewhere; where there are any, nothing else is done.
    pub joined: Vec<Joined>,
}

/// What the parts of one search measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Joined {
    /// The tunable's key.
    pub key: String,
    /// The problem, as the lock names it.
    pub problem: String,
    /// The device's key.
    pub device: String,
    /// The configs in the order in which they count as measured.
    pub configs: Vec<u64>,
    /// The seconds that the longest part took.
    pub seconds: f64,
    /// Rows of trails, one for each of them.
    pub rows: Vec<String>,
}

impl Joined {
    pub(super) fn is_of(&self, plan: &Plan, problem: &ProblemPlan, device: &str) -> bool {
        self.key == plan.key() && self.problem == problem.key && self.device == device
    }
}

impl Asked {
    /// The tunables that are named, with the budget in place of the attribute's.
    pub(super) fn choose(&self, mut found: Vec<Found>) -> Result<Vec<Found>, TuneError> {
        retain(&mut found, &self.only);
        found.iter_mut().for_each(|found| self.grant(found));
        Ok(found)
    }

    fn grant(&self, found: &mut Found) {
        let budget = &mut found.budget;
        budget.evaluations = self.evaluations.unwrap_or(budget.evaluations);
        budget.seconds = self.seconds.unwrap_or(budget.seconds);
        if let Some(text) = self.strategy.clone() {
            let span = found.spec.function.span;
            budget.strategy = Some(Name { text, span });
        }
    }

    /// Whether a problem is left as it is on a device: nobody asked for it, or its entry is fresh.
    pub(super) fn leaves(
        &self,
        action: Action,
        plan: &Plan,
        problem: &ProblemPlan,
        target: Option<&Target>,
        store: &Store,
    ) -> bool {
        let keeps = || {
            let device = target.map(|target| target.facts.key());
            let entry = store.entry(plan.key(), &device?, &problem.key)?;
            let is_fresh = entry.hashes.changed(&plan.hashes).is_empty() && !entry.is_outdated();
            Some(is_fresh && self.is_met(entry))
        };
        !self.concerns(plan, problem, target)
            || (self.keeps_fresh && action == Action::Tune && keeps() == Some(true))
    }

    /// Whether a search of just this budget made the entry, as far as one was asked for.
    fn is_met(&self, entry: &Entry) -> bool {
        let budget = &entry.budget;
        let (evaluations, strategy) = (self.evaluations.map(u64::from), &self.strategy);
        evaluations.is_none_or(|of| of == budget.evaluations)
            && self
                .seconds
                .is_none_or(|of| rounded(of) == rounded(budget.seconds))
            && strategy.as_ref().is_none_or(|of| *of == entry.strategy)
    }

    /// Whether it is about a problem on a device; `None`: the device is not here.
    pub(super) fn concerns(
        &self,
        plan: &Plan,
        problem: &ProblemPlan,
        target: Option<&Target>,
    ) -> bool {
        let device = |name: &String| is_named(name, plan, target);
        let is_joined = |of: &Joined| {
            target.is_some_and(|target| of.is_of(plan, problem, target.facts.key().as_str()))
        };
        (self.joined.is_empty() || self.joined.iter().any(is_joined))
            && (self.devices.is_empty() || self.devices.iter().any(device))
            && (self.problems.is_empty() || self.problems.iter().any(|of| has(problem, of)))
    }

    /// Whether all that is named is there.
    ///
    /// # Errors
    ///
    /// Says what is not, and what is.
    pub(super) fn check(&self, plans: &[Plan], devices: &Devices) -> Result<(), TuneError> {
        let targets = |plan: &Plan| devices.of(plan.found.spec.language());
        for name in &self.devices {
            let mut named = plans.iter().map(|plan| match targets(plan) {
                [] => is_named(name, plan, None),
                targets => targets.iter().any(|of| is_named(name, plan, Some(of))),
            });
            if !named.any(|named| named) {
                let all = plans.iter().flat_map(targets);
                let here = Set::from_iter(all.map(|target| target.facts.key().to_string()));
                let here = Vec::from_iter(here).join(", ");
                return Err(TuneError::of_names(format!(
                    "no device that these kernels run on is called `{name}`\n  = help: there are: {here}; a part of the name is enough, and `cpu` and `gpu` stand for all of a kind"
                )));
            }
        }
        for wanted in &self.problems {
            let mut problems = plans.iter().flat_map(|plan| &plan.problems);
            if !problems.any(|problem| has(problem, wanted)) {
                let wanted = wanted.iter().map(|(name, value)| format!("{name}={value}"));
                let wanted = wanted.collect_vec().join(",");
                let known = plans.iter().flat_map(|plan| {
                    let label = |of: &ProblemPlan| format!("`{}` of {}", of.label, plan.key());
                    let problems = plan.problems.iter().filter(|of| !of.is_between());
                    problems.map(label)
                });
                let known = known.collect_vec().join(", ");
                return Err(TuneError::of_names(format!(
                    "no problem has `{wanted}`\n  = help: there are: {known}; what is not named may be anything"
                )));
            }
        }
        Ok(())
    }
}

/// Whether a name of the user's means what a tunable runs on.
fn is_named(name: &str, plan: &Plan, target: Option<&Target>) -> bool {
    let name = name.to_lowercase();
    let is_cuda = plan.found.spec.is_cuda();
    match name.as_str() {
        "cpu" => !is_cuda,
        "gpu" | "cuda" => is_cuda,
        _ => target.is_some_and(|of| of.facts.key().to_string().to_lowercase().contains(&name)),
    }
}

/// Whether a problem has these values.
fn has(problem: &ProblemPlan, wanted: &[(String, String)]) -> bool {
    let scope = &problem.scope;
    wanted.iter().all(|(name, text)| {
        let value = scope
            .sizes
            .get(name)
            .or_else(|| scope.problem_consts.get(name));
        value.is_some_and(|value| {
            let shown = bare(*value).to_string();
            shown == *text || shown == text.replace('_', "")
        })
    })
}

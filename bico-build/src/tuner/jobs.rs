//! What is to be done about each tunable: the table of modes, for every device that is here.

use super::TuneError;
use super::devices::{Devices, Target};
use super::emission::Predicted;
use super::error::brief;
use super::plan::{Plan, ProblemPlan};
use super::policy::{self, Action, State};
use super::run::Run;
use super::store::Store;
use crate::env::{Mode, Skip};
use bico_core::Set;
use bico_core::device::Facts;

/// What is to be done for one tunable on one device.
pub(super) struct Job<'a> {
    /// `None`: the device is not here.
    #[cfg_attr(not(feature = "tune"), expect(dead_code))]
    pub(super) target: Option<&'a Target>,
    /// What is known of the target, or of something like it.
    pub(super) facts: &'a Facts,
    /// Per problem.
    pub(super) actions: Vec<Action>,
}

#[cfg(feature = "tune")]
impl Job<'_> {
    /// Whether something is measured.
    pub(super) fn measures(&self) -> bool {
        let mut actions = self.actions.iter();
        actions.any(|action| matches!(action, Action::Verify | Action::Check | Action::Tune))
    }
}

/// Does what is asked for each problem of each tunable on each device: `act` gives what it predicts where it measures
/// nothing. Gives that per tunable and problem.
pub(super) fn each(
    plans: &[Plan],
    jobs: &[Vec<Job<'_>>],
    act: &mut dyn FnMut(&Plan, &ProblemPlan, &Job<'_>, Action) -> Outcome,
) -> Result<Vec<Vec<Option<Predicted>>>, TuneError> {
    let mut all = Vec::new();
    for (plan, jobs) in plans.iter().zip(jobs) {
        let mut predicted = vec![None; plan.problems.len()];
        for job in jobs {
            let asked = plan.problems.iter().zip(&job.actions).zip(&mut predicted);
            for ((problem, action), predicted) in asked {
                let made = act(plan, problem, job, *action)?;
                *predicted = predicted.take().or(made);
            }
        }
        all.push(predicted);
    }
    Ok(all)
}

type Outcome = Result<Option<Predicted>, TuneError>;

impl Run {
    /// What to do about each problem of each tunable on each device; a locked build that must stop,
    /// stops here with all its reasons.
    pub(super) fn decide<'a>(
        &mut self,
        plans: &[Plan],
        store: &Store,
        devices: &'a Devices,
    ) -> Result<Vec<Vec<Job<'a>>>, TuneError> {
        let mut faults = Set::default();
        // Tunables that are not measured, for the one reason that a run has.
        let mut keys: Vec<&str> = Vec::new();
        let mut skipped: Option<(Skip, Instead)> = None;
        let mut jobs = Vec::new();
        for plan in plans {
            let language = plan.found.spec.language();
            let skip = devices.skip(&self.env, language);
            let here = devices.of(language);
            let nobody = here.is_empty().then_some(None);
            let targets = here.iter().map(Some).chain(nobody);
            let mut of_plan = Vec::new();
            for target in targets {
                let key = target.map(|target| target.facts.key());
                let mut actions = Vec::new();
                for problem in &plan.problems {
                    let state = plan.state(store, key.as_ref(), problem);
                    let mut action = policy::decide(self.env.mode, skip, &state);
                    if let Some(point) = problem.point.as_ref().filter(|_| problem.is_between()) {
                        let ends = &actions[point.start..point.start + 2];
                        action = policy::between(action, &state, ends);
                    }
                    #[cfg(feature = "tune")]
                    if self.asked.leaves(action, plan, problem, target, store) {
                        actions.push(Action::Use);
                        continue;
                    }
                    if action == Action::Fail {
                        faults.insert(fault(plan.key(), &problem.label, &state));
                    }
                    if let Some((skip, instead)) = instead(action, &state, self.env.mode, skip) {
                        let worst = skipped.map_or(instead, |(_, known)| instead.max(known));
                        skipped = Some((skip, worst));
                        if keys.last() != Some(&plan.key()) {
                            keys.push(plan.key());
                        }
                    }
                    actions.push(action);
                }
                let is_open = |action: &Action| matches!(action, Action::Predict(_));
                let facts = match target {
                    Some(target) => &target.facts,
                    None if actions.iter().any(is_open) => devices.stand_in(plan),
                    None => devices.facts(language),
                };
                of_plan.push(Job {
                    target,
                    facts,
                    actions,
                });
            }
            jobs.push(of_plan);
        }
        if !faults.is_empty() {
            let faults = Vec::from_iter(faults);
            return Err(TuneError::new(faults.join("\n")));
        }
        if let Some((skip, instead)) = skipped {
            self.warn_of_skipped(skip, instead, &keys.join(", "), devices);
        }
        if self.env.skip.is_some_and(Skip::depends_on_runner)
            && matches!(self.env.mode, Mode::Auto | Mode::Tune)
            && skipped.is_some()
        {
            // A file that is never there: the next build looks again.
            let never = self.env.state_dir().join("not-measured");
            self.inputs.insert(never);
        }
        Ok(jobs)
    }

    fn warn_of_skipped(&mut self, skip: Skip, instead: Instead, keys: &str, devices: &Devices) {
        let why = match (skip, &devices.missing) {
            (Skip::NoGpu, Some(why)) => format!("{skip}, {}", brief(why)),
            _ => skip.to_string(),
        };
        let did = instead.done();
        self.warn(&format!("{why}: did not measure, {did} for {keys}"));
        if skip == Skip::NoGpu {
            self.not_measured = Some(format!("{why}: {keys}"));
        }
    }
}

/// What is done in place of measuring, from the least to the most doubtful.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Instead {
    Kept,
    Predicted,
    Stale,
}

impl Instead {
    fn done(self) -> &'static str {
        match (self, cfg!(feature = "tune")) {
            (Instead::Kept, _) => "left the lock as it is",
            (Instead::Predicted, true) => "predicted configs",
            (Instead::Predicted, false) => "took the first valid config",
            (Instead::Stale, true) => {
                "took stale winners that are still in the space, else predictions,"
            }
            (Instead::Stale, false) => {
                "took stale winners that are still in the space, else the first valid config,"
            }
        }
    }
}

/// Why a problem is not measured that would be, and what is done instead.
fn instead(
    action: Action,
    state: &State,
    mode: Mode,
    skip: Option<Skip>,
) -> Option<(Skip, Instead)> {
    let stale = state.changed.as_ref().is_some_and(|of| !of.is_empty());
    match action {
        Action::Predict(Some(skip)) if stale => Some((skip, Instead::Stale)),
        Action::Predict(Some(skip)) => Some((skip, Instead::Predicted)),
        // Who asks for `tune` and gets none hears of it.
        Action::Use if mode == Mode::Tune => {
            let cannot = skip.filter(|skip| matches!(skip, Skip::NoGpu | Skip::NoTune));
            cannot.map(|skip| (skip, Instead::Kept))
        }
        _ => None,
    }
}

/// Why a `locked` build stops.
fn fault(key: &str, problem: &str, state: &State) -> String {
    let why = match &state.changed {
        Some(what) => format!(
            "bico.lock is stale for `{key}` ({problem}): {} changed since it was tuned",
            list(what)
        ),
        None => format!(
            "bico.lock does not know `{key}` ({problem}) on any device, and BICO=locked forbids measuring"
        ),
    };
    format!(
        "error: {why}\n  = help: run `BICO=tune cargo build` on a machine with the device and commit bico.lock"
    )
}

/// `source`, `source and flags`, `source, space and flags`.
fn list(what: &[&str]) -> String {
    match what {
        [] => "something".to_string(),
        [one] => format!("its {one}"),
        [rest @ .., last] => format!("its {} and {last}", rest.join(", ")),
    }
}

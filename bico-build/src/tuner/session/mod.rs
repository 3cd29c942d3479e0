//! The measuring part of a run: searches for what must be tuned or checked, within the package's cap.
//!
//! ```text
//! case     one tunable at one problem on one device: its space, bound and ranked
//! brief    what a search, or the check of a stale entry, sets out with
//! files    what is written while it goes on
//! entry    what the lock keeps of what was found
//! ```

mod brief;
mod case;
mod entry;
mod files;
mod priors;
mod tally;

use super::TuneError;
use super::devices::Target;
use super::emission::Predicted;
use super::jobs::Job;
use super::plan::{Plan, ProblemPlan};
use super::policy::Action;
use super::store::Store;
use crate::compile::Service;
use crate::env::Env;
use bico_core::device::Facts;
use brief::Brief;
use case::Case;
use files::Files;
use std::time::Instant;
use tally::Tally;

pub use entry::KEPT_TRIALS;

/// What checking a stale entry again may take.
const CHECK_SECONDS: f64 = 10.0;
/// With less than this left of the cap, a search is not begun.
const LEAST_SECONDS: f64 = 0.5;

/// One run's measuring.
pub(super) struct Session<'a> {
    env: &'a Env,
    service: &'a Service,
    /// Seconds left of the package's cap.
    left: f64,
    /// Seconds that tunables still ask for: they share what is left.
    wanted: f64,
    jobserver: Option<jobserver::Client>,
    checked: Vec<String>,
    capped: Vec<String>,
    /// Sizes at which a reference failed.
    faults: Vec<String>,
    /// What was searched and kept.
    tally: Tally,
    /// Whether anything was measured.
    measured: bool,
}

impl<'a> Session<'a> {
    pub(super) fn new(env: &'a Env, service: &'a Service, cap: f64) -> Session<'a> {
        Session {
            env,
            service,
            left: cap,
            wanted: 0.0,
            jobserver: crate::os::jobserver(),
            checked: Vec::new(),
            capped: Vec::new(),
            faults: Vec::new(),
            tally: Tally::default(),
            measured: false,
        }
    }

    /// Whether anything was measured.
    pub(super) fn has_measured(&self) -> bool {
        self.measured
    }

    /// What the user should know, one line each.
    pub(super) fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if !self.checked.is_empty() {
            warnings.push(format!(
                "checked stale winners again: {}; `BICO=tune cargo build` searches anew",
                self.checked.join("; ")
            ));
        }
        if !self.capped.is_empty() {
            warnings.push(format!(
                "the package's cap on tuning is used up, predicted configs for {}; raise `cap` in [package.metadata.bico] or run the build again",
                self.capped.join(", ")
            ));
        }
        warnings.extend(self.faults.iter().cloned());
        warnings
    }

    /// Says what was tuned on the terminal; gives the line where there is none.
    pub(super) fn closing_line(&self) -> Option<String> {
        let tuned = self.tally.line(&self.env.trail_dir())?;
        crate::report::say(&format!("bico: {tuned}"));
        // Who has no terminal gets it from cargo, which repeats it until the script runs again.
        let untold = !crate::report::has_terminal();
        untold.then(|| format!("{tuned} (when this build script ran last)"))
    }

    /// Measures what the actions ask for. Gives, per tunable and problem, what is predicted where
    /// nothing was measured.
    pub(super) fn run(
        &mut self,
        plans: &[Plan],
        jobs: &[Vec<Job<'_>>],
        store: &mut Store,
    ) -> Result<Vec<Vec<Option<Predicted>>>, TuneError> {
        self.wanted = plans.iter().zip(jobs).map(|of| wanted(of.0, of.1)).sum();
        let mut all = Vec::new();
        for (plan, jobs) in plans.iter().zip(jobs) {
            let mut files = None;
            let mut predicted = vec![None; plan.problems.len()];
            for job in jobs {
                let asked = plan.problems.iter().zip(&job.actions).zip(&mut predicted);
                for ((problem, action), predicted) in asked {
                    let made = self.act(plan, problem, job, action, store, &mut files)?;
                    *predicted = predicted.take().or(made);
                }
            }
            all.push(predicted);
        }
        Ok(all)
    }

    /// Does what is asked for one problem on one device; gives what is predicted where nothing was
    /// measured.
    fn act(
        &mut self,
        plan: &Plan,
        problem: &ProblemPlan,
        job: &Job<'_>,
        action: &Action,
        store: &mut Store,
        files: &mut Option<Files>,
    ) -> Result<Option<Predicted>, TuneError> {
        let target = match (action, job.target) {
            (Action::Use | Action::Fail(_), _) => return Ok(None),
            (Action::Check | Action::Tune, Some(target)) => target,
            (Action::Predict(_), _) | (_, None) => {
                return self.predict(plan, problem, job.facts).map(Some);
            }
        };
        let asked = plan.found.spec.budget.seconds;
        let seconds = match action {
            Action::Check => CHECK_SECONDS.min(self.left),
            _ => asked.min(self.left * (asked / self.wanted.max(asked))),
        };
        if *action == Action::Tune {
            self.wanted -= asked;
        }
        if seconds < LEAST_SECONDS.min(asked) {
            self.capped
                .push(format!("{} ({})", plan.key(), problem.label));
            return self.predict(plan, problem, job.facts).map(Some);
        }
        let start = Instant::now();
        self.measured = true;
        self.search(plan, problem, target, action, seconds, store, files)?;
        let spent = start.elapsed().as_secs_f64();
        self.tally.spend(spent);
        self.left = (self.left - spent).max(0.0);
        Ok(None)
    }

    /// Ranks a problem that nothing is known of.
    fn predict(
        &self,
        plan: &Plan,
        problem: &ProblemPlan,
        facts: &Facts,
    ) -> Result<Predicted, TuneError> {
        let (case, ranked) = Case::new(&self.env.manifest_dir, plan, problem, facts)?;
        Ok(case.predicted(&ranked))
    }

    #[allow(clippy::too_many_arguments)]
    fn search(
        &mut self,
        plan: &Plan,
        problem: &ProblemPlan,
        target: &Target,
        action: &Action,
        seconds: f64,
        store: &mut Store,
        files: &mut Option<Files>,
    ) -> Result<(), TuneError> {
        let start = Instant::now();
        let root = &self.env.manifest_dir;
        let (case, ranked) = Case::new(root, plan, problem, &target.facts)?;
        // Where nothing is left of what was best before, it is searched anew.
        let check = (*action == Action::Check)
            .then(|| Brief::check(&case, store, seconds))
            .flatten();
        let brief = match check {
            Some(brief) => brief,
            None => Brief::search(&case, ranked, store, seconds, self.env.mode)?,
        };
        let files = match files {
            Some(open) => open,
            None => files.insert(Files::create(self.env, plan)?),
        };
        let done = self.measure(&case, brief, target, files)?;
        self.faults.extend(done.fault.clone());
        let seconds = start.elapsed().as_secs_f64();
        let summary = done.report(&case, seconds, files);
        let Some(entry) = done.entry(&case) else {
            return Err(case.nothing_found(self.env, &summary));
        };
        let home = store.home(self.env.mode, plan.key(), &target.facts);
        match done.brief.checks {
            true => self.checked.push(summary),
            false => self.tally.add(plan.key(), &done.found, home),
        }
        store
            .keep(home, plan.key(), &target.facts, &problem.key, entry)
            .map_err(|error| TuneError::new(error.to_string()))
    }
}

/// The seconds that a tunable's searches ask for.
fn wanted(plan: &Plan, jobs: &[Job<'_>]) -> f64 {
    let actions = jobs.iter().flat_map(|job| &job.actions);
    let tunes = actions.filter(|action| **action == Action::Tune).count();
    tunes as f64 * plan.found.spec.budget.seconds
}

//! The measuring part of a run: searches for what must be tuned or checked, within the package's cap.
//!
//! ```text
//! case     one tunable at one problem on one device: its space, bound and ranked
//! again    what stands in the lock, verified by newer rules
//! brief    what a search, or the check of a stale entry, sets out with
//! files    what is written while it goes on
//! entry    what the lock keeps of what was found
//! ```

mod again;
mod brief;
mod case;
mod entry;
mod files;
mod priors;
mod tally;

use super::TuneError;
use super::devices::Target;
use super::emission::Predicted;
use super::jobs::{Job, each};
use super::plan::{Plan, ProblemPlan};
use super::policy::Action;
use super::run::Measured;
use super::store::Store;
use crate::compile::Service;
use crate::env::Env;
use crate::report::{say, terminal};
use brief::Brief;
use case::Case;
use files::Files;
use std::time::Instant;
use tally::{Tally, plural};

pub use entry::KEPT_TRIALS;

/// What checking a stale entry again may take.
const CHECK_SECONDS: f64 = 10.0;
/// With less than this left of the cap, a search is not begun.
const LEAST_SECONDS: f64 = 0.5;

/// One run's measuring.
struct Session<'a> {
    env: &'a Env,
    service: &'a Service,
    /// Seconds left of the package's cap.
    left: f64,
    /// Seconds that tunables still ask for: they share what is left.
    wanted: f64,
    jobserver: Option<jobserver::Client>,
    /// Those of the tunable that was searched last.
    files: Option<Files>,
    checked: Vec<String>,
    /// Entries that were verified again and stay.
    verified: u64,
    /// Their configs that do not, with the reasons.
    wrong: Vec<String>,
    capped: Vec<String>,
    /// Sizes at which a reference failed.
    faults: Vec<String>,
    /// What was searched and kept.
    tally: Tally,
}

/// Measures what the jobs ask for, within `cap` seconds.
pub(super) fn measure(
    env: &Env,
    service: &Service,
    cap: f64,
    plans: &[Plan],
    jobs: &[Vec<Job<'_>>],
    store: &mut Store,
) -> Result<Measured, TuneError> {
    let mut asked = jobs.iter().flatten().flat_map(|job| &job.actions);
    if asked.any(|action| matches!(action, Action::Verify | Action::Check | Action::Tune)) {
        store.try_write(env.mode)?;
    }
    let mut session = Session {
        env,
        service,
        left: cap,
        wanted: plans.iter().zip(jobs).map(|of| wanted(of.0, of.1)).sum(),
        jobserver: crate::os::jobserver(),
        files: None,
        checked: Vec::new(),
        verified: 0,
        wrong: Vec::new(),
        capped: Vec::new(),
        faults: Vec::new(),
        tally: Tally::default(),
    };
    let predicted = each(plans, jobs, &mut |plan, problem, job, action| {
        session.act(plan, problem, job, action, store)
    })?;
    Ok(Measured {
        predicted,
        any: session.tally.seconds > 0.0,
        warnings: session.warnings(store),
    })
}

/// The seconds that a tunable's searches ask for.
fn wanted(plan: &Plan, jobs: &[Job<'_>]) -> f64 {
    let actions = jobs.iter().flat_map(|job| &job.actions);
    let tunes = actions.filter(|action| **action == Action::Tune).count();
    tunes as f64 * plan.found.spec.budget.seconds
}

impl Session<'_> {
    /// What the user should know, one line each.
    fn warnings(self, store: &Store) -> Vec<String> {
        let mut warnings = Vec::new();
        if !self.wrong.is_empty() {
            warnings.push(format!(
                "bico.lock loses what older rules let pass: {}",
                self.wrong.join("; ")
            ));
        }
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
        warnings.extend(self.faults);
        if let Some(why) = store
            .unwritable
            .as_ref()
            .filter(|_| self.tally.seconds > 0.0)
        {
            let why = &why.message;
            warnings.push(format!("{why}: results are kept on this machine only"));
        }
        let verified = (self.verified > 0).then(|| {
            let results = plural(self.verified, "result");
            format!("verified {results} again by the rules of this bico: see bico.lock")
        });
        for line in verified
            .into_iter()
            .chain(self.tally.line(&self.env.trail_dir()))
        {
            say(&format!("bico: {line}"));
            // Who has no terminal gets it from cargo, which repeats it until the script runs again.
            if self.env.macro_follows && terminal().is_none() {
                warnings.push(format!("{line} (when this build script ran last)"));
            }
        }
        warnings
    }

    /// Does what is asked for one problem on one device; gives what is predicted where nothing was
    /// measured.
    fn act(
        &mut self,
        plan: &Plan,
        problem: &ProblemPlan,
        job: &Job<'_>,
        action: Action,
        store: &mut Store,
    ) -> Result<Option<Predicted>, TuneError> {
        let target = match action {
            Action::Use | Action::Fail => return Ok(None),
            // What cannot be kept is not asked again and again.
            Action::Verify if store.unwritable.is_some() || self.left < LEAST_SECONDS => {
                return Ok(None);
            }
            Action::Verify | Action::Check | Action::Tune => job.target,
            Action::Predict(_) => None,
        };
        let mut start = Instant::now();
        let (case, ranked) = Case::new(self.env, plan, problem, job.facts)?;
        let (device, key) = (job.facts.key(), plan.key());
        let (mut before, mut incumbent) = (Vec::new(), None);
        if let Some(target) = target.filter(|_| action == Action::Verify) {
            let right = self.verify_again(&case, target, store)?;
            self.left = (self.left - start.elapsed().as_secs_f64()).max(0.0);
            match right {
                Some(right) => before = right,
                None => return Ok(None),
            }
            start = Instant::now();
        } else if let Some(entry) = store.entry(key, &device, &problem.key)
            && action == Action::Check
        {
            (before, incumbent) = (case.numbers(entry), case.number(&entry.winner));
        }
        let searches = action != Action::Check && before.is_empty();
        let seconds = target.and_then(|_| self.seconds(plan, problem, searches));
        let (Some(target), Some(seconds)) = (target, seconds) else {
            return Ok(Some(case.predicted(&ranked)));
        };
        // Where nothing is left of what was best before, it is searched anew.
        let brief = match Brief::check(&case, before, incumbent, seconds) {
            Some(brief) => brief,
            None => Brief::search(&case, ranked, store, seconds)?,
        };
        self.search(&case, brief, target, start, store)?;
        let spent = start.elapsed().as_secs_f64();
        self.tally.seconds += spent;
        self.left = (self.left - spent).max(0.0);
        Ok(None)
    }

    /// What a search may take; `None` where the cap is used up.
    fn seconds(&mut self, plan: &Plan, problem: &ProblemPlan, searches: bool) -> Option<f64> {
        let asked = plan.found.spec.budget.seconds;
        let seconds = match searches {
            false => CHECK_SECONDS.min(self.left),
            true => asked.min(self.left * (asked / self.wanted.max(asked))),
        };
        if searches {
            self.wanted -= asked;
        }
        if seconds < LEAST_SECONDS.min(asked) {
            let capped = format!("{} ({})", plan.key(), problem.label);
            self.capped.push(capped);
            return None;
        }
        Some(seconds)
    }

    fn search(
        &mut self,
        case: &Case<'_>,
        brief: Brief,
        target: &Target,
        start: Instant,
        store: &mut Store,
    ) -> Result<(), TuneError> {
        let key = case.plan.key();
        let mut files = match self.files.take() {
            Some(open) if open.key == key => open,
            _ => Files::create(self.env, case.plan)?,
        };
        let done = self.measure(case, brief, target, &mut files)?;
        let seconds = start.elapsed().as_secs_f64();
        let summary = done.report(case, seconds, &mut files);
        self.files = Some(files);
        let Some(entry) = done.entry(case) else {
            return Err(case.nothing_found(&summary));
        };
        let (mode, problem) = (self.env.mode, &case.problem.key);
        let committed = store.keep(mode, key, &target.facts, problem, entry)?;
        match done.brief.checks {
            true => self.checked.push(summary),
            false => self.tally.add(key, &done.found, committed),
        }
        Ok(())
    }
}

//! The measuring part of a run: searches for what must be tuned or checked, within the package's cap.
//!
//! ```text
//! case     one tunable at one problem on one device: its space, bound and ranked
//! begin    what comes before anything is measured
//! again    what stands in the lock, verified by newer rules
//! brief    what a search, or the check of a stale entry, sets out with
//! opening  what is compiled before it
//! files    what is written while it goes on
//! entry    what the lock keeps of what was found
//! limits   what searches may take
//! idle     parameters that change nothing
//! range    sizes in between
//! shared   what runs share that tune several devices at once
//! shards   searches of parts of a space, and what they found joined
//! workers  who measures
//! unfinished  what a run that was cut left to go on with
//! ```

mod again;
mod begin;
mod brief;
mod case;
mod entry;
mod files;
mod idle;
mod limits;
mod opening;
mod priors;
mod range;
mod shards;
mod shared;
mod tally;
mod unfinished;
mod workers;

use super::TuneError;
use super::asked::Joined;
use super::devices::Target;
use super::emission::Predicted;
use super::jobs::{Job, each};
use super::plan::{Plan, ProblemPlan};
use super::policy::Action;
use super::run::{Measured, Run};
use super::store::Store;
use crate::compile::Service;
use crate::env::{Env, Mode};
use crate::lock::Entry;
use crate::measure::{Limit, Spare};
use crate::os::jobserver::Jobserver;
use crate::os::terminal;
use crate::report::{Listener, duration};
use crate::scan::Limits;
use bico_core::Lists;
use bico_search::rank::Ranked;
use brief::Brief;
use case::Case;
use files::Files;
use idle::Idle;
use limits::{LEAST_SECONDS, wanted};
use range::Ranged;
use std::cell::Cell;
use std::time::Instant;
use tally::{Tally, plural};

pub(super) use begin::prepare;
pub(super) use case::predict;
pub use entry::KEPT_TRIALS;
pub(super) use shared::Shared;

/// The share of the cap that may go by in waiting for other builds that measure.
const WAIT: f64 = 0.25;

/// One run's measuring.
struct Session<'a> {
    env: &'a Env,
    listener: &'a mut dyn Listener,
    service: &'a Service,
    /// The package's cap; `None`: none that a clock could count to.
    limit: Option<Limit>,
    /// What the package says of tuning.
    limits: Limits,
    /// What the tunable that is searched now may take of it, all included.
    turn: Option<Limit>,
    /// Seconds that may still be waited for other builds that measure.
    wait: f64,
    /// Seconds that tunables still ask for: they share what is left.
    wanted: f64,
    jobserver: Option<Jobserver>,
    /// Those of the tunable that was searched last.
    files: Option<Files>,
    shared: &'a Shared,
    /// What parts of searches measured elsewhere.
    joined: &'a [Joined],
    checked: Vec<String>,
    /// Entries that were verified again and stay.
    verified: u64,
    /// Their configs that do not, with the reasons.
    wrong: Vec<String>,
    capped: Vec<String>,
    /// Sizes at which a reference failed, and defaults that are no configs.
    faults: Vec<String>,
    /// Parameters that change nothing.
    idle: Idle,
    /// The worker of the search before, where it may go on.
    spare: Cell<Option<Spare>>,
    /// The range of sizes that is tuned now, and what is to be said of those before.
    ranged: Option<Ranged>,
    ranges: Vec<String>,
    /// What was searched and kept.
    tally: Tally,
}

/// Measures what the jobs ask for, within the package's limits.
pub(super) fn measure(
    run: &mut Run,
    service: &Service,
    limits: Limits,
    plans: &[Plan],
    jobs: &[Vec<Job<'_>>],
    store: &mut Store,
) -> Result<Measured, TuneError> {
    let Run {
        env,
        asked,
        listener,
        shared,
        ..
    } = run;
    let wanted: f64 = plans.iter().zip(jobs).map(|of| wanted(of.0, of.1)).sum();
    // Who asks for seconds means them.
    let cap = limits.cap + asked.seconds.map_or(0.0, |_| wanted);
    let mut session = Session {
        env,
        listener: &mut **listener,
        service,
        limit: Limit::new(cap),
        limits,
        turn: None,
        wait: WAIT * cap,
        wanted,
        jobserver: Jobserver::of_the_build(),
        files: None,
        shared,
        joined: &asked.joined,
        checked: Vec::new(),
        verified: 0,
        wrong: Vec::new(),
        capped: Vec::new(),
        faults: env.refused.iter().cloned().collect_vec(),
        idle: Idle::default(),
        spare: Cell::default(),
        ranged: None,
        ranges: Vec::new(),
        tally: Tally::of(env.shard),
    };
    let predicted = each(plans, jobs, &mut |plan, problem, job, action| {
        let device = job.facts.key();
        let looks = session.looks(plan, problem, &device, action, store);
        let made = match looks {
            true => session.act(plan, problem, job, action, store),
            false => Ok(None),
        };
        let made = made?;
        session.ends(plan, problem, store)?;
        Ok(made)
    })?;
    Ok(Measured {
        predicted,
        any: session.tally.seconds > 0.0,
        warnings: session.warnings(store, WAIT * cap),
    })
}

impl Session<'_> {
    /// What the user should know, one line each.
    fn warnings(mut self, store: &Store, waited: f64) -> Vec<String> {
        self.tally.compiling = self.service.waited().as_secs_f64();
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
        if self.wait < 0.0 {
            warnings.push(format!(
                "waited {} for other builds that measured, and then measured beside them: times may be too long; `BICO=tune cargo build` tunes anew",
                duration(waited)
            ));
        }
        warnings.extend(self.faults);
        warnings.extend(self.idle.warnings());
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
            .chain(self.ranges)
            .chain(self.tally.line(&self.env.trail_dir()))
        {
            self.listener.says(&line);
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
            // What a part finds is no result.
            Action::Verify | Action::Check if self.env.shard.is_some() => return Ok(None),
            // What cannot be kept is not asked again and again.
            Action::Verify if store.unwritable.is_some() || self.left() < LEAST_SECONDS => {
                return Ok(None);
            }
            Action::Verify | Action::Check | Action::Tune => job.target,
            Action::Predict(_) => None,
        };
        let mut start = Instant::now();
        let (case, ranked) = match Case::new(self.env, plan, problem, job.facts) {
            // No config is for this size, as if conditions ask for multiples.
            Err(_) if problem.is_between() => return Ok(None),
            case => case?,
        };
        if problem.is_between() && self.env.shard.is_some() || self.is_empty_part(&case) {
            return Ok(Some(case.predicted(&ranked)));
        }
        let (device, key) = (job.facts.key(), plan.key());
        let (mut before, mut incumbent) = (Vec::new(), None);
        if let Some(target) = target.filter(|_| action == Action::Verify) {
            self.turn = Limit::new(self.left());
            match self.verify_again(&case, target, store)? {
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
            None => self.anew(&case, ranked, seconds, store)?,
        };
        let predicted = self.search(&case, brief, target, start, store)?;
        self.tally.seconds += start.elapsed().as_secs_f64();
        Ok(predicted)
    }

    /// What a search sets out with.
    fn anew(
        &mut self,
        case: &Case<'_>,
        ranked: Ranked,
        seconds: f64,
        store: &Store,
    ) -> Result<Brief, TuneError> {
        let (default, neighbours) = (self.default(case), self.neighbours(case, store));
        let mut brief = Brief::search(case, ranked, store, seconds, default, neighbours)?;
        if let Some(joined) = self.joined(case) {
            brief.join(joined);
        }
        Ok(brief)
    }

    /// The attribute's `default`, where it is a config here.
    fn default(&mut self, case: &Case<'_>) -> Option<u64> {
        let values = case.bound.default.as_ref()?;
        let number = case.default();
        if number.is_none() {
            let why = case.bound.rules.why_not(values).unwrap_or_default();
            let (key, label) = (case.plan.key(), &case.problem.label);
            let device = case.bound.facts.key();
            self.faults.push(format!(
                "`{key}` ({label}) has no default on {device}, where what the attribute names is no config: {why}"
            ));
        }
        number
    }

    /// Searches; gives what is predicted where the cap was used up before anything was found.
    fn search(
        &mut self,
        case: &Case<'_>,
        brief: Brief,
        target: &Target,
        start: Instant,
        store: &mut Store,
    ) -> Result<Option<Predicted>, TuneError> {
        let key = case.plan.key();
        let identity = self.identity(case, &brief)?;
        if self.env.mode == Mode::Tune && self.shared.unfinished.is_over(&identity) {
            let entry = store.entry(key, &target.facts.key(), &case.problem.key);
            let budget = &case.plan.found.budget;
            let is_kept = |entry: &&Entry| {
                entry.hashes.changed(&case.plan.hashes).is_empty() && entry.is_of(budget)
            };
            if entry.is_some_and(|entry| is_kept(&entry)) {
                let label = &case.problem.label;
                self.listener.says(&format!(
                    "{key} ({label}): kept, from the run that was cut after it"
                ));
                self.places(case.problem);
                return Ok(None);
            }
        }
        let mut files = match self.files.take() {
            Some(open) if open.key == key => open,
            _ => self.shared.files(self.env, case.plan)?,
        };
        let done = self.measure(case, brief, target, &mut files, &identity)?;
        let seconds = start.elapsed().as_secs_f64();
        let summary = done.report(case, seconds, &mut files, self.listener);
        self.files = Some(files);
        if let Some(shard) = self.env.shard {
            self.shared.unfinished.note(&identity, true);
            return Ok(self.part(case, &done, shard));
        }
        if let Some((winner, failure)) = done.fallen() {
            self.shared.unfinished.forget(&identity);
            self.faults.push(case.fallen(winner, failure));
            let facts = case.bound.facts;
            let (_, ranked) = Case::new(self.env, case.plan, case.problem, facts)?;
            let Some(seconds) = self.seconds_anew(case.plan, case.problem) else {
                return Ok(Some(case.predicted(&ranked)));
            };
            let brief = self.anew(case, ranked, seconds, store)?;
            return self.search(case, brief, target, Instant::now(), store);
        }
        let Some(entry) = done.entry(case) else {
            if done.brief.neighbours.is_some() {
                self.leaves_out(case.problem);
                return Ok(None);
            }
            if self.turn.is_some_and(|turn| turn.left() <= 0.0) {
                self.give_up(case.plan, case.problem);
                return Ok(Some(case.predicted(&done.brief.ranked)));
            }
            self.shared.unfinished.forget(&identity);
            return Err(case.nothing_found(&done, &summary));
        };
        if !self.is_anchor(case, &done, store) {
            self.shared.unfinished.note(&identity, true);
            self.tally.looked(&done.found);
            return Ok(None);
        }
        let (mode, problem) = (self.env.mode, &case.problem.key);
        let committed = store.keep(mode, key, &target.facts, problem, entry)?;
        if done.brief.checks {
            self.checked.push(summary);
        } else {
            self.shared.unfinished.note(&identity, true);
            self.tally.add(key, &done.found, committed);
        }
        Ok(None)
    }
}

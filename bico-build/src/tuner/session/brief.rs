//! What a search sets out with, and the search itself.

use super::Session;
use super::case::Case;
use super::entry::Kept;
use super::files::Files;
use super::opening::Likely;
use super::unfinished::Identity;
use super::workers::programs;
use crate::env::Mode;
use crate::lock::{Ratio, Verified};
use crate::measure::{Beside, KernelMeasure, Settings};
use crate::report::Deed;
use crate::tuner::TuneError;
use crate::tuner::devices::Target;
use crate::tuner::store::Store;
use crate::tuner::subject::Subject;
use bico_core::Lists;
use bico_core::device::Usage;
use bico_search::anchors::share;
use bico_search::guarantee::Scale;
use bico_search::rank::{Kind, Ranked};
use bico_search::search::{
    self, Budget, Costs, Failure, Found, Measure, Observers, Outcome, Prior, Resumed, Search,
    Strategy,
};
use bico_syntax::Name;
use bico_syntax::bind::SpaceError;
use std::time::Duration;

/// Who asks for a sample wants it as large as it was granted, and who asks for a sweep wants the whole: no plateau ends them.
const WHOLE: [&str; 2] = ["random", "sequential"];

/// Seconds for the winner beside what it will be compared with.
const RATIO_SECONDS: f64 = 0.5;

/// A compiler that takes so long is what a search waits for.
const SLOW: Duration = Duration::from_secs(2);

/// What one search is told.
pub(super) struct Brief {
    /// Whether it only looks again at what a stale entry holds.
    pub(super) checks: bool,
    pub(super) ranked: Ranked,
    pub(super) strategy: Box<dyn Strategy>,
    pub(super) budget: Budget,
    pub(super) incumbent: Option<u64>,
    pub(super) baseline: Option<u64>,
    pub(super) default: Option<u64>,
    /// Measured before all that the strategy chooses: the winners of a size in between's neighbours, the best of each variant.
    pub(super) starts: Vec<u64>,
    /// Rows of the trails that it takes over.
    pub(super) joined: Option<Vec<String>>,
    /// The winners of a size in between's neighbours, where they are configs.
    pub(super) neighbours: Option<[Option<u64>; 2]>,
    pub(super) priors: Vec<Prior>,
    pub(super) scale: Option<Scale>,
}

impl Brief {
    /// A search of the whole space.
    ///
    /// # Errors
    ///
    /// The strategy does not exist, or `budget_scale` cannot be evaluated.
    pub(super) fn search(
        case: &Case<'_>,
        ranked: Ranked,
        store: &Store,
        seconds: f64,
        default: Option<u64>,
        neighbours: Option<[Option<u64>; 2]>,
    ) -> Result<Brief, TuneError> {
        let (plan, facts) = (case.plan, case.bound.facts);
        let scale = Scale::new(&case.bound, &*case.space).map_err(|e| case.shown(&e))?;
        let granted = &plan.found.budget;
        let mut budget = Budget::from(granted);
        budget.seconds = seconds;
        if neighbours.is_some() {
            budget.evaluations = share(budget.evaluations);
        }
        let name = granted.strategy.as_ref();
        let name = name.map_or(search::DEFAULT, |name| &name.text);
        if WHOLE.contains(&name) {
            budget.patience = None;
        }
        let (key, strategy) = (plan.key(), search::by_name(name, granted.seed));
        let strategy = strategy.map_err(|error| TuneError::plain(format!("`{key}`: {error}")))?;
        let known = store.entry(key, &facts.key(), &case.problem.key);
        let incumbent = known.and_then(|entry| case.number(&entry.winner));
        let priors = case.priors(store, &ranked)?;
        let mut starts = neighbours.iter().flatten().flatten().copied().collect_vec();
        starts.extend(case.starts(&ranked));
        Ok(Brief {
            checks: false,
            joined: None,
            starts,
            ranked,
            strategy,
            budget,
            incumbent: incumbent.filter(|_| case.env.mode == Mode::Tune),
            baseline: Some(0),
            default,
            neighbours,
            priors,
            scale,
        })
    }

    /// Another look at the configs of an entry, of which `incumbent` won; `None` where none is left.
    pub(super) fn check(
        case: &Case<'_>,
        before: Vec<u64>,
        incumbent: Option<u64>,
        seconds: f64,
    ) -> Option<Brief> {
        if before.is_empty() {
            return None;
        }
        let places = (0..before.len()).map(|place| place as f64);
        let granted = &case.plan.found.budget;
        let seed = granted.seed;
        let mut budget = Budget::from(granted);
        (budget.seconds, budget.evaluations) = (seconds, before.len() as u64);
        Some(Brief {
            checks: true,
            strategy: search::by_name("guided", seed).ok()?,
            budget,
            ranked: Ranked::new(before, places.collect_vec(), Kind::Seconds),
            incumbent,
            baseline: None,
            default: None,
            starts: Vec::new(),
            joined: None,
            neighbours: None,
            priors: Vec::new(),
            scale: None,
        })
    }
}

/// A search that is over.
pub(super) struct Done {
    pub(super) brief: Brief,
    pub(super) found: Found,
    pub(super) verified: Verified,
    /// What the winner went through.
    pub(super) tested: Option<String>,
    pub(super) toolchain: String,
    /// How it compares with the reference, or with the first config.
    pub(super) ratio: Option<Ratio>,
    /// What the winner takes of a GPU.
    pub(super) usage: Option<Usage>,
    /// How busy the machine was, where it was.
    pub(super) contention: Option<String>,
    /// What all seconds went to.
    pub(super) costs: Costs,
    /// How the reference is another one for a config that was not right, where it is.
    pub(super) differing: Option<String>,
}

/// A further line of what is said, where there is one.
pub(super) fn noted(text: Option<&String>) -> String {
    text.map_or_else(String::new, |text| format!("\n  = note: {text}"))
}

impl Done {
    /// What the stale winner that was looked at again does wrong now.
    pub(super) fn fallen(&self) -> Option<(u64, &Failure)> {
        let winner = self.brief.incumbent.filter(|_| self.brief.checks)?;
        let mut rows = self.found.trail.rows.iter().rev();
        let row = rows.find(|row| row.config == winner)?;
        match &row.outcome {
            Outcome::Failed(failure) if failure.is_wrong() => Some((winner, failure)),
            _ => None,
        }
    }
}

impl<'a> Session<'a> {
    /// Searches, with a display and files.
    pub(super) fn measure(
        &mut self,
        case: &Case<'_>,
        mut brief: Brief,
        target: &Target,
        files: &mut Files,
        identity: &Identity,
    ) -> Result<Done, TuneError> {
        let subject = self.subject(case, target);
        let recorded = files.begin(case, &brief, self.shared.unfinished.is_cut(identity))?;
        self.shared.unfinished.begin(identity, &brief);
        let deed = if brief.checks {
            Deed::Check
        } else {
            Deed::Search
        };
        self.listener.begins(case.task(deed), recorded.len());
        let likely = brief.likely(case, self.env.shard);
        let mut measure = self.prepared(case, target, &subject, &likely)?;
        // Not before: of a kernel that does not compile, a few configs tell enough.
        if !brief.checks && brief.joined.is_none() {
            brief.ranked = self.refined(case, brief.ranked, &subject, brief.budget.evaluations);
        }
        files.list(case, &brief);
        let search = Search {
            incumbent: brief.incumbent,
            baseline: brief.baseline,
            default: brief.default,
            starts: &brief.starts,
            margin: self.limits.margin.unwrap_or(search::MARGIN),
            priors: &brief.priors,
            shard: self.env.shard,
            amounts: &|values| case.amounts(values),
            of_peak: &|row| case.of_peak(row),
            look_ahead: self.look_ahead(case),
            kept: &|trail| Kept::new(case, trail, &brief.ranked, brief.default).configs(),
            ..Search::new(&*case.space, &brief.ranked, brief.budget)
        };
        let found = {
            let mut observers = Observers(vec![&mut files.journal, &mut *self.listener]);
            let mut measure = Resumed::new(&mut measure, recorded);
            search::run(&search, &mut *brief.strategy, &mut measure, &mut observers)
        };
        files.journal.end();
        self.tell_once(files.gap());
        self.listener.ends(&found);
        if !brief.checks {
            self.idle.look(case, &mut measure, &found, self.turn);
        }
        self.look_for_lost(case, &measure)?;
        self.tell_once(case.unchecked(&measure));
        let doubt = case.doubtful(&found);
        let is_suspect = doubt.is_some() || found.winner.is_none();
        let wrong = found.trail.wrong().map(|(config, _)| config);
        let differing = measure.differing_reference(wrong.filter(|_| is_suspect));
        let doubt = doubt.map(|doubt| doubt + &noted(differing.as_ref()));
        self.faults.extend(doubt);
        let winner = found.winner.as_ref();
        let first = Kept::new(case, &found.trail, &brief.ranked, brief.default).first;
        let ratio = winner.and_then(|winner| self.ratio(&mut measure, winner.config, first));
        self.wait = measure.wait_seconds();
        // What came behind the last row, and all rows.
        let mut costs = measure.costs().unwrap_or_default();
        let rows = found.trail.rows.iter();
        rows.filter_map(|row| row.costs)
            .for_each(|of| costs.add(&of));
        self.spare.set(measure.leave());
        Ok(Done {
            costs,
            usage: winner.and_then(|winner| measure.resources(winner.config)),
            verified: measure.verified,
            tested: winner.and_then(|winner| measure.tested(winner.config)),
            ratio,
            contention: measure.contention.note(),
            toolchain: identity.toolchain.clone(),
            found,
            brief,
            differing,
        })
    }

    /// Takes note of workers that were lost.
    ///
    /// # Errors
    ///
    /// None is left. What was measured stays, and so does the search.
    fn look_for_lost(
        &mut self,
        case: &Case<'_>,
        measure: &KernelMeasure<'_>,
    ) -> Result<(), TuneError> {
        let lost = measure.lost_workers();
        if measure.is_deserted() {
            let (key, label) = (case.plan.key(), &case.problem.label);
            let lost = lost.join("\n  = note: ");
            return Err(TuneError::plain(format!(
                "`{key}` ({label}): no worker is left\n  = note: {lost}\n  = help: what was measured is kept; the same command goes on there"
            )));
        }
        self.tell_once(lost);
        Ok(())
    }

    /// What is the same in each search is told once.
    fn tell_once(&mut self, faults: impl IntoIterator<Item = String>) {
        for fault in faults {
            if !self.faults.contains(&fault) {
                self.faults.push(fault);
            }
        }
    }

    /// The winner beside what it will be compared with one day, where there is time for that.
    fn ratio(
        &self,
        measure: &mut KernelMeasure<'_>,
        winner: u64,
        first: Option<u64>,
    ) -> Option<Ratio> {
        let left = self.turn.map_or(f64::INFINITY, |turn| turn.left());
        let other = measure.yardstick(winner, first)?;
        let seconds = (left > RATIO_SECONDS).then_some(RATIO_SECONDS)?;
        let [own, other_sample, _] = measure.beside(winner, other, seconds).ok()?;
        let of = search::Ratio::new(&own, &other_sample);
        Some(Ratio {
            to_reference: other == Beside::Reference,
            value: of.middle,
            interval: [of.low, of.high],
        })
    }

    /// A case, as the measuring side asks about it.
    pub(super) fn subject<'c>(&self, case: &'c Case<'_>, target: &Target) -> Subject<'c>
    where
        'a: 'c,
    {
        let made_for = target.facts.capability();
        let made_for = made_for.map(|of| self.service.target(of, case.bound.spec.nvcc));
        let (root, sources) = (&self.env.manifest_dir, &case.plan.found.sources);
        Subject::new(root, sources, &case.bound, &case.space, made_for)
    }

    /// What measures it.
    pub(super) fn prepared<'c>(
        &self,
        case: &Case<'c>,
        target: &Target,
        subject: &'c Subject<'_>,
        likely: &Likely,
    ) -> Result<KernelMeasure<'c>, TuneError>
    where
        'a: 'c,
    {
        let (spec, settings) = (case.bound.spec, self.settings(case, target)?);
        for Name { text, span } in &spec.link {
            self.service.library(text).map_err(|error| {
                let message = format!("the library `{text}` cannot be linked: {error}");
                case.shown(&SpaceError::new(*span, message))
            })?;
        }
        let scalars = subject.scalars();
        if let Some(config) = likely.configs.first() {
            let checked = subject.check_files(*config);
            checked.map_err(|error| case.shown(&error))?;
        }
        let mut measure = KernelMeasure::new(spec, scalars, self.service, subject, settings);
        if let Some(spare) = self.spare.take() {
            measure.go_on_with(spare);
        }
        measure.gather().map_err(TuneError::plain)?;
        measure.expected = likely.expected;
        if let Some(spared) = likely.spared.as_ref().filter(|_| !self.limits.is_patient) {
            measure.hurry(spared);
        }
        if let Err(message) = measure.prepare(&likely.configs) {
            let span = measure.blamed.unwrap_or(spec.place());
            let order = measure
                .misplaced
                .map_or_else(String::new, |of| format!("\n  = note: {of}"));
            let message = format!("`{}`: {message}{order}", case.plan.key());
            return Err(case.shown(&SpaceError::new(span, message)));
        }
        Ok(measure)
    }

    /// How many configs are compiled ahead: a slow compiler has something to do on all cores, one of many configs enough of them.
    fn look_ahead(&self, case: &Case<'_>) -> usize {
        let is_slow = self.service.slowest() >= SLOW;
        let asked = if is_slow { 4 * self.env.jobs } else { 0 };
        let together = crate::compile::Service::ahead(case.bound.spec.language());
        asked.max(together).max(search::LOOK_AHEAD)
    }

    fn settings(&self, case: &Case<'_>, target: &Target) -> Result<Settings, TuneError> {
        let workers = programs(self.env, target, case.bound.threads);
        let workers = workers.map_err(TuneError::plain)?;
        let program = workers[0].clone();
        let folder = self.env.state_dir().join("measure");
        let mut settings = Settings::new(program, &target.lock, folder);
        settings.workers = workers;
        settings.jobserver = self.jobserver.clone();
        settings.jobs = self.env.jobs;
        settings.wait_seconds = self.wait;
        settings.limit = self.turn;
        settings.reference_seconds = settings.reference_seconds.min(self.left() / 2.0);
        Ok(settings)
    }
}

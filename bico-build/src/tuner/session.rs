//! The measuring part of a run: searches for what must be tuned or checked, within the package's cap.

use super::TuneError;
use super::architectures::capability;
use super::devices::Target;
use super::emission::{self, Predicted};
use super::jobs::Job;
use super::plan::{self, Plan, ProblemPlan};
use super::policy::Action;
use super::priors::priors;
use super::store::Store;
use super::subject::Subject;
use super::tally::Tally;
use crate::compile::{Resources, Service, Unit};
use crate::env::{Env, Mode};
use crate::lock::{self, Entry, Place, Trial, Verified};
use crate::measure::{self, Candidates, KernelMeasure, Launch, Settings};
use crate::report::{GuaranteeLines, GuaranteeTable, Progress, Summary};
use bico_bind::{Bound, SpaceError};
use bico_core::Value;
use bico_core::device::Facts;
use bico_search::guarantee::{self, Guarantee, Scale, Scaled};
use bico_search::rank::{Kind, Ranked, rank, refine};
use bico_search::search::{
    self, Budget, Described, Found, Journal, Label, Measure, Observers, RankedList, Search,
};
use bico_search::space::Space;
use bico_syntax::file_stem;
use std::time::Instant;

/// What checking a stale entry again may take.
const CHECK_SECONDS: f64 = 10.0;
/// Predicted configs that a binary carries where nothing was ever measured.
const PREDICTED: usize = 4;
/// Configs of which one at least should compile, else the source is taken for broken.
const LIKELY: usize = 16;
/// Configs that are compiled before the search, at most, to rank them by what the compiler made of them.
const MOST_COMPILED: usize = 64;
/// Trials that an entry keeps.
pub const KEPT_TRIALS: usize = 12;
/// With less than this left of the cap, a search is not begun.
const LEAST_SECONDS: f64 = 0.5;

/// What is written while a tunable is searched.
type Files = (Journal, RankedList, GuaranteeTable);

/// One run's measuring.
pub(super) struct Session<'a> {
    env: &'a Env,
    service: &'a Service,
    /// Seconds left of the package's cap.
    left: f64,
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

    /// What was tuned, in a line, if anything was.
    pub(super) fn tuned(&self) -> Option<String> {
        self.tally.line(&self.env.trail_dir())
    }

    /// Measures what the actions ask for. Gives, per tunable and problem, what is predicted where
    /// nothing was measured.
    pub(super) fn run(
        &mut self,
        plans: &[Plan],
        jobs: &[Vec<Job<'_>>],
        store: &mut Store,
    ) -> Result<Vec<Vec<Option<Predicted>>>, TuneError> {
        // What is still to be tuned shares what is left, by the seconds it asks for.
        let mut wanted: f64 = plans
            .iter()
            .zip(jobs)
            .map(|(plan, jobs)| {
                let actions = jobs.iter().flat_map(|job| &job.actions);
                let tunes = actions.filter(|action| **action == Action::Tune).count();
                tunes as f64 * plan.found.spec.budget.seconds
            })
            .sum();
        let mut all = Vec::new();
        for (plan, jobs) in plans.iter().zip(jobs) {
            let mut journal = None;
            let mut predicted = vec![None; plan.problems.len()];
            for job in jobs {
                let asked = plan.problems.iter().zip(&job.actions).zip(&mut predicted);
                for ((problem, action), predicted) in asked {
                    let made =
                        self.act(plan, problem, job, action, &mut wanted, store, &mut journal)?;
                    *predicted = predicted.take().or(made);
                }
            }
            all.push(predicted);
        }
        Ok(all)
    }

    /// Does what is asked for one problem on one device; gives what is predicted where nothing was
    /// measured. `wanted` are the seconds that are still asked for.
    #[allow(clippy::too_many_arguments)]
    fn act(
        &mut self,
        plan: &Plan,
        problem: &ProblemPlan,
        job: &Job<'_>,
        action: &Action,
        wanted: &mut f64,
        store: &mut Store,
        journal: &mut Option<Files>,
    ) -> Result<Option<Predicted>, TuneError> {
        let shown = |error: SpaceError| {
            TuneError::new(plan::render(&plan.found, &self.env.manifest_dir, &error))
        };
        let target = match (action, job.target) {
            (Action::Use | Action::Fail(_), _) => return Ok(None),
            (Action::Check | Action::Tune, Some(target)) => target,
            (Action::Predict(_), _) | (_, None) => {
                return self
                    .predict(plan, problem, job.facts)
                    .map(Some)
                    .map_err(shown);
            }
        };
        let asked = plan.found.spec.budget.seconds;
        let seconds = match action {
            Action::Check => CHECK_SECONDS.min(self.left),
            _ => asked.min(self.left * (asked / wanted.max(asked))),
        };
        if *action == Action::Tune {
            *wanted -= asked;
        }
        if seconds < LEAST_SECONDS.min(asked) {
            self.capped
                .push(format!("{} ({})", plan.key(), problem.label));
            return self
                .predict(plan, problem, job.facts)
                .map(Some)
                .map_err(shown);
        }
        let start = Instant::now();
        let check = *action == Action::Check;
        self.measured = true;
        self.search(plan, problem, target, check, seconds, store, journal)?;
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
    ) -> Result<Predicted, SpaceError> {
        let (_, space, ranked) = self.ranked(plan, problem, facts)?;
        let mut numbers: Vec<u64> = ranked.order.iter().copied().take(PREDICTED).collect();
        let first = numbers.iter().position(|n| *n == 0).unwrap_or_else(|| {
            numbers.push(0);
            numbers.len() - 1
        });
        Ok(Predicted {
            configs: numbers.into_iter().map(|n| space.config(n)).collect(),
            first,
        })
    }

    fn ranked<'p>(
        &self,
        plan: &'p Plan,
        problem: &ProblemPlan,
        facts: &'p Facts,
    ) -> Result<(Bound<'p>, Space, Ranked), SpaceError> {
        let spec = &plan.found.spec;
        let bound = Bound::new(spec, facts, &problem.scope)?;
        let space = Space::new(&bound)?;
        if let Some(why) = space.why_empty() {
            let message = format!(
                "the space is empty at ({}) on {}: {why}",
                problem.label,
                facts.key()
            );
            return Err(SpaceError {
                message,
                span: spec.function.span,
            });
        }
        let ranked = rank(&space, &bound)?;
        Ok((bound, space, ranked))
    }

    /// The ranking with what the compiler made of its best configs, on a GPU.
    fn refined(
        &self,
        ranked: Ranked,
        subject: &Subject<'_>,
        described: &Described<'_>,
        facts: &Facts,
        evaluations: u64,
    ) -> Ranked {
        if matches!(facts, Facts::Cpu(_)) || ranked.kind == Kind::Score {
            return ranked;
        }
        let most = usize::try_from(2 * evaluations).unwrap_or(MOST_COMPILED);
        let best = ranked.order.iter().take(most.min(MOST_COMPILED));
        let units: Vec<(u64, Unit)> = best
            .filter_map(|config| Some((*config, subject.unit(*config).ok()?)))
            .collect();
        self.service
            .announce(units.iter().map(|(_, unit)| unit.clone()).collect());
        let known: Vec<(u64, Vec<Value>, Resources)> = units
            .iter()
            .filter_map(|(config, unit)| {
                let resources = self.service.kernel(unit).ok()?.resources?;
                Some((*config, described.space.config(*config), resources))
            })
            .collect();
        refine(ranked, described.bound, &known)
    }

    #[allow(clippy::too_many_arguments)]
    fn search(
        &mut self,
        plan: &Plan,
        problem: &ProblemPlan,
        target: &Target,
        check: bool,
        seconds: f64,
        store: &mut Store,
        journal: &mut Option<Files>,
    ) -> Result<(), TuneError> {
        let spec = &plan.found.spec;
        let facts = &target.facts;
        let shown = |error: SpaceError| {
            TuneError::new(plan::render(&plan.found, &self.env.manifest_dir, &error))
        };
        let start = Instant::now();
        let (bound, space, full) = self.ranked(plan, problem, facts).map_err(shown)?;
        let device = facts.key();
        let known = store.entry(plan.key(), &device, &problem.key);
        let number = |trial: &Trial| {
            let values = emission::values(spec, &trial.config)?;
            space.index_of(&values)
        };
        let incumbent = known.and_then(|entry| number(&entry.winner));
        // A check looks at what was best before; where none of it is left, it searches anew.
        let before: Vec<u64> = match known {
            Some(entry) if check => emission::trials(entry).filter_map(number).collect(),
            _ => Vec::new(),
        };
        let check = check && !before.is_empty();
        let ranked = if check {
            let mut seen = std::collections::BTreeSet::new();
            let before: Vec<u64> = before.into_iter().filter(|n| seen.insert(*n)).collect();
            let places = (0..before.len()).map(|place| place as f64).collect();
            Ranked::new(before, places, Kind::Seconds)
        } else {
            full
        };
        let described = Described {
            space: &space,
            bound: &bound,
        };
        let scale = match check {
            true => None,
            false => Scale::new(&bound, &described).map_err(shown)?,
        };
        let priors = match check {
            true => Vec::new(),
            false => priors(plan, problem, store, facts, &space),
        };
        let mut budget = Budget::from(&spec.budget);
        budget.seconds = seconds;
        let mut strategy = spec
            .budget
            .strategy
            .as_ref()
            .map_or(search::DEFAULT, |name| &name.text);
        if check {
            strategy = "guided";
            budget.evaluations = ranked.len() as u64;
        }
        let mut strategy = search::by_name(strategy, spec.budget.seed)
            .map_err(|error| TuneError::plain(format!("`{}`: {error}", plan.key())))?;
        let title = format!("{} ({})", plan.key(), problem.label);
        let made_for = capability(facts).map(|capability| self.service.target(capability));
        let (root, source) = (&self.env.manifest_dir, &plan.found.source);
        let subject = Subject::new(root, source, &bound, &space, made_for);
        // Without a compiler every config would fail alike, and none of them would be at fault.
        let toolchain = self
            .service
            .compiler(spec.source.language)
            .map_err(|error| {
                TuneError::plain(format!(
                    "cannot compile the kernel of `{}`: {error}",
                    plan.key()
                ))
            })?;
        let launch = Launch {
            place: target.place,
            ..Launch::this_program(self.env.runner.clone()).map_err(TuneError::plain)?
        };
        let folder = self.env.state_dir().join("measure");
        let mut settings = Settings::new(launch, &target.lock, folder);
        settings.jobserver = self.jobserver.clone();
        settings.jobs = self.env.jobs;
        let mut measure =
            KernelMeasure::new(spec, subject.scalars(), self.service, &subject, settings);
        let likely = &ranked.order[..ranked.order.len().min(LIKELY)];
        if let Err(message) = measure.prepare(likely) {
            let reference = spec.verify.reference.as_ref();
            let reference = reference.filter(|_| measure.blames_reference());
            return Err(shown(SpaceError {
                message: format!("`{}`: {message}", plan.key()),
                span: reference.map_or(spec.source.path.span, |reference| reference.span),
            }));
        }
        // Not before: of a kernel that does not compile, a few configs tell enough.
        let ranked = match check {
            true => ranked,
            false => self.refined(ranked, &subject, &described, facts, budget.evaluations),
        };
        let label = Label {
            problem: problem.key.clone(),
            device: device.clone(),
        };
        let mut progress = Progress::on_terminal(format!("bico {title}"));
        let (journal, ranked_list, guarantees) = match journal {
            Some(open) => open,
            None => journal.insert(self.journal(plan)?),
        };
        journal.label(label.clone());
        journal.scale(scale.as_ref().map(|scale| scale.expression().clone()));
        let _ = ranked_list.write(&label, &described, &ranked);
        let search = Search {
            incumbent: incumbent.filter(|_| check || self.env.mode == Mode::Tune),
            baseline: (!check).then_some(0),
            priors: &priors,
            ..Search::new(&described, &ranked, budget)
        };
        let found = {
            let mut observers = Observers(vec![journal, &mut progress]);
            search::run(&search, &mut *strategy, &mut measure, &mut observers)
        };
        drop(progress);
        let contention = measure.contention().note();
        if let Some(fault) = measure.fault() {
            self.faults.push(format!(
                "`{}` was not checked at every small size: {fault}",
                plan.key()
            ));
        }
        let summary = Summary {
            key: plan.key(),
            problem: &problem.label,
            configs: &described,
            ranked: &ranked,
            found: &found,
            seconds: start.elapsed().as_secs_f64(),
            contention: contention.as_deref(),
        }
        .to_string();
        crate::report::say(&format!("bico: {summary}"));
        if !check {
            let settings = guarantee::Settings::default();
            let guarantee = Guarantee::new(&found.trail, space.len(), settings);
            let scaled = scale.map(|scale| Scaled::new(&scale, &found.trail, &settings));
            let lines = GuaranteeLines {
                guarantee: &guarantee,
                scaled: scaled.as_ref(),
            };
            for line in lines.lines() {
                crate::report::say(&format!("bico: {}: {line}", plan.key()));
            }
            let _ = guarantees.write(&label, &lines);
        }
        let Some(winner) = &found.winner else {
            return Err(self.nothing_found(plan, problem, &summary));
        };
        if check {
            self.checked.push(summary.clone());
        }
        let trial = |config: u64, seconds: f64| Trial {
            config: emission::config(spec, &space.config(config)),
            seconds,
            place: Place::default(),
        };
        let marked = |config: Option<u64>| {
            let config = config?;
            found
                .trail
                .time(config)
                .map(|sample| trial(config, sample.seconds))
        };
        let first = found
            .trail
            .top(usize::MAX)
            .iter()
            .map(|(config, _)| *config)
            .min();
        let entry = Entry {
            hashes: plan.hashes,
            winner: trial(winner.config, winner.sample.seconds),
            interval: [winner.sample.low, winner.sample.high],
            verified: match measure.verified() {
                measure::Verified::Reference => Verified::Reference,
                measure::Verified::SmallSizes => Verified::SmallSizes,
                measure::Verified::Consensus => Verified::Consensus,
            },
            strategy: strategy.name().to_string(),
            budget: lock::Budget {
                evaluations: search.budget.evaluations,
                seconds: spec.budget.seconds,
            },
            evaluations: found.trail.evaluated().count() as u64,
            space_size: space.len(),
            toolchain,
            trials: found
                .trail
                .top(KEPT_TRIALS)
                .iter()
                .map(|(c, sample)| trial(*c, sample.seconds))
                .collect(),
            first: marked(first),
            ranked: marked(best_ranked(&found, &ranked)),
            resources: measure.resources(winner.config),
            source: None,
        };
        let home = store.home(self.env.mode, plan.key(), facts);
        if !check {
            self.tally.add(plan.key(), &found, home);
        }
        store
            .keep(home, plan.key(), facts, &problem.key, entry)
            .map_err(|error| TuneError::new(error.to_string()))
    }

    fn journal(&self, plan: &Plan) -> Result<Files, TuneError> {
        let folder = self.env.trail_dir();
        let trail = folder.join(plan.trail_file());
        let stem = file_stem(plan.key());
        let list = folder.join(format!("{stem}.ranked.csv"));
        let guarantees = folder.join(format!("{stem}.guarantee.csv"));
        Journal::create(&trail)
            .and_then(|journal| {
                let list = RankedList::create(&list)?;
                Ok((journal, list, GuaranteeTable::create(&guarantees)?))
            })
            .map_err(|error| TuneError::plain(format!("cannot write {}: {error}", trail.display())))
    }

    fn nothing_found(&self, plan: &Plan, problem: &ProblemPlan, summary: &str) -> TuneError {
        let trail = self.env.trail_dir().join(plan.trail_file());
        let error = SpaceError {
            message: format!(
                "no config of `{}` ({}) ran and was right",
                plan.key(),
                problem.label
            ),
            span: plan.found.spec.function.span,
        };
        let text = plan::render(&plan.found, &self.env.manifest_dir, &error);
        TuneError::new(format!(
            "{}\n  = note: {summary}\n  = help: {} names each config with its reason; `BICO=off cargo build` builds without measuring",
            text.trim_end(),
            trail.display()
        ))
    }
}

/// The most promising config that was measured and right.
fn best_ranked(found: &Found, ranked: &Ranked) -> Option<u64> {
    let timed = found
        .trail
        .trials()
        .filter(|row| found.trail.time(row.config).is_some());
    timed
        .map(|row| row.config)
        .min_by_key(|config| ranked.position(*config).unwrap_or(usize::MAX))
}

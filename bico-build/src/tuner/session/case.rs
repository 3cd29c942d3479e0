//! One tunable at one problem on one device.

use super::brief::{Done, noted};
use crate::env::Env;
use crate::lock::{Entry, Trial};
use crate::measure::KernelMeasure;
use crate::report::{Deed, Task, assignment};
use crate::tuner::TuneError;
use crate::tuner::devices::kinds;
use crate::tuner::emission::Predicted;
use crate::tuner::plan::{Plan, ProblemPlan};
use crate::tuner::stored::{self, Values};
use bico_core::device::{DeviceKey, Facts};
use bico_core::sorted::sort_by;
use bico_core::{Lists, Set, Value, model};
use bico_search::rank::{Ranked, rank};
use bico_search::search::{Failure, Found, OfPeak, Row, Stop};
use bico_search::space::Space;
use bico_syntax::bind::{Bound, Rules, Scope, SpaceError};
use bico_syntax::{ArgumentKind, TunableSpec};

/// Predicted configs that a binary carries where nothing was ever measured.
const PREDICTED: usize = 4;

/// A relative tolerance of which a warning says what it lets pass.
const WIDE: f64 = 0.1;

/// What is done about a tunable at a problem on a device.
pub(super) fn task(plan: &Plan, problem: &ProblemPlan, device: DeviceKey, deed: Deed) -> Task {
    Task {
        key: plan.key().to_string(),
        hash: plan.hashes.kernel().to_string(),
        problem: problem.label.clone(),
        problem_key: problem.key.clone(),
        device: device.to_string(),
        deed,
    }
}

/// What is predicted for a device that is not here, best first, so many at most.
///
/// # Errors
///
/// An expression cannot be evaluated.
pub(in crate::tuner) fn predict(
    spec: &TunableSpec,
    facts: &Facts,
    scope: &Scope,
    count: usize,
) -> Result<Vec<Values>, SpaceError> {
    let bound = Bound::new(spec, facts, scope)?;
    let space = Space::new(&bound)?;
    if space.why_empty().is_some() {
        return Ok(Vec::new());
    }
    let best = rank(&space, &bound)?.order.into_iter().take(count);
    Ok(best.map(|config| space.config(config)).collect_vec())
}

/// A problem's space on a device.
///
/// # Errors
///
/// An expression cannot be evaluated, or no config is valid.
pub(super) fn bound_space<'a>(
    env: &Env,
    plan: &'a Plan,
    problem: &'a ProblemPlan,
    facts: &'a Facts,
) -> Result<(Bound<'a>, Space), TuneError> {
    let shown = |error| plan.shown(env, &error);
    let spec = &plan.found.spec;
    let bound = Bound::new(spec, facts, &problem.scope).map_err(shown)?;
    let space = Space::new(&bound).map_err(shown)?;
    if let Some(why) = space.why_empty() {
        let (label, device) = (&problem.label, facts.key());
        let message = format!("the space is empty at ({label}) on {device}: {why}");
        return Err(shown(SpaceError::new(spec.function.span, message)));
    }
    Ok((bound, space))
}

/// Its space, enumerated.
pub(super) struct Case<'a> {
    pub(super) env: &'a Env,
    pub(super) plan: &'a Plan,
    pub(super) problem: &'a ProblemPlan,
    pub(super) bound: Bound<'a>,
    pub(super) space: Space,
}

impl<'a> Case<'a> {
    /// The case, and the ranking of its space.
    ///
    /// # Errors
    ///
    /// An expression cannot be evaluated, or no config is valid.
    pub(super) fn new(
        env: &'a Env,
        plan: &'a Plan,
        problem: &'a ProblemPlan,
        facts: &'a Facts,
    ) -> Result<(Case<'a>, Ranked), TuneError> {
        let (bound, space) = bound_space(env, plan, problem, facts)?;
        let ranked = rank(&space, &bound).map_err(|error| plan.shown(env, &error))?;
        let case = Case {
            env,
            plan,
            problem,
            bound,
            space,
        };
        Ok((case, ranked))
    }

    /// What is done about it, for whoever listens.
    pub(super) fn task(&self, deed: Deed) -> Task {
        task(self.plan, self.problem, self.bound.facts.key(), deed)
    }

    /// A mistake, shown on its place in the source.
    pub(super) fn shown(&self, error: &SpaceError) -> TuneError {
        self.plan.shown(self.env, error)
    }

    /// The number of a config that the lock holds, if it is in the space.
    pub(super) fn number(&self, trial: &Trial) -> Option<u64> {
        let values = stored::values(self.bound.spec, &trial.config)?;
        self.space.index_of(&values)
    }

    /// The number of the attribute's `default`, where it is a config here.
    pub(super) fn default(&self) -> Option<u64> {
        self.space.index_of(self.bound.default.as_ref()?)
    }

    /// The most promising config of each variant, best first: a budget might end before a library is tried, which has only one.
    pub(super) fn starts(&self, ranked: &Ranked) -> Vec<u64> {
        let kernels = &self.bound.spec.kernels;
        if kernels.len() == 1 {
            return Vec::new();
        }
        let of = |config: &u64| self.bound.kernel(&self.space.config(*config));
        let mut starts = Vec::new();
        for kernel in 0..kernels.len() {
            let mut best = ranked.order.iter().copied();
            let best = best.find(|config| of(config) == kernel);
            let first = || self.space.index_of(&self.bound.first_of(kernel).ok()??);
            starts.extend(best.or_else(first));
        }
        let place = |config: &u64| ranked.position(*config).unwrap_or(usize::MAX);
        sort_by(&mut starts, &|a, b| place(a).cmp(&place(b)));
        starts
    }

    /// What its space is on other kinds of GPU, where it is one.
    pub(super) fn other_kinds(&self) -> Vec<Rules> {
        let is_gpu = matches!(self.bound.facts, Facts::Cuda(_));
        let kinds = kinds().into_iter().filter(|_| is_gpu);
        let rules = kinds.map(|facts| Rules::new(self.bound.spec, &facts, &self.bound.scope));
        // An expression that has no value there names no config either.
        rules.filter_map(Result::ok).collect_vec()
    }

    /// The numbers of the configs that an entry names, the winner's first.
    pub(super) fn numbers(&self, entry: &Entry) -> Vec<u64> {
        let numbers = stored::trials(entry).filter_map(|trial| self.number(trial));
        let mut seen = Set::default();
        numbers.filter(|number| seen.insert(*number)).collect_vec()
    }

    /// The work of a config. Ranking has evaluated every one: what failed there has been reported.
    pub(super) fn amounts(&self, values: &[Value]) -> (Option<f64>, Option<f64>) {
        self.bound.amounts(values).unwrap_or_default()
    }

    /// What a trial makes of a GPU; what a CPU could do nobody says.
    pub(super) fn of_peak(&self, row: &Row) -> Option<OfPeak> {
        let Facts::Cuda(gpu) = self.bound.facts else {
            return None;
        };
        let share = |part: Option<f64>, all: f64| Some(part? / all).filter(|_| all > 0.0);
        // A multiply-add is two operations.
        let lanes = (2 * gpu.multiprocessors * gpu.lanes()) as f64;
        let resident = || {
            let (usage, warp) = (row.resources?, gpu.warp_size.max(1));
            let threads = self.bound.work(&row.values).ok()?.launch?.threads;
            let (registers, shared) = (usage.registers.into(), usage.on_chip_bytes as i64);
            let blocks = model::resident_blocks(gpu, threads, registers, shared);
            Some((blocks * ((threads + warp - 1) / warp * warp)) as f64)
        };
        Some(OfPeak {
            flops: share(row.flops_per_second, lanes * gpu.clock_hz as f64),
            bytes: share(row.bytes_per_second, gpu.memory_bytes_per_second as f64),
            occupancy: share(resident(), gpu.max_threads_per_multiprocessor as f64),
        })
    }

    /// What was not checked: sizes at which the reference failed, outputs that tell nothing.
    pub(super) fn unchecked<'m>(
        &self,
        measure: &'m KernelMeasure<'_>,
    ) -> impl Iterator<Item = String> + use<'m> {
        let key = self.plan.key().to_string();
        let at_sizes = measure.fault.as_ref();
        let at_sizes =
            at_sizes.map(|fault| format!("`{key}` was not checked at every awkward size: {fault}"));
        let faint = measure.faint.as_ref();
        let misplaced = measure.misplaced.as_ref();
        let others = faint.into_iter().chain(misplaced);
        let others = others.map(move |of| format!("`{key}`: {of}"));
        at_sizes.into_iter().chain(others).chain(self.wide())
    }

    /// What is said of an output whose tolerance lets nearly anything pass.
    fn wide(&self) -> Option<String> {
        let spec = &self.plan.found.spec;
        spec.verify.reference.as_ref()?;
        let wide = spec.arguments.iter().find_map(|argument| {
            let ArgumentKind::Buffer {
                layout,
                mutable: true,
                ..
            } = &argument.kind
            else {
                return None;
            };
            let name = &argument.name.text;
            let (rtol, _) = spec.tolerance(name, layout.element()?);
            (rtol >= WIDE).then_some((name, rtol))
        });
        wide.map(|(name, rtol)| {
            format!(
                "`{}`: `rtol = {rtol}` lets results in `{name}` pass that are off by {:.0} %",
                self.plan.key(),
                100.0 * rtol
            )
        })
    }

    /// What is said where most configs were not right: that one of them won hides a mistake in the kernel.
    pub(super) fn doubtful(&self, found: &Found) -> Option<String> {
        found.winner.as_ref()?;
        let (measured, failures) = (found.trail.evaluated().count(), found.trail.failures());
        let wrong = failures.into_iter().filter(|of| of.is_wrong()).count();
        let first = found.trail.first_wrong();
        let (config, failure) = first.filter(|_| 2 * wrong >= measured)?;
        Some(format!(
            "{wrong} of the {measured} configs of `{}` ({}) that were measured are not right: is that a mistake in the kernel? The first, {}: {failure}",
            self.plan.key(),
            self.problem.label,
            assignment(self.space.names(), &self.space.config(config))
        ))
    }

    /// What a binary carries where nothing was measured.
    pub(super) fn predicted(&self, ranked: &Ranked) -> Predicted {
        let order = ranked.order.iter().copied();
        let mut numbers: Vec<u64> = order.take(PREDICTED).collect_vec();
        let first = self.default().unwrap_or(0);
        if !numbers.contains(&first) {
            numbers.push(first);
        }
        Predicted {
            configs: numbers
                .into_iter()
                .map(|n| self.space.config(n))
                .collect_vec(),
            first: self.space.config(first),
        }
    }

    /// What is said where the winner that stood in the lock is wrong since its sources changed.
    pub(super) fn fallen(&self, winner: u64, failure: &Failure) -> String {
        let (key, label) = (self.plan.key(), &self.problem.label);
        let config = assignment(self.space.names(), &self.space.config(winner));
        format!(
            "the sources of `{key}` ({label}) changed, and its winner, {config}, is no longer right: {failure}; it is searched anew. If that is a mistake in the sources, mend it, and take bico.lock back with them"
        )
    }

    /// What is said where no config is right, and what to do about it.
    pub(super) fn nothing_found(&self, done: &Done, summary: &str) -> TuneError {
        let (found, plan, label) = (&done.found, self.plan, &self.problem.label);
        let differing = noted(done.differing.as_ref());
        let trail = plan.trail(self.env);
        let (tried, all) = (found.trail.evaluated().count(), self.space.len());
        let mut help = String::new();
        if found.stop == Stop::Seconds && (tried as u64) < all {
            help.push_str("\n  = help: its seconds were over before more were tried: `budget(seconds = ..)` gives it more");
        }
        // Where that is not at the problem's own sizes.
        let own = format!(", at {label}");
        let is_elsewhere = |failure: &&Failure| {
            let text = failure.parts().1;
            text.contains(", at ") && !text.replace(" = ", "=").ends_with(&own)
        };
        let mut failures = found.trail.failures().into_iter();
        if failures.any(|of| of.is_wrong() && is_elsewhere(&of)) {
            help.push_str("\n  = help: sizes that the kernel is not made for are excluded by a `require(..)` that names them; `cargo bico check` looks at all of them");
        }
        let message = format!("no config of `{}` ({label}) ran and was right", plan.key());
        let error = SpaceError::new(plan.found.spec.function.span, message);
        TuneError::new(format!(
            "{}\n  = note: {summary}{differing}{help}\n  = help: {} names each config with its reason; `BICO=off cargo build` builds without measuring",
            self.shown(&error),
            trail.display()
        ))
    }
}

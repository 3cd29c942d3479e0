//! The sizes at which a config is checked, and what is right there.

use super::KernelMeasure;
#[cfg(feature = "cuda")]
use crate::arguments::constants;
use crate::measure::awkward::{self, AllowedSizes, Kind};
use crate::measure::plan::{self, CallPlan};
use crate::measure::protocol::{Case, Check, Inputs, Processor};
use crate::measure::reference::Outputs;
use crate::measure::values;
use bico_core::device::{Dims, Facts};
use bico_core::model;
use bico_core::{Lists, Value};
use bico_search::search::Failure;
use bico_syntax::{Argument, ArgumentKind};

/// Flags with which a kernel need not know NaN and infinity.
const FINITE: [&str; 3] = ["-ffast-math", "-Ofast", "-ffinite-math-only"];

/// Seconds that the reference may take at an awkward size: so many sizes are checked of each config.
const AWKWARD_SECONDS: f64 = 0.1;

/// Where it takes longer than this, one draw of inputs is enough, but for one size: there are two at all where it is quick.
const QUICK_SECONDS: f64 = 0.01;

/// On a CPU a config that takes so many times as long as the reference hangs, or might as well.
const HANGING: f64 = 200.0;

/// Seconds that it gets, where others may keep the processor from it.
const AWKWARD_PATIENCE: f64 = 10.0 * AWKWARD_SECONDS;

/// Seconds that it gets where it is known from the problem's own size not to be slow.
const QUICK_PATIENCE: f64 = 10.0 * AWKWARD_PATIENCE;

/// Threads that an awkward size may start: with whole blocks for one element each it could be any number.
const MOST_THREADS: u64 = 1 << 20;

fn threads(dims: &Dims) -> u64 {
    let blocks = dims.grid.iter().map(|blocks| u64::from(*blocks));
    blocks.fold(dims.threads(), u64::saturating_mul)
}

/// Whose size it is.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Size {
    /// The problem's.
    Problem,
    /// One that the user asked for.
    Asked,
    /// An awkward one.
    Awkward(Kind),
}

/// A size, what it is for, and which draw of the values that are no sizes goes with it.
pub(super) type At = (Kind, Vec<Value>, usize);

/// How a config is called at a size, with values of what is no size.
pub(super) type Planned = (At, CallPlan, Vec<Value>);

impl KernelMeasure<'_> {
    /// The lengths of a call's buffers; `None` if a `require` excludes the sizes.
    pub(super) fn planned(
        &self,
        config: u64,
        scalars: &[Value],
    ) -> Result<Option<CallPlan>, Failure> {
        let plan = self.candidates.call(config, scalars);
        let Some(plan) = plan.map_err(Failure::Worker)? else {
            return Ok(None);
        };
        #[cfg(feature = "cuda")]
        {
            let unit = self.candidates.unit(config).map_err(Failure::Worker)?;
            let fit = constants::fit(self.service, &unit, self.spec, &plan.buffers);
            let label = || plan::label(self.spec, scalars);
            fit.map_err(|why| {
                Failure::Unlaunchable(why.replacen('\n', &format!(", at {}\n", label()), 1))
            })?;
        }
        Ok(Some(plan))
    }

    /// Awkward sizes that the config allows.
    pub(super) fn small_checks(&mut self, config: u64) -> Vec<Check> {
        let mut checks = Vec::new();
        let tiles = self.candidates.tiles(config);
        // What a judge makes of NaN is nobody's business.
        let takes_special = self.judge.is_none() && !self.knows_finite_only(config);
        let (problem, is_size) = (self.problem.clone(), self.sizes());
        let mut sizes = AllowedSizes::new(self.candidates.sizes(config), &problem, &is_size);
        let mut moved = vec![false; problem.len()];
        let mut awkward = self
            .awkward(&tiles)
            .into_iter()
            .filter_map(|(kind, scalars, turn)| {
                let scalars = match scalars == problem {
                    true => Some(scalars),
                    false => sizes.near(kind, scalars),
                };
                Some((kind, scalars?, turn))
            });
        let mut first = self.bring_outputs(config, &mut awkward).into_iter();
        while checks.len() < plan::MOST_SIZES {
            let next = first.next();
            let next = next.or_else(|| awkward.find_map(|at| self.plan_at(config, at)));
            let Some(((kind, scalars, _), plan, all)) = next else {
                break;
            };
            // One size is enough to see what a kernel makes of NaN; not the first, where all is one.
            let others: &[Inputs] = match kind {
                Kind::Long => &[],
                _ if checks.len() == 1 && takes_special => &[Inputs::Others, Inputs::Special],
                _ => &[Inputs::Others],
            };
            let size = Size::Awkward(kind);
            if let Some(check) = self.check_if_possible(&plan, &all, size, others) {
                let own = problem.iter().zip(&scalars);
                let of = moved.iter_mut().zip(own);
                of.for_each(|(moved, (own, of))| *moved |= own != of && *of != Value::Int(0));
                checks.push(check);
            }
        }
        // A tile may be as large as the problem: whether a second one is right shows beyond it only.
        let fixed: Vec<bool> = is_size
            .iter()
            .zip(moved)
            .map(|(is, of)| *is && !of)
            .collect_vec();
        if fixed.contains(&true)
            && let Some(scalars) = sizes.beyond(&fixed).filter(|of| sizes.is_little(of))
        {
            checks.truncate(plan::MOST_SIZES - 1);
            checks.extend(self.check_at(config, (Kind::Long, scalars, 0), &[Inputs::Others]));
        }
        checks
    }

    /// Whether the reference may be asked beyond the problem's sizes: twice of them are at least twice the work.
    pub(super) fn has_time_beyond(&self) -> bool {
        let seconds = self.reference_seconds;
        seconds.is_some_and(|seconds| 2.0 * seconds <= AWKWARD_PATIENCE)
    }

    /// Seconds that the reference gets at an awkward size.
    pub(super) fn patience(&self) -> f64 {
        match self.has_time_beyond() {
            true => QUICK_PATIENCE,
            false => AWKWARD_PATIENCE,
        }
    }

    /// Whether a reference that took so long is too slow at such a size, and not only kept from the processor.
    fn is_slow_at(&self, kind: Kind, seconds: f64) -> bool {
        let own = self.reference_seconds.unwrap_or(seconds);
        match kind {
            // No larger than the problem's.
            Kind::Small | Kind::Zero => seconds.min(own) > AWKWARD_SECONDS,
            Kind::Long => seconds > AWKWARD_SECONDS,
            // One config alone is looked at there.
            Kind::Beyond => false,
        }
    }

    /// The check of a config at some size, where it can be called there.
    pub(super) fn check_at(&mut self, config: u64, at: At, others: &[Inputs]) -> Option<Check> {
        let ((kind, ..), plan, scalars) = self.plan_at(config, at)?;
        self.check_if_possible(&plan, &scalars, Size::Awkward(kind), others)
    }

    /// How a config is called at some size, with values of what is no size, where it can be.
    pub(super) fn plan_at(&self, config: u64, at: At) -> Option<Planned> {
        let (kind, scalars, turn) = &at;
        let allowed = self.candidates.values(scalars).ok()?;
        let mut all = values::drawn(&allowed, scalars, *turn).into_iter();
        let found = all.find_map(|all| Some((self.possible(config, &all, *kind)?, all)));
        found.map(|(plan, all)| (at, plan, all))
    }

    /// Awkward sizes, and the problem's with other values of what is no size. Which draw of those it is.
    pub(super) fn awkward(&self, tiles: &[i64]) -> Vec<At> {
        let all = awkward::sizes(&self.problem, &self.sizes(), tiles);
        let mut all: Vec<_> = all
            .into_iter()
            .map(|(kind, of)| (kind, of, 0))
            .collect_vec();
        if self.has_values() {
            let own = |turn| (Kind::Small, self.problem.clone(), turn);
            all.insert(all.len().min(1), own(0));
            all.extend([own(1), own(2)]);
        }
        all
    }

    /// Whether there are arguments that are no sizes, and have other values in each check.
    pub(super) fn has_values(&self) -> bool {
        let mut arguments = self.spec.arguments.iter();
        arguments.any(|argument| matches!(argument.kind, ArgumentKind::Value { .. }))
    }

    /// How a config is called with these scalars, where it is, and can be checked.
    fn possible(&self, config: u64, scalars: &[Value], kind: Kind) -> Option<CallPlan> {
        // What cannot be evaluated there is no size of the kernel.
        let plan = self.planned(config, scalars).ok()??;
        // Nor is one for which the device has no launch: calls get an error there.
        if let Some(Facts::Cuda(gpu)) = self.candidates.device() {
            let mut launches = plan.launches().filter(|dims| !dims.is_empty());
            if launches.any(|dims| {
                model::obstacle(gpu, dims, None, 0).is_some() || threads(dims) > MOST_THREADS
            }) {
                return None;
            }
        }
        let mut lengths = plan.buffers.iter();
        let scratch = plan.scratch.iter();
        let scratch = scratch.fold(0, |sum: u64, of| sum.saturating_add(*of));
        // One size of one config may be larger than those of all.
        let most = match kind {
            Kind::Beyond => plan::LARGEST_SCRATCH,
            _ => plan::LARGEST_BUFFER,
        };
        let fits = lengths.all(|length| *length <= most) && scratch <= plan::LARGEST_SCRATCH;
        fits.then_some(plan)
    }

    /// Of each scalar argument, whether it is a size on which a length depends.
    pub(super) fn sizes(&self) -> Vec<bool> {
        let arguments = &self.spec.arguments;
        let is_named = |name: &str| {
            arguments.iter().any(|argument| match &argument.kind {
                ArgumentKind::Buffer { len, .. } => len.names_any(&mut |named| named == name),
                _ => false,
            })
        };
        let scalars = arguments.iter().filter(|of| of.kind.by_value().is_some());
        let is_size =
            |of: &Argument| matches!(of.kind, ArgumentKind::Scalar(_)) && is_named(&of.name.text);
        scalars.map(is_size).collect_vec()
    }

    fn knows_finite_only(&self, config: u64) -> bool {
        let unit = self.candidates.unit(config);
        unit.is_ok_and(|unit| {
            unit.flags
                .iter()
                .any(|flag| FINITE.contains(&flag.as_str()))
        })
    }

    /// Awkward sizes that the config allows, then the problem.
    pub(super) fn checks(&mut self, config: u64) -> Result<Vec<Check>, Failure> {
        let mut checks = self.small_checks(config);
        // Of a slow reference one result is enough for all who will not win.
        let is_slow = self
            .reference_seconds
            .is_some_and(|seconds| seconds > AWKWARD_SECONDS);
        let others: &[Inputs] = if is_slow { &[] } else { &[Inputs::Others] };
        checks.push(self.problem_check(config, others)?);
        Ok(checks)
    }

    /// The problem's size.
    pub(super) fn problem_check(
        &mut self,
        config: u64,
        others: &[Inputs],
    ) -> Result<Check, Failure> {
        let problem = self.problem.clone();
        let excluded = || Failure::Worker("a `require` excludes the problem's sizes".into());
        let plan = self.planned(config, &problem)?.ok_or_else(excluded)?;
        if let Some(dims) = plan.launches_nothing() {
            return Err(Failure::Unlaunchable(format!(
                "`launch` gives a grid of {:?} blocks of {:?} threads: nothing would run",
                dims.grid, dims.block
            )));
        }
        let check = self.check(&plan, &problem, Size::Problem, others);
        let (mut check, _) = check.map_err(Failure::Worker)?;
        let allowed = |seconds| self.hanging(seconds).max(3.0 * seconds + 1.0);
        let hang = self.settings.hang_seconds;
        check.allow = self.reference_seconds.map_or(hang, allowed);
        Ok(check)
    }

    /// Seconds after which a call hangs that takes the reference so long.
    fn hanging(&self, seconds: f64) -> f64 {
        let hang = self.settings.hang_seconds;
        match self.settings.program.processor {
            Processor::Cpu => hang.min(HANGING * seconds + 2.0),
            // A GPU may have code to load first.
            _ => hang,
        }
    }

    /// A check, unless the reference takes too long there or is at fault.
    pub(super) fn check_if_possible(
        &mut self,
        plan: &CallPlan,
        scalars: &[Value],
        size: Size,
        others: &[Inputs],
    ) -> Option<Check> {
        match self.check(plan, scalars, size, others) {
            Ok((check, is_slow)) => (!is_slow).then_some(check),
            Err(text) => {
                // Sizes that the attribute cannot be expected to exclude are the reference's to choose.
                let is_own = matches!(size, Size::Awkward(kind) if kind != Kind::Small);
                if !is_own {
                    self.fault.get_or_insert(text);
                }
                None
            }
        }
    }

    /// A check against the reference, if there is one; and whether that takes too long to be asked.
    fn check(
        &mut self,
        plan: &CallPlan,
        scalars: &[Value],
        size: Size,
        others: &[Inputs],
    ) -> Result<(Check, bool), String> {
        let call = self.shared_call(plan, scalars, Inputs::Timed)?;
        // Without other inputs it is always there.
        let call = call.ok_or("there are no inputs")?;
        let case = |call| Case {
            call,
            reference: None,
            judge: None,
            opinions: Vec::new(),
            save: None,
        };
        let mut check = Check {
            label: plan::label(self.spec, scalars),
            timed: case(call),
            others: Vec::new(),
            blank: None,
            allow: self.settings.hang_seconds,
        };
        check.timed.judge = self.judge_of(&check.timed.call);
        let most = match size {
            Size::Awkward(_) => self.patience(),
            Size::Problem | Size::Asked => f64::INFINITY,
        };
        let mut others = others;
        let is_slow = match self.outputs(plan, scalars, Inputs::Timed, most)? {
            Some(Outputs::File(path, run)) => {
                check.timed.reference = Some(path);
                check.blank = run.blank;
                // Two seconds at least: whole tiles of which hardly anything is used may take long.
                check.allow = self.hanging(run.seconds);
                let is_enough = matches!(size, Size::Awkward(_)) && others == [Inputs::Others];
                if is_enough && run.seconds > QUICK_SECONDS {
                    others = &[];
                }
                matches!(size, Size::Awkward(kind) if self.is_slow_at(kind, run.seconds))
            }
            Some(Outputs::Slow) => true,
            // Nobody knows whether they are sizes of it at all.
            None => matches!(size, Size::Awkward(kind) if kind != Kind::Small),
        };
        if is_slow {
            // The problem's own outputs are compared with other configs' then.
            return Ok((check, true));
        }
        for &inputs in others {
            let Some(call) = self.shared_call(plan, scalars, inputs)? else {
                continue;
            };
            let mut other = case(call);
            match self.outputs(plan, scalars, inputs, most) {
                Ok(Some(Outputs::File(path, ..))) => other.reference = Some(path),
                Ok(None) if inputs == Inputs::Others => {}
                Err(text) if inputs == Inputs::Others => {
                    self.fault
                        .get_or_insert_with(|| format!("with other inputs, {text}"));
                    continue;
                }
                // The reference cannot take them.
                _ => continue,
            }
            other.judge = self.judge_of(&other.call);
            check.others.push(other);
        }
        Ok((check, false))
    }
}

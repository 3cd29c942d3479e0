//! A run of a bico-build without the feature `tune`: nothing is ranked or measured.

use super::TuneError;
use super::emission::Predicted;
use super::jobs::{Job, each};
use super::plan::{Plan, ProblemPlan};
use super::policy::Action;
use super::run::{Measured, Run};
use super::store::Store;
use super::stored::Values;
use crate::compile::Service;
use crate::scan::Limits;
use bico_core::Lists;
use bico_core::device::Facts;
use bico_syntax::TunableSpec;
use bico_syntax::bind::{Bound, Scope, SpaceError};

/// Nothing comes before that.
pub(super) fn prepare(
    _: &mut Run,
    _: &[Plan],
    _: &[Vec<Job<'_>>],
    _: &mut Store,
) -> Result<(), TuneError> {
    Ok(())
}

/// Gives the first valid config of each problem that the lock knows nothing of.
pub(super) fn measure(
    run: &mut Run,
    _: &Service,
    _: Limits,
    plans: &[Plan],
    jobs: &[Vec<Job<'_>>],
    _: &mut Store,
) -> Result<Measured, TuneError> {
    let env = &run.env;
    // Tunables that got it without anybody having said so.
    let mut untold: Vec<String> = Vec::new();
    let predicted = each(plans, jobs, &mut |plan, problem, job, action| {
        let Action::Predict(skip) = action else {
            return Ok(None);
        };
        if skip.is_none() && !untold.iter().any(|key| key == plan.key()) {
            untold.push(plan.key().to_string());
        }
        let first = first(plan, problem, job.facts);
        let first = first.map_err(|error| plan.shown(env, &error))?;
        Ok(Some(Predicted {
            configs: vec![first.clone()],
            first,
        }))
    })?;
    let mut measured = Measured {
        predicted,
        ..Measured::default()
    };
    if !untold.is_empty() {
        measured.warnings.push(format!(
            "bico-build is compiled without its feature `tune`: what bico.lock does not know gets the first valid config, for {}",
            untold.join(", ")
        ));
    }
    Ok(measured)
}

/// What stands for a prediction on a device that is not here: one config, if there is one.
pub(super) fn predict(
    spec: &TunableSpec,
    facts: &Facts,
    scope: &Scope,
    _: usize,
) -> Result<Vec<Values>, SpaceError> {
    let one = default_or_first(&Bound::new(spec, facts, scope)?)?;
    Ok(one.into_iter().collect_vec())
}

fn first(plan: &Plan, problem: &ProblemPlan, facts: &Facts) -> Result<Values, SpaceError> {
    let spec = &plan.found.spec;
    default_or_first(&Bound::new(spec, facts, &problem.scope)?)?.ok_or_else(|| {
        let (label, device) = (&problem.label, facts.key());
        let message = format!("the space is empty at ({label}) on {device}");
        SpaceError::new(spec.function.span, message)
    })
}

/// The author's own config where it is valid, else the first one that is.
fn default_or_first(bound: &Bound<'_>) -> Result<Option<Values>, SpaceError> {
    let is_config = |values: &Values| bound.rules.why_not(values).is_none();
    match bound.default.clone().filter(is_config) {
        Some(default) => Ok(Some(default)),
        None => bound.rules.first(),
    }
}

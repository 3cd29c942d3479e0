//! One tunable at one problem on one device.

use crate::env::Env;
use crate::tuner::TuneError;
use crate::tuner::emission::Predicted;
use crate::tuner::plan::{self, Plan, ProblemPlan};
use bico_bind::{Bound, SpaceError};
use bico_core::device::Facts;
use bico_search::rank::{Ranked, rank};
use bico_search::search::Described;
use bico_search::space::Space;
use std::path::Path;

/// Predicted configs that a binary carries where nothing was ever measured.
const PREDICTED: usize = 4;

/// Its space, enumerated.
pub(super) struct Case<'a> {
    root: &'a Path,
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
        root: &'a Path,
        plan: &'a Plan,
        problem: &'a ProblemPlan,
        facts: &'a Facts,
    ) -> Result<(Case<'a>, Ranked), TuneError> {
        let shown = |error: SpaceError| TuneError::new(plan::render(&plan.found, root, &error));
        let spec = &plan.found.spec;
        let bound = Bound::new(spec, facts, &problem.scope).map_err(shown)?;
        let space = Space::new(&bound).map_err(shown)?;
        if let Some(why) = space.why_empty() {
            let message = format!(
                "the space is empty at ({}) on {}: {why}",
                problem.label,
                facts.key()
            );
            return Err(shown(SpaceError::new(spec.function.span, message)));
        }
        let ranked = rank(&space, &bound).map_err(shown)?;
        let case = Case {
            root,
            plan,
            problem,
            bound,
            space,
        };
        Ok((case, ranked))
    }

    /// A mistake, shown on its place in the source.
    pub(super) fn shown(&self, error: &SpaceError) -> TuneError {
        TuneError::new(plan::render(&self.plan.found, self.root, error))
    }

    /// The space as a search sees it.
    pub(super) fn described(&self) -> Described<'_> {
        Described {
            space: &self.space,
            bound: &self.bound,
        }
    }

    /// What a binary carries where nothing was measured.
    pub(super) fn predicted(&self, ranked: &Ranked) -> Predicted {
        let order = ranked.order.iter().copied();
        let mut numbers: Vec<u64> = order.take(PREDICTED).collect();
        let first = numbers.iter().position(|n| *n == 0).unwrap_or_else(|| {
            numbers.push(0);
            numbers.len() - 1
        });
        Predicted {
            configs: numbers.into_iter().map(|n| self.space.config(n)).collect(),
            first,
        }
    }

    pub(super) fn nothing_found(&self, env: &Env, summary: &str) -> TuneError {
        let plan = self.plan;
        let trail = env.trail_dir().join(plan.trail_file());
        let message = format!(
            "no config of `{}` ({}) ran and was right",
            plan.key(),
            self.problem.label
        );
        let error = SpaceError::new(plan.found.spec.function.span, message);
        let text = plan::render(&plan.found, self.root, &error);
        TuneError::new(format!(
            "{}\n  = note: {summary}\n  = help: {} names each config with its reason; `BICO=off cargo build` builds without measuring",
            text.trim_end(),
            trail.display()
        ))
    }
}

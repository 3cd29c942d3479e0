//! A run of a bico-build without the feature `tune`: nothing is ranked or measured.

use super::TuneError;
use super::emission::Predicted;
use super::jobs::Job;
use super::plan::{self, Plan, ProblemPlan};
use super::policy::Action;
use super::store::Store;
use super::stored::Values;
use crate::compile::Service;
use crate::env::Env;
use bico_bind::{Bound, SpaceError};
use bico_core::device::Facts;

/// Stands where a search would.
pub(super) struct Session<'a> {
    env: &'a Env,
    /// Tunables that got the first config of their space without anybody having said so.
    untold: Vec<String>,
}

impl<'a> Session<'a> {
    pub(super) fn new(env: &'a Env, _: &'a Service, _: f64) -> Session<'a> {
        Session {
            env,
            untold: Vec::new(),
        }
    }

    pub(super) fn has_measured(&self) -> bool {
        false
    }

    pub(super) fn warnings(&self) -> Vec<String> {
        if self.untold.is_empty() {
            return Vec::new();
        }
        vec![format!(
            "bico-build is compiled without its feature `tune`: what bico.lock does not know gets the first valid config, for {}",
            self.untold.join(", ")
        )]
    }

    pub(super) fn closing_line(&self) -> Option<String> {
        None
    }

    /// Gives the first valid config of each problem that the lock knows nothing of.
    pub(super) fn run(
        &mut self,
        plans: &[Plan],
        jobs: &[Vec<Job<'_>>],
        _: &mut Store,
    ) -> Result<Vec<Vec<Option<Predicted>>>, TuneError> {
        let mut all = Vec::new();
        for (plan, jobs) in plans.iter().zip(jobs) {
            let mut predicted = vec![None; plan.problems.len()];
            for job in jobs {
                let asked = plan.problems.iter().zip(&job.actions).zip(&mut predicted);
                for ((problem, action), predicted) in asked {
                    let Action::Predict(skip) = action else {
                        continue;
                    };
                    if skip.is_none() && !self.untold.iter().any(|key| key == plan.key()) {
                        self.untold.push(plan.key().to_string());
                    }
                    let first = first(plan, problem, job.facts).map_err(|error| {
                        let root = &self.env.manifest_dir;
                        TuneError::new(plan::render(&plan.found, root, &error))
                    })?;
                    predicted.get_or_insert(Predicted {
                        configs: vec![first],
                        first: 0,
                    });
                }
            }
            all.push(predicted);
        }
        Ok(all)
    }
}

fn first(plan: &Plan, problem: &ProblemPlan, facts: &Facts) -> Result<Values, SpaceError> {
    let spec = &plan.found.spec;
    let bound = Bound::new(spec, facts, &problem.scope)?;
    bound.rules().first()?.ok_or_else(|| {
        let message = format!(
            "the space is empty at ({}) on {}",
            problem.label,
            facts.key()
        );
        SpaceError::new(spec.function.span, message)
    })
}

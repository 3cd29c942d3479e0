//! What comes before anything is measured.

use super::case::task;
use crate::report::{Deed, Task};
use crate::tuner::TuneError;
use crate::tuner::asked::Asked;
use crate::tuner::jobs::Job;
use crate::tuner::plan::Plan;
use crate::tuner::policy::Action;
use crate::tuner::run::Run;
use crate::tuner::store::Store;

/// Tells what will be done, and tries whether the lock can be written.
///
/// # Errors
///
/// It cannot, and is to be.
pub(in crate::tuner) fn prepare(
    run: &mut Run,
    plans: &[Plan],
    jobs: &[Vec<Job<'_>>],
    store: &mut Store,
) -> Result<(), TuneError> {
    let is_kept = run.env.shard.is_none();
    let mut all = jobs.iter().flatten();
    if is_kept && all.any(Job::measures) {
        store.try_write(run.env.mode)?;
    }
    run.listener.tasks(tasks(&run.asked, plans, jobs));
    Ok(())
}

/// What is done, in order.
fn tasks(asked: &Asked, plans: &[Plan], jobs: &[Vec<Job<'_>>]) -> Vec<Task> {
    let mut tasks = Vec::new();
    for (plan, jobs) in plans.iter().zip(jobs) {
        for job in jobs {
            for (problem, action) in plan.problems.iter().zip(&job.actions) {
                let deed = match action {
                    Action::Use | Action::Fail => Deed::Keep,
                    Action::Verify => Deed::Verify,
                    Action::Check => Deed::Check,
                    Action::Tune => Deed::Search,
                    Action::Predict(_) => Deed::Predict,
                };
                if asked.concerns(plan, problem, job.target) {
                    tasks.push(task(plan, problem, job.facts.key(), deed));
                }
            }
        }
    }
    tasks
}

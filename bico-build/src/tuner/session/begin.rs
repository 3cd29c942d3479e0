//! What comes before anything is measured.

use super::case::{bound_space, task};
use crate::report::{Deed, Task};
use crate::tuner::TuneError;
use crate::tuner::asked::Asked;
use crate::tuner::jobs::Job;
use crate::tuner::plan::{Plan, ProblemPlan};
use crate::tuner::policy::Action;
use crate::tuner::run::Run;
use crate::tuner::store::Store;

/// Tells what will be done, and tries whether the lock can be written and all spaces have configs.
///
/// # Errors
///
/// It cannot, and is to be; or one has none.
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
    look_at_spaces(run, plans, jobs)?;
    run.listener.tasks(tasks(&run.asked, plans, jobs));
    Ok(())
}

/// Nobody waits for a search to hear that the space after it is empty.
fn look_at_spaces(run: &Run, plans: &[Plan], jobs: &[Vec<Job<'_>>]) -> Result<(), TuneError> {
    let searched = every(plans, jobs).filter(|(_, problem, job, action)| {
        // A size in between may have no config.
        let is_asked = matches!(action, Action::Check | Action::Tune) && !problem.is_between();
        is_asked && job.target.is_some()
    });
    // The first one's is looked at at once.
    for (plan, problem, job, _) in searched.skip(1) {
        bound_space(&run.env, plan, problem, job.facts)?;
    }
    Ok(())
}

/// What is done, in order.
fn tasks(asked: &Asked, plans: &[Plan], jobs: &[Vec<Job<'_>>]) -> Vec<Task> {
    let mut tasks = Vec::new();
    for (plan, problem, job, action) in every(plans, jobs) {
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
    tasks
}

/// Each problem of each tunable on each device, with what is done about it.
fn every<'a>(
    plans: &'a [Plan],
    jobs: &'a [Vec<Job<'a>>],
) -> impl Iterator<Item = (&'a Plan, &'a ProblemPlan, &'a Job<'a>, Action)> {
    let jobs = plans.iter().zip(jobs);
    let jobs = jobs.flat_map(|(plan, jobs)| jobs.iter().map(move |job| (plan, job)));
    jobs.flat_map(|(plan, job)| {
        let asked = plan.problems.iter().zip(&job.actions);
        asked.map(move |(problem, action)| (plan, problem, job, *action))
    })
}

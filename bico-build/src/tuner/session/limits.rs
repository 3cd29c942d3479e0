//! What searches may take: their budgets, and the package's cap, which they share.

use super::Session;
use crate::measure::Limit;
use crate::tuner::jobs::Job;
use crate::tuner::plan::{Plan, ProblemPlan};
use crate::tuner::policy::Action;
use bico_search::anchors::PART;

/// What checking a stale entry again may take.
const CHECK_SECONDS: f64 = 10.0;
/// With less than this left of the cap, a search is not begun.
pub(super) const LEAST_SECONDS: f64 = 0.5;

/// The seconds that a tunable's searches ask for.
pub(super) fn wanted(plan: &Plan, jobs: &[Job<'_>]) -> f64 {
    let mut wanted = 0.0;
    for job in jobs {
        for (problem, action) in plan.problems.iter().zip(&job.actions) {
            if *action == Action::Tune {
                wanted += asked(plan, problem);
            }
        }
    }
    wanted
}

/// The seconds that one search asks for. Few sizes in between are looked at: some eight of 31.
fn asked(plan: &Plan, problem: &ProblemPlan) -> f64 {
    let seconds = plan.found.budget.seconds;
    match problem.is_between() {
        true => seconds / PART as f64 / 4.0,
        false => seconds,
    }
}

impl Session<'_> {
    /// Seconds left of the package's cap.
    pub(super) fn left(&self) -> f64 {
        let limit = self.limit.as_ref();
        limit.map_or(f64::INFINITY, |limit| limit.left().max(0.0))
    }

    /// What a search may take; `None` where the cap is used up.
    pub(super) fn seconds(
        &mut self,
        plan: &Plan,
        problem: &ProblemPlan,
        searches: bool,
    ) -> Option<f64> {
        let (budget, wanted) = (plan.found.budget.seconds, asked(plan, problem));
        let asked = match problem.is_between() {
            true => budget / PART as f64,
            false => budget,
        };
        let (left, share) = (self.left(), asked / self.wanted.max(asked));
        let (most, turn) = match searches {
            true if asked > 0.0 => (asked, left * share),
            true => (asked, left),
            false => (CHECK_SECONDS, left),
        };
        self.turn = Limit::new(turn);
        let seconds = most.min(turn);
        if searches {
            self.wanted -= wanted;
        }
        if seconds < LEAST_SECONDS.min(asked) {
            if !self.leaves_out(problem) {
                self.give_up(plan, problem);
            }
            return None;
        }
        Some(seconds)
    }

    /// What a search may take that nobody had planned.
    pub(super) fn seconds_anew(&mut self, plan: &Plan, problem: &ProblemPlan) -> Option<f64> {
        self.wanted += asked(plan, problem);
        self.seconds(plan, problem, true)
    }

    pub(super) fn give_up(&mut self, plan: &Plan, problem: &ProblemPlan) {
        let capped = format!("{} ({})", plan.key(), problem.label);
        self.capped.push(capped);
    }
}

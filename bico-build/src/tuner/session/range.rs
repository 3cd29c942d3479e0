//! Sizes in between: which of a range's middles a search looks at, and which become anchors.

use super::Session;
use super::brief::Done;
use super::case::Case;
use super::tally::plural;
use crate::lock::Entry;
use crate::tuner::TuneError;
use crate::tuner::plan::{Plan, ProblemPlan};
use crate::tuner::policy::Action;
use crate::tuner::range::Point;
use crate::tuner::store::Store;
use bico_core::Lists;
use bico_core::device::DeviceKey;
use bico_search::anchors::Anchors;
use bico_search::search::Ratio;

/// The range that is tuned now.
pub(super) struct Ranged {
    anchors: Anchors,
    /// Middles that were not looked at because the package's cap was used up.
    left_out: u64,
}

/// What stands in the store of a size of the range.
fn entry<'s>(plan: &Plan, store: &'s Store, device: &DeviceKey, at: usize) -> Option<&'s Entry> {
    store.entry(plan.key(), device, &plan.problems[at].key)
}

/// The sizes of the range that a problem is of.
fn points(plan: &Plan, own: &Point) -> impl Iterator<Item = (i64, Option<[usize; 2]>)> {
    let problems = plan.problems[own.start..].iter().take(own.count);
    let points = problems.filter_map(|of| of.point.as_ref());
    points.map(|point| (point.size, point.between))
}

impl Session<'_> {
    /// Whether a size is looked at: of a range that is tuned, only those in between that tell something. What the lock
    /// has for the others is an older search's, and goes.
    pub(super) fn looks(
        &mut self,
        plan: &Plan,
        problem: &ProblemPlan,
        device: &DeviceKey,
        action: Action,
        store: &mut Store,
    ) -> bool {
        let Some(point) = &problem.point else {
            return true;
        };
        if point.at == point.start {
            self.ranged = None;
        }
        if point.between.is_none() {
            if action == Action::Tune && self.ranged.is_none() {
                self.ranged = Some(Ranged {
                    anchors: Anchors::new(points(plan, point).collect_vec()),
                    left_out: 0,
                });
            }
            return true;
        }
        let at = point.at - point.start;
        if action != Action::Tune && entry(plan, store, device, point.at).is_some() {
            self.places(problem);
        }
        let Some(ranged) = self.ranged.as_ref().filter(|_| action == Action::Tune) else {
            return true;
        };
        let neighbours = ranged.anchors.neighbours(at).map(|of| point.start + of);
        let [low, high] = neighbours.map(|of| entry(plan, store, device, of));
        let looks = low.zip(high).is_some_and(|(low, high)| {
            let agree = low.winner.config == high.winner.config;
            ranged.anchors.is_open(at, agree)
        });
        if !looks {
            self.no_anchor(plan, problem, device, store);
        }
        looks
    }

    /// A size in between is an anchor, as an earlier run has found.
    pub(super) fn places(&mut self, problem: &ProblemPlan) {
        if let (Some(ranged), Some(point)) = (&mut self.ranged, &problem.point)
            && point.between.is_some()
        {
            ranged.anchors.judge(point.at - point.start, [None, None]);
        }
    }

    /// A size in between has no entry of its own.
    fn no_anchor(&self, plan: &Plan, of: &ProblemPlan, device: &DeviceKey, store: &mut Store) {
        if store.entry(plan.key(), device, &of.key).is_some() {
            store.discard(plan.key(), device, &of.key);
        }
    }

    /// The winners of the anchors on both sides of a size in between, where a range is tuned: they are measured there
    /// before all others.
    pub(super) fn neighbours(&self, case: &Case<'_>, store: &Store) -> Option<[Option<u64>; 2]> {
        let point = case.problem.point.as_ref()?;
        let ranged = self.ranged.as_ref().filter(|_| case.problem.is_between())?;
        let device = case.bound.facts.key();
        let neighbours = ranged.anchors.neighbours(point.at - point.start);
        Some(neighbours.map(|of| {
            let entry = entry(case.plan, store, &device, point.start + of)?;
            case.number(&entry.winner)
        }))
    }

    /// The cap ended before a size in between had its turn; `false` where it is none.
    pub(super) fn leaves_out(&mut self, problem: &ProblemPlan) -> bool {
        match &mut self.ranged {
            Some(ranged) if problem.is_between() => {
                ranged.left_out += 1;
                true
            }
            _ => false,
        }
    }

    /// Whether the entry of what was found is kept: not where the neighbours' winners serve a size in between.
    pub(super) fn is_anchor(&mut self, case: &Case<'_>, done: &Done, store: &mut Store) -> bool {
        let (Some(neighbours), Some(point)) = (done.brief.neighbours, &case.problem.point) else {
            return true;
        };
        let Some(ranged) = &mut self.ranged else {
            return true;
        };
        let winner = done.found.winner.as_ref();
        let loss = |neighbour: Option<u64>| {
            let (neighbour, winner) = (neighbour?, winner?.config);
            let (own, best) = done.found.trail.both(neighbour, winner)?;
            Some(match neighbour == winner {
                true => 0.0,
                false => Ratio::new(own, best).middle - 1.0,
            })
        };
        let is_anchor = ranged
            .anchors
            .judge(point.at - point.start, neighbours.map(loss));
        if !is_anchor {
            self.no_anchor(case.plan, case.problem, &case.bound.facts.key(), store);
        }
        is_anchor
    }

    /// Says what came of a range, behind its last size, and takes out of the lock what is no anchor any more.
    pub(super) fn ends(
        &mut self,
        plan: &Plan,
        problem: &ProblemPlan,
        store: &mut Store,
    ) -> Result<(), TuneError> {
        let point = problem.point.as_ref();
        let Some(point) = point.filter(|point| point.at + 1 == point.start + point.count) else {
            return Ok(());
        };
        let Some(ranged) = self.ranged.take() else {
            return Ok(());
        };
        store.forget()?;
        let (sizes, estimate) = (ranged.anchors.sizes(), ranged.anchors.estimate());
        let name = &point.name;
        let anchors = sizes.iter().map(i64::to_string).collect_vec().join(", ");
        let (first, last) = (sizes[0], sizes[sizes.len() - 1]);
        let middles = plural(estimate.measured, "size");
        let (mean, worst) = (100.0 * estimate.mean, 100.0 * estimate.worst);
        let mut line = format!(
            "`{}` ({name}={first}..={last}): {} at {name} = {anchors}; sizes in between lose an estimated {mean:.1} % on average, {worst:.1} % at most, by {middles} measured between anchors",
            plan.key(),
            plural(sizes.len() as u64, "anchor"),
        );
        if ranged.left_out > 0 {
            line += ", and no more since the package's cap was used up: raise `cap` in [package.metadata.bico], and `BICO=tune cargo build` goes on";
        }
        self.ranges.push(line);
        Ok(())
    }
}

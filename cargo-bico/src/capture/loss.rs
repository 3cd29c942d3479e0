//! What a size is expected to lose where another problem's winner serves it, by what searches measured of both.

use super::propose::distance;
use crate::trail::{self, Trail};
use bico_build::env::Env;
use bico_build::lock::Lock;
use bico_build::tuner::plan::Plan;
use bico_core::device::DeviceKey;
use std::collections::BTreeMap;

/// What the winner of one problem loses at another, by their places; on average over the devices.
pub(super) struct Losses(BTreeMap<(usize, usize), f64>);

impl Losses {
    /// By the lock, and the trails of this machine. What is not there teaches nothing, nor does another state of the kernel.
    pub(super) fn of(plan: &Plan, env: &Env, lock: &Lock) -> Losses {
        let trails = trail::read(&plan.trail(env)).ok().flatten();
        let mut trails = trails.unwrap_or_default();
        let now = || Some(plan.hashes.kernel().to_string());
        trail::take_outdated(&mut trails, &now);
        let place = |trail: &Trail| plan.problems.iter().position(|of| of.key == trail.problem);
        let mut all: BTreeMap<(usize, usize), Vec<f64>> = BTreeMap::new();
        for (at, problem) in plan.problems.iter().enumerate() {
            for trail in &trails {
                let Some(other) = place(trail).filter(|other| *other != at) else {
                    continue;
                };
                let known = lock.kernels.get(plan.key());
                let device = known.and_then(|of| of.get(&DeviceKey::new(trail.device.clone())));
                let Some(entry) = device.and_then(|of| of.get(&problem.key)) else {
                    continue;
                };
                let winner = crate::config::values(&entry.winner.config);
                let is_winner = |row: &&trail::Row| {
                    let mut values = row.values.iter();
                    row.values.len() == winner.len()
                        && values.all(|(name, value)| winner.get(name) == Some(value))
                };
                let taken = trail.rows.iter().filter(is_winner);
                let taken = taken.filter_map(|row| row.seconds).next_back();
                let best = trail
                    .rows
                    .iter()
                    .filter_map(|row| row.seconds)
                    .reduce(f64::min);
                if let (Some(taken), Some(best)) = (taken, best)
                    && best > 0.0
                {
                    all.entry((at, other)).or_default().push(taken / best - 1.0);
                }
            }
        }
        let mean = |(pair, of): (_, Vec<f64>)| (pair, of.iter().sum::<f64>() / of.len() as f64);
        Losses(all.into_iter().map(mean).collect())
    }

    /// What calls of these sizes lose with the winner of a problem: nothing at its own, and on the way to another one a
    /// part of what it was measured to lose there.
    pub(super) fn at(&self, plan: &Plan, problem: usize, sizes: &[i64]) -> Option<f64> {
        let own = &plan.problems[problem].sizes;
        let gone = distance(own, sizes).sqrt();
        if gone == 0.0 {
            return Some(0.0);
        }
        let known = self.0.iter().filter(|((of, _), _)| *of == problem);
        let apart = |at: usize| distance(&plan.problems[at].sizes, sizes);
        let nearest = known.min_by(|a, b| apart(a.0.1).total_cmp(&apart(b.0.1)));
        let ((_, other), loss) = nearest?;
        let way = distance(own, &plan.problems[*other].sizes).sqrt();
        (way > 0.0).then(|| loss * (gone / way).min(1.0))
    }
}

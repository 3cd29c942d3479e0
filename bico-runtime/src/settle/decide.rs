//! What serves a problem before anything was learned: the lock's winner, a near device's, or the model's best.

use crate::images;
use crate::learn::{Mode, mode};
use crate::target::Call;
use bico_core::Lists;
use bico_core::device::{DeviceKey, Facts, Kinship};
use bico_core::model;
use bico_core::sorted;
use core::cmp::Ordering;

/// A winner on a device.
#[derive(Clone, Copy)]
pub(super) struct Winner {
    /// Index into the devices.
    pub(super) device: usize,
    pub(super) candidate: usize,
    /// Index of the problem that it won.
    pub(super) at: usize,
}

impl Call<'_> {
    /// What serves its problem: the winner on this device or, of a GPU, on one of the same compute capability. Without
    /// one, the best of the model's ranking.
    pub(super) fn decide(&self) -> Option<(usize, Option<Winner>)> {
        let own = self.on.call_of(self.problem);
        let mut winners = self.own_winners();
        // What nobody verified serves where it won, and elsewhere only where nothing runs that somebody did.
        let is_verified = |candidate| self.on.tunable.is_verified(candidate);
        if let Facts::Cuda(_) = self.on.facts {
            let any = self.order().any(is_verified);
            let serves = |candidate| !any || is_verified(candidate);
            let near = self.winners(&|key| {
                key != self.on.key && key.kinship(self.on.key) == Kinship::Architecture
            });
            let near = near.into_iter();
            winners.extend(near.filter(|winner| serves(winner.candidate)));
        }
        let mut winners = winners.into_iter();
        if let Some(winner) = winners.find(|winner| own.runs(winner.candidate)) {
            return Some((winner.candidate, Some(winner)));
        }
        // The first of the best: the order begins with the winners of other devices. What the ranking puts
        // last is not even loaded.
        let mut fitting: Vec<usize> = self.order().collect_vec();
        fitting.retain(|&candidate| own.fits(candidate));
        let ranks: Vec<_> = fitting
            .iter()
            .map(|&at| (!is_verified(at), self.rank(at)))
            .collect_vec();
        let ranked = sorted::order(fitting.len(), &|a, b| {
            ranks[a].partial_cmp(&ranks[b]).unwrap_or(Ordering::Equal)
        });
        let mut ranked = ranked.into_iter().map(|at| fitting[at]);
        let best = ranked.find(|&candidate| own.runs(candidate))?;
        Some((best, None))
    }

    /// The winners on this device. Learning anew takes it for one that nobody knows.
    pub(super) fn own_winners(&self) -> Vec<Winner> {
        let known = mode() != Mode::Anew;
        self.winners(&|key| known && key == self.on.key)
    }

    /// Whether a winner is one on this device.
    pub(super) fn is_own(&self, winner: &Winner) -> bool {
        self.on.tunable.device(winner.device) == *self.on.key
    }

    /// The winners for its problem on devices of these keys, else those for the nearest problem of the same
    /// constants that has any: one that was not tuned there borrows from no other. In the order of the devices.
    fn winners(&self, of: &dyn Fn(&DeviceKey) -> bool) -> Vec<Winner> {
        let tunable = self.on.tunable;
        let data = tunable.data;
        let width = data.sizes.len();
        let logs = |i: usize| &tunable.logs[i * width..(i + 1) * width];
        let distance = |i: usize| -> i64 {
            let pairs = logs(self.problem).iter().zip(logs(i));
            pairs.map(|(a, b)| (a - b) * (a - b)).sum()
        };
        let (mut nearest, mut found) = (None, Vec::new());
        for (at, problem) in data.problems.iter().enumerate() {
            let place = Some((at != self.problem, distance(at)));
            if problem.variant != self.variant() || (nearest.is_some() && nearest <= place) {
                continue;
            }
            let mut winners = Vec::new();
            for device in 0..data.devices.len() {
                let mut here = problem.winners.iter();
                let won = here.find(|(known, _)| usize::from(*known) == device);
                if let Some(&(_, candidate)) = won.filter(|_| of(&tunable.device(device))) {
                    let candidate = usize::from(candidate);
                    winners.push(Winner {
                        device,
                        candidate,
                        at,
                    });
                }
            }
            if !winners.is_empty() {
                (nearest, found) = (place, winners);
            }
        }
        found
    }

    /// Smaller is better. Where the expression has no value, the candidate comes last.
    pub(crate) fn rank(&self, candidate: usize) -> f64 {
        let mut scope = self.on.call_of(self.problem).scope(candidate);
        let of = &self.on.tunable.data.candidates[candidate];
        scope.vector_bits = model::vector_bits_of(of.needs, !of.only_on.is_empty());
        if let (Facts::Cuda(gpu), Some(code)) = (self.on.facts, &of.gpu) {
            scope.registers = images::registers(code.images, gpu.compute_capability);
        }
        match (self.on.tunable.rules.rank)(&scope) {
            Ok(rank) if !rank.is_nan() => rank,
            _ => f64::INFINITY,
        }
    }
}

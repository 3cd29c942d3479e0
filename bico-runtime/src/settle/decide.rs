//! What serves a problem before anything was learned: the lock's winner, a near device's, or the model's best.

use super::{fits, runs};
use crate::dispatch::Tunable;
use crate::gpu::images;
use crate::learn::{Mode, mode};
use crate::target::Target;
use bico_core::device::{DeviceKey, Facts, Kinship};
use bico_core::model;

/// Where a decision comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Basis {
    /// The winner on this device, of the problem of this index.
    Tuned(usize),
    /// The winner on a GPU of the same compute capability.
    SameCapability(Winner),
    /// The model's ranking for this device.
    Ranked,
}

/// A winner on a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Winner {
    /// Index into the devices.
    pub(super) device: usize,
    pub(super) candidate: usize,
    /// Index of the problem that it won.
    pub(super) at: usize,
}

pub(super) fn decide(tunable: &Tunable, on: Target, index: usize) -> Option<(usize, Basis)> {
    let data = tunable.data;
    let problem = &data.problems[index];
    let runs = |&candidate: &usize| runs(tunable, on, candidate, index, problem.sizes);
    let own = own_winners(tunable, on, index);
    if let Some(winner) = own.into_iter().find(|winner| runs(&winner.candidate)) {
        return Some((winner.candidate, Basis::Tuned(winner.at)));
    }
    if let Facts::Cuda(_) = on.facts {
        let kin = winners(tunable, index, |key| {
            key != on.key && key.kinship(on.key) == Kinship::Architecture
        });
        if let Some(winner) = kin.into_iter().find(|winner| runs(&winner.candidate)) {
            return Some((winner.candidate, Basis::SameCapability(winner)));
        }
    }
    // The first of the best: `order` begins with the winners of other devices. What the ranking puts
    // last is not even loaded.
    let mut ranked: Vec<(usize, f64)> = tunable
        .order(index)
        .filter(|&candidate| fits(tunable, on, candidate, index, problem.sizes))
        .map(|candidate| (candidate, rank(tunable, on, candidate, index)))
        .collect();
    ranked.sort_by(|a, b| a.1.partial_cmp(&b.1).unwrap_or(core::cmp::Ordering::Equal));
    let mut ranked = ranked.into_iter().map(|(candidate, _)| candidate);
    ranked.find(runs).map(|best| (best, Basis::Ranked))
}

/// The winners on this device. Learning anew takes it for one that nobody knows.
pub(super) fn own_winners(tunable: &Tunable, on: Target, index: usize) -> Vec<Winner> {
    let known = mode() != Mode::Anew;
    winners(tunable, index, |key| known && key == on.key)
}

/// The winners for a problem on devices of these keys, with those for other problems of the same
/// constants behind, the nearest first. Of devices with a winner for the same problem: in their order.
fn winners(tunable: &Tunable, index: usize, of: impl Fn(&DeviceKey) -> bool) -> Vec<Winner> {
    let data = tunable.data;
    let width = data.sizes.len();
    let logs = |i: usize| &tunable.logs[i * width..(i + 1) * width];
    let distance = |i: usize| -> i64 {
        logs(index)
            .iter()
            .zip(logs(i))
            .map(|(a, b)| (a - b) * (a - b))
            .sum()
    };
    let variant = tunable.variant(index);
    let devices: Vec<usize> = (0..data.devices.len())
        .filter(|&device| of(&tunable.device(device)))
        .collect();
    let mut found = Vec::new();
    for (at, problem) in data.problems.iter().enumerate() {
        if problem.variant == variant {
            found.extend(devices.iter().filter_map(|&device| {
                let mut winners = problem.winners.iter();
                let winner = winners.find(|(known, _)| usize::from(*known) == device)?;
                Some(Winner {
                    device,
                    candidate: usize::from(winner.1),
                    at,
                })
            }));
        }
    }
    found.sort_by_key(|winner| (winner.at != index, distance(winner.at), winner.at));
    // A problem that was not tuned here borrows from the nearest one that was, and from no other.
    let nearest = found.first().map(|winner| winner.at);
    found.retain(|winner| Some(winner.at) == nearest);
    found
}

/// Smaller is better. Where the expression has no value, the candidate comes last.
pub(crate) fn rank(tunable: &Tunable, on: Target, candidate: usize, problem: usize) -> f64 {
    let sizes = tunable.data.problems[problem].sizes;
    let mut scope = tunable.scope(on.facts, candidate, problem, sizes);
    let of = &tunable.data.candidates[candidate];
    scope.vector_bits = model::vector_bits_of(of.needs, !of.only_on.is_empty());
    if let (Facts::Cuda(gpu), Some(code)) = (on.facts, &of.gpu) {
        scope.registers = images::registers(code.images, gpu.compute_capability);
    }
    match (tunable.rules.rank)(&scope) {
        Ok(rank) if !rank.is_nan() => rank,
        _ => f64::INFINITY,
    }
}

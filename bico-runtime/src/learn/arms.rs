//! The arms of a bucket: which candidates may run here, the most promising first.

use super::bandit::Prior;
use super::shared::ARMS;
use crate::dispatch::Tunable;
use crate::settle;
use crate::target::Target;

/// What a device further away takes off a candidate's promise, as a logarithm of time. From recorded
/// spaces: a winner of another generation is at 60 to 95 % of the best, one of another vendor's at 5 to 60 %.
const STEP: f64 = 0.1;

/// What counts as the distance where a candidate won on no device: a step more than the furthest one's.
const NOWHERE: u32 = 5;

/// What the model says counts up to this: beyond, it only says that it is far off.
const FAR: f64 = 1.5;

/// The candidates of a problem with what is expected of them.
pub(super) fn arms(tunable: &Tunable, on: Target, problem: usize) -> Vec<(u16, Prior)> {
    let mut candidates = settle::possible(tunable, on, problem);
    // Without learning, this one would serve. Where nothing was ever verified, it does.
    let first = settle::first(tunable, on, problem);
    if candidates.is_empty() {
        candidates.extend(first);
    }
    let ranks: Vec<f64> = candidates
        .iter()
        .map(|&candidate| settle::rank(tunable, on, candidate, problem))
        .collect();
    let best = ranks.iter().copied().fold(f64::INFINITY, f64::min);
    let mut order: Vec<usize> = ranks.iter().enumerate().map(|(at, _)| at).collect();
    order.sort_by(|&a, &b| ranks[a].total_cmp(&ranks[b]));
    // A score has no unit: only its order counts.
    let time = best > 0.0 && tunable.rules.timed;
    let expected = |at: usize| {
        let model = match time {
            true => (ranks[at] / best).ln().min(FAR),
            false => 0.05 * order.iter().position(|&other| other == at).unwrap_or(0) as f64,
        };
        model + STEP * f64::from(distance(tunable, on, problem, candidates[at]))
    };
    let mut arms: Vec<(u16, f64)> = (0..candidates.len())
        .map(|at| (candidates[at] as u16, expected(at)))
        .collect();
    arms.sort_by(|a, b| a.1.total_cmp(&b.1));
    if let Some(first) = first
        && let Some(at) = arms
            .iter()
            .position(|(candidate, _)| usize::from(*candidate) == first)
    {
        arms[..=at].rotate_right(1);
    }
    arms.truncate(ARMS);
    let least = arms
        .iter()
        .map(|(_, gap)| *gap)
        .fold(f64::INFINITY, f64::min);
    arms.into_iter()
        .map(|(candidate, gap)| {
            let gap = (gap - least).max(0.0);
            // Only the order counts: how far the model is off on a device that nobody has seen is not known.
            (candidate, Prior { gap, weight: 0.0 })
        })
        .collect()
}

/// How far the nearest device is that a candidate won on.
fn distance(tunable: &Tunable, on: Target, problem: usize, candidate: usize) -> u32 {
    let devices = tunable.won_on(candidate, problem);
    let distances = devices.map(|device| on.key.distance(&device));
    distances.min().unwrap_or(NOWHERE)
}

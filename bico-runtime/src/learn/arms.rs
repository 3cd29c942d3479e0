//! The arms of a bucket: which candidates may run here, the most promising first.

use super::bandit::Prior;
use super::shared::ARMS;
use crate::sort;
use crate::target::Call;

/// What a device further away takes off a candidate's promise, as a logarithm of time. From recorded
/// spaces: a winner of another generation is at 60 to 95 % of the best, one of another vendor's at 5 to 60 %.
const STEP: f64 = 0.1;

/// What counts as the distance where a candidate won on no device: a step more than the furthest one's.
const NOWHERE: u32 = 5;

/// What the model says counts up to this: beyond, it only says that it is far off.
const FAR: f64 = 1.5;

/// The candidates of a call's problem with what is expected of them.
pub(super) fn arms(call: &Call<'_>) -> Vec<(usize, Prior)> {
    let mut candidates = call.possible();
    // Without learning, this one would serve. Where nothing was ever verified, it does.
    let first = call.first();
    if candidates.is_empty() {
        candidates.extend(first);
    }
    let ranks: Vec<f64> = candidates.iter().map(|&at| call.rank(at)).collect();
    let order = sort::order(ranks.len(), &|a, b| ranks[a].total_cmp(&ranks[b]));
    let best = order.first().map_or(f64::INFINITY, |&at| ranks[at]);
    // A score has no unit: only its order counts.
    let time = best > 0.0 && call.on.tunable.rules.timed;
    let mut gaps = vec![0.0; ranks.len()];
    for (place, &at) in order.iter().enumerate() {
        let model = match time {
            true => (ranks[at] / best).ln().min(FAR),
            false => 0.05 * place as f64,
        };
        gaps[at] = model + STEP * f64::from(distance(call, candidates[at]));
    }
    let mut order = sort::order(gaps.len(), &|a, b| gaps[a].total_cmp(&gaps[b]));
    let own = order.iter().position(|&at| Some(candidates[at]) == first);
    if let Some(place) = own {
        order[..=place].rotate_right(1);
    }
    order.truncate(ARMS);
    let least = order
        .iter()
        .map(|&at| gaps[at])
        .fold(f64::INFINITY, f64::min);
    let arm = |at: usize| {
        let gap = (gaps[at] - least).max(0.0);
        // Only the order counts: how far the model is off on a device that nobody has seen is not known.
        (candidates[at], Prior { gap, weight: 0.0 })
    };
    order.into_iter().map(arm).collect()
}

/// How far the nearest device is that a candidate won on.
fn distance(call: &Call<'_>, candidate: usize) -> u32 {
    let devices = call.on.tunable.won_on(candidate, call.problem);
    let distances = devices.iter().map(|device| call.on.key.distance(device));
    distances.min().unwrap_or(NOWHERE)
}

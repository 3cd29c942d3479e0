//! Finding the scales of the kernel that explain the trials best.

use super::cholesky::{dot, factor, solve};
use super::kernel::WEIGHT_SPREAD;
use super::kernel::{self, LENGTH, LENGTH_SPREAD, NOISE, NOISE_RANGE, NOISE_SPREAD, Scales};
use super::process::{Belief, VARIANCE_COUNT, centred};
use super::table::Table;
use crate::ascending;
use bico_core::Lists;
use bico_core::sorted::sort_by;

/// Trials that the scales are fitted to: more of them cost much and say little more.
const MOST_TRIALS: usize = 96;
/// Rounds of the search for better scales; each goes through all of them once.
const ROUNDS: usize = 3;
const FIRST_STEP: f64 = 0.7;
const LAST_STEP: f64 = 0.1;

/// Improves the scales by a pattern search (Hooke and Jeeves, 1961) along one of them after the
/// other: derivatives would cost more than they save with so few trials.
pub(super) fn fit(
    table: &Table,
    start: &Scales,
    candidates: &[usize],
    values: &[f64],
    belief: Option<Belief>,
) -> Scales {
    let (candidates, values) = thin(candidates, values);
    let posterior = |scales: &Scales| likelihood(table, scales, &candidates, &values, belief);
    let mut scales = start.clone();
    let mut best = posterior(&scales);
    let mut steps = vec![FIRST_STEP; table.features.len() + 4];
    for _ in 0..ROUNDS {
        for (place, step) in steps.iter_mut().enumerate() {
            if *step < LAST_STEP {
                continue;
            }
            let better = [*step, -*step].into_iter().find_map(|step| {
                let tried = moved(&scales, place, step)?;
                let value = posterior(&tried);
                (value > best).then_some((value, tried))
            });
            match better {
                Some((value, tried)) => {
                    (best, scales) = (value, tried);
                    *step *= 1.3;
                }
                None => *step *= 0.5,
            }
        }
    }
    scales
}

fn moved(scales: &Scales, place: usize, step: f64) -> Option<Scales> {
    let mut moved = scales.clone();
    let features = moved.lengths.len();
    let scale = match place.checked_sub(features) {
        None => &mut moved.lengths[place],
        Some(weight @ 0..3) => &mut moved.weights[weight],
        Some(_) => &mut moved.noise,
    };
    *scale += step;
    let [least, most] = NOISE_RANGE;
    (least..=most).contains(&moved.noise).then_some(moved)
}

/// The best third of what is kept, and an even choice of the rest.
fn thin(candidates: &[usize], values: &[f64]) -> (Vec<usize>, Vec<f64>) {
    if candidates.len() <= MOST_TRIALS {
        return (candidates.to_vec(), values.to_vec());
    }
    let mut order: Vec<usize> = (0..values.len()).collect_vec();
    ascending(&mut order, &|at| values[*at]);
    let (best, rest) = order.split_at(MOST_TRIALS / 3);
    let wanted = MOST_TRIALS - best.len();
    let spread = (0..wanted).map(|i| rest[i * rest.len() / wanted]);
    let mut kept: Vec<usize> = best.iter().copied().chain(spread).collect_vec();
    sort_by(&mut kept, &Ord::cmp);
    kept.iter().map(|i| (candidates[*i], values[*i])).unzip()
}

/// Logarithm of the posterior density of the scales, but for a constant. Mean and variance of the
/// process are integrated out or set to their best.
fn likelihood(
    table: &Table,
    scales: &Scales,
    candidates: &[usize],
    values: &[f64],
    belief: Option<Belief>,
) -> f64 {
    let mut rows = kernel::matrix(table, scales, candidates);
    for (i, row) in rows.iter_mut().enumerate() {
        row[i] += scales.noise.exp();
    }
    if !factor(&mut rows) {
        return f64::NEG_INFINITY;
    }
    let mut ones = vec![1.0; values.len()];
    solve(&rows, &mut ones);
    let (_, off) = centred(&rows, &ones, values, belief);
    let misfit = dot(&off, &off);
    let determinant: f64 = rows.iter().enumerate().map(|(i, row)| row[i].ln()).sum();
    let count = VARIANCE_COUNT + values.len() as f64 / 2.0;
    let fits = -determinant - count * (VARIANCE_COUNT + misfit / 2.0).ln();
    let normal = |x: f64, mean: f64, spread: f64| -0.5 * ((x - mean) / spread).powi(2);
    let lengths = scales.lengths.iter();
    let lengths: f64 = lengths.map(|x| normal(*x, LENGTH, LENGTH_SPREAD)).sum();
    let weights = -0.5 * dot(&scales.weights, &scales.weights) / WEIGHT_SPREAD.powi(2);
    fits + lengths + weights + normal(scales.noise, NOISE, NOISE_SPREAD)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::learn::Feature;

    /// Two features of eight levels; only the first one matters.
    fn grid() -> (Table, Vec<usize>, Vec<f64>) {
        let feature = Feature::numbers((0..8).map(f64::from).collect()).feature();
        let mut table = Table {
            features: vec![feature.clone(), feature],
            len: 0,
        };
        for a in 0..8 {
            for b in 0..8 {
                table.push(&[a, b]);
            }
        }
        let candidates: Vec<usize> = (0..64).step_by(3).collect();
        let values = candidates
            .iter()
            .map(|c| ((c / 8) as f64 * 0.9).sin())
            .collect();
        (table, candidates, values)
    }

    #[test]
    fn what_does_not_matter_gets_a_long_scale() {
        let (table, candidates, values) = grid();
        let start = Scales::new(2);
        let fitted = fit(&table, &start, &candidates, &values, None);
        assert!(fitted.lengths[1] > fitted.lengths[0] + 0.5, "{fitted:?}");
        let posterior = |s| likelihood(&table, s, &candidates, &values, None);
        assert!(posterior(&fitted) > posterior(&start));
    }

    #[test]
    fn thinning_keeps_the_best() {
        let values: Vec<f64> = (0..500).map(|i| f64::from((i * 37) % 500)).collect();
        let candidates: Vec<usize> = (0..500).collect();
        let (kept, of) = thin(&candidates, &values);
        assert_eq!(kept.len(), MOST_TRIALS);
        assert!(kept.windows(2).all(|pair| pair[0] < pair[1]));
        let mut low: Vec<f64> = of.iter().copied().filter(|v| *v < 32.0).collect();
        low.sort_by(f64::total_cmp);
        assert_eq!(low.len(), 32);
    }
}

//! The process itself: what is expected of each candidate, and how surely.

use super::cholesky::{dot, solve};
use super::fit::fit;
use super::kernel::{Scales, column};
use super::table::Table;

/// How many trials' worth the expectation is that the variance is one.
pub(super) const VARIANCE_COUNT: f64 = 2.0;
/// Below this a candidate is known.
const LEAST_VARIANCE: f64 = 1e-9;

/// What a candidate is expected to be before any is measured, worth so many trials.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::search) struct Belief {
    pub(in crate::search) mean: f64,
    pub(in crate::search) weight: f64,
}

impl Belief {
    /// The mean by least squares, drawn towards the belief.
    pub(super) fn mean(belief: Option<Belief>, ones: &[f64], seen: &[f64]) -> f64 {
        let (weight, product) = belief.map_or((0.0, 0.0), |b| (b.weight, b.weight * b.mean));
        (dot(ones, seen) + product) / (dot(ones, ones) + weight)
    }
}

/// A Gaussian process over the candidates of a table.
///
/// With every trial it keeps, for each candidate, one more entry of the triangular solve that mean
/// and variance are made of: so a trial costs one pass over the candidates for each trial before it.
#[derive(Debug, Clone)]
pub(in crate::search) struct Process {
    scales: Scales,
    /// The candidates that were observed, in order.
    observed: Vec<usize>,
    /// The triangular factor of their kernel matrix.
    factor: Vec<Vec<f64>>,
    /// For each observation, how much each candidate shares with it beyond those before it.
    shared: Vec<Vec<f32>>,
    /// The variance that is left to each candidate, as a part of the process' own.
    left: Vec<f64>,
}

/// What the process expects of every candidate.
#[derive(Debug, Clone)]
pub(in crate::search) struct Expected {
    pub(in crate::search) mean: Vec<f32>,
    /// Variance of the process: a candidate's own is this times what is left to it.
    pub(in crate::search) variance: f64,
}

impl Process {
    pub(in crate::search) fn new(table: &Table) -> Process {
        Process {
            scales: Scales::new(table.features.len()),
            observed: Vec::new(),
            factor: Vec::new(),
            shared: Vec::new(),
            left: Vec::new(),
        }
    }

    /// How many candidates were observed.
    pub(in crate::search) fn len(&self) -> usize {
        self.observed.len()
    }

    /// Fits the scales to the trials, and begins anew with them.
    pub(in crate::search) fn fit(
        &mut self,
        table: &Table,
        observed: &[usize],
        values: &[f64],
        belief: Option<Belief>,
    ) {
        self.scales = fit(table, &self.scales, observed, values, belief);
        self.observed.clear();
        self.factor.clear();
        self.shared.clear();
        self.left = vec![1.0; table.len];
        for candidate in observed {
            self.observe(table, *candidate);
        }
    }

    /// Adds an observation; its value is given to [`Process::expect`].
    pub(in crate::search) fn observe(&mut self, table: &Table, candidate: usize) {
        let mut rest = column(table, &self.scales, candidate, 0..table.len);
        let mut row: Vec<f64> = self
            .shared
            .iter()
            .map(|shared| f64::from(shared[candidate]))
            .collect();
        let own = f64::from(rest[candidate]) + self.scales.noise.exp() - dot(&row, &row);
        let own = own.max(LEAST_VARIANCE).sqrt();
        for (share, earlier) in row.iter().zip(&self.shared) {
            let share = *share as f32;
            for (rest, earlier) in rest.iter_mut().zip(earlier) {
                *rest -= share * earlier;
            }
        }
        let inverse = (1.0 / own) as f32;
        for (rest, left) in rest.iter_mut().zip(&mut self.left) {
            *rest *= inverse;
            *left -= f64::from(*rest * *rest);
        }
        row.push(own);
        self.factor.push(row);
        self.shared.push(rest);
        self.observed.push(candidate);
    }

    /// Takes in candidates that were added to the table.
    pub(in crate::search) fn extend(&mut self, table: &Table) {
        let known = self.left.len();
        if self.observed.is_empty() || known == table.len {
            self.left.resize(table.len, 1.0);
            return;
        }
        self.left.resize(table.len, 1.0);
        for (i, candidate) in self.observed.iter().enumerate() {
            let mut rest = column(table, &self.scales, *candidate, known..table.len);
            let row = &self.factor[i];
            for (share, earlier) in row.iter().zip(&self.shared[..i]) {
                for (rest, earlier) in rest.iter_mut().zip(&earlier[known..]) {
                    *rest -= *share as f32 * earlier;
                }
            }
            let inverse = (1.0 / row[i]) as f32;
            for (rest, left) in rest.iter_mut().zip(&mut self.left[known..]) {
                *rest *= inverse;
                *left -= f64::from(*rest * *rest);
            }
            self.shared[i].extend(rest);
        }
    }

    /// Forgets all but the first observations; `left` is what [`Process::left`] said then.
    pub(in crate::search) fn forget(&mut self, kept: usize, left: Vec<f64>) {
        self.observed.truncate(kept);
        self.factor.truncate(kept);
        self.shared.truncate(kept);
        self.left = left;
    }

    /// The part of the variance that is left to each candidate.
    pub(in crate::search) fn left(&self) -> &[f64] {
        &self.left
    }

    /// What is expected of every candidate, given the values of the first observations.
    pub(in crate::search) fn expect(&self, values: &[f64], belief: Option<Belief>) -> Expected {
        let mut ones = vec![1.0; values.len()];
        let mut seen = values.to_vec();
        solve(&self.factor, &mut ones);
        solve(&self.factor, &mut seen);
        let middle = Belief::mean(belief, &ones, &seen);
        let off: Vec<f64> = ones
            .iter()
            .zip(&seen)
            .map(|(one, seen)| seen - middle * one)
            .collect();
        let count = VARIANCE_COUNT + values.len() as f64 / 2.0;
        let variance = (VARIANCE_COUNT + dot(&off, &off) / 2.0) / count;
        let mut mean = vec![middle as f32; self.left.len()];
        for (off, shared) in off.iter().zip(&self.shared) {
            let off = *off as f32;
            for (mean, shared) in mean.iter_mut().zip(shared) {
                *mean += off * shared;
            }
        }
        Expected { mean, variance }
    }

    /// The standard deviation of a candidate.
    pub(in crate::search) fn spread(&self, candidate: usize, expected: &Expected) -> f64 {
        (self.left[candidate].max(LEAST_VARIANCE) * expected.variance).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::learn::Feature;

    fn line(levels: u16) -> Table {
        let mut table = Table::new(vec![Feature::numbers((0..levels).map(f64::from)).feature()]);
        (0..levels).for_each(|level| table.push(&[level]));
        table
    }

    #[test]
    fn it_learns_a_curve() {
        let table = line(21);
        let curve = |c: usize| (c as f64 / 5.0).sin();
        let observed = [0, 4, 8, 12, 16, 20];
        let values = observed.map(curve);
        let mut process = Process::new(&table);
        process.fit(&table, &observed, &values, None);
        let expected = process.expect(&values, None);
        for c in 0..21 {
            let off = (f64::from(expected.mean[c]) - curve(c)).abs();
            assert!(off < 0.15, "{c}: off by {off}");
        }
        // Between observations less is known than at them.
        assert!(process.spread(10, &expected) > process.spread(8, &expected));
    }

    #[test]
    fn observing_one_by_one_equals_all_at_once() {
        let table = line(30);
        let observed = [3, 9, 27, 14];
        let values = [1.0, 0.5, -1.0, 0.2];
        let mut whole = Process::new(&table);
        whole.fit(&table, &observed, &values, None);
        let mut grown = whole.clone();
        grown.forget(0, vec![1.0; 30]);
        observed.iter().for_each(|c| grown.observe(&table, *c));
        assert_eq!(grown.left(), whole.left());
        let (a, b) = (grown.expect(&values, None), whole.expect(&values, None));
        assert_eq!(a.mean, b.mean);
    }

    #[test]
    fn candidates_may_come_later() {
        let whole = line(30);
        let mut process = Process::new(&whole);
        process.fit(&whole, &[3, 9, 14], &[1.0, 0.5, -1.0], None);
        let mut part = whole.clone();
        part.len = 20;
        part.columns[0].truncate(20);
        let mut grown = process.clone();
        grown.forget(0, vec![1.0; 20]);
        [3, 9, 14].iter().for_each(|c| grown.observe(&part, *c));
        grown.extend(&whole);
        for (a, b) in grown.left().iter().zip(process.left()) {
            assert!((a - b).abs() < 1e-5);
        }
    }

    #[test]
    fn a_belief_draws_the_mean() {
        let table = line(40);
        let mut process = Process::new(&table);
        let belief = Some(Belief {
            mean: 2.0,
            weight: 1.0,
        });
        process.fit(&table, &[0, 1], &[0.0, 0.0], belief);
        let (with, without) = (
            process.expect(&[0.0, 0.0], belief),
            process.expect(&[0.0, 0.0], None),
        );
        assert!(without.mean[39].abs() < 1e-6);
        assert!(with.mean[39] > 0.1, "{}", with.mean[39]);
    }
}

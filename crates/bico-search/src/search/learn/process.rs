//! The process itself: what is expected of each candidate, and how surely.

use super::cholesky::{dot, solve};
use super::columns::{Block, Columns, WIDE, scale, taken};
use super::fit::fit;
use super::kernel::{Kernel, Scales};
use super::pending::Pending;
use super::table::Table;
use bico_core::Lists;

/// How many trials' worth the expectation is that the variance is one.
pub(super) const VARIANCE_COUNT: f64 = 2.0;
/// So many observations are taken in at a time.
const TOGETHER: usize = 16;
/// Below this a candidate is known.
pub(super) const LEAST_VARIANCE: f64 = 1e-9;

/// What a candidate is expected to be before any is measured, worth so many trials.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Belief {
    pub(crate) mean: f64,
    pub(crate) weight: f64,
}

/// The mean by least squares, drawn towards the belief, and what the values are off it, solved. `ones`: as many ones, solved.
pub(super) fn centred(
    factor: &[Vec<f64>],
    ones: &[f64],
    values: &[f64],
    belief: Option<Belief>,
) -> (f64, Vec<f64>) {
    let mut seen = values.to_vec();
    solve(factor, &mut seen);
    let (weight, product) = belief.map_or((0.0, 0.0), |b| (b.weight, b.weight * b.mean));
    let mean = (dot(ones, &seen) + product) / (dot(ones, ones) + weight);
    for (seen, one) in seen.iter_mut().zip(ones) {
        *seen -= mean * one;
    }
    (mean, seen)
}

/// A Gaussian process over the candidates of a table.
///
/// With every trial it keeps, for each candidate, one more entry of the triangular solve that mean
/// and variance are made of: so a trial costs one pass over the candidates for each trial before it.
#[derive(Debug, Clone)]
pub(crate) struct Process {
    pub(super) kernel: Kernel,
    /// The candidates that were observed, in order.
    pub(super) observed: Vec<usize>,
    /// The triangular factor of their kernel matrix.
    factor: Vec<Vec<f64>>,
    /// A one for each, solved.
    ones: Vec<f64>,
    /// For each observation, how much each candidate shares with it beyond those before it.
    pub(super) shared: Columns,
    /// The variance that is left to each candidate, as a part of the process' own.
    pub(super) left: Vec<f64>,
    pub(super) pending: Pending,
    /// Observations at which the scales are fitted next.
    fit_at: usize,
}

/// What the process expects of every candidate.
#[derive(Debug, Clone)]
pub(crate) struct Expected {
    pub(crate) mean: Vec<f32>,
    /// Variance of the process: a candidate's own is this times what is left to it.
    pub(crate) variance: f64,
}

impl Process {
    pub(crate) fn new(table: &Table) -> Process {
        Process {
            kernel: Kernel::new(table, Scales::new(table.features.len())),
            observed: Vec::new(),
            factor: Vec::new(),
            ones: Vec::new(),
            shared: Columns::new(0),
            left: Vec::new(),
            pending: Pending::default(),
            fit_at: 0,
        }
    }

    /// How many candidates were observed.
    pub(crate) fn len(&self) -> usize {
        self.observed.len()
    }

    /// Takes in what was observed since the last time. The scales are fitted anew when there is `more` times as much as the last
    /// time that they were.
    pub(crate) fn follow(
        &mut self,
        table: &Table,
        observed: &[usize],
        values: &[f64],
        belief: Option<Belief>,
        more: f64,
    ) {
        let count = observed.len();
        if count >= self.fit_at || self.len() > count {
            self.fit(table, observed, values, belief);
            self.fit_at = (count as f64 * more).ceil() as usize;
        } else {
            self.extend(table);
            let new = &observed[self.len()..];
            self.observe(table, new);
        }
    }

    /// Fits the scales to the trials, and begins anew with them.
    pub(super) fn fit(
        &mut self,
        table: &Table,
        observed: &[usize],
        values: &[f64],
        belief: Option<Belief>,
    ) {
        let scales = fit(table, &self.kernel.scales, observed, values, belief);
        self.begin_anew(table, scales);
        self.observe(table, observed);
    }

    /// Forgets all that was observed.
    fn begin_anew(&mut self, table: &Table, scales: Scales) {
        self.kernel = Kernel::new(table, scales);
        self.observed.clear();
        self.factor.clear();
        self.ones.clear();
        self.shared = Columns::new(table.len);
        self.left = vec![1.0; table.len];
        self.pending = Pending::new(table.len);
    }

    /// Adds observations; their values are given to [`Process::expect`].
    pub(crate) fn observe(&mut self, table: &Table, candidates: &[usize]) {
        for some in candidates.chunks(TOGETHER) {
            let known = self.len();
            let rows = some
                .iter()
                .map(|candidate| taken(self.shared.row(*candidate, 0)));
            let rows: Vec<Vec<f32>> = rows.collect_vec();
            let rests = some.iter().map(|candidate| {
                let alike = self.kernel.column(table, *candidate, 0);
                (alike.as_flattened()[*candidate], alike)
            });
            let (own, mut rests): (Vec<f32>, Vec<Vec<Block>>) = rests.unzip();
            self.shared.add(&rows, 0, &mut rests);
            for ((candidate, own), rest) in some.iter().zip(own).zip(rests) {
                self.add(*candidate, own, known, rest);
            }
        }
    }

    /// Takes in an observation, given what it shares with itself, and with all candidates, but for what these share with the
    /// first `known` observations.
    fn add(&mut self, candidate: usize, own: f32, known: usize, rest: Vec<Block>) {
        let mut rest = [rest];
        let since = taken(self.shared.row(candidate, known));
        self.shared.add(&[since], known, &mut rest);
        let [mut rest] = rest;
        let row = self.shared.row(candidate, 0).into_iter();
        let mut row = row.map(f64::from).collect_vec();
        let own = f64::from(own) + self.noise() - dot(&row, &row);
        let own = own.max(LEAST_VARIANCE).sqrt();
        self.ones.push((1.0 - dot(&row, &self.ones)) / own);
        row.push(own);
        scale(own, &mut rest, &mut self.left);
        self.factor.push(row);
        self.shared.push(rest);
        self.observed.push(candidate);
    }

    /// The part of the variance that no feature explains.
    pub(super) fn noise(&self) -> f64 {
        self.kernel.scales.noise.exp()
    }

    /// Takes in candidates that were added to the table.
    pub(crate) fn extend(&mut self, table: &Table) {
        let known = self.left.len();
        if known == table.len {
            return;
        }
        self.pending.extend(table.len);
        let first = self.shared.reopen(known, table.len);
        self.left.truncate(first);
        self.left.resize(table.len, 1.0);
        for (candidate, row) in self.observed.iter().zip(&self.factor) {
            let mut rest = [self.kernel.column(table, *candidate, first)];
            let (own, shares) = row.split_last().expect("its own part is the last");
            let shares = shares.iter().map(|share| -*share as f32).collect_vec();
            self.shared.add(&[shares], 0, &mut rest);
            let [mut rest] = rest;
            scale(*own, &mut rest, &mut self.left[first..]);
            self.shared.push(rest);
        }
    }

    /// What is expected of every candidate, given the values of the first observations.
    pub(crate) fn expect(&self, values: &[f64], belief: Option<Belief>) -> Expected {
        let (middle, off) = centred(&self.factor, &self.ones[..values.len()], values, belief);
        let count = VARIANCE_COUNT + values.len() as f64 / 2.0;
        let variance = (VARIANCE_COUNT + dot(&off, &off) / 2.0) / count;
        let off = off.iter().map(|off| *off as f32).collect_vec();
        let mut mean = [vec![[middle as f32; WIDE]; self.left.len().div_ceil(WIDE)]];
        self.shared.add(&[off], 0, &mut mean);
        let mean = mean[0].as_flattened()[..self.left.len()].to_vec();
        Expected { mean, variance }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::search::learn::Feature;

    pub(crate) fn line(levels: u16) -> Table {
        let mut table = Table {
            features: vec![Feature::numbers((0..levels).map(f64::from).collect()).feature()],
            len: 0,
        };
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
        assert!(process.spread(&table, 10, &expected) > process.spread(&table, 8, &expected));
    }

    #[test]
    fn observing_one_by_one_equals_all_at_once() {
        let table = line(30);
        let observed = [3, 9, 27, 14];
        let values = [1.0, 0.5, -1.0, 0.2];
        let mut whole = Process::new(&table);
        whole.fit(&table, &observed, &values, None);
        let mut grown = whole.clone();
        grown.begin_anew(&table, whole.kernel.scales.clone());
        observed.iter().for_each(|c| grown.observe(&table, &[*c]));
        assert_eq!(grown.left, whole.left);
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
        part.features[0].codes.truncate(20);
        let mut grown = process.clone();
        grown.begin_anew(&part, process.kernel.scales.clone());
        grown.observe(&part, &[3, 9, 14]);
        grown.extend(&whole);
        for (a, b) in grown.left.iter().zip(&process.left) {
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

//! The process itself: what is expected of each candidate, and how surely.

use super::cholesky::{dot, solve};
use super::columns::{add, product, reduce, row, scale, taken};
use super::fit::fit;
use super::kernel::{Scales, column};
use super::table::Table;
use bico_core::Lists;
use std::collections::HashMap;

/// How many trials' worth the expectation is that the variance is one.
pub(super) const VARIANCE_COUNT: f64 = 2.0;
/// So many observations are taken off so many candidates at a time.
const TOGETHER: usize = 16;
const BLOCK: usize = 64;
/// Below this a candidate is known.
const LEAST_VARIANCE: f64 = 1e-9;

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

/// What the candidates share with one of them, of which what they share with the first observations is taken off: one that
/// is under way is looked at again and again, and observed in the end.
#[derive(Debug, Clone)]
struct Begun {
    candidate: usize,
    /// What it shares with itself.
    own: f32,
    /// How many observations that are.
    after: usize,
    rest: Vec<f32>,
}

/// A candidate that is under way: it takes off doubt, though its value is not known.
#[derive(Debug, Clone)]
struct Assumed {
    begun: Begun,
    /// What it shares with those assumed before it.
    row: Vec<f32>,
    /// One over its own part.
    inverse: f32,
}

/// A candidate beside those that are assumed.
#[derive(Debug, Clone)]
struct Beside {
    row: Vec<f32>,
    left: f64,
}

/// A Gaussian process over the candidates of a table.
///
/// With every trial it keeps, for each candidate, one more entry of the triangular solve that mean
/// and variance are made of: so a trial costs one pass over the candidates for each trial before it.
#[derive(Debug, Clone)]
pub(crate) struct Process {
    scales: Scales,
    /// The candidates that were observed, in order.
    observed: Vec<usize>,
    /// The triangular factor of their kernel matrix.
    factor: Vec<Vec<f64>>,
    /// A one for each, solved.
    ones: Vec<f64>,
    /// For each observation, how much each candidate shares with it beyond those before it.
    shared: Vec<Vec<f32>>,
    /// The variance that is left to each candidate, as a part of the process' own.
    left: Vec<f64>,
    /// Candidates under way.
    assumed: Vec<Assumed>,
    /// Candidates that were asked about since.
    beside: HashMap<usize, Beside>,
    /// Those that were, before they were forgotten the last time.
    before: Vec<Begun>,
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
            scales: Scales::new(table.features.len()),
            observed: Vec::new(),
            factor: Vec::new(),
            ones: Vec::new(),
            shared: Vec::new(),
            left: Vec::new(),
            assumed: Vec::new(),
            beside: HashMap::new(),
            before: Vec::new(),
        }
    }

    /// How many candidates were observed.
    pub(crate) fn len(&self) -> usize {
        self.observed.len()
    }

    /// Fits the scales to the trials, and begins anew with them.
    pub(crate) fn fit(
        &mut self,
        table: &Table,
        observed: &[usize],
        values: &[f64],
        belief: Option<Belief>,
    ) {
        self.scales = fit(table, &self.scales, observed, values, belief);
        self.begin_anew(table);
        self.observe(table, observed);
    }

    /// Forgets all but the scales.
    fn begin_anew(&mut self, table: &Table) {
        self.observed.clear();
        self.factor.clear();
        self.ones.clear();
        self.shared.clear();
        self.left = vec![1.0; table.len];
        self.before.clear();
    }

    /// Adds observations; their values are given to [`Process::expect`].
    pub(crate) fn observe(&mut self, table: &Table, candidates: &[usize]) {
        for some in candidates.chunks(TOGETHER) {
            let begun = some.iter().map(|candidate| self.begin(table, *candidate));
            let mut begun = begun.collect_vec();
            let rows = begun.iter().map(|begun| {
                let earlier = &self.shared[begun.after..];
                taken(&row(earlier, begun.candidate))
            });
            let rows: Vec<Vec<f32>> = rows.collect_vec();
            // A block of candidates at a time, which stays near the processor: each column is read once for all.
            for first in (0..table.len).step_by(BLOCK) {
                let end = (first + BLOCK).min(table.len);
                for (begun, row) in begun.iter_mut().zip(&rows) {
                    let earlier = &self.shared[begun.after..];
                    add(row, earlier, first, &mut begun.rest[first..end]);
                }
            }
            let after = self.shared.len();
            for begun in begun {
                self.add(Begun { after, ..begun });
            }
        }
    }

    /// Takes a candidate for observed, without a value: until [`Process::forget_assumed`].
    pub(crate) fn assume(&mut self, table: &Table, candidate: usize) {
        let mut begun = self.begin(table, candidate);
        self.go_on(&mut begun);
        let Beside { row, left } = self.beside_assumed(candidate).clone();
        let own = (left + self.scales.noise.exp()).max(LEAST_VARIANCE).sqrt();
        self.assumed.push(Assumed {
            begun,
            row,
            inverse: (1.0 / own) as f32,
        });
    }

    /// How many are assumed.
    pub(crate) fn assumed(&self) -> usize {
        self.assumed.len()
    }

    /// Forgets what was assumed, but for what serves when it is assumed again, or observed.
    pub(crate) fn forget_assumed(&mut self) {
        self.beside.clear();
        let assumed = std::mem::take(&mut self.assumed).into_iter();
        self.before = assumed.map(|assumed| assumed.begun).collect_vec();
    }

    /// What a candidate shares with each that is assumed beyond all before that one, and the part of its variance that they
    /// leave. Only who is asked about is worked out, and goes on where it was: with many under way, few are asked about.
    fn beside_assumed(&mut self, candidate: usize) -> &Beside {
        let beside = self.beside.entry(candidate);
        let beside = beside.or_insert_with(|| Beside {
            row: Vec::with_capacity(self.assumed.len() + 1),
            left: self.left[candidate],
        });
        for assumed in &self.assumed[beside.row.len()..] {
            let rest = assumed.begun.rest[candidate] - product(&assumed.row, &beside.row);
            let rest = rest * assumed.inverse;
            beside.left -= f64::from(rest * rest);
            beside.row.push(rest);
        }
        beside
    }

    fn begin(&mut self, table: &Table, candidate: usize) -> Begun {
        let mut before = self.before.iter();
        if let Some(at) = before.position(|begun| begun.candidate == candidate) {
            return self.before.swap_remove(at);
        }
        let rest = column(table, &self.scales, candidate, 0..table.len);
        Begun {
            candidate,
            own: rest[candidate],
            after: 0,
            rest,
        }
    }

    /// Takes off what is shared with the observations since it was begun, too.
    fn go_on(&self, begun: &mut Begun) {
        let next = &self.shared[begun.after..];
        reduce(&row(next, begun.candidate), next, 0, &mut begun.rest);
        begun.after = self.shared.len();
    }

    fn add(&mut self, mut begun: Begun) {
        self.go_on(&mut begun);
        let mut row = row(&self.shared, begun.candidate);
        let own = f64::from(begun.own) + self.scales.noise.exp() - dot(&row, &row);
        let own = own.max(LEAST_VARIANCE).sqrt();
        self.ones.push((1.0 - dot(&row, &self.ones)) / own);
        row.push(own);
        scale(own, 0, &mut begun.rest, &mut self.left);
        self.factor.push(row);
        self.shared.push(begun.rest);
        self.observed.push(begun.candidate);
    }

    /// Takes in candidates that were added to the table.
    pub(crate) fn extend(&mut self, table: &Table) {
        let known = self.left.len();
        self.left.resize(table.len, 1.0);
        if known == table.len {
            return;
        }
        for (i, candidate) in self.observed.iter().enumerate() {
            let mut rest = column(table, &self.scales, *candidate, known..table.len);
            let row = &self.factor[i];
            reduce(row, &self.shared[..i], known, &mut rest);
            scale(row[i], known, &mut rest, &mut self.left);
            self.shared[i].extend(rest);
        }
        for begun in &mut self.before {
            let mut rest = column(table, &self.scales, begun.candidate, known..table.len);
            let earlier = &self.shared[..begun.after];
            reduce(&row(earlier, begun.candidate), earlier, known, &mut rest);
            begun.rest.extend(rest);
        }
    }

    /// What is expected of every candidate, given the values of the first observations.
    pub(crate) fn expect(&self, values: &[f64], belief: Option<Belief>) -> Expected {
        let (middle, off) = centred(&self.factor, &self.ones[..values.len()], values, belief);
        let count = VARIANCE_COUNT + values.len() as f64 / 2.0;
        let variance = (VARIANCE_COUNT + dot(&off, &off) / 2.0) / count;
        let mut mean = vec![middle as f32; self.left.len()];
        let off = off.iter().map(|off| *off as f32).collect_vec();
        add(&off, &self.shared, 0, &mut mean);
        Expected { mean, variance }
    }

    /// The standard deviation of a candidate. What is assumed only makes it smaller.
    pub(crate) fn spread(&mut self, candidate: usize, expected: &Expected) -> f64 {
        let left = match self.assumed.is_empty() {
            true => self.left[candidate],
            false => self.beside_assumed(candidate).left,
        };
        (left.max(LEAST_VARIANCE) * expected.variance).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::learn::Feature;

    fn line(levels: u16) -> Table {
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
        grown.begin_anew(&table);
        observed.iter().for_each(|c| grown.observe(&table, &[*c]));
        assert_eq!(grown.left, whole.left);
        let (a, b) = (grown.expect(&values, None), whole.expect(&values, None));
        assert_eq!(a.mean, b.mean);
    }

    #[test]
    fn what_is_assumed_takes_the_doubt_that_observing_it_would() {
        let table = line(30);
        let (observed, values) = ([3, 9, 27], [1.0, 0.5, -1.0]);
        let mut process = Process::new(&table);
        process.fit(&table, &observed, &values, None);
        let expected = process.expect(&values, None);
        let mut grown = process.clone();
        for candidate in [14, 20, 15] {
            process.assume(&table, candidate);
            grown.observe(&table, &[candidate]);
            for c in 0..30 {
                let apart = process.spread(c, &expected) - grown.spread(c, &expected);
                assert!(apart.abs() < 1e-4, "{c}: {apart} beside {candidate}");
            }
        }
        // Nothing of it stays, and whoever arrives is what it would have been.
        process.forget_assumed();
        process.observe(&table, &[14, 20, 15]);
        assert_eq!(process.left, grown.left);
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
        grown.begin_anew(&part);
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

//! What is known of candidates that are under way: not their values, but that they will be.

use super::columns::{Block, WIDE, add, product, side_by_side};
use super::process::{Expected, LEAST_VARIANCE, Process};
use super::table::Table;
use bico_core::Lists;
use std::collections::HashMap;

/// How far variances may be apart that are the same but for rounding.
const ROUNDED: f64 = 1.01;
const ROUNDING: f64 = 1e-5;

/// Candidates that are taken for observed: that moves no mean, but takes the doubt around them.
#[derive(Debug, Clone, Default)]
pub(super) struct Pending {
    assumed: Vec<Assumed>,
    /// How many of them, the first, are under way, and what these share with the observations, side by side.
    under_way: (usize, Vec<Vec<Block>>),
    /// What candidates that were ever asked about share with the observations, as far as these were there then.
    rows: HashMap<usize, Vec<f32>>,
    /// Candidates that were asked about since.
    beside: HashMap<usize, Beside>,
    before: Before,
    /// What was left to candidates beside all that was under way when they were last asked about. More was observed since, or
    /// is under way: by now it is no more than that.
    at_most: Vec<f64>,
}

/// One that is taken for observed.
#[derive(Debug, Clone)]
struct Assumed {
    candidate: usize,
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

/// The last time.
#[derive(Debug, Clone, Default)]
struct Before {
    assumed: Vec<usize>,
    asked: HashMap<usize, Beside>,
    /// How many were observed.
    observed: usize,
}

impl Pending {
    pub(super) fn new(candidates: usize) -> Pending {
        Pending {
            at_most: vec![1.0; candidates],
            ..Pending::default()
        }
    }

    pub(super) fn extend(&mut self, candidates: usize) {
        self.at_most.resize(candidates, 1.0);
    }

    /// Takes over what was found the last time, as far as those assumed then are observed by now, or under way.
    fn learn(&mut self, under_way: &[usize], observed: &[usize]) {
        let before = std::mem::take(&mut self.before);
        let since = &observed[before.observed..];
        let stands = |of: &&usize| under_way.contains(of) || since.contains(of);
        let still = before.assumed.iter().take_while(stands).count();
        for (candidate, Beside { row, left, .. }) in before.asked {
            // What the others took is given back.
            let others = row.get(still..).unwrap_or_default();
            let taken: f64 = others.iter().map(|rest| f64::from(rest * rest)).sum();
            self.at_most[candidate] = left + taken;
        }
    }
}

impl Process {
    /// Takes candidates that are under way for observed, without a value, until [`Process::forget_assumed`].
    pub(crate) fn assume_under_way(&mut self, table: &Table, under_way: &[usize]) {
        self.pending.learn(under_way, &self.observed);
        for candidate in under_way {
            self.assume(table, *candidate);
        }
        let Pending {
            assumed,
            rows,
            under_way: (count, blocks),
            ..
        } = &mut self.pending;
        let rows = assumed.iter().map(|of| rows[&of.candidate].as_slice());
        *count = assumed.len();
        side_by_side(&rows.collect_vec(), blocks);
    }

    /// Takes another one for observed.
    pub(crate) fn assume(&mut self, table: &Table, candidate: usize) {
        let Beside { row, left } = self.beside_assumed(table, candidate).clone();
        let own = (left + self.noise()).max(LEAST_VARIANCE).sqrt();
        self.pending.assumed.push(Assumed {
            candidate,
            row,
            inverse: (1.0 / own) as f32,
        });
    }

    /// How many are assumed.
    pub(crate) fn assumed(&self) -> usize {
        self.pending.assumed.len()
    }

    /// Forgets what was assumed.
    pub(crate) fn forget_assumed(&mut self) {
        let pending = &mut self.pending;
        pending.under_way.0 = 0;
        let assumed = std::mem::take(&mut pending.assumed).into_iter();
        pending.before = Before {
            assumed: assumed.map(|assumed| assumed.candidate).collect_vec(),
            asked: std::mem::take(&mut pending.beside),
            observed: self.observed.len(),
        };
    }

    /// What a candidate shares with each that is assumed beyond all before that one, and the part of its variance that they
    /// leave. Only who is asked about is worked out, and goes on where it was: with many under way, few are asked about.
    fn beside_assumed(&mut self, table: &Table, candidate: usize) -> &Beside {
        let Pending {
            assumed,
            under_way: (count, blocks),
            rows,
            beside,
            ..
        } = &mut self.pending;
        let beside = beside.entry(candidate).or_insert_with(|| {
            let row = rows.entry(candidate).or_default();
            row.extend(self.shared.row(candidate, row.len()));
            Beside {
                row: Vec::with_capacity(assumed.len() + 1),
                left: self.left[candidate],
            }
        });
        let (shared, known) = (&rows[&candidate], beside.row.len());
        // What it shares with those under way is worked out for all of them at once.
        let count = if known == 0 { *count } else { 0 };
        let mut sums = vec![[0.0; WIDE]; count.div_ceil(WIDE)];
        for (sums, rows) in sums.iter_mut().zip(blocks) {
            add(shared, rows, sums);
        }
        let sums = sums.as_flattened().iter().copied().take(count);
        let sums = sums.map(Some).chain(std::iter::repeat(None));
        for (assumed, sum) in assumed[known..].iter().zip(sums) {
            let alike = self.kernel.pair(table, assumed.candidate, candidate);
            let shared = sum.unwrap_or_else(|| product(&rows[&assumed.candidate], shared));
            let rest = (alike - shared - product(&assumed.row, &beside.row)) * assumed.inverse;
            beside.left -= f64::from(rest * rest);
            beside.row.push(rest);
        }
        beside
    }

    /// The standard deviation of a candidate. What is assumed only makes it smaller.
    pub(crate) fn spread(&mut self, table: &Table, candidate: usize, expected: &Expected) -> f64 {
        match self.pending.assumed.is_empty() {
            true => expected.spread(self.left[candidate]),
            false => expected.spread(self.beside_assumed(table, candidate).left),
        }
    }

    /// What that is at most, found without looking at those that are assumed.
    pub(crate) fn most_spread(&self, candidate: usize, expected: &Expected) -> f64 {
        let (left, pending) = (self.left[candidate], &self.pending);
        match pending.assumed.is_empty() {
            true => expected.spread(left),
            false => expected.spread(left.min(ROUNDED * pending.at_most[candidate] + ROUNDING)),
        }
    }
}

impl Expected {
    /// The standard deviation of a candidate to which so much is left.
    fn spread(&self, left: f64) -> f64 {
        (left.max(LEAST_VARIANCE) * self.variance).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::super::process::tests::line;
    use super::*;

    const OBSERVED: [usize; 3] = [3, 9, 27];
    const VALUES: [f64; 3] = [1.0, 0.5, -1.0];

    fn fitted(table: &Table) -> (Process, Expected) {
        let mut process = Process::new(table);
        process.fit(table, &OBSERVED, &VALUES, None);
        let expected = process.expect(&VALUES, None);
        (process, expected)
    }

    #[test]
    fn what_is_assumed_takes_the_doubt_that_observing_it_would() {
        let table = line(30);
        let (mut process, expected) = fitted(&table);
        let mut grown = process.clone();
        for candidate in [14, 20, 15] {
            process.assume(&table, candidate);
            grown.observe(&table, &[candidate]);
            for c in 0..30 {
                let apart =
                    process.spread(&table, c, &expected) - grown.spread(&table, c, &expected);
                assert!(apart.abs() < 1e-4, "{c}: {apart} beside {candidate}");
            }
        }
        // Nothing of it stays, and whoever arrives is what it would have been.
        process.forget_assumed();
        process.observe(&table, &[14, 20, 15]);
        assert_eq!(process.left, grown.left);
    }

    #[test]
    fn what_was_under_way_all_at_once_is_what_it_is_one_by_one() {
        let mut table = line(60);
        table.features.push(table.features[0].clone());
        table.features[1].codes.reverse();
        for c in 0..140 {
            table.push(&[c % 53, c % 41]);
        }
        let (mut process, expected) = fitted(&table);
        let mut single = process.clone();
        // More than fit side by side once.
        let under_way: Vec<usize> = (0..70).map(|at| 5 + 2 * at).collect();
        process.assume_under_way(&table, &under_way);
        process.assume(&table, 190);
        for candidate in under_way.iter().chain(&[190]) {
            single.assume(&table, *candidate);
        }
        for c in 0..200 {
            let both = [&mut process, &mut single].map(|of| of.spread(&table, c, &expected));
            assert!((both[0] - both[1]).abs() < 1e-4, "{c}: {both:?}");
        }
    }

    #[test]
    fn what_is_found_the_next_time_is_no_more_than_at_most() {
        let table = line(60);
        let (mut process, expected) = fitted(&table);
        process.assume_under_way(&table, &[14, 20]);
        // Of those chosen beside them the second is not begun.
        for chosen in [15, 50, 30] {
            process.assume(&table, chosen);
            for c in 0..60 {
                process.spread(&table, c, &expected);
            }
        }
        process.forget_assumed();
        process.observe(&table, &[20]);
        process.assume_under_way(&table, &[14, 15, 30]);
        for c in 0..60 {
            let most = process.most_spread(c, &expected);
            let exact = process.spread(&table, c, &expected);
            assert!(exact <= most, "{c}: {exact}, {most}");
            // Little was added beside those that were under way then.
            assert!(
                !(14..18).contains(&c) || most < 1.02 * exact,
                "{c}: {exact}, {most}"
            );
        }
    }
}

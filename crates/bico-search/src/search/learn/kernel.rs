//! How alike two candidates are.

use super::columns::{Block, WIDE};
use super::table::{Feature, Table};
use bico_core::Lists;

/// The scales of the kernel, as logarithms.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Scales {
    /// The distance along each feature over which times stay alike.
    pub(super) lengths: Vec<f64>,
    /// The share of single features, of pairs, and of all together.
    pub(super) weights: [f64; 3],
    /// The part of the variance that no feature explains.
    pub(super) noise: f64,
}

/// What is expected of [`Scales`] before anything is known: the range of a parameter, no preference
/// among the three parts, and one per cent of noise.
pub(super) const LENGTH: f64 = 0.0;
pub(super) const LENGTH_SPREAD: f64 = 0.8;
pub(super) const WEIGHT_SPREAD: f64 = 1.5;
pub(super) const NOISE: f64 = -4.605_170_185_988_091;
pub(super) const NOISE_SPREAD: f64 = 1.5;
pub(super) const NOISE_RANGE: [f64; 2] = [-11.5, 0.0];

impl Scales {
    pub(super) fn new(features: usize) -> Scales {
        Scales {
            lengths: vec![LENGTH; features],
            weights: [0.0; 3],
            noise: NOISE,
        }
    }

    /// The weights, which sum to one.
    pub(super) fn shares(&self) -> [f64; 3] {
        let exp = self.weights.map(f64::exp);
        let sum: f64 = exp.iter().sum();
        exp.map(|w| w / sum)
    }
}

/// Matérn's kernel of smoothness 5/2.
fn matern(distance: f64) -> f64 {
    let s = 5f64.sqrt() * distance;
    (1.0 + s + s * s / 3.0) * (-s).exp()
}

/// How alike every level of a feature is to one of them.
pub(super) fn alike(feature: &Feature, level: usize, length: f64) -> Vec<f64> {
    let scale = length.exp();
    let own = feature.levels[level];
    let distance = |(other, x): (usize, &f64)| match feature.ordered {
        true => (x - own).abs(),
        false => f64::from(u8::from(other != level)),
    };
    let levels = feature.levels.iter().enumerate();
    levels
        .map(|level| matern(distance(level) / scale))
        .collect_vec()
}

/// Sums of products of the features' kernels: of one, of two (Newton's identity), of all.
#[derive(Clone, Copy)]
pub(super) struct Sums {
    pub(super) sum: f32,
    pub(super) squares: f32,
    pub(super) product: f32,
}

impl Sums {
    pub(super) const NONE: Sums = Sums {
        sum: 0.0,
        squares: 0.0,
        product: 1.0,
    };

    #[inline(always)]
    pub(super) fn add(&mut self, k: f32) {
        self.sum += k;
        self.squares += k * k;
        self.product *= k;
    }
}

/// The weights of [`Sums`] for a number of features.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mix {
    one: f32,
    two: f32,
    all: f32,
}

impl Mix {
    pub(super) fn new(shares: [f64; 3], features: usize) -> Mix {
        let n = features.max(1) as f64;
        // Without pairs their share goes to the single one.
        let (one, two) = if features > 1 {
            (shares[0] / n, shares[1] / (n * (n - 1.0)))
        } else {
            (shares[0] + shares[1], 0.0)
        };
        Mix {
            one: one as f32,
            two: two as f32,
            all: shares[2] as f32,
        }
    }

    #[inline(always)]
    pub(super) fn of(self, sums: Sums) -> f32 {
        self.one * sums.sum
            + self.two * (sums.sum * sums.sum - sums.squares)
            + self.all * sums.product
    }
}

/// How alike candidates are at scales that do not change. What a level is like is worked out once.
#[derive(Debug, Clone)]
pub(super) struct Kernel {
    pub(super) scales: Scales,
    mix: Mix,
    /// For each feature and each level that was asked about, how alike each other level is.
    alike: Vec<Vec<Vec<f32>>>,
}

impl Kernel {
    pub(super) fn new(table: &Table, scales: Scales) -> Kernel {
        let features = table.features.iter();
        let none = |feature: &Feature| vec![Vec::new(); feature.levels.len()];
        Kernel {
            mix: Mix::new(scales.shares(), table.features.len()),
            alike: features.map(none).collect_vec(),
            scales,
        }
    }

    /// How alike one candidate is to each of all from one on.
    pub(super) fn column(&mut self, table: &Table, candidate: usize, from: usize) -> Vec<Block> {
        self.know(table, candidate);
        let mut column = Vec::with_capacity((table.len - from).div_ceil(WIDE));
        for first in (from..table.len).step_by(WIDE) {
            let range = first..table.len.min(first + WIDE);
            let mut sums = [Sums::NONE; WIDE];
            for (feature, alike) in table.features.iter().zip(&self.alike) {
                let alike = &alike[usize::from(feature.codes[candidate])];
                let (alike, codes) = (alike.as_slice(), &feature.codes[range.clone()]);
                let mut at = 0;
                while at < range.end - range.start {
                    sums[at].add(alike[codes[at] as usize]);
                    at += 1;
                }
            }
            let (mut block, mut at) = ([0.0; WIDE], 0);
            while at < range.end - range.start {
                block[at] = self.mix.of(sums[at]);
                at += 1;
            }
            column.push(block);
        }
        column
    }

    /// How alike two candidates are.
    pub(super) fn pair(&mut self, table: &Table, a: usize, b: usize) -> f32 {
        self.know(table, a);
        let mut sums = Sums::NONE;
        for (feature, alike) in table.features.iter().zip(&self.alike) {
            let [a, b] = [a, b].map(|candidate| usize::from(feature.codes[candidate]));
            sums.add(alike[a][b]);
        }
        self.mix.of(sums)
    }

    fn know(&mut self, table: &Table, candidate: usize) {
        let features = table.features.iter().zip(&mut self.alike);
        for ((feature, known), length) in features.zip(&self.scales.lengths) {
            let level = usize::from(feature.codes[candidate]);
            if known[level].is_empty() {
                let alike = alike(feature, level, *length).into_iter();
                known[level] = alike.map(|k| k as f32).collect_vec();
            }
        }
    }
}

/// The lower triangle of how alike the given candidates are.
pub(super) fn matrix(table: &Table, scales: &Scales, candidates: &[usize]) -> Vec<Vec<f64>> {
    let rows = 0..candidates.len();
    let mut sums: Vec<Vec<Sums>> = rows.map(|i| vec![Sums::NONE; i + 1]).collect_vec();
    for (feature, length) in table.features.iter().zip(&scales.lengths) {
        let code = |candidate: &usize| usize::from(feature.codes[*candidate]);
        let codes: Vec<usize> = candidates.iter().map(code).collect_vec();
        let mut tables: Vec<Option<Vec<f64>>> = vec![None; feature.levels.len()];
        for (i, row) in sums.iter_mut().enumerate() {
            let alike = tables[codes[i]].get_or_insert_with(|| alike(feature, codes[i], *length));
            let (alike, codes, row) = (alike.as_slice(), codes.as_slice(), row.as_mut_slice());
            let mut at = 0;
            while at <= i {
                row[at].add(alike[codes[at]] as f32);
                at += 1;
            }
        }
    }
    let mix = Mix::new(scales.shares(), table.features.len());
    sums.iter()
        .map(|row| {
            row.iter()
                .map(|sums| f64::from(mix.of(*sums)))
                .collect_vec()
        })
        .collect_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let kinds = Feature {
            levels: vec![0.0, 1.0],
            ordered: false,
            codes: Vec::new(),
        };
        let numbers = |seen: &[f64]| Feature::numbers(seen.to_vec()).feature();
        let mut table = Table {
            features: vec![numbers(&[0.0, 1.0, 2.0]), kinds, numbers(&[0.0, 5.0])],
            len: 0,
        };
        for codes in [[0, 0, 0], [1, 0, 1], [2, 1, 0], [0, 1, 1]] {
            table.push(&codes);
        }
        table
    }

    #[test]
    fn a_candidate_is_most_like_itself() {
        let mut kernel = Kernel::new(&table(), Scales::new(3));
        for c in 0..4 {
            let column = &kernel.column(&table(), c, 0)[0][..4];
            assert!((column[c] - 1.0).abs() < 1e-6, "{column:?}");
            assert!(column.iter().enumerate().all(|(o, k)| o == c || *k < 0.99));
        }
    }

    #[test]
    fn columns_and_the_matrix_agree() {
        let scales = Scales {
            lengths: vec![-0.5, 0.3, 0.1],
            weights: [0.2, -0.4, 0.5],
            noise: NOISE,
        };
        let matrix = matrix(&table(), &scales, &[3, 0, 2]);
        let mut kernel = Kernel::new(&table(), scales);
        for (i, a) in [3, 0, 2].into_iter().enumerate() {
            let column = kernel.column(&table(), a, 0)[0];
            for (j, b) in [3, 0, 2].into_iter().enumerate().take(i + 1) {
                assert!((matrix[i][j] - f64::from(column[b])).abs() < 1e-6);
                assert_eq!(kernel.pair(&table(), a, b), column[b]);
            }
        }
    }

    #[test]
    fn pairs_are_summed_as_written_out() {
        let ks = [0.3f32, 0.8, 0.5];
        let mut sums = Sums::NONE;
        ks.iter().for_each(|k| sums.add(*k));
        let pairs = ks[0] * ks[1] + ks[0] * ks[2] + ks[1] * ks[2];
        let mix = Mix::new([0.0, 1.0, 0.0], 3);
        assert!((mix.of(sums) - pairs / 3.0).abs() < 1e-6);
    }
}

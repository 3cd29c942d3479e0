//! Candidates as the model sees them: rows of features, each feature a column of small codes.
use bico_core::Lists;

/// What one feature is of a candidate: distances are taken between the coordinates of its levels.
#[derive(Debug, Clone)]
pub(crate) struct Feature {
    /// The coordinate of each level; 0 to 1 where `ordered`.
    pub(crate) levels: Vec<f64>,
    /// Whether levels that are near are alike; else each is as far from any other.
    pub(crate) ordered: bool,
    /// The level of each candidate.
    pub(crate) codes: Vec<u16>,
}

/// Levels at most of a feature: as fine as any trend that a search can learn.
const MOST_LEVELS: usize = 64;

impl Feature {
    /// A feature of numbers, scaled to the range of those seen.
    pub(crate) fn numbers(mut levels: Vec<f64>) -> Scale {
        levels.retain(|x| x.is_finite());
        levels.sort_unstable_by(f64::total_cmp);
        levels.dedup();
        let (low, high) = match (levels.first(), levels.last()) {
            (Some(low), Some(high)) => (*low, *high),
            _ => (0.0, 0.0),
        };
        let width = if high > low { high - low } else { 1.0 };
        if levels.len() > MOST_LEVELS {
            let step = (MOST_LEVELS - 1) as f64;
            let level = |i| low + width * i as f64 / step;
            levels = (0..MOST_LEVELS).map(level).collect_vec();
        }
        Scale { low, width, levels }
    }
}

/// How numbers become levels.
#[derive(Debug, Clone)]
pub(crate) struct Scale {
    low: f64,
    width: f64,
    levels: Vec<f64>,
}

impl Scale {
    /// The level nearest to a number; the middle one for what is no number.
    pub(crate) fn code(&self, x: f64) -> u16 {
        if !x.is_finite() {
            return (self.levels.len() / 2) as u16;
        }
        let above = self.levels.partition_point(|level| *level < x);
        let nearest = match (above.checked_sub(1), self.levels.get(above)) {
            (Some(below), Some(level)) if x - self.levels[below] < level - x => below,
            (_, Some(_)) => above,
            (below, None) => below.unwrap_or(0),
        };
        nearest as u16
    }

    pub(crate) fn feature(&self) -> Feature {
        let levels = self.levels.iter().map(|x| (x - self.low) / self.width);
        Feature {
            levels: levels.collect_vec(),
            ordered: true,
            codes: Vec::new(),
        }
    }
}

/// The candidates.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    pub(crate) features: Vec<Feature>,
    pub(crate) len: usize,
}

impl Table {
    /// Adds a candidate by the code of each feature.
    pub(crate) fn push(&mut self, codes: &[u16]) {
        for (feature, code) in self.features.iter_mut().zip(codes) {
            feature.codes.push(*code);
        }
        self.len += 1;
    }

    /// Squared distance of two candidates, each feature counting alike.
    pub(crate) fn distance(&self, a: usize, b: usize) -> f64 {
        let along = |feature: &Feature| {
            let (a, b) = (feature.codes[a], feature.codes[b]);
            if feature.ordered {
                let d = feature.levels[usize::from(a)] - feature.levels[usize::from(b)];
                d * d
            } else {
                f64::from(u8::from(a != b))
            }
        };
        self.features.iter().map(along).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_go_to_the_nearest_level() {
        let scale = Feature::numbers(vec![4.0, 1.0, 2.0, 4.0]);
        assert_eq!(scale.feature().levels, [0.0, 1.0 / 3.0, 1.0]);
        let codes = [-9.0, 1.4, 1.6, 3.5, 99.0, f64::NAN].map(|x| scale.code(x));
        assert_eq!(codes, [0, 0, 1, 2, 2, 1]);
        let many = Feature::numbers((0..10_000).map(f64::from).collect());
        assert_eq!(many.feature().levels.len(), MOST_LEVELS);
        assert_eq!((many.code(0.0), many.code(9_999.0)), (0, 63));
        let none = Feature::numbers(Vec::new());
        assert_eq!(none.code(3.0), 0);
    }

    #[test]
    fn distances_are_of_coordinates_or_of_kind() {
        let kinds = Feature {
            levels: vec![0.0, 1.0, 2.0],
            ordered: false,
            codes: Vec::new(),
        };
        let mut table = Table {
            features: vec![Feature::numbers(vec![1.0, 2.0, 3.0]).feature(), kinds],
            len: 0,
        };
        for codes in [[0, 0], [2, 0], [1, 2]] {
            table.push(&codes);
        }
        assert_eq!(table.distance(0, 0), 0.0);
        assert_eq!(table.distance(0, 1), 1.0);
        assert_eq!(table.distance(0, 2), 1.25);
    }
}

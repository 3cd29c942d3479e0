//! Why a config allows no awkward size.

use super::KernelMeasure;
use crate::measure::awkward::{self, Kind};
use crate::measure::plan;
use bico_core::Value;

/// Sizes of a condition that are shown.
const SHOWN: usize = 3;

/// Why a config allows no awkward size.
pub struct Excluded {
    /// Conditions, each with a few sizes that it excludes.
    pub by: Vec<(String, Vec<String>)>,
    /// Scalar arguments that the config allows beside the problem's.
    pub other: Option<Vec<Value>>,
}

impl KernelMeasure<'_> {
    /// Which conditions exclude which awkward sizes of a config; `None` where nobody knows.
    #[inline]
    pub fn excluded(&self, config: u64) -> Option<Excluded> {
        let (rules, is_size) = (self.candidates.sizes(config)?, self.sizes());
        let mut by: Vec<(String, Vec<String>)> = Vec::new();
        let tiles = self.candidates.tiles(config);
        let all = awkward::sizes(&self.problem, &is_size, &tiles).into_iter();
        for (_, scalars) in all.filter(|(kind, _)| *kind == Kind::Small) {
            for condition in rules.broken(&scalars) {
                let at = by.iter().position(|(known, _)| known == condition);
                let at = at.unwrap_or_else(|| {
                    by.push((condition.to_string(), Vec::new()));
                    by.len() - 1
                });
                if by[at].1.len() < SHOWN {
                    by[at].1.push(plan::label(self.spec, &scalars));
                }
            }
        }
        let range = |at: usize| is_size[at].then_some((1, i64::MAX));
        let other = rules.nearest(&self.problem, &range, &|sizes| sizes == self.problem);
        Some(Excluded { by, other })
    }
}

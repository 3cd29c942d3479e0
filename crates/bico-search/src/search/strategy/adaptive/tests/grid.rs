//! A made-up kernel.

use crate::search::{Configs, Costs, Failure, Measure, Outcome, Sample};
use bico_core::Value;

/// A grid of tile sizes whose time is known for every config.
pub(super) struct Grid {
    pub(super) names: Vec<String>,
    pub(super) sizes: Vec<u64>,
}

impl Grid {
    pub(super) fn new(sizes: &[u64]) -> Grid {
        Grid {
            names: (0..sizes.len()).map(|i| format!("P{i}")).collect(),
            sizes: sizes.to_vec(),
        }
    }

    pub(super) fn digits(&self, mut config: u64) -> Vec<u64> {
        let mut digits = Vec::new();
        for size in &self.sizes {
            digits.push(config % size);
            config /= size;
        }
        digits
    }

    /// Best in the middle of the first and at the end of the second parameter, and where the first
    /// two fit each other.
    pub(super) fn seconds(&self, config: u64) -> f64 {
        let digits = self.digits(config);
        let at = |i: usize| {
            digits
                .get(i)
                .map_or(0.0, |d| *d as f64 / self.sizes[i] as f64)
        };
        let (a, b, c) = (at(0), at(1), at(2));
        1e-3 * (1.0
            + 3.0 * (a - 0.5).powi(2)
            + 1.5 * (1.0 - b).powi(2)
            + (a - b + 0.3).abs()
            + 0.3 * c)
    }

    pub(super) fn best(&self) -> f64 {
        let all = (0..self.len()).map(|config| self.seconds(config));
        all.fold(f64::INFINITY, f64::min)
    }
}

impl Configs for Grid {
    fn len(&self) -> u64 {
        self.sizes.iter().product()
    }

    fn names(&self) -> &[String] {
        &self.names
    }

    fn values(&self, config: u64) -> Vec<Value> {
        let digits = self.digits(config).into_iter();
        digits.map(|digit| Value::Int(1 << digit.min(40))).collect()
    }

    fn neighbours(&self, config: u64) -> Vec<u64> {
        let digits = self.digits(config);
        let mut stride = 1;
        let mut found = Vec::new();
        for (digit, size) in digits.iter().zip(&self.sizes) {
            found.extend(
                (0..*size)
                    .filter(|d| d != digit)
                    .map(|d| config - digit * stride + d * stride),
            );
            stride *= size;
        }
        found
    }
}

pub(super) struct Clock<'a>(pub(super) &'a Grid, pub(super) fn(u64) -> bool);

impl Measure for Clock<'_> {
    fn spent(&self) -> f64 {
        0.0
    }

    fn announce(&mut self, _: &[u64]) {}

    fn measure(&mut self, config: u64, _: Option<f64>) -> Outcome {
        if !(self.1)(config) {
            return Outcome::Failed(Failure::Crash("SIGSEGV".into()));
        }
        let seconds = self.0.seconds(config);
        Outcome::Timed(Sample::new(seconds, seconds * 0.999, seconds * 1.001, 9))
    }

    fn finals(&mut self, configs: &[u64]) -> Vec<Outcome> {
        configs
            .iter()
            .map(|config| self.measure(*config, None))
            .collect()
    }
}

/// The same, with a compiler that takes twice as long from value to value of the last parameter, or as long for all.
pub(super) struct Compiled<'a>(pub(super) Clock<'a>, pub(super) bool);

impl Compiled<'_> {
    pub(super) fn seconds(&self, config: u64) -> f64 {
        let last = self.0.0.digits(config).last().copied().unwrap_or(0);
        0.1 * f64::from(1_u32 << last)
    }
}

impl Measure for Compiled<'_> {
    fn spent(&self) -> f64 {
        0.0
    }

    fn announce(&mut self, _: &[u64]) {}

    fn measure(&mut self, config: u64, best: Option<f64>) -> Outcome {
        self.0.measure(config, best)
    }

    fn compiler(&self, config: u64) -> Option<f64> {
        Some(if self.1 { self.seconds(config) } else { 0.4 })
    }

    fn costs(&mut self) -> Option<Costs> {
        Some(Costs {
            timing: 0.05,
            ..Costs::default()
        })
    }

    fn finals(&mut self, configs: &[u64]) -> Vec<Outcome> {
        self.0.finals(configs)
    }
}

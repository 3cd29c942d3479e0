//! What a candidate is expected to take until it is measured: users wait by the clock, and what a compiler takes differs by ten
//! times in a space that unrolls loops.

use super::View;
use super::judged::Judged;
use super::pool::Pool;
use super::target::Targets;
use crate::ascending;
use crate::search::Effort;
use crate::search::learn::{Process, Table};
use bico_core::Lists;

/// The gain is divided by this power of the seconds: by their square root. Gain per second (Snoek, Larochelle and Adams, "Practical
/// Bayesian Optimization of Machine Learning Algorithms", 2012) is as good by the clock, and worse by evaluations.
const POWER: f64 = 0.5;
/// Where the dearest trial takes no more than so many times what the cheapest takes, prices say nothing.
const RANGE: f64 = 1.5;

/// The scales are fitted anew when this much more was measured.
const REFIT: f64 = 1.5;

/// Learns what compilers take: a model like that of times, of its own, as what counts for one may not for the other.
#[derive(Debug)]
pub(super) struct Compilers {
    process: Process,
    /// Trials at which the scales are fitted next.
    fit_at: usize,
}

/// Expected seconds of every candidate.
pub(super) struct Prices {
    /// Logarithms of the compiler's seconds.
    compiling: Vec<f32>,
    middle: f64,
    unit: f64,
    /// Of all that comes after it.
    own: f64,
}

impl Compilers {
    pub(super) fn new(table: &Table) -> Compilers {
        Compilers {
            process: Process::new(table),
            fit_at: 0,
        }
    }

    /// What candidates are expected to take. `None` where all take much the same, or nothing is known.
    pub(super) fn expect(
        &mut self,
        view: &View<'_>,
        pool: &Pool,
        targets: &Targets,
    ) -> Option<Prices> {
        // So many compilers work side by side.
        let hands = (view.pending.len() + view.free).max(1) as f64;
        let places = targets.places.iter();
        let efforts = places.map(|place| view.efforts.get(&pool.configs[*place]));
        let efforts: Vec<Option<&Effort>> = efforts.collect_vec();
        let mut own: Vec<f64> = efforts.iter().flatten().map(|of| of.own).collect_vec();
        ascending(&mut own, &|seconds| *seconds);
        let own = *own.get(own.len() / 2)?;
        let log = |of: &Effort| (of.compiler / hands).ln();
        let known: Vec<f64> = efforts.iter().flatten().map(|of| log(of)).collect_vec();
        let least = known.iter().copied().fold(f64::INFINITY, f64::min);
        let most = known.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if most.exp() + own <= RANGE * (least.exp() + own) {
            return None;
        }
        let count = known.len() as f64;
        let middle = known.iter().sum::<f64>() / count;
        let variance = known.iter().map(|log| (log - middle).powi(2)).sum::<f64>() / count;
        let unit = variance.sqrt();
        // Of what was compiled before nothing is known but that it is like the others.
        let value = |of: &Option<&Effort>| of.map_or(0.0, |of| (log(of) - middle) / unit);
        let values: Vec<f64> = efforts.iter().map(value).collect_vec();
        Some(Prices {
            compiling: self.learn(&pool.table, &targets.places, &values),
            middle,
            unit,
            own,
        })
    }

    /// Takes in what was measured since the last time; gives what is expected of all.
    fn learn(&mut self, table: &Table, places: &[usize], values: &[f64]) -> Vec<f32> {
        let process = &mut self.process;
        if values.len() >= self.fit_at || process.len() > values.len() {
            process.fit(table, places, values, None);
            self.fit_at = (values.len() as f64 * REFIT).ceil() as usize;
        } else {
            process.extend(table);
            let new = &places[process.len()..];
            process.observe(table, new);
        }
        process.extend(table);
        process.expect(values, None).mean
    }
}

impl Prices {
    /// Seconds of a candidate.
    pub(super) fn seconds(&self, place: usize) -> f64 {
        let log = f64::from(self.compiling[place]) * self.unit + self.middle;
        log.exp() + self.own
    }

    /// What that takes off the logarithm of a gain.
    pub(super) fn discount(&self, place: usize) -> f64 {
        POWER * self.seconds(place).ln()
    }

    /// Who would be chosen if all took the same.
    pub(super) fn dearest<'a>(&self, open: &'a [Judged]) -> Option<&'a Judged> {
        let worth = |of: &&Judged| of.worth + self.discount(of.place);
        open.iter().max_by(|a, b| worth(a).total_cmp(&worth(b)))
    }
}

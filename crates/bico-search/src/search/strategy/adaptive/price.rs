//! What a candidate is expected to take until it is measured: users wait by the clock, and what a compiler takes differs by ten
//! times in a space that unrolls loops.

use super::View;
use super::judged::Judged;
use super::pool::Pool;
use super::target::Targets;
use crate::ascending;
use crate::search::Row;
use crate::search::learn::Process;
use bico_core::Lists;
use std::collections::HashMap;

/// The gain is divided by this power of the seconds: by their square root. Gain per second (Snoek, Larochelle and Adams, "Practical
/// Bayesian Optimization of Machine Learning Algorithms", 2012) is as good by the clock, and worse by evaluations.
const POWER: f64 = 0.5;
/// Where the dearest trial takes no more than so many times what the cheapest takes, prices say nothing.
const RANGE: f64 = 1.5;
/// The scales of what was learned of compilers are fitted anew when this much more was measured.
const REFIT: f64 = 1.5;

/// Seconds of a trial.
struct Effort {
    /// Of the compiler, waited for or not.
    compiler: f64,
    /// Of all that comes after it.
    own: f64,
}

impl Effort {
    /// `None` where nothing was compiled, or nobody knows. A row says it, so a search that was cut goes on with the same.
    fn of(row: &Row) -> Option<Effort> {
        Some(Effort {
            compiler: row.compiler.filter(|seconds| *seconds > 0.0)?,
            own: row.costs?.own(),
        })
    }
}

/// Of every candidate, what its seconds take off the logarithm of its gain.
pub(super) struct Prices(Vec<f64>);

impl Prices {
    /// By what `compilers` learns of their seconds. `None` where all take much the same, or nothing is known.
    pub(super) fn new(
        view: &View<'_>,
        pool: &Pool,
        targets: &Targets,
        compilers: &mut Process,
    ) -> Option<Prices> {
        // So many compilers work side by side.
        let hands = (view.pending.len() + view.free).max(1) as f64;
        let known = view.rows.iter();
        let known = known.filter_map(|row| Some((row.config, Effort::of(row)?)));
        let known: HashMap<u64, Effort> = known.collect();
        let places = targets.places.iter();
        let efforts = places.map(|place| known.get(&pool.configs[*place]));
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
        let table = &pool.table;
        compilers.follow(table, &targets.places, &values, None, REFIT);
        compilers.extend(table);
        let logs = compilers.expect(&values, None).mean.into_iter();
        let seconds = logs.map(|log| (f64::from(log) * unit + middle).exp() + own);
        Some(Prices(
            seconds.map(|seconds| POWER * seconds.ln()).collect_vec(),
        ))
    }

    /// What a candidate's seconds take off the logarithm of its gain.
    pub(super) fn discount(&self, place: usize) -> f64 {
        self.0[place]
    }

    /// Seconds until a candidate is measured.
    pub(super) fn seconds(&self, place: usize) -> f64 {
        (self.0[place] / POWER).exp()
    }

    /// Who would be chosen if all took the same.
    pub(super) fn dearest<'a>(&self, open: &'a [Judged]) -> Option<&'a Judged> {
        let worth = |of: &&Judged| of.worth + self.discount(of.place);
        open.iter().max_by(|a, b| worth(a).total_cmp(&worth(b)))
    }
}

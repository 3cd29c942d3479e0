//! What each parameter does to the time, which of them depend on each other, which values are far from the best, and how much
//! of a budget was enough: read off measured configs.
//!
//! All of it is about the configs that were measured, and about nothing else. A search measures what is promising more often
//! than chance would, so a value that it tried twice in bad company looks worse than it is.
//!
//! How much a parameter matters is the share of the variance of the logarithm of the time that its values explain: ω², by a
//! one-way analysis of variance (Hays, *Statistics for Psychologists*, 1963; Olejnik and Algina, 2003).
//! Logarithms, because half the time is as far from the time as twice. For two parameters it is the share that a mean for each
//! pair of values explains beyond the sum of an effect of each (the extra sum of squares of the larger of two nested models:
//! Draper and Smith, *Applied Regression Analysis*, 1998). Unlike the plain share of the squares, ω² takes off
//! what as many groups would explain of pure noise; it is not adjusted for what other parameters did at the same time.
//! Values that a single config ran with are left out: such a config, often the first of the space and far slower than all that
//! a search chooses, would be explained by each of its values.
//!
//! ```
//! use cargo_bico::analyse::{Measured, analyse};
//!
//! let names = ["TILE".to_string(), "UNROLL".to_string()];
//! let config = |tile: u32, unroll: u32, seconds| Measured {
//!     values: vec![tile.to_string(), unroll.to_string()],
//!     seconds,
//! };
//! let configs = [
//!     config(8, 1, Some(4.0e-3)),
//!     config(8, 2, Some(4.1e-3)),
//!     config(16, 1, Some(1.0e-3)),
//!     config(16, 2, Some(1.1e-3)),
//!     config(32, 1, None), // It failed.
//! ];
//! let analysis = analyse(&names, &configs);
//! assert_eq!(analysis.parameters[0].names, ["TILE"]);
//! assert_eq!(analysis.parameters[0].levels[1].best, Some(1.0e-3));
//! assert!(analysis.parameters[0].share > Some(0.9));
//! ```

mod enough;
mod evidence;
mod interaction;
mod variance;

pub use enough::{Enough, Tried, enough};
pub use evidence::{ENOUGH, Judged, NEAR, Narrowed, Room, Search, Verdict, judge};

#[cfg(test)]
mod tests;

use std::cmp::Ordering;

/// A measured config.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// The value of each parameter.
    pub values: Vec<String>,
    /// Its time; `None` where it failed.
    pub seconds: Option<f64>,
}

/// What measured configs say of their parameters.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Analysis {
    /// Those that had more than one value, by their shares: what matters most comes first.
    pub parameters: Vec<Effect>,
    /// The two whose effects depend on each other most, if that can be told of any.
    pub pair: Option<Interaction>,
    /// All pairs of which it can be told, as places in [`Analysis::parameters`] with their share; the largest comes first.
    pub pairs: Vec<([usize; 2], f64)>,
}

/// What a parameter does.
#[derive(Debug, Clone, PartialEq)]
pub struct Effect {
    /// Its name, and the names of others that always changed with it.
    pub names: Vec<String>,
    /// Its values, in order.
    pub levels: Vec<Level>,
    /// The share of the variance of the logarithm of the time that its values explain, from 0 to 1. `None` where too few
    /// configs ran to tell.
    pub share: Option<f64>,
}

/// A value of a parameter, or a pair of two, and how its configs did.
#[derive(Debug, Clone, PartialEq)]
pub struct Level {
    /// The value.
    pub value: String,
    /// How many configs had it.
    pub measured: usize,
    /// How many of those failed.
    pub failed: usize,
    /// The best time of the others.
    pub best: Option<f64>,
    /// Their median time.
    pub median: Option<f64>,
}

/// How the effects of two parameters depend on each other.
#[derive(Debug, Clone, PartialEq)]
pub struct Interaction {
    /// The places of both in [`Analysis::parameters`].
    pub of: [usize; 2],
    /// The share of the variance of the logarithm of the time that the pair explains beyond both alone, from 0 to 1.
    pub share: f64,
    /// For each value of the first, each value of the second.
    pub cells: Vec<Vec<Level>>,
}

/// A parameter's values, by config.
struct Factor {
    names: Vec<String>,
    values: Vec<String>,
    /// The place of each config's value.
    of: Vec<usize>,
}

/// Pairs with more cells are not looked at: most would be empty, and nobody could read them.
const MOST_CELLS: usize = 4096;

/// Reads off measured configs what their parameters, which have these `names`, do.
pub fn analyse(names: &[String], configs: &[Measured]) -> Analysis {
    let mut factors = factors(names, configs);
    let ran = |config: &Measured| config.seconds.is_some_and(|s| s > 0.0 && s.is_finite());
    let timed: Vec<usize> = (0..configs.len()).filter(|at| ran(&configs[*at])).collect();
    let mut shares: Vec<(Option<f64>, Factor)> = factors
        .drain(..)
        .map(|factor| {
            let runs = repeated(&[&factor], &timed);
            let [of] = groups([&factor], &runs);
            (variance::share(&of, &logs(configs, &runs)), factor)
        })
        .collect();
    shares.sort_by(|a, b| b.0.unwrap_or(-1.0).total_cmp(&a.0.unwrap_or(-1.0)));
    let mut pairs: Vec<([usize; 2], f64)> = Vec::new();
    for a in 0..shares.len() {
        for b in a + 1..shares.len() {
            if shares[a].1.values.len() * shares[b].1.values.len() > MOST_CELLS {
                continue;
            }
            let two = [&shares[a].1, &shares[b].1];
            let runs = repeated(&two, &timed);
            let [of_a, of_b] = groups(two, &runs);
            let share = interaction::share(&of_a, &of_b, &logs(configs, &runs));
            pairs.extend(share.map(|share| ([a, b], share)));
        }
    }
    pairs.sort_by(|a, b| b.1.total_cmp(&a.1));
    Analysis {
        pair: pairs.first().copied().map(|(of, share)| Interaction {
            of,
            share,
            cells: cells(&shares[of[0]].1, &shares[of[1]].1, configs),
        }),
        pairs,
        parameters: shares
            .into_iter()
            .map(|(share, factor)| Effect {
                levels: levels(&factor, configs),
                names: factor.names,
                share,
            })
            .collect(),
    }
}

/// Those of the runs whose values at least two of all runs have.
fn repeated(factors: &[&Factor], runs: &[usize]) -> Vec<usize> {
    let mut runs = runs.to_vec();
    for factor in factors {
        let mut counts = vec![0usize; factor.values.len()];
        runs.iter().for_each(|run| counts[factor.of[*run]] += 1);
        runs.retain(|run| counts[factor.of[*run]] > 1);
    }
    runs
}

fn groups<const N: usize>(factors: [&Factor; N], runs: &[usize]) -> [Vec<usize>; N] {
    factors.map(|factor| runs.iter().map(|run| factor.of[*run]).collect())
}

fn logs(configs: &[Measured], runs: &[usize]) -> Vec<f64> {
    let seconds = runs.iter().filter_map(|run| configs[*run].seconds);
    seconds.map(f64::ln).collect()
}

/// The parameters with more than one value; those that change together are one.
fn factors(names: &[String], configs: &[Measured]) -> Vec<Factor> {
    let mut factors: Vec<Factor> = Vec::new();
    for (place, name) in names.iter().enumerate() {
        let value = |config: &Measured| config.values.get(place).cloned().unwrap_or_default();
        let all: Vec<String> = configs.iter().map(value).collect();
        let mut values = all.clone();
        values.sort_by(|a, b| in_order(a, b));
        values.dedup();
        if values.len() < 2 {
            continue;
        }
        let of = all.iter().map(|value| {
            values
                .binary_search_by(|known| in_order(known, value))
                .unwrap_or(0)
        });
        let of: Vec<usize> = of.collect();
        match factors.iter_mut().find(|factor| are_one(&factor.of, &of)) {
            Some(factor) => factor.names.push(name.clone()),
            None => factors.push(Factor {
                names: vec![name.clone()],
                values,
                of,
            }),
        }
    }
    factors
}

/// Whether two parameters always change together: each value of one comes with one of the other.
fn are_one(a: &[usize], b: &[usize]) -> bool {
    let mut pairs: Vec<(usize, usize)> = a.iter().copied().zip(b.iter().copied()).collect();
    pairs.sort_unstable();
    pairs.dedup();
    let count = |values: &[usize]| values.iter().max().map_or(0, |most| most + 1);
    pairs.len() == count(a) && pairs.len() == count(b)
}

/// Numbers by their size, before texts.
fn in_order(a: &str, b: &str) -> Ordering {
    let number = |text: &str| text.parse::<f64>().ok().filter(|number| !number.is_nan());
    match (number(a), number(b)) {
        (Some(x), Some(y)) => x.total_cmp(&y).then_with(|| a.cmp(b)),
        (x, y) => y.is_some().cmp(&x.is_some()).then_with(|| a.cmp(b)),
    }
}

fn levels(factor: &Factor, configs: &[Measured]) -> Vec<Level> {
    let mut groups: Vec<Vec<&Measured>> = vec![Vec::new(); factor.values.len()];
    for (config, at) in configs.iter().zip(&factor.of) {
        groups[*at].push(config);
    }
    let values = factor.values.iter().zip(groups);
    values
        .map(|(value, configs)| level(value.clone(), &configs))
        .collect()
}

fn cells(a: &Factor, b: &Factor, configs: &[Measured]) -> Vec<Vec<Level>> {
    let mut groups = vec![vec![Vec::new(); b.values.len()]; a.values.len()];
    for (config, (row, column)) in configs.iter().zip(a.of.iter().zip(&b.of)) {
        groups[*row][*column].push(config);
    }
    let row = |(first, row): (&String, Vec<Vec<&Measured>>)| {
        let cells = b.values.iter().zip(row);
        cells
            .map(|(second, configs)| level(format!("{first}, {second}"), &configs))
            .collect()
    };
    a.values.iter().zip(groups).map(row).collect()
}

fn level(value: String, configs: &[&Measured]) -> Level {
    let mut times: Vec<f64> = configs.iter().filter_map(|config| config.seconds).collect();
    times.sort_by(f64::total_cmp);
    let middle = times.len() / 2;
    Level {
        value,
        measured: configs.len(),
        failed: configs.len() - times.len(),
        best: times.first().copied(),
        median: match times.len() {
            0 => None,
            even if even % 2 == 0 => Some((times[middle - 1] + times[middle]) / 2.0),
            _ => Some(times[middle]),
        },
    }
}

//! The ranking itself.

use crate::space::{Draw, Space};
use bico_bind::{Bound, SpaceError};
use bico_core::Value;
use bico_core::model;

/// Above this many configs a sample is ranked.
const MOST_RANKED: usize = 1_000_000;

/// The seed of that sample: the same space gives the same ranking.
const SAMPLE_SEED: u64 = 0;

/// What the predictions of a [`Ranked`] are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Seconds by the model: lower is better.
    Seconds,
    /// The author's `score`: higher is better.
    Score,
}

/// Configs, most promising first.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// The numbers of the configs, best first.
    pub order: Vec<u64>,
    /// The prediction for each of them, in the same order.
    pub predicted: Vec<f64>,
    /// What the predictions are.
    pub kind: Kind,
    /// Where each config stands in them.
    positions: Positions,
}

#[derive(Debug, Clone, PartialEq)]
enum Positions {
    /// The position of each config of the space.
    Dense(Vec<u32>),
    /// Those of a sample, by the configs' numbers.
    Sparse(Vec<(u64, u32)>),
}

impl Ranked {
    /// Ranks configs by their predictions. Equal ones keep their order.
    pub fn new(configs: Vec<u64>, predicted: Vec<f64>, kind: Kind) -> Ranked {
        let mut keyed: Vec<(u64, u32)> = predicted
            .iter()
            .take(configs.len())
            .enumerate()
            .map(|(at, value)| (key(*value, kind), at as u32))
            .collect();
        // The index makes the keys distinct, so that an unstable sort keeps the order of equals.
        keyed.sort_unstable();
        let order: Vec<u64> = keyed.iter().map(|(_, at)| configs[*at as usize]).collect();
        let predicted = keyed
            .iter()
            .map(|(_, at)| predicted[*at as usize])
            .collect();
        let whole = configs
            .iter()
            .enumerate()
            .all(|(at, config)| *config == at as u64);
        let positions = if whole {
            let mut dense = vec![0; order.len()];
            for (place, config) in order.iter().enumerate() {
                dense[*config as usize] = place as u32;
            }
            Positions::Dense(dense)
        } else {
            let mut sparse: Vec<(u64, u32)> = order
                .iter()
                .enumerate()
                .map(|(place, config)| (*config, place as u32))
                .collect();
            sparse.sort_unstable();
            Positions::Sparse(sparse)
        };
        Ranked {
            order,
            predicted,
            kind,
            positions,
        }
    }

    /// The ranking of who can predict nothing: this many configs in the order of their space, or a fixed random
    /// sample of more than a million.
    pub fn blind(configs: u64) -> Ranked {
        let configs = chosen(configs);
        let predicted = vec![1.0; configs.len()];
        Ranked::new(configs, predicted, Kind::Seconds)
    }

    /// How many configs are ranked.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// The position of a config, from 0; `None` if it was not among those that were ranked.
    pub fn position(&self, config: u64) -> Option<usize> {
        match &self.positions {
            Positions::Dense(dense) => dense
                .get(usize::try_from(config).ok()?)
                .map(|place| *place as usize),
            Positions::Sparse(sparse) => {
                let at = sparse
                    .binary_search_by_key(&config, |(config, _)| *config)
                    .ok()?;
                Some(sparse[at].1 as usize)
            }
        }
    }
}

/// A number that sorts better predictions first.
fn key(value: f64, kind: Kind) -> u64 {
    // -0.0 and 0.0 are equal.
    let value = if value == 0.0 { 0.0 } else { value };
    let bits = value.to_bits();
    let ascending = if bits >> 63 == 0 {
        bits | 1 << 63
    } else {
        !bits
    };
    match kind {
        Kind::Seconds => ascending,
        Kind::Score => !ascending,
    }
}

/// Ranks a space by `score` if there is one, else by predicted time. Of more than a million configs
/// a fixed random sample is ranked, with the first one in any case.
///
/// # Errors
///
/// When `score`, `work` or a buffer's length cannot be evaluated for some config.
pub fn rank(space: &Space, bound: &Bound<'_>) -> Result<Ranked, SpaceError> {
    let (depends, kind) = match &bound.score {
        Some(score) => (score.depends().to_vec(), Kind::Score),
        None => (bound.work_depends(), Kind::Seconds),
    };
    let predict = |values: &[Value]| match &bound.score {
        Some(score) => score.number(values),
        None => {
            let work = bound.work(values)?;
            Ok(model::predict(bound.facts, &work))
        }
    };
    let mut memo = Memo::new(space, depends);
    let configs = chosen(space.len());
    let mut predicted = Vec::with_capacity(configs.len());
    let mut failed = None;
    let visit = |_: u64, ids: &[u32]| {
        if failed.is_none() {
            match memo.get(ids, predict) {
                Ok(value) => predicted.push(value),
                Err(error) => failed = Some(error),
            }
        }
    };
    match configs.len() as u64 == space.len() {
        true => space.for_each(visit),
        false => space.for_some(&configs, visit),
    }
    match failed {
        Some(error) => Err(error),
        None => Ok(Ranked::new(configs, predicted, kind)),
    }
}

/// The configs that are ranked, ascending: all of them, or of very many a fixed sample with the first one.
fn chosen(len: u64) -> Vec<u64> {
    if len <= MOST_RANKED as u64 {
        return (0..len).collect();
    }
    let mut rng = fastrand::Rng::with_seed(SAMPLE_SEED);
    let mut configs: Vec<u64> = Draw::new(len, rng.fork()).take(MOST_RANKED).collect();
    configs.push(0);
    configs.sort_unstable();
    configs.dedup();
    configs
}

/// Predictions by the values that they depend on: most depend on few parameters, and are then
/// computed a few times for many configs.
struct Memo<'a> {
    space: &'a Space,
    depends: Vec<usize>,
    /// For each combination of values; NaN where it was not asked for yet. Empty if there are too many.
    known: Vec<f64>,
    values: Vec<Value>,
}

impl<'a> Memo<'a> {
    fn new(space: &'a Space, depends: Vec<usize>) -> Memo<'a> {
        let combinations = depends.iter().try_fold(1usize, |n, parameter| {
            n.checked_mul(space.values(*parameter).len())
        });
        let size = combinations
            .filter(|n| *n as u64 <= space.len().clamp(1024, MOST_RANKED as u64))
            .unwrap_or(0);
        let values = vec![Value::Bool(false); space.names().len()];
        Memo {
            space,
            depends,
            known: vec![f64::NAN; size],
            values,
        }
    }

    fn get(
        &mut self,
        ids: &[u32],
        predict: impl Fn(&[Value]) -> Result<f64, SpaceError>,
    ) -> Result<f64, SpaceError> {
        let mut at = 0;
        if !self.known.is_empty() {
            for parameter in &self.depends {
                at = at * self.space.values(*parameter).len() + ids[*parameter] as usize;
            }
            let known = self.known[at];
            if !known.is_nan() {
                return Ok(known);
            }
        }
        for (parameter, id) in ids.iter().enumerate() {
            self.values[parameter] = self.space.values(parameter)[*id as usize];
        }
        let value = predict(&self.values)?;
        if let Some(known) = self.known.get_mut(at) {
            *known = value;
        }
        Ok(value)
    }
}

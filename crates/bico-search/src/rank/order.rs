//! The ranking itself.

use crate::space::{Draw, Space};
use bico_bind::{Bound, SpaceError};
use bico_core::model;
use std::collections::HashMap;

/// Above this many configs a sample is ranked.
const MOST_RANKED: usize = 1_000_000;

/// Predictions that are remembered at most.
const MOST_KNOWN: usize = 100_000;

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
    /// Each config with its place among them, ascending.
    places: Vec<(u64, u32)>,
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
        let sorted = keyed.iter().map(|(_, at)| predicted[*at as usize]);
        let predicted = sorted.collect();
        let mut places: Vec<(u64, u32)> = configs.iter().map(|config| (*config, 0)).collect();
        for (place, (_, at)) in keyed.iter().enumerate() {
            places[*at as usize].1 = place as u32;
        }
        places.sort_unstable();
        Ranked {
            order,
            predicted,
            kind,
            places,
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
        let places = &self.places;
        let at = places.binary_search_by_key(&config, |(config, _)| *config);
        Some(places[at.ok()?].1 as usize)
    }
}

/// A number that sorts better predictions first.
fn key(value: f64, kind: Kind) -> u64 {
    // -0.0 and 0.0 are equal.
    let value = if value == 0.0 { 0.0 } else { value };
    let bits = value.to_bits();
    let ascending = match bits >> 63 {
        0 => bits | 1 << 63,
        _ => !bits,
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
    let (depends, kind) = match bound.score() {
        Some(score) => (score.depends().to_vec(), Kind::Score),
        None => (bound.work_depends(), Kind::Seconds),
    };
    // Most predictions depend on few parameters: they are computed a few times for many configs.
    let mut known: HashMap<Vec<u32>, f64> = HashMap::new();
    let (mut key, mut values) = (Vec::new(), Vec::new());
    let mut predict = |ids: &[u32]| {
        key.clear();
        key.extend(depends.iter().map(|parameter| ids[*parameter]));
        if let Some(known) = known.get(&key) {
            return Ok(*known);
        }
        values.clear();
        let all = ids.iter().enumerate();
        values.extend(all.map(|(parameter, id)| space.values(parameter)[*id as usize]));
        let value = match bound.score() {
            Some(score) => score.number(&values)?,
            None => model::predict(bound.facts(), &bound.work(&values)?),
        };
        if known.len() < MOST_KNOWN {
            known.insert(key.clone(), value);
        }
        Ok(value)
    };
    let configs = chosen(space.len());
    let mut predicted = Vec::with_capacity(configs.len());
    let mut failed = None;
    space.for_some(&configs, &mut |_, ids| {
        if failed.is_none() {
            match predict(ids) {
                Ok(value) => predicted.push(value),
                Err(error) => failed = Some(error),
            }
        }
    });
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

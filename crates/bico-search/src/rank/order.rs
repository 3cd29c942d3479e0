//! The ranking itself.

use crate::ascending;
use crate::space::{Draw, Space};
use bico_core::Lists;
use bico_core::model;
use bico_core::sorted::sort_by;
use bico_syntax::bind::{Bound, SpaceError};
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
        // The sum makes 0.0 of -0.0, which is equal.
        let mut ranked: Vec<(u64, f64)> = configs.into_iter().zip(predicted).collect_vec();
        ascending(&mut ranked, &|(_, predicted)| match kind {
            Kind::Seconds => predicted + 0.0,
            Kind::Score => -predicted + 0.0,
        });
        let (order, predicted): (Vec<u64>, Vec<f64>) = ranked.into_iter().unzip();
        let mut places: Vec<(u64, u32)> = order.iter().copied().zip(0..).collect_vec();
        sort_by(&mut places, &Ord::cmp);
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

    /// Whether nothing tells one config from another.
    pub fn is_flat(&self) -> bool {
        self.predicted.first() == self.predicted.last()
    }

    /// The position of a config, from 0; `None` if it was not among those that were ranked.
    pub fn position(&self, config: u64) -> Option<usize> {
        let places = &self.places;
        let at = places.binary_search_by_key(&config, |(config, _)| *config);
        Some(places[at.ok()?].1 as usize)
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
        Some(score) => (score.depends().iter().copied().collect(), Kind::Score),
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
        let value = match &bound.score {
            Some(score) => score.number(&values)?,
            None => model::predict(bound.facts, &bound.work(&values)?),
        };
        if known.len() < MOST_KNOWN {
            known.insert(key.clone(), value);
        }
        Ok(value)
    };
    let configs = chosen(space.len());
    let mut predicted = Ok(Vec::with_capacity(configs.len()));
    space.for_some(&configs, &mut |_, ids| {
        if let Ok(known) = &mut predicted {
            match predict(ids) {
                Ok(value) => known.push(value),
                Err(error) => predicted = Err(error),
            }
        }
    });
    Ok(Ranked::new(configs, predicted?, kind))
}

/// The configs that are ranked, ascending: all of them, or of very many a fixed sample with the first one.
fn chosen(len: u64) -> Vec<u64> {
    if len <= MOST_RANKED as u64 {
        return (0..len).collect_vec();
    }
    let mut rng = fastrand::Rng::with_seed(SAMPLE_SEED);
    let mut configs: Vec<u64> = Draw::new(len, rng.fork()).take(MOST_RANKED).collect_vec();
    configs.push(0);
    configs.sort_unstable();
    configs.dedup();
    configs
}

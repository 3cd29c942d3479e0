//! The candidates that the model answers for.

use super::encode::Encoder;
use super::{Proposal, View};
use crate::ascending;
use crate::rank::Kind;
use crate::search::learn::{Feature, Scale, Table};
use crate::space::Draw;
use bico_core::Lists;
use std::collections::{HashMap, HashSet};

/// Candidates at most, besides the neighbours of the best. In replay, spaces four times as large lost
/// nothing by it.
const MOST: usize = 4096;
/// The best trials whose neighbours become candidates.
const BEST: usize = 4;
/// Draws among which the one farthest from all others is taken.
const DRAWS: usize = 20;
/// The latest trials that such a one is to be far from: in a space where nothing runs there are many.
const RECENT: usize = 64;
/// A time so much longer than the best is the model's word for what cannot run.
const CANNOT_RUN: f64 = 1e5;
/// What a score's spread counts, in logarithms of time: its scale is the author's own.
const SCORE_SPREAD: f64 = 0.5;

/// Some configs of the space, or all.
#[derive(Debug)]
pub(super) struct Pool {
    pub(super) configs: Vec<u64>,
    places: HashMap<u64, usize>,
    pub(super) table: Table,
    encoder: Encoder,
    /// What the ranking says, where it tells configs apart.
    pub(super) prediction: Option<Prediction>,
    /// What each candidate is predicted to be, as a logarithm of time.
    pub(super) predicted: Vec<f64>,
    /// Candidates that are not expected to run at all.
    pub(super) hopeless: Vec<bool>,
    /// How many configs of the ranking the opening has asked for.
    pub(super) opened: usize,
    /// Configs of a large space that were not drawn yet.
    rest: Draw,
    /// Configs whose neighbours are in.
    surrounded: HashSet<u64>,
    rng: fastrand::Rng,
}

/// The ranking as a feature.
#[derive(Debug)]
pub(super) struct Prediction {
    scale: Scale,
    kind: Kind,
    middle: f64,
    unit: f64,
}

impl Pool {
    pub(super) fn new(view: &View<'_>, seed: u64) -> Pool {
        let mut rng = fastrand::Rng::with_seed(seed);
        let len = view.configs.len();
        let mut rest = Draw::new(len, rng.fork());
        let mut configs: Vec<u64> = Vec::new();
        if len <= MOST as u64 {
            configs.extend(0..len);
        } else {
            let informative = is_informative(&view.ranked.predicted);
            let top = if informative { MOST / 2 } else { 0 };
            let ranked = view.ranked.order.iter().copied();
            let ranked = ranked.filter(|config| *config < len && view.has(*config));
            configs.extend(ranked.take(top));
            let mut known: HashSet<u64> = configs.iter().copied().collect();
            while configs.len() < MOST
                && let Some(config) = rest.next()
            {
                if view.has(config) && known.insert(config) {
                    configs.push(config);
                }
            }
        }
        let values = |config: &u64| view.configs.values(*config);
        let rows: Vec<_> = configs.iter().map(values).collect_vec();
        let encoder = Encoder::new(&rows);
        let prediction = Prediction::new(view, &configs);
        let mut features = encoder.features();
        features.extend(prediction.iter().map(|p| p.scale.feature()));
        let mut pool = Pool {
            configs: Vec::new(),
            places: HashMap::new(),
            table: Table { features, len: 0 },
            encoder,
            prediction,
            predicted: Vec::new(),
            hopeless: Vec::new(),
            opened: 0,
            rest,
            surrounded: HashSet::new(),
            rng,
        };
        for config in configs {
            pool.add(view, config);
        }
        pool
    }

    /// The place of a config among the candidates.
    pub(super) fn place(&self, config: u64) -> Option<usize> {
        self.places.get(&config).copied()
    }

    pub(super) fn proposal(&self, place: usize, why: String) -> Proposal {
        Proposal {
            config: self.configs[place],
            why: Some(why),
        }
    }

    fn add(&mut self, view: &View<'_>, config: u64) {
        if self.place(config).is_some() {
            return;
        }
        let mut codes = self.encoder.codes(&view.configs.values(config));
        let place = view.ranked.position(config);
        let predicted = place.map(|place| view.ranked.predicted[place]);
        let hopeless = predicted.is_some_and(|p| cannot_run(view, p));
        self.hopeless.push(hopeless);
        let log = match (&self.prediction, predicted) {
            (Some(prediction), Some(predicted)) => prediction.log(predicted),
            _ => 0.0,
        };
        codes.extend(self.prediction.iter().map(|p| p.scale.code(log)));
        self.predicted.push(log);
        self.table.push(&codes);
        self.places.insert(config, self.configs.len());
        self.configs.push(config);
    }

    /// Takes in what was measured, and the neighbours of the best.
    pub(super) fn follow(&mut self, view: &View<'_>) {
        for (config, _) in view.trials {
            self.add(view, *config);
        }
        if view.configs.len() <= MOST as u64 {
            return;
        }
        let timed = |(config, outcome): &(u64, crate::search::Outcome)| {
            Some((*config, outcome.sample()?.seconds))
        };
        let mut best: Vec<(u64, f64)> = view.trials.iter().filter_map(timed).collect_vec();
        ascending(&mut best, &|(_, seconds)| *seconds);
        for (config, _) in best.into_iter().take(BEST) {
            if self.surrounded.insert(config) {
                for neighbour in view.configs.neighbours(config).into_iter().take(MOST) {
                    self.add(view, neighbour);
                }
            }
        }
    }

    /// Candidates that may be measured: those expected to run, or the others where none is left.
    pub(super) fn open_places<'a>(
        &'a self,
        view: &'a View<'_>,
    ) -> impl Iterator<Item = usize> + 'a {
        let is_open = |place: &usize| view.is_open(self.configs[*place]);
        let open = (0..self.configs.len()).filter(is_open);
        let hopeful = open.clone().any(|place| !self.hopeless[place]);
        open.filter(move |place| !hopeful || !self.hopeless[*place])
    }

    /// Draws new candidates where all were measured.
    pub(super) fn refill(&mut self, view: &View<'_>) {
        if self.open_places(view).next().is_some() || view.configs.len() <= MOST as u64 {
            return;
        }
        let wanted = self.configs.len() + MOST;
        while self.configs.len() < wanted
            && let Some(config) = self.rest.next()
        {
            self.add(view, config);
        }
    }

    /// Up to `count` open candidates that lie far from each other and from all that was measured.
    pub(super) fn spread(&mut self, view: &View<'_>, count: usize, why: &str) -> Vec<Proposal> {
        let mut open: Vec<usize> = self.open_places(view).collect_vec();
        let recent = view.trials.iter().rev().take(RECENT);
        let near = recent.map(|(config, _)| config).chain(view.pending);
        let mut near: Vec<usize> = near.filter_map(|config| self.place(*config)).collect_vec();
        let mut chosen = Vec::new();
        while chosen.len() < count && !open.is_empty() {
            let draws = if near.is_empty() { 1 } else { DRAWS };
            let draw = |_| open[self.rng.usize(..open.len())];
            let drawn: Vec<usize> = (0..draws).map(draw).collect_vec();
            let Some(place) = self.farthest(&drawn, &near) else {
                break;
            };
            open.retain(|other| *other != place);
            near.push(place);
            chosen.push(self.proposal(place, why.into()));
        }
        chosen
    }

    /// Which of these lies farthest from all others; the first of equals.
    pub(super) fn farthest(&self, of: &[usize], from: &[usize]) -> Option<usize> {
        let distance = |place: usize| {
            let each = from.iter().map(|other| self.table.distance(place, *other));
            each.fold(f64::INFINITY, f64::min)
        };
        let others = of.iter().filter(|place| !from.contains(place));
        others
            .map(|place| (distance(*place), *place))
            .reduce(|best, next| if next.0 > best.0 { next } else { best })
            .map(|(_, place)| place)
    }
}

impl Prediction {
    fn new(view: &View<'_>, configs: &[u64]) -> Option<Prediction> {
        let kind = view.ranked.kind;
        let mut prediction = Prediction {
            scale: Feature::numbers(Vec::new()),
            kind,
            middle: 0.0,
            unit: 1.0,
        };
        let position = |config: &u64| view.ranked.position(*config);
        let ranked = configs.iter().filter_map(position);
        let logs: Vec<f64> = ranked
            .map(|at| view.ranked.predicted[at])
            .filter(|predicted| !cannot_run(view, *predicted))
            .map(|predicted| prediction.log(predicted))
            .collect_vec();
        if !is_informative(&logs) {
            return None;
        }
        let count = logs.len() as f64;
        prediction.middle = logs.iter().sum::<f64>() / count;
        if kind == Kind::Score {
            let squares: f64 = logs.iter().map(|x| (x - prediction.middle).powi(2)).sum();
            prediction.unit = SCORE_SPREAD / (squares / count).sqrt();
        }
        let (middle, unit) = (prediction.middle, prediction.unit);
        let centred = logs.iter().map(|x| (x - middle) * unit);
        prediction.scale = Feature::numbers(centred.collect_vec());
        Some(prediction)
    }

    /// A prediction as a logarithm of time, about zero on average.
    fn log(&self, predicted: f64) -> f64 {
        let log = match self.kind {
            Kind::Seconds if predicted.is_finite() => predicted.max(f64::MIN_POSITIVE).ln(),
            Kind::Score if predicted.is_finite() => -predicted,
            _ => self.middle,
        };
        (log - self.middle) * self.unit
    }
}

/// Whether the model says that a config cannot run; a `score` says no such thing.
fn cannot_run(view: &View<'_>, predicted: f64) -> bool {
    let best = view.ranked.predicted.first().copied().unwrap_or(predicted);
    !predicted.is_finite() || (view.ranked.kind == Kind::Seconds && predicted > CANNOT_RUN * best)
}

/// Whether there are at least two different numbers among these.
fn is_informative(predicted: &[f64]) -> bool {
    let mut finite = predicted.iter().filter(|p| p.is_finite());
    finite
        .next()
        .is_some_and(|first| finite.any(|other| other != first))
}

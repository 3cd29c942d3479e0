//! What the model learns from: log times, the prediction's part taken off.

use super::View;
use super::pool::Pool;
use crate::search::Outcome;
use crate::search::learn::Belief;
use bico_core::Lists;

/// Times that are slower than the median by more than so many times what the median is slower than
/// the best are taken as that: how bad the bad ones are says nothing of the good ones.
const CLIP: f64 = 3.0;
/// How far the prediction is trusted before anything is measured, and how much has to be measured to
/// change that: the slope of log time over the logarithm of the prediction.
const TRUST: f64 = 0.7;
const TRUST_WEIGHT: f64 = 1.0;
const MOST_TRUST: f64 = 2.0;
/// Where only good configs were measured (the winners of other devices), an ordinary config is slower
/// than the best by about this much, as a logarithm: 2.5 times, the median of recorded spaces.
const ORDINARY: f64 = 0.9;
/// And their spread says nothing of that of the space.
const LEAST_SPREAD: f64 = 0.3;

/// The trials as the model sees them.
#[derive(Debug)]
pub(super) struct Targets {
    /// The candidates that were measured.
    pub(super) places: Vec<usize>,
    /// Their log times, standardised.
    pub(super) values: Vec<f64>,
    /// The best log time, standardised.
    pub(super) best: f64,
    /// Logarithms of time in one standard unit.
    pub(super) scale: f64,
    pub(super) belief: Option<Belief>,
    /// How many trials ran.
    pub(super) ran: usize,
    mean: f64,
    offsets: Vec<f64>,
}

impl Targets {
    /// `None` while nothing ran.
    pub(super) fn new(view: &View<'_>, pool: &Pool, warm: bool) -> Option<Targets> {
        let trials = view.trials.iter();
        let place = |(config, _): &(u64, Outcome)| pool.place(*config);
        let places: Vec<usize> = trials.clone().filter_map(place).collect_vec();
        let log = |(_, outcome): &(u64, Outcome)| {
            let seconds = outcome.sample()?.seconds;
            (seconds.is_finite() && seconds > 0.0).then(|| seconds.ln())
        };
        let logs: Vec<Option<f64>> = trials.map(log).collect_vec();
        let mut ran: Vec<f64> = logs.iter().flatten().copied().collect_vec();
        ran.sort_unstable_by(f64::total_cmp);
        let (best, median) = (*ran.first()?, ran[ran.len() / 2]);
        // A failure is as bad as the slowest.
        let slowest = (median + CLIP * (median - best))
            .max(best + 0.1)
            .min(ran[ran.len() - 1].max(best + 0.1));
        let clipped = |log: &Option<f64>| log.map_or(slowest, |log| log.min(slowest));
        let raw: Vec<f64> = logs.iter().map(clipped).collect_vec();
        let count = raw.len() as f64;
        let mean = raw.iter().sum::<f64>() / count;
        let variance = raw.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / count;
        let scale = variance.sqrt().max(if warm { LEAST_SPREAD } else { 1e-6 });
        let offsets = offsets(pool, &places, &raw, mean);
        let values = places
            .iter()
            .zip(&raw)
            .map(|(place, y)| (y - mean - offsets.get(*place).copied().unwrap_or(0.0)) / scale)
            .collect_vec();
        let best = (best - mean) / scale;
        let belief = warm.then_some(Belief {
            mean: best + ORDINARY / scale,
            weight: 1.0,
        });
        Some(Targets {
            places,
            values,
            best,
            scale,
            belief,
            ran: ran.len(),
            mean,
            offsets,
        })
    }

    /// What the prediction adds to the model's expectation of a candidate, standardised.
    pub(super) fn offset(&self, place: usize) -> f64 {
        let offset = self.offsets.get(place);
        offset.map_or(0.0, |offset| offset / self.scale)
    }

    /// Why a candidate was chosen; `seconds` are what it is expected to take until it is measured.
    pub(super) fn why(&self, mean: f64, spread: f64, gain: f64, seconds: Option<f64>) -> String {
        let price = seconds.map_or_else(String::new, |seconds| format!(" in {seconds:.2} s"));
        format!(
            "model {:.3e} s within {:.0} %, expected gain {:.2} %{price}",
            (self.mean + mean * self.scale).exp(),
            ((spread * self.scale).exp() - 1.0) * 100.0,
            gain * 100.0
        )
    }
}

/// The prediction's part in the log time of each candidate: its slope by least squares, drawn
/// towards [`TRUST`]. Nothing where there is no prediction.
fn offsets(pool: &Pool, places: &[usize], raw: &[f64], mean: f64) -> Vec<f64> {
    if pool.prediction.is_none() {
        return Vec::new();
    }
    let predicted: Vec<f64> = places
        .iter()
        .map(|place| pool.predicted[*place])
        .collect_vec();
    let middle = predicted.iter().sum::<f64>() / predicted.len().max(1) as f64;
    let centred = || predicted.iter().map(|p| p - middle);
    let product: f64 = centred().zip(raw).map(|(p, y)| p * (y - mean)).sum();
    let squares: f64 = centred().map(|p| p * p).sum();
    let slope = (product + TRUST_WEIGHT * TRUST) / (squares + TRUST_WEIGHT);
    let slope = slope.clamp(0.0, MOST_TRUST);
    let predicted = pool.predicted.iter();
    predicted.map(|p| slope * (p - middle)).collect_vec()
}

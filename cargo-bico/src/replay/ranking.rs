//! How well a ranking agrees with what was recorded.

use super::Recording;
use bico_search::rank::spearman;
use serde::Serialize;

/// The depths at which [`Ranking::best`] looks.
pub const DEPTHS: [usize; 5] = [1, 5, 10, 20, 50];

/// The agreement of a ranking with a recording.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ranking {
    /// The recording.
    pub space: String,
    /// Configs that ran.
    pub timed: usize,
    /// Spearman's rank correlation of prediction and time over them; `None` where all predictions
    /// are equal.
    pub spearman: Option<f64>,
    /// The optimum's time over the best of the first [`DEPTHS`] configs of the ranking; 0 where all
    /// of them failed.
    pub best: [f64; DEPTHS.len()],
}

impl Ranking {
    /// Compares predictions with a recording.
    pub fn new(recording: &Recording, predicted: Option<&[f64]>) -> Ranking {
        let ranked = recording.ranked(predicted);
        let (mut predicted, mut times) = (Vec::new(), Vec::new());
        let mut best = [f64::INFINITY; DEPTHS.len()];
        for (place, (config, seconds)) in ranked.order.iter().zip(&ranked.predicted).enumerate() {
            let Some(time) = recording.record(*config).time else {
                continue;
            };
            predicted.push(*seconds);
            times.push(time);
            for (best, depth) in best.iter_mut().zip(DEPTHS) {
                if place < depth {
                    *best = best.min(time);
                }
            }
        }
        let optimum = times.iter().copied().fold(f64::INFINITY, f64::min);
        Ranking {
            space: recording.name.clone(),
            timed: times.len(),
            spearman: spearman(&predicted, &times),
            best: best.map(|best| {
                if best.is_finite() {
                    optimum / best
                } else {
                    0.0
                }
            }),
        }
    }
}

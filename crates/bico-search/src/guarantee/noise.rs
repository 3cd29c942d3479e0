//! The noise of measured times, and choosing again under other noise.

use super::outcomes::{ends, is_time};
use super::{Change, Settings};
use crate::search::{Outcome, Sample};

/// A measured time and the standard deviations of its noise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Noisy {
    pub(super) seconds: f64,
    /// The one above it: how far the truth may lie there.
    pub(super) up: f64,
    /// The one below it.
    down: f64,
}

impl Noisy {
    fn new(sample: &Sample) -> Noisy {
        let (low, high) = ends(sample);
        // With fewer than six runs the interval is from the smallest to the largest, which holds
        // the median with 1 - 2^(1 - runs) only: how many deviations that is, from a table.
        let reach = match sample.runs {
            0..=2 => 0.674_490,
            3 => 1.150_349,
            4 => 1.534_121,
            5 => 1.862_732,
            _ => 1.959_964,
        };
        Noisy {
            seconds: sample.seconds,
            // Where nothing is known of a side, nothing is promised of it.
            up: ((high - sample.seconds) / reach).min(f64::MAX),
            down: ((sample.seconds - low) / reach).min(f64::MAX),
        }
    }

    /// How far the truth lies above the time, where the noise is `z` deviations.
    fn error(&self, z: f64) -> f64 {
        z * if z > 0.0 { self.up } else { self.down }
    }
}

/// The outcomes that may be chosen, each with its noise.
pub(super) fn contenders(outcomes: &[Outcome]) -> Vec<Option<Noisy>> {
    let contender = |outcome: &Outcome| match outcome {
        Outcome::Timed(sample) if !sample.cut && is_time(sample) => Some(Noisy::new(sample)),
        _ => None,
    };
    outcomes.iter().map(contender).collect()
}

/// One resample at some place of the sequence.
#[derive(Debug, Clone, Copy)]
struct Resample {
    /// What the winner of the sink was lucky by, seconds and deviations.
    error: f64,
    luck: f64,
    /// The most deviations so far.
    most: f64,
}

/// The choice made again under other noise, many times over.
pub(super) struct Resampling<'a> {
    contenders: &'a [Option<Noisy>],
    seed: u64,
    resamples: Vec<Resample>,
}

impl<'a> Resampling<'a> {
    pub(super) fn new(contenders: &'a [Option<Noisy>], settings: &Settings) -> Resampling<'a> {
        let nothing = Resample {
            error: f64::NEG_INFINITY,
            luck: 0.0,
            most: 0.0,
        };
        Resampling {
            contenders,
            seed: settings.seed,
            resamples: vec![nothing; settings.resamples.max(1)],
        }
    }

    /// Chooses again in each resample, now that an outcome has changed the sink.
    pub(super) fn follow(&mut self, place: usize, change: Change, sink: &[usize]) {
        match change {
            Change::Kept => return,
            Change::Joined => self.enter(place),
            Change::Replaced => {
                for resample in &mut self.resamples {
                    resample.error = f64::NEG_INFINITY;
                }
                sink.iter().for_each(|member| self.enter(*member));
            }
        }
        for resample in &mut self.resamples {
            resample.most = resample.most.max(resample.luck);
        }
    }

    /// Lets a config compete. Its noise is its own: it is the same whenever it is asked for.
    fn enter(&mut self, place: usize) {
        let Some(noisy) = self.contenders[place] else {
            return;
        };
        let mut random = fastrand::Rng::with_seed(
            self.seed ^ (place as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15),
        );
        let mut spare = None;
        for resample in &mut self.resamples {
            let z = spare.take().unwrap_or_else(|| {
                let (first, second) = normals(&mut random);
                spare = Some(second);
                first
            });
            let error = noisy.error(z);
            if error > resample.error {
                resample.error = error;
                resample.luck = if noisy.up > 0.0 { z } else { 0.0 };
            }
        }
    }

    /// Deviations that a choice must be allowed for.
    pub(super) fn allowance(&self, reliability: f64) -> f64 {
        let mut most: Vec<f64> = self
            .resamples
            .iter()
            .map(|resample| resample.most)
            .collect();
        most.sort_unstable_by(f64::total_cmp);
        let place = (reliability * most.len() as f64).ceil() as usize;
        most[place.clamp(1, most.len()) - 1]
    }
}

/// Two independent standard normal numbers, by the method of Box and Muller.
pub(super) fn normals(random: &mut fastrand::Rng) -> (f64, f64) {
    // 1 - u is never 0.
    let radius = (-2.0 * (1.0 - random.f64()).ln()).sqrt();
    let (sin, cos) = (std::f64::consts::TAU * random.f64()).sin_cos();
    (radius * cos, radius * sin)
}

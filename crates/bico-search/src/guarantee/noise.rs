//! The noise of measured times, and choosing again under other noise.

use super::Settings;
use super::order::interval;
use crate::search::Outcome;
use bico_core::Lists;

/// A measured time and the standard deviations of its noise.
#[derive(Clone, Copy)]
pub(super) struct Noisy {
    pub(super) seconds: f64,
    /// The ends of its interval.
    low: f64,
    high: f64,
    /// The deviation above it: how far the truth may lie there.
    pub(super) up: f64,
    /// That below it.
    down: f64,
}

impl Noisy {
    /// That of an outcome which may be chosen.
    pub(super) fn of(outcome: &Outcome) -> Option<Noisy> {
        let (low, high) = interval(outcome)?;
        let sample = match outcome {
            Outcome::Timed(sample) if !sample.cut => sample,
            _ => return None,
        };
        // How many deviations the interval is to each side: those of one to six runs, from a table.
        let reach = match sample.confidence {
            c if c >= 0.95 => 1.959_964,
            c if c >= 0.93 => 1.862_732,
            c if c >= 0.87 => 1.534_121,
            c if c >= 0.75 => 1.150_349,
            c if c >= 0.5 => 0.674_490,
            _ => 0.0,
        };
        Some(Noisy {
            seconds: sample.seconds,
            low,
            high,
            // Where nothing is known of a side, nothing is promised of it.
            up: ((high - sample.seconds) / reach).min(f64::MAX),
            down: ((sample.seconds - low) / reach).min(f64::MAX),
        })
    }
}

/// One resample at some place of the sequence.
#[derive(Clone, Copy)]
struct Resample {
    /// What the winner of the sink was lucky by, seconds and deviations.
    error: f64,
    luck: f64,
    /// The most deviations so far.
    most: f64,
}

/// The choice made again under other noise, many times over, as the sequence goes on: deviations that it must be
/// allowed for at any place of it.
pub(super) fn allowance(contenders: &[Option<Noisy>], settings: &Settings) -> f64 {
    let nothing = Resample {
        error: f64::NEG_INFINITY,
        luck: 0.0,
        most: 0.0,
    };
    let mut resamples = vec![nothing; settings.resamples.max(1)];
    // The sink: whose interval reaches down to the lowest upper end.
    let (mut sink, mut reach) = (Vec::new(), f64::INFINITY);
    for (place, noisy) in contenders.iter().enumerate() {
        let Some(noisy) = noisy.filter(|noisy| noisy.low <= reach) else {
            continue;
        };
        let before = sink.len();
        reach = reach.min(noisy.high);
        sink.retain(|(_, member): &(usize, Noisy)| member.low <= reach);
        if sink.len() < before {
            // Without those that have left, others win.
            for resample in &mut resamples {
                resample.error = f64::NEG_INFINITY;
            }
            for (place, member) in &sink {
                enter(&mut resamples, *place, member, settings.seed);
            }
        }
        sink.push((place, noisy));
        enter(&mut resamples, place, &noisy, settings.seed);
        for resample in &mut resamples {
            resample.most = resample.most.max(resample.luck);
        }
    }
    let mut most: Vec<f64> = resamples.iter().map(|resample| resample.most).collect_vec();
    most.sort_unstable_by(f64::total_cmp);
    let place = (settings.reliability * most.len() as f64).ceil() as usize;
    most[place.clamp(1, most.len()) - 1]
}

/// Lets a config compete. Its noise is its own: it is the same whenever it is asked for.
fn enter(resamples: &mut [Resample], place: usize, noisy: &Noisy, seed: u64) {
    let own = (place as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut random = fastrand::Rng::with_seed(seed ^ own);
    for two in resamples.chunks_mut(2) {
        let (first, second) = normals(&mut random);
        for (resample, z) in two.iter_mut().zip([first, second]) {
            // How far the truth lies above the time.
            let error = z * if z > 0.0 { noisy.up } else { noisy.down };
            if error > resample.error {
                resample.error = error;
                resample.luck = if noisy.up > 0.0 { z } else { 0.0 };
            }
        }
    }
}

/// Two independent standard normal numbers, by the method of Box and Muller.
pub(super) fn normals(random: &mut fastrand::Rng) -> (f64, f64) {
    // 1 - u is never 0.
    let radius = (-2.0 * (1.0 - random.f64()).ln()).sqrt();
    let (sin, cos) = (std::f64::consts::TAU * random.f64()).sin_cos();
    (radius * cos, radius * sin)
}

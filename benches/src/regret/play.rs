//! One run of a strategy on a case.

use super::case::Arm;
use fastrand::Rng;

/// After how many calls the total time is looked at.
pub(super) const HORIZONS: [usize; 3] = [100, 1_000, 10_000];

/// Whoever chooses the arm of the next call.
pub(super) trait Strategy {
    /// The arm that serves the next call.
    fn next(&mut self) -> usize;
    /// What it took, in seconds.
    fn took(&mut self, arm: usize, seconds: f64);
    /// It does not run.
    fn failed(&mut self, arm: usize);
}

/// A normally distributed number (Box and Muller).
pub(super) fn normal(rng: &mut Rng) -> f64 {
    let radius = (-2.0 * (1.0 - rng.f64()).ln()).sqrt();
    radius * (std::f64::consts::TAU * rng.f64()).cos()
}

/// The total time at each horizon, in calls of the best arm.
pub(super) fn play(
    strategy: &mut dyn Strategy,
    arms: &[Arm],
    best: f64,
    seed: u64,
) -> [f64; HORIZONS.len()] {
    let mut rng = Rng::with_seed(seed);
    let mut total = 0.0;
    let mut totals = [0.0; HORIZONS.len()];
    for call in 1..=HORIZONS[HORIZONS.len() - 1] {
        loop {
            let arm = strategy.next();
            let Some((seconds, noise)) = arms[arm] else {
                total += best;
                strategy.failed(arm);
                continue;
            };
            // A time is never below a tenth of its mean.
            let took = seconds * (1.0 + noise * normal(&mut rng)).max(0.1);
            total += took;
            strategy.took(arm, took);
            break;
        }
        for (at, horizon) in HORIZONS.iter().enumerate() {
            if call == *horizon {
                totals[at] = total / best;
            }
        }
    }
    totals
}

//! The watch over one arm.

use super::world::Rng;
use crate::learn::drift::{Level, Watch};

const LEVEL: Level = Level {
    mean: 1.0,
    deviation: 0.05,
    n: 100.0,
};

fn alarm(seed: u64, calls: u64, time: impl Fn(&mut Rng) -> f64) -> Option<(u64, f64, u64)> {
    let mut rng = Rng::new(seed);
    let mut watch = Watch::default();
    (0..calls).find_map(|call| {
        let (shift, level) = watch.see(1.0 + time(&mut rng), LEVEL, call)?;
        assert!((level - shift - 1.0).abs() < 1e-12);
        Some((call, shift, watch.since))
    })
}

#[test]
fn noise_is_no_drift() {
    for seed in 0..10 {
        let plain = alarm(seed, 50_000, |rng| 0.05 * rng.normal());
        assert_eq!(plain, None);
        let outliers = alarm(seed, 50_000, |rng| {
            let disturbed = rng.unit() < 0.02;
            0.05 * rng.normal() + if disturbed { 2.0 } else { 0.0 }
        });
        assert_eq!(outliers, None);
    }
}

#[test]
fn a_shift_is_found_soon_and_measured() {
    for seed in 0..50 {
        for shift in [0.693, -0.693, 0.2] {
            let found = alarm(seed, 100, |rng| shift + 0.05 * rng.normal());
            let (call, size, since) = found.expect("an alarm");
            assert!(call < 20, "after {call} calls");
            assert!((size - shift).abs() < 0.1, "{size} for {shift}");
            assert_eq!(since, 0);
        }
    }
}

#[test]
fn the_beginning_is_where_residuals_began_to_lean() {
    let mut watch = Watch::default();
    let mut alarm = None;
    for call in 0..200 {
        let residual = if call < 100 { 0.02 } else { 0.7 };
        let found = watch.see(1.0 + residual, LEVEL, call);
        alarm = alarm.or(found.map(|_| (call, watch.since)));
    }
    assert_eq!(alarm, Some((105, 100)));
}

#[test]
fn a_drift_among_few_observations_is_not_averaged_away() {
    // The mean of what was seen goes with the drift, and its deviation grows.
    let mut watch = Watch::default();
    let mut times: Vec<f64> = Vec::new();
    let mut rng = Rng::new(3);
    let found = (0..60).find_map(|call| {
        let x = 0.05 * rng.normal() + if call < 24 { 0.0 } else { 0.69 };
        let n = times.len() as f64;
        let mean = times.iter().sum::<f64>() / n;
        let variance = times.iter().map(|t| (t - mean) * (t - mean)).sum::<f64>() / (n - 1.0);
        times.push(x);
        let now = Level {
            mean,
            deviation: variance.sqrt(),
            n,
        };
        let (shift, _) = if call < 9 {
            None
        } else {
            watch.see(x, now, call)
        }?;
        Some((call, shift))
    });
    let (call, shift) = found.expect("an alarm");
    assert!((24..32).contains(&call), "at {call}");
    assert!((shift - 0.69).abs() < 0.1, "{shift}");
}

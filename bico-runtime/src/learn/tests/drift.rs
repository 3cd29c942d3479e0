//! The watch over one arm.

use super::world::Rng;
use crate::learn::drift::Watch;

fn alarm(seed: u64, calls: u64, time: impl Fn(&mut Rng) -> f64) -> Option<(u64, f64, u64)> {
    let mut rng = Rng::new(seed);
    let mut watch = Watch::default();
    (0..calls).find_map(|call| {
        let shift = watch.see(time(&mut rng), 0.05, call)?;
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
        alarm = alarm.or(watch.see(residual, 0.05, call).map(|_| (call, watch.since)));
    }
    assert_eq!(alarm, Some((105, 100)));
}

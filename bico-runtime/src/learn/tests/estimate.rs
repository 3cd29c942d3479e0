//! One arm's statistics.

use super::world::Rng;
use crate::learn::estimate::{Estimate, Noise};

fn noise() -> Noise {
    Noise::new(0.01, 100.0, 0.02)
}

fn fed(times: &[f64]) -> Estimate {
    let mut estimate = Estimate::default();
    estimate.take(0.0, &noise());
    for x in times {
        estimate.take(*x, &noise());
    }
    estimate
}

#[test]
fn one_outlier_among_few_hardly_moves_the_mean() {
    for times in [[3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 3.0]] {
        for seen in 1..=3 {
            let mean = fed(&times[..seen]).mean(&noise()).unwrap();
            assert!(mean.abs() <= 0.4 / 3.0 + 1e-12, "{times:?} {seen}: {mean}");
        }
    }
}

#[test]
fn what_is_frequent_is_no_outlier() {
    let mut rng = Rng::new(1);
    let draw = |rng: &mut Rng, share: f64| f64::from(u8::from(rng.unit() < share)) * 1.1;
    let rare: Vec<f64> = (0..400).map(|_| draw(&mut rng, 0.02)).collect();
    let often: Vec<f64> = (0..400).map(|_| draw(&mut rng, 0.4)).collect();
    let mean = |times: &[f64]| fed(times).mean(&noise()).unwrap();
    assert!(mean(&rare) < 0.4 * 0.04, "{}", mean(&rare));
    assert!((mean(&often) - 0.44).abs() < 0.1, "{}", mean(&often));
    assert!(fed(&often).variance(&noise()) > 0.2);
    let outliers = |times: &[f64]| fed(times).noise().unwrap().1;
    assert!(outliers(&rare) > 0.0 && outliers(&often) == 0.0);
}

#[test]
fn a_single_time_is_borne_out_by_the_cold_one() {
    let mut estimate = Estimate::default();
    assert!(!estimate.is_single(&noise()));
    estimate.take(1.0, &noise());
    assert!(estimate.is_single(&noise()), "only cold");
    let mut alike = estimate;
    alike.take(0.9, &noise());
    assert!(!alike.is_single(&noise()));
    estimate.take(3.0, &noise());
    assert!(estimate.is_single(&noise()));
    assert_eq!(estimate.mean(&noise()), Some(1.0), "the lower one");
}

#[test]
fn a_shift_moves_all_and_staleness_forgets_all_but_the_mean() {
    let mut estimate = fed(&[1.0, 1.1, 0.9, 1.0]);
    estimate.shift(0.7);
    let mean = estimate.mean(&noise()).unwrap();
    assert!((mean - 1.7).abs() < 1e-12);
    let mut stale = estimate.stale(mean);
    assert_eq!(stale.n(), 1.0);
    stale.take(1.0, &noise());
    assert_eq!(
        stale.mean(&noise()),
        Some(1.0),
        "it did not shift after all"
    );
}

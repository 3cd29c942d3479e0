//! What a trial may be expected to gain.

use std::f64::consts::TAU;

/// The expected improvement on `best` of a candidate whose value is normal: how much lower than
/// `best` it will be, counting zero where it is not (Jones, Schonlau and Welch, "Efficient Global
/// Optimization", 1998).
pub(crate) fn expected_gain(mean: f64, spread: f64, best: f64) -> f64 {
    let z = (best - mean) / spread;
    (spread * (z * distribution(z) + density(z))).max(0.0)
}

fn density(z: f64) -> f64 {
    (-z * z / 2.0).exp() / TAU.sqrt()
}

/// The normal distribution by Abramowitz and Stegun, "Handbook of Mathematical Functions", 26.2.17,
/// to 7.5e-8.
fn distribution(z: f64) -> f64 {
    const B: [f64; 5] = [
        0.319_381_530,
        -0.356_563_782,
        1.781_477_937,
        -1.821_255_978,
        1.330_274_429,
    ];
    let t = 1.0 / (1.0 + 0.231_641_9 * z.abs());
    let upper = density(z) * B.iter().rev().fold(0.0, |sum, b| (sum + b) * t);
    if z >= 0.0 { 1.0 - upper } else { upper }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_normal_distribution() {
        for (z, p) in [
            (0.0, 0.5),
            (1.0, 0.841_344_746),
            (-1.959_964, 0.025),
            (3.0, 0.998_650_102),
        ] {
            assert!((distribution(z) - p).abs() < 1e-6, "{z}");
        }
    }

    #[test]
    fn gain_grows_with_hope_and_with_doubt() {
        assert!((expected_gain(0.0, 1e-9, 1.0) - 1.0).abs() < 1e-6);
        assert!(expected_gain(2.0, 1e-9, 1.0) < 1e-9);
        assert!(expected_gain(0.5, 0.3, 0.0) > expected_gain(0.8, 0.3, 0.0));
        assert!(expected_gain(0.5, 0.6, 0.0) > expected_gain(0.5, 0.3, 0.0));
        // By hand: at the best, the gain is spread / sqrt(2 pi).
        assert!((expected_gain(1.0, 2.0, 1.0) - 2.0 / TAU.sqrt()).abs() < 1e-6);
    }
}

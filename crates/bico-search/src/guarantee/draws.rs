//! The exact law of random search: the best of some draws without replacement.
//!
//! Say that `good` out of `total` configs are at least as good as wanted. None of them is among `draws` with
//! probability C(total - good, draws) / C(total, draws). Everything here follows from that; it is
//! computed as a logarithm, so that 10^9 configs are no trouble.

/// The times of some configs.
pub struct Draws {
    /// Each distinct time, ascending, with how many configs take it or less.
    levels: Vec<(f64, u64)>,
    total: u64,
}

impl Draws {
    /// From the time of each config, in seconds. Where that is no finite number the config does not run; it is drawn
    /// like any other.
    pub fn new(mut times: Vec<f64>) -> Draws {
        let total = times.len() as u64;
        times.retain(|time| time.is_finite());
        Draws {
            levels: cumulative(times),
            total,
        }
    }

    /// The time that the best of so many draws reaches with this reliability; `None` where the
    /// draws may all fail more often than that.
    pub(super) fn quantile(&self, draws: u64, reliability: f64) -> Option<f64> {
        let good = top(self.total, draws, reliability)?;
        let at = self.levels.partition_point(|(_, sum)| *sum < good);
        self.levels.get(at).map(|(time, _)| *time)
    }

    /// The mean time of the best of so many draws, of the cases in which one runs; `None` where
    /// that is never.
    pub fn expected(&self, draws: u64) -> Option<f64> {
        let (mut before, mut runs, mut sum) = (1.0, 0.0, 0.0);
        for (time, count) in &self.levels {
            let after = ln_missed(self.total, *count, draws).exp();
            runs += before - after;
            sum += (before - after) * time;
            before = after;
            // What is left weighs less than rounding: of many draws, most levels.
            if before < 1e-18 {
                break;
            }
        }
        (runs > 0.0).then(|| sum / runs)
    }
}

/// Each distinct value, ascending, with how many are not above it.
pub(super) fn cumulative(mut values: Vec<f64>) -> Vec<(f64, u64)> {
    values.sort_unstable_by(f64::total_cmp);
    let mut levels: Vec<(f64, u64)> = Vec::new();
    for (value, count) in values.into_iter().zip(1..) {
        match levels.last_mut() {
            Some(last) if last.0 == value => last.1 = count,
            _ => levels.push((value, count)),
        }
    }
    levels
}

#[cfg(test)]
impl Draws {
    /// The lowest time of all.
    pub(super) fn optimum(&self) -> Option<f64> {
        self.levels.first().map(|(time, _)| *time)
    }

    /// The probability that the best of so many draws takes longer than `seconds`, or that none runs.
    fn above(&self, seconds: f64, draws: u64) -> f64 {
        let at = self.levels.partition_point(|(time, _)| *time <= seconds);
        let good = at.checked_sub(1).map_or(0, |at| self.levels[at].1);
        missed(self.total, good, draws)
    }

    /// The mean of optimum / best found, which is 0 where nothing runs.
    pub(super) fn fraction_of_optimum(&self, draws: u64) -> f64 {
        let Some(optimum) = self.optimum() else {
            return 0.0;
        };
        let (mut before, mut mean) = (1.0, 0.0);
        for (time, count) in &self.levels {
            let after = missed(self.total, *count, draws);
            mean += (before - after) * (optimum / time);
            before = after;
        }
        mean
    }
}

/// The probability that none of `good` configs is among so many draws from `total`.
#[cfg(test)]
fn missed(total: u64, good: u64, draws: u64) -> f64 {
    ln_missed(total, good, draws).exp()
}

/// So many of the best configs that one of them is among the draws with this reliability, at least:
/// the best found is one of the best `k`. It holds for every space, whatever its times. `None`
/// where there is nothing to draw.
pub(super) fn top(total: u64, draws: u64, reliability: f64) -> Option<u64> {
    if total == 0 || draws == 0 || reliability.is_nan() {
        return None;
    }
    let allowed = (1.0 - reliability.clamp(0.0, 1.0)).ln();
    let (mut low, mut high) = (0, total);
    while low < high {
        let middle = low + (high - low) / 2;
        if ln_missed(total, middle, draws) <= allowed {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    Some(low.max(1))
}

/// Up to so many factors are multiplied one by one.
const FEW: u64 = 512;

/// The logarithm of the probability that none of `good` configs is among so many draws from `total`.
fn ln_missed(total: u64, good: u64, draws: u64) -> f64 {
    let (good, draws) = (good.min(total), draws.min(total));
    if good > total - draws {
        return f64::NEG_INFINITY;
    }
    // Which of the two is drawn and which is good makes no difference.
    let (few, many) = (good.min(draws), good.max(draws));
    if few <= FEW {
        let factor = |at| (-(many as f64) / (total - at) as f64).ln_1p();
        return (0..few).map(factor).sum();
    }
    // a! b! / (c! d!) with a + b = c + d: what is large in the four factorials cancels.
    let (a, b) = (total - few, total - many);
    let (c, d) = (total, total - few - many);
    let share = |of: u64| of as f64 / c as f64;
    let part = |of: u64, less: f64| {
        if of == 0 {
            0.0
        } else {
            of as f64 * (-less).ln_1p()
        }
    };
    let large = part(a, share(few)) + part(b, share(many)) - part(d, share(few) + share(many));
    large + remainder(a) + remainder(b) - remainder(c) - remainder(d)
}

/// ln n! - (n ln n - n), by Stirling's series where n is large.
fn remainder(n: u64) -> f64 {
    let x = n as f64;
    if n == 0 {
        0.0
    } else if n < 20 {
        let factorial: f64 = (1..=n).map(|i| (i as f64).ln()).sum();
        factorial - x * x.ln() + x
    } else {
        let series = 1.0 / (12.0 * x) - 1.0 / (360.0 * x.powi(3)) + 1.0 / (1260.0 * x.powi(5));
        0.5 * (std::f64::consts::TAU * x).ln() + series
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The best of each subset of this size, of times of which `None` fails.
    fn enumerated(times: &[Option<f64>], draws: usize) -> Vec<Option<f64>> {
        let sets = (0u32..1 << times.len()).filter(|set| set.count_ones() as usize == draws);
        let best = |set: u32| {
            let drawn = (0..times.len()).filter(|at| set >> at & 1 == 1);
            drawn.filter_map(|at| times[at]).min_by(f64::total_cmp)
        };
        sets.map(best).collect()
    }

    #[test]
    fn small_numbers_by_hand() {
        // One config out of 4 is good: two draws miss it in 3 of 6 cases.
        assert!((missed(4, 1, 2) - 0.5).abs() < 1e-12);
        assert_eq!(missed(4, 3, 2), 0.0);
        assert_eq!((missed(4, 0, 2), missed(0, 0, 0)), (1.0, 1.0));
        assert_eq!(top(4, 2, 0.5), Some(1));
        assert_eq!(top(4, 2, 0.51), Some(2));
        assert_eq!((top(4, 4, 1.0), top(4, 9, 0.95)), (Some(1), Some(1)));
        assert_eq!((top(0, 4, 0.95), top(4, 0, 0.95)), (None, None));
        // Known to all who search at random: 59 draws reach the best 5 % with 95 %.
        let most = 1_000_000_000;
        assert!(top(most, 58, 0.95) > Some(most / 20) && top(most, 59, 0.95) < Some(most / 20));
    }

    #[test]
    fn both_ways_of_computing_agree() {
        let product = |total: u64, good: u64, draws: u64| -> f64 {
            (0..draws)
                .map(|at| (-(good as f64) / (total - at) as f64).ln_1p())
                .sum()
        };
        for (total, good, draws) in [
            (2_000, 600, 700),
            (1_300, 600, 700),
            (1_301, 600, 700),
            (1_310, 600, 700),
            (20_000, 5_000, 1_000),
            (1_000_000_000, 1_000, 100_000),
            (1_000_000_000, 300_000_000, 1_000),
        ] {
            let (fast, slow) = (ln_missed(total, good, draws), product(total, good, draws));
            assert!(
                (fast - slow).abs() <= 1e-9 * slow.abs().max(1.0),
                "{total} {good} {draws}: {fast} {slow}"
            );
        }
    }

    #[test]
    fn a_thousand_million_configs() {
        let law = Draws {
            levels: vec![(1.0, 10), (2.0, 1_000_010), (3.0, 500_000_000)],
            total: 1_000_000_000,
        };
        // 3,000 draws: e^-3 for the million, nearly nothing for the ten.
        let (n, reliability) = (3_000, 0.95);
        assert!((law.above(2.0, n) - (-3.0f64).exp()).abs() < 1e-3);
        assert!((law.above(1.0, n) - (1.0 - 3e-5)).abs() < 1e-7);
        assert_eq!(law.quantile(n, reliability), Some(2.0));
        assert_eq!(law.quantile(n, 0.951), Some(3.0));
        assert_eq!(law.quantile(4, reliability), None);
        assert_eq!(law.quantile(5, reliability), Some(3.0));
        assert!((law.expected(n).unwrap() - 2.05).abs() < 1e-2);
        // Drawing nearly all of them, or all.
        assert_eq!(law.quantile(999_999_999, 1.0), Some(1.0));
        assert!((law.fraction_of_optimum(1_000_000_000) - 1.0).abs() < 1e-12);
        let share = top(1_000_000_000, 59, 0.95).unwrap() as f64 / 1e9;
        assert!((share - (1.0 - 0.05f64.powf(1.0 / 59.0))).abs() < 1e-8);
    }

    #[test]
    fn where_nothing_runs() {
        let law = Draws::new([[f64::NAN; 4].as_slice(), &[f64::INFINITY]].concat());
        assert_eq!((law.total, law.optimum()), (5, None));
        assert_eq!((law.quantile(5, 0.5), law.expected(5)), (None, None));
        assert_eq!((law.above(1.0, 5), law.fraction_of_optimum(5)), (1.0, 0.0));
    }

    #[test]
    fn simulated_draws_agree() {
        let mut random = fastrand::Rng::with_seed(5);
        let times: Vec<f64> = (0..400).map(|_| 1.0 + random.f64().powi(2)).collect();
        let law = Draws::new([&times[..], &[f64::NAN; 100]].concat());
        let (draws, repetitions) = (20, 4_000);
        let mut found = Vec::new();
        for _ in 0..repetitions {
            let drawn = crate::space::Draw::new(law.total, random.fork()).take(draws);
            let times = drawn.filter_map(|config| times.get(config as usize).copied());
            found.push(times.min_by(f64::total_cmp).unwrap());
        }
        let limit = law.quantile(draws as u64, 0.95).unwrap();
        let within =
            found.iter().filter(|best| **best <= limit).count() as f64 / repetitions as f64;
        assert!((0.94..0.97).contains(&within), "{within}");
        let mean = found.iter().sum::<f64>() / repetitions as f64;
        assert!((mean - law.expected(draws as u64).unwrap()).abs() < 1e-3);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_law_is_that_of_all_subsets(times in proptest::collection::vec(proptest::option::weighted(0.8, 1u8..6), 1..10), draws in 1usize..10, reliability in 0.01f64..0.99) {
            let times: Vec<Option<f64>> = times.iter().map(|time| time.map(f64::from)).collect();
            let draws = draws.min(times.len());
            let law = Draws::new(times.iter().map(|time| time.unwrap_or(f64::NAN)).collect());
            let bests = enumerated(&times, draws);
            let share = |holds: &dyn Fn(f64) -> bool| bests.iter().filter(|best| best.is_some_and(holds)).count() as f64 / bests.len() as f64;
            let n = draws as u64;
            for time in [0.0, 1.0, 2.0, 3.5, 5.0] {
                prop_assert!((law.above(time, n) - (1.0 - share(&|best| best <= time))).abs() < 1e-9);
            }
            match law.quantile(n, reliability) {
                Some(time) => {
                    prop_assert!(share(&|best| best <= time) >= reliability - 1e-9);
                    prop_assert!(share(&|best| best < time) < reliability + 1e-9);
                }
                None => prop_assert!(share(&|_| true) < reliability + 1e-9),
            }
            let ran: Vec<f64> = bests.iter().copied().flatten().collect();
            match law.expected(n) {
                Some(mean) => prop_assert!((mean - ran.iter().sum::<f64>() / ran.len() as f64).abs() < 1e-9),
                None => prop_assert!(ran.is_empty()),
            }
            if let Some(optimum) = law.optimum() {
                let mean = bests.iter().map(|best| best.map_or(0.0, |best| optimum / best)).sum::<f64>() / bests.len() as f64;
                prop_assert!((law.fraction_of_optimum(n) - mean).abs() < 1e-9);
            }
        }

        #[test]
        fn more_draws_never_guarantee_less(times in proptest::collection::vec(1u8..50, 1..40), failed in 0usize..20, draws in 1u64..40) {
            let times: Vec<f64> = times.iter().map(|time| f64::from(*time)).collect();
            let law = Draws::new([times, vec![f64::NAN; failed]].concat());
            let reached = |n| law.quantile(n, 0.9).unwrap_or(f64::INFINITY);
            prop_assert!(reached(draws + 1) <= reached(draws));
            prop_assert!(top(law.total, draws + 1, 0.9) <= top(law.total, draws, 0.9));
        }
    }
}

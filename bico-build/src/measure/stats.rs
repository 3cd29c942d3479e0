//! What many noisy times say about one config.

use super::protocol::Times;
use bico_core::Lists;
use bico_device::measure::Lap;
use bico_search::search::median::{ENOUGH, interval};
use bico_search::search::{Caches, Ratio, Sample};

/// Fewer runs than this decide nothing.
pub(super) const FEW: usize = 3;

/// One sample: seconds of one call, and whether another program interfered.
#[derive(Clone, Copy)]
pub(super) struct Run {
    pub(super) seconds: f64,
    pub(super) disturbed: bool,
}

impl Run {
    /// A lap of `calls` calls. Where the thread lost its processor meanwhile, its own clock, which
    /// stood still, is nearer the truth than the wall's; with several threads only the wall's is true.
    pub(super) fn new(lap: Lap, calls: u32, threaded: bool) -> Run {
        let seconds = match lap.thread {
            Some(thread) if lap.disturbed && !threaded => thread,
            _ => lap.wall,
        };
        Run {
            seconds: seconds / f64::from(calls.max(1)),
            disturbed: lap.disturbed,
        }
    }
}

/// What a tenth of all runs stay below: what disturbs a run makes it slower, never faster, so on a busy machine this
/// names the fastest long after the median does not. It has no interval of few runs, so it orders finalists, and the
/// median is what is told.
const LOWER_DECILE: f64 = 0.1;

/// Whether so many runs are looked at, to see whether they are enough. Each look is a chance to stop at an interval that is
/// narrow by luck, so they are few: each after half as many runs again.
pub(super) fn is_look(runs: usize) -> bool {
    let mut look = ENOUGH;
    while look < runs {
        look += look.div_ceil(2);
    }
    look == runs
}

/// So many runs are enough to see that a config is slower than the best: all of them take more than so many times as long. Its
/// time need not be known exactly. Were its median not above that, all five would be in one case of 32, all three in one of
/// eight.
const A_FEW: [(usize, f64); 2] = [(3, 1.2), (5, 1.05)];

/// Whether so many runs can show that a config is slower than another.
pub(super) fn may_reject(runs: usize) -> bool {
    A_FEW.iter().any(|(count, _)| runs == *count) || is_look(runs)
}

/// Whether a config is slower than one that takes `best` seconds, as far as these runs can show.
pub(super) fn is_lost(runs: &[Run], best: f64) -> bool {
    let is_below = || summary(runs, Caches::Unknown).sample.low > best;
    is_far(runs, best) || is_look(runs.len()) && is_below()
}

/// Whether a finalist is slower than another one, as far as these rounds can show, of which both took part in each.
pub(super) fn is_beaten(runs: &[Run], by: &[Run]) -> bool {
    let seconds = |runs: &[Run]| runs.iter().map(|run| run.seconds).collect_vec();
    let ratio = Ratio::of_rounds(&seconds(by), &seconds(runs));
    is_far(runs, median(by)) || is_look(runs.len()) && ratio.is_some_and(|of| of.high < 1.0)
}

/// Whether the first few runs all are so slow that no more are needed.
fn is_far(runs: &[Run], best: f64) -> bool {
    let fastest = |share: f64| kept(runs).first().is_some_and(|run| *run > share * best);
    let mut few = A_FEW.iter();
    few.any(|(count, slower)| runs.len() == *count && fastest(*slower))
}

/// Whether the interval is no wider than this share of the median.
pub(super) fn is_narrow(runs: &[Run], share: f64) -> bool {
    let sample = summary(runs, Caches::Unknown).sample;
    kept(runs).len() >= ENOUGH && sample.high - sample.low <= share * sample.seconds
}

/// The median of the times.
pub(super) fn median(runs: &[Run]) -> f64 {
    summary(runs, Caches::Unknown).sample.seconds
}

/// The median of the times, its interval, and the lower decile. Disturbed runs are left out as long as a third
/// of all, and [`FEW`], remain.
pub(super) fn summary(runs: &[Run], caches: Caches) -> Times {
    let kept = kept(runs);
    let last = kept.len().saturating_sub(1);
    let at = |index: usize| kept.get(index.min(last)).copied().unwrap_or(0.0);
    // Between two values where the quantile lies between them.
    let quantile = |quantile: f64| {
        let place = last as f64 * quantile;
        let value = at(place as usize);
        value + place.fract() * (at(place as usize + 1) - value)
    };
    let (low, high, confidence) = interval(kept.len());
    let disturbed = runs.iter().filter(|run| run.disturbed);
    Times {
        sample: Sample {
            confidence,
            decile: quantile(LOWER_DECILE),
            caches,
            ..Sample::new(quantile(0.5), at(low), at(high), runs.len() as u32)
        },
        disturbed: disturbed.count() as u32,
    }
}

/// The seconds of the runs that count, in order.
pub(super) fn kept(runs: &[Run]) -> Vec<f64> {
    let calm = runs.iter().filter(|run| !run.disturbed).count();
    let keep_all = calm < FEW || 3 * calm < runs.len();
    let kept = runs.iter().filter(|run| keep_all || !run.disturbed);
    let mut kept: Vec<f64> = kept.map(|run| run.seconds).collect_vec();
    kept.sort_unstable_by(f64::total_cmp);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use bico_search::guarantee::{Settings, shipped};
    use bico_search::rank::{Kind, Ranked};
    use bico_search::search::median::{CONFIDENCE, TAIL};
    use bico_search::search::{
        Budget, Holders, Measure, Outcome, Search, by_name, decide, run as search,
    };
    use bico_search::space::Space;
    use fastrand::Rng;

    fn calm(seconds: f64) -> Run {
        Run {
            seconds,
            disturbed: false,
        }
    }

    /// Each run's time in some noise, and the median of all there could be.
    type Noise = (&'static str, f64, fn(&mut Rng) -> Run);

    /// Skewed, with tails of all lengths, in two modes, and with other programs in between.
    const NOISES: [Noise; 6] = [
        ("skewed", 1.125, |random| calm(1.0 + random.f64().powi(3))),
        ("exponential", 1.020_794, |random| {
            calm(1.0 - 0.03 * (1.0 - random.f64()).ln())
        }),
        ("Pareto", 1.005_874, |random| {
            calm(0.99 + 0.01 * (1.0 - random.f64()).powf(-1.0 / 1.5))
        }),
        ("one mode more often", 1.000_943, |random| {
            let slow = if random.f64() < 0.47 { 0.04 } else { 0.0 };
            calm(1.0 + slow + 0.001 * random.f64())
        }),
        ("two modes", 1.02, |random| {
            let slow = if random.bool() { 0.039 } else { 0.0 };
            calm(1.0 + slow + 0.001 * random.f64())
        }),
        ("disturbed", 1.005, |random| Run {
            disturbed: random.f64() < 0.25,
            seconds: 1.0 + 0.01 * random.f64(),
        }),
    ];

    /// The runs of one measurement, as trials and finals make them.
    fn measured(most: usize, random: &mut Rng, draw: impl Fn(&mut Rng) -> Run) -> Vec<Run> {
        let mut runs = Vec::new();
        while runs.len() < most && !(is_look(runs.len()) && is_narrow(&runs, 0.015)) {
            runs.push(draw(random));
        }
        runs
    }

    fn median(runs: &[Run]) -> Sample {
        summary(runs, Caches::Unknown).sample
    }

    #[test]
    fn all_looks_together_miss_the_median_once_in_twenty_at_most() {
        assert!((1..30).filter(|runs| is_look(*runs)).eq([9, 14, 21]));
        // How often so many runs are below the median and every look so far has held it: exactly, for any distribution.
        let (mut held, mut missed) = (vec![1.0], 2.0 * TAIL);
        for runs in 1..=2000 {
            held.push(0.0);
            for below in (0..runs).rev() {
                held[below + 1] += 0.5 * held[below];
                held[below] *= 0.5;
            }
            let (low, high, _) = interval(runs);
            let is_outside = |below: &usize| *below <= low || *below > high;
            if is_look(runs) {
                for below in (0..=runs).filter(is_outside) {
                    missed += std::mem::take(&mut held[below]);
                }
            }
        }
        assert!(missed <= 1.0 - CONFIDENCE && missed > 0.03, "{missed}");
    }

    #[test]
    fn intervals_hold_the_median_as_often_as_they_say() {
        let mut random = Rng::with_seed(1);
        for (name, truth, draw) in NOISES {
            for most in [3, 4, 5, 6, 7, 9, 13, 17, 25, 40, 60, 200] {
                let (mut held, mut said) = (0.0, 0.0);
                for _ in 0..400 {
                    let sample = median(&measured(most, &mut random, draw));
                    held += f64::from(u8::from((sample.low..=sample.high).contains(&truth)));
                    said += sample.confidence;
                }
                // What is said where no more than three are left of six is what three say. Chance does 2 % of 400.
                let chance = if said < 380.0 { 18.0 } else { 0.0 };
                assert!(held + chance >= said, "{name}, {most}: {held}, not {said}");
            }
        }
    }

    #[test]
    fn few_runs_say_how_little_they_know() {
        let said = |count| interval(count).2;
        assert_eq!(
            [0, 1, 2, 3, 4, 5].map(said),
            [0.0, 0.0, 0.5, 0.75, 0.875, 0.9375]
        );
        assert_eq!([6, 7, 9, 200, 2000].map(said), [CONFIDENCE; 5]);
        assert_eq!(
            (interval(0).1, interval(6).1, interval(9)),
            (0, 5, (0, 8, CONFIDENCE))
        );
        // By tables of the binomial distribution, and by the normal one beyond them.
        assert_eq!((interval(20).0, interval(100).0), (3, 35));
        assert!(interval(201).0.abs_diff(interval(200).0) <= 1);
    }

    /// Configs of equal speed, in one kind of noise.
    struct Equals<'a>(&'a mut Rng, fn(&mut Rng) -> Run);

    impl Measure for Equals<'_> {
        fn spent(&self) -> f64 {
            0.0
        }

        fn announce(&mut self, _: &[u64]) {}

        fn measure(&mut self, _: u64, _: Option<f64>) -> Outcome {
            Outcome::Timed(median(&measured(40, self.0, self.1)))
        }

        fn finals(&mut self, configs: &[u64]) -> Vec<Outcome> {
            configs
                .iter()
                .map(|config| self.measure(*config, None))
                .collect()
        }
    }

    #[test]
    fn what_ships_keeps_its_promise() {
        let space = Space::parse("space(A in 0..6)").unwrap();
        let ranked = Ranked::new((0..6).collect(), vec![1.0; 6], Kind::Seconds);
        let settings = Settings {
            resamples: 300,
            ..Settings::default()
        };
        let mut random = Rng::with_seed(5);
        for (name, truth, draw) in NOISES {
            let held = (0..100).filter(|_| {
                let search_for = Search::new(&*space, &ranked, Budget::default());
                let mut strategy = by_name("sequential", 0).unwrap();
                let mut measure = Equals(&mut random, draw);
                let found = search(&search_for, &mut *strategy, &mut measure, &mut ());
                shipped(&found, &settings) >= Some(truth)
            });
            let held = held.count();
            assert!(held >= 95, "{name}: {held} of 100");
        }
    }

    #[test]
    fn disturbed_runs_are_left_out_while_enough_remain() {
        let noisy = |seconds| Run {
            seconds,
            disturbed: true,
        };
        let runs = [calm(1.0), noisy(9.0), calm(1.1), noisy(8.0), calm(1.2)];
        let Times { sample, disturbed } = summary(&runs, Caches::Warm);
        assert_eq!((sample.seconds, sample.runs, disturbed), (1.1, 5, 2));
        let runs = [calm(1.0), noisy(3.0), noisy(2.0)];
        assert_eq!(median(&runs).seconds, 2.0);
    }

    #[test]
    fn the_threads_clock_stands_in_where_it_was_preempted() {
        let lap = Lap {
            wall: 4.0,
            thread: Some(1.0),
            disturbed: true,
        };
        assert_eq!(Run::new(lap, 2, false).seconds, 0.5);
        assert_eq!(Run::new(lap, 2, true).seconds, 2.0);
        assert_eq!(
            Run::new(
                Lap {
                    thread: None,
                    ..lap
                },
                2,
                false
            )
            .seconds,
            2.0
        );
        assert_eq!(
            Run::new(
                Lap {
                    disturbed: false,
                    ..lap
                },
                2,
                false
            )
            .seconds,
            2.0
        );
    }

    #[test]
    fn the_right_config_wins_in_noise_that_hits_half_of_all_runs() {
        let mut random = fastrand::Rng::with_seed(7);
        let mut wrong = 0;
        for _ in 0..500 {
            let (mut fast, mut slow) = (vec![], vec![]);
            for _ in 0..15 {
                // One noise for the whole round, and one of each run's own.
                let shared = if random.bool() {
                    1.0 + 2.0 * random.f64()
                } else {
                    1.0
                };
                let mut own = || {
                    if random.f64() < 0.3 {
                        2.0
                    } else {
                        1.0 + 0.01 * random.f64()
                    }
                };
                fast.push(calm(1.00 * shared * own()));
                slow.push(calm(1.08 * shared * own()));
            }
            let sample = |runs: &[Run]| {
                let mut sample = summary(runs, Caches::Warm).sample;
                sample.rounds = runs.iter().map(|run| run.seconds).collect_vec();
                Outcome::Timed(sample)
            };
            let finals = [(0, sample(&slow)), (1, sample(&fast))];
            let decision = decide(&finals, &Holders::default()).unwrap();
            wrong += usize::from(decision.tied[0].config != 1);
        }
        // By their medians 136 would.
        assert!(wrong <= 25, "{wrong} of 500");
    }
}

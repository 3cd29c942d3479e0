//! What many noisy times say about one config.

use super::protocol::Times;
use bico_device::measure::Lap;
use bico_search::search::Sample;

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

/// The middle of all runs: what a call takes.
pub(super) const MEDIAN: f64 = 0.5;

/// The time that a tenth of all runs stay below. What disturbs a run makes it slower, never faster,
/// so on a busy machine this stays true longer than the median; finals go by it. The minimum would
/// stay true longest, but has no interval.
pub(super) const LOWER_DECILE: f64 = 0.1;

/// A quantile of the times, and its interval. Disturbed runs are left out as long as a third of
/// all, and [`FEW`], remain.
pub(super) fn summary(runs: &[Run], quantile: f64) -> Times {
    let kept = kept(runs);
    let at = |index: usize| kept.get(index).copied().unwrap_or(0.0);
    let (low, high) = interval(kept.len(), quantile);
    // Between two values where the quantile lies between them.
    let place = kept.len().saturating_sub(1) as f64 * quantile;
    let (before, part) = (place.floor(), place.fract());
    let value = at(before as usize);
    let next = at((before as usize + 1).min(kept.len().saturating_sub(1)));
    let disturbed = runs.iter().filter(|run| run.disturbed);
    Times {
        sample: Sample {
            seconds: value + part * (next - value),
            low: at(low),
            high: at(high),
            runs: runs.len() as u32,
            throttled: false,
            cut: false,
        },
        disturbed: disturbed.count() as u32,
    }
}

/// The seconds of the runs that count, in order.
pub(super) fn kept(runs: &[Run]) -> Vec<f64> {
    let calm = runs.iter().filter(|run| !run.disturbed).count();
    let keep_all = calm < FEW || 3 * calm < runs.len();
    let kept = runs.iter().filter(|run| keep_all || !run.disturbed);
    let mut kept: Vec<f64> = kept.map(|run| run.seconds).collect();
    kept.sort_unstable_by(f64::total_cmp);
    kept
}

/// Ranks (from 0) of the ordered values between which a quantile lies with 95 % probability,
/// whatever the distribution: each value is below it with probability `quantile`. The smallest or
/// the largest where no value is that far away.
pub(super) fn interval(count: usize, quantile: f64) -> (usize, usize) {
    let Some(last) = count.checked_sub(1) else {
        return (0, 0);
    };
    let n = count as f64;
    if count > 200 {
        let half = 1.96 * (n * quantile * (1.0 - quantile)).sqrt();
        let low = (n * quantile - half - 0.5).floor().max(0.0) as usize;
        return (low, ((n * quantile + half - 0.5).ceil() as usize).min(last));
    }
    // `below` is the probability that at most `rank` values are below the quantile.
    let mut term = (1.0 - quantile).powi(count as i32);
    let mut below = term;
    let (mut low, mut high) = (0, last);
    for rank in 0..count {
        if below <= 0.025 {
            low = rank;
        }
        if below >= 0.975 {
            high = rank;
            break;
        }
        term *= (count - rank) as f64 / (rank + 1) as f64 * quantile / (1.0 - quantile);
        below += term;
    }
    (low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calm(seconds: f64) -> Run {
        Run {
            seconds,
            disturbed: false,
        }
    }

    #[test]
    fn intervals_are_those_of_the_tables() {
        // Conover, Practical Nonparametric Statistics: ranks from 1 are (1,6) (1,8) (2,9) (6,15) (40,61).
        let median = |count| interval(count, MEDIAN);
        assert_eq!(median(6), (0, 5));
        assert_eq!(median(8), (0, 7));
        assert_eq!(median(10), (1, 8));
        assert_eq!(median(20), (5, 14));
        assert_eq!(median(100), (39, 60));
        assert_eq!(median(0), (0, 0));
        assert_eq!(median(1), (0, 0));
        assert_eq!(median(3), (0, 2));
        let (low, high) = median(1000);
        assert!((467..=469).contains(&low) && low + high == 999);
    }

    #[test]
    fn the_interval_holds_the_quantile_as_often_as_it_says() {
        let mut random = fastrand::Rng::with_seed(1);
        // A tenth of few runs is no run at all.
        for (quantile, counts) in [(MEDIAN, [15, 40, 300]), (LOWER_DECILE, [40, 80, 300])] {
            for count in counts {
                let held = (0..1000)
                    .filter(|_| {
                        let runs: Vec<Run> =
                            (0..count).map(|_| calm(random.f64().powi(3))).collect();
                        let sample = summary(&runs, quantile).sample;
                        (sample.low..=sample.high).contains(&quantile.powi(3))
                    })
                    .count();
                assert!(held >= 925, "{quantile} of {count}: {held} of 1000");
            }
        }
    }

    #[test]
    fn disturbed_runs_are_left_out_while_enough_remain() {
        let noisy = |seconds| Run {
            seconds,
            disturbed: true,
        };
        let runs = [calm(1.0), noisy(9.0), calm(1.1), noisy(8.0), calm(1.2)];
        let Times { sample, disturbed } = summary(&runs, MEDIAN);
        assert_eq!((sample.seconds, sample.runs, disturbed), (1.1, 5, 2));
        let runs = [calm(1.0), noisy(3.0), noisy(2.0)];
        assert_eq!(summary(&runs, MEDIAN).sample.seconds, 2.0);
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
            let seconds = |runs: &[Run]| summary(runs, LOWER_DECILE).sample.seconds;
            wrong += usize::from(seconds(&fast) > seconds(&slow));
        }
        assert!(wrong <= 50, "{wrong} of 500");
    }
}

//! What many noisy times say about one config.

use super::protocol::Times;
use bico::device::measure::Lap;

/// Fewer runs than this decide nothing.
pub(super) const FEW: usize = 3;

/// One sample: seconds of one call, and whether another program interfered.
#[derive(Debug, Clone, Copy, PartialEq)]
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

/// Median and interval. Disturbed runs are left out as long as a third of all, and [`FEW`], remain.
pub(super) fn summary(runs: &[Run]) -> Times {
    let disturbed = runs.iter().filter(|run| run.disturbed).count();
    let calm = runs.len() - disturbed;
    let keep_all = calm < FEW || 3 * calm < runs.len();
    let mut kept: Vec<f64> = runs
        .iter()
        .filter(|run| keep_all || !run.disturbed)
        .map(|run| run.seconds)
        .collect();
    kept.sort_unstable_by(f64::total_cmp);
    let (low, high) = interval(kept.len());
    let at = |index: usize| kept.get(index).copied().unwrap_or(0.0);
    let middle = kept.len() / 2;
    Times {
        median: if kept.len() % 2 == 1 {
            at(middle)
        } else {
            0.5 * (at(middle.saturating_sub(1)) + at(middle))
        },
        low: at(low),
        high: at(high),
        minimum: at(0),
        runs: runs.len() as u32,
        disturbed: disturbed as u32,
        cut: false,
    }
}

/// Ranks (from 0) of the ordered values between which the median lies with 95 % probability, whatever
/// the distribution: each value is below it with probability one half. Under six values no two are
/// that far apart; then the smallest and the largest.
pub(super) fn interval(count: usize) -> (usize, usize) {
    if count == 0 {
        return (0, 0);
    }
    // The largest `rank` with P(at most `rank` values below the median) <= 2.5 %.
    let mut rank = 0;
    if count > 200 {
        let half = count as f64 / 2.0;
        rank = (half - 0.98 * (count as f64).sqrt() - 0.5).floor().max(0.0) as usize;
    } else {
        let mut term = 0.5_f64.powi(count as i32);
        let mut sum = term;
        while rank + 1 < count {
            term *= (count - rank) as f64 / (rank + 1) as f64;
            sum += term;
            if sum > 0.025 {
                break;
            }
            rank += 1;
        }
    }
    (rank, count - 1 - rank)
}

/// The rounds of finals that decide: the calmer half, at least [`FEW`]. A round is calm when all
/// its configs took little more than their own best time, so no config gains by the choice.
/// `rounds[r][c]` is the run of config `c` in round `r`.
pub(super) fn calm_rounds(rounds: &[Vec<Run>]) -> Vec<usize> {
    let configs = rounds.first().map_or(0, Vec::len);
    let mut best = vec![f64::INFINITY; configs];
    for round in rounds {
        for (best, run) in best.iter_mut().zip(round) {
            *best = best.min(run.seconds);
        }
    }
    let unrest = |round: &Vec<Run>| {
        round
            .iter()
            .zip(&best)
            .map(|(run, best)| run.seconds / best)
            .sum::<f64>()
    };
    let mut order: Vec<(usize, f64)> = rounds.iter().map(unrest).enumerate().collect();
    order.sort_by(|a, b| a.1.total_cmp(&b.1));
    order.truncate(rounds.len().div_ceil(2).max(FEW));
    order.into_iter().map(|(round, _)| round).collect()
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
        assert_eq!(interval(6), (0, 5));
        assert_eq!(interval(8), (0, 7));
        assert_eq!(interval(10), (1, 8));
        assert_eq!(interval(20), (5, 14));
        assert_eq!(interval(100), (39, 60));
        assert_eq!(interval(1), (0, 0));
        assert_eq!(interval(3), (0, 2));
        let (low, high) = interval(1000);
        assert!((467..=469).contains(&low) && low + high == 999);
    }

    #[test]
    fn the_interval_holds_the_median_as_often_as_it_says() {
        let mut random = fastrand::Rng::with_seed(1);
        for count in [7, 15, 40] {
            let held = (0..2000)
                .filter(|_| {
                    let runs: Vec<Run> = (0..count).map(|_| calm(random.f64().powi(3))).collect();
                    let times = summary(&runs);
                    (times.low..=times.high).contains(&0.125)
                })
                .count();
            assert!(held >= 1870, "{count}: {held} of 2000");
        }
    }

    #[test]
    fn disturbed_runs_are_left_out_while_enough_remain() {
        let noisy = |seconds| Run {
            seconds,
            disturbed: true,
        };
        let runs = [calm(1.0), noisy(9.0), calm(1.1), noisy(8.0), calm(1.2)];
        let times = summary(&runs);
        assert_eq!((times.median, times.runs, times.disturbed), (1.1, 5, 2));
        let runs = [calm(1.0), noisy(3.0), noisy(2.0)];
        assert_eq!(summary(&runs).median, 2.0);
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
        for _ in 0..200 {
            let rounds: Vec<Vec<Run>> = (0..15)
                .map(|_| {
                    let noise = if random.bool() {
                        1.0 + 2.0 * random.f64()
                    } else {
                        1.0
                    };
                    let own = |random: &mut fastrand::Rng| {
                        if random.f64() < 0.3 {
                            2.0
                        } else {
                            1.0 + 0.01 * random.f64()
                        }
                    };
                    vec![
                        calm(1.00 * noise * own(&mut random)),
                        calm(1.08 * noise * own(&mut random)),
                    ]
                })
                .collect();
            let kept = calm_rounds(&rounds);
            let median = |config: usize| {
                summary(&kept.iter().map(|r| rounds[*r][config]).collect::<Vec<_>>()).median
            };
            wrong += usize::from(median(0) > median(1));
        }
        assert!(wrong <= 10, "{wrong} of 200");
    }
}

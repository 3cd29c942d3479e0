//! The finals: who is measured again, and who wins.

use super::{Outcome, Sample};
use crate::ascending;
use bico_core::Lists;

/// Finalists at most.
const FINALISTS: usize = 8;

/// As near to the best as this is near enough, whatever the intervals say: trials are seconds to minutes
/// apart, and a machine drifts more than its intervals admit.
const NEAR: f64 = 1.1;

/// The config that a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Winner {
    /// Its number.
    pub config: u64,
    /// Its time: of the finals, if it was measured again.
    pub sample: Sample,
}

/// A config that was timed and did not fail since.
pub(super) type Contender = (u64, Sample);

/// The contenders of these trials. A config whose object code is that of another one is left to
/// it, and what was cut short is out, unless `cut` says that it may have been for the sake of a wrong one.
pub(super) fn contenders(trials: &[(u64, Outcome)], cut: bool) -> Vec<Contender> {
    let contender = |(config, outcome): &(u64, Outcome)| match outcome {
        Outcome::Timed(sample) if (cut || !sample.cut) && sample.seconds.is_finite() => {
            Some((*config, sample.clone()))
        }
        _ => None,
    };
    trials.iter().filter_map(contender).collect_vec()
}

/// Sorts the contenders by who is to be measured again, fastest first; how many are.
pub(super) fn choose(contenders: &mut [Contender], incumbent: Option<u64>) -> usize {
    ascending(contenders, &|(_, sample)| sample.seconds);
    let Some((_, best)) = contenders.first() else {
        return 0;
    };
    let (reach, near) = (best.high, best.seconds * NEAR);
    let is_close = |sample: &Sample| sample.low <= reach || sample.seconds <= near;
    ascending(contenders, &|(_, sample)| f64::from(!is_close(sample)));
    let close = contenders.partition_point(|(_, sample)| is_close(sample));
    let mut seats = contenders[..close].iter();
    let seat = seats.position(|(config, _)| Some(*config) == incumbent);
    if let Some(seat) = seat.filter(|seat| *seat >= FINALISTS) {
        contenders[FINALISTS - 1..=seat].rotate_right(1);
    }
    close.min(FINALISTS)
}

/// The winner among finalists with their outcomes. The intervals of medians decide where they lie apart; of those that
/// nothing is significantly better than, the one of the lowest decile wins, which noise moves least, but the incumbent
/// stays while its interval overlaps with the winner's. `None` if all of them failed.
pub fn decide(finals: &[(u64, Outcome)], incumbent: Option<u64>) -> Option<Winner> {
    let all = finals.iter();
    let timed = || {
        all.clone()
            .filter_map(|(config, outcome)| Some((*config, outcome.sample()?)))
    };
    // `min` and `max` pass over a NaN, as a recorded space may hold it.
    let highs = timed().map(|(_, sample)| sample.high.max(sample.seconds));
    let reach = highs.fold(f64::INFINITY, f64::min);
    let mut open: Vec<(u64, &Sample)> = timed().collect_vec();
    open.retain(|(_, sample)| sample.low.min(sample.seconds) <= reach);
    let by_decile = |a: &(u64, &Sample), b: &(u64, &Sample)| a.1.decile.total_cmp(&b.1.decile);
    let (config, sample) = open.into_iter().min_by(by_decile)?;
    let kept = timed().find(|(config, own)| Some(*config) == incumbent && own.low <= sample.high);
    let (config, sample) = kept.unwrap_or((config, sample));
    Some(Winner {
        config,
        sample: sample.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Failure;

    fn sample(seconds: f64, half: f64) -> Sample {
        Sample::new(seconds, seconds - half, seconds + half, 5)
    }

    fn field(times: &[(u64, f64, f64)]) -> Vec<Contender> {
        let trials: Vec<_> = times
            .iter()
            .map(|(c, s, h)| (*c, Outcome::Timed(sample(*s, *h))))
            .collect();
        contenders(&trials, false)
    }

    fn chosen(times: &[(u64, f64, f64)], incumbent: Option<u64>) -> Vec<u64> {
        let mut field = field(times);
        let count = choose(&mut field, incumbent);
        field[..count].iter().map(|(config, _)| *config).collect()
    }

    #[test]
    fn finalists_overlap_or_are_near() {
        assert_eq!(
            chosen(
                &[
                    (1, 10.0, 0.1),
                    (2, 10.4, 0.1),
                    (3, 10.8, 0.9),
                    (4, 20.0, 1.0)
                ],
                None
            ),
            [1, 2, 3]
        );
        assert_eq!(chosen(&[(1, 10.0, 0.1), (2, 12.0, 0.1)], None), [1]);
        // One that is slower but so uncertain that it may be as fast.
        assert_eq!(
            chosen(&[(1, 10.0, 0.1), (2, 12.0, 0.1), (3, 13.0, 2.95)], None),
            [1, 3]
        );
        assert!(chosen(&[], None).is_empty());
        let many: Vec<_> = (0..12).map(|i| (i, 10.0 + i as f64 / 100.0, 0.1)).collect();
        assert_eq!(chosen(&many, None), [0, 1, 2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn the_incumbent_has_a_seat_while_it_is_close() {
        let many: Vec<_> = (0..12).map(|i| (i, 10.0 + i as f64 / 100.0, 0.1)).collect();
        assert_eq!(chosen(&many, Some(11)), [0, 1, 2, 3, 4, 5, 6, 11]);
        assert_eq!(chosen(&many, Some(2)), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(chosen(&[(1, 10.0, 0.1), (2, 12.0, 0.1)], Some(2)), [1]);
    }

    #[test]
    fn cut_and_same_configs_are_no_contenders() {
        let cut = Sample {
            cut: true,
            ..sample(10.1, 1.0)
        };
        let trials = [
            (1, Outcome::Timed(sample(10.0, 1.0))),
            (2, Outcome::Timed(cut)),
            (3, Outcome::Same(1, sample(10.0, 1.0))),
            (4, Outcome::Failed(Failure::Crash("SIGSEGV".into()))),
        ];
        assert_eq!(contenders(&trials, false).len(), 1);
        assert_eq!(contenders(&trials, true).len(), 2);
    }

    #[test]
    fn deciles_decide_where_medians_do_not() {
        let of = |seconds, half, decile| {
            Outcome::Timed(Sample {
                decile,
                ..sample(seconds, half)
            })
        };
        // The same noise hit one of them more often; the other one's median is another call's.
        let hit = [(1, of(10.0, 3.0, 9.0)), (2, of(9.5, 3.0, 9.2))];
        assert_eq!(decide(&hit, None).unwrap().config, 1);
        // Fast now and then, and most calls are slow.
        let moody = [(1, of(10.0, 0.2, 9.0)), (2, of(9.5, 0.2, 9.2))];
        assert_eq!(decide(&moody, None).unwrap().config, 2);
    }

    #[test]
    fn the_fastest_wins_unless_the_incumbent_ties() {
        let finals = [
            (1, Outcome::Timed(sample(10.0, 0.2))),
            (2, Outcome::Timed(sample(9.9, 0.2))),
            (3, Outcome::Failed(Failure::Timeout("10 s".into()))),
        ];
        assert_eq!(decide(&finals, None).unwrap().config, 2);
        assert_eq!(decide(&finals, Some(1)).unwrap().config, 1);
        assert_eq!(decide(&finals, Some(3)).unwrap().config, 2);
        let clear = [
            (1, Outcome::Timed(sample(10.0, 0.01))),
            (2, Outcome::Timed(sample(9.9, 0.01))),
        ];
        assert_eq!(decide(&clear, Some(1)).unwrap().config, 2);
        assert_eq!(decide(&finals[2..], Some(3)), None);
    }
}

//! The finals: who is measured again, and who wins.

use super::{Against, Outcome, Ratio, Sample};
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

/// Of those that nothing is clearly faster than, a later config must be this much faster to be preferred to an earlier one: so
/// that equal machines agree.
const TIE: f64 = 1.02;

/// Who stays unless another one is clearly faster.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Holders {
    /// The winner of an earlier search.
    pub incumbent: Option<u64>,
    /// What would run without a search.
    pub default: Option<u64>,
    /// By what share of their time another one must be faster, beside the noise.
    pub margin: f64,
}

impl Holders {
    pub(super) fn all(&self) -> impl Iterator<Item = u64> {
        self.incumbent.into_iter().chain(self.default)
    }
}

/// Who wins.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// The winner, then those that tie with it, in the order in which they would win in its place. Never empty.
    pub tied: Vec<Winner>,
    /// Whether it won because nothing is clearly faster than it.
    pub stays: bool,
}

/// The contenders of these trials. A config whose object code is that of another one is left to
/// it, and what was cut short is out, unless `cut` says that it may have been for the sake of a wrong one, or it is the
/// `default`.
pub(super) fn contenders(
    trials: &[(u64, Outcome)],
    cut: bool,
    default: Option<u64>,
) -> Vec<Contender> {
    let contender = |(config, outcome): &(u64, Outcome)| match outcome {
        Outcome::Timed(sample)
            if (cut || !sample.cut || Some(*config) == default) && sample.seconds.is_finite() =>
        {
            Some((*config, sample.clone()))
        }
        _ => None,
    };
    trials.iter().filter_map(contender).collect_vec()
}

/// Sorts the contenders by who is to be measured again, fastest first; how many are. Those of `seats` have one while they are
/// close, the default wherever it is.
pub(super) fn choose(contenders: &mut [Contender], seats: &[u64], default: Option<u64>) -> usize {
    ascending(contenders, &|(_, sample)| sample.seconds);
    let Some((_, best)) = contenders.first() else {
        return 0;
    };
    let (reach, near, quiet) = (best.high, best.seconds * NEAR, best.decile * NEAR);
    // The fast runs of one that was disturbed say what it can do.
    let is_close =
        |sample: &Sample| sample.low <= reach || sample.seconds <= near || sample.decile <= quiet;
    ascending(contenders, &|(_, sample)| f64::from(!is_close(sample)));
    let close = contenders.partition_point(|(_, sample)| is_close(sample));
    let (mut count, mut last) = (close.min(FINALISTS), FINALISTS);
    for seat in seats.iter().copied().chain(default) {
        let mut places = contenders.iter();
        let Some(place) = places.position(|(config, _)| *config == seat) else {
            continue;
        };
        if place < count || place >= close && Some(seat) != default {
            continue;
        }
        let taken = match count < FINALISTS {
            true => count,
            false => last - 1,
        };
        (count, last) = (count.max(taken + 1), last.min(taken));
        contenders.swap(taken, place);
    }
    count
}

/// The finalists that ran, with their times.
fn timed(finals: &[(u64, Outcome)]) -> Vec<(u64, &Sample)> {
    let mut timed = Vec::new();
    for (config, outcome) in finals {
        timed.extend(outcome.sample().map(|sample| (*config, sample)));
    }
    timed
}

/// The fastest: of those that nothing is significantly better than the one of the lowest decile, which noise moves least.
fn fastest<'a>(field: &[(u64, &'a Sample)]) -> Option<(u64, &'a Sample)> {
    // `min` and `max` pass over a NaN, as a recorded space may hold it.
    let highs = field
        .iter()
        .map(|(_, sample)| sample.high.max(sample.seconds));
    let reach = highs.fold(f64::INFINITY, f64::min);
    let is_open = |(_, sample): &&(u64, &Sample)| sample.low.min(sample.seconds) <= reach;
    let by_decile = |a: &&(u64, &Sample), b: &&(u64, &Sample)| a.1.decile.total_cmp(&b.1.decile);
    field.iter().filter(is_open).min_by(by_decile).copied()
}

/// The fastest of finalists, whoever may win.
pub(super) fn leader(finals: &[(u64, Outcome)]) -> Option<(u64, f64)> {
    let (config, sample) = fastest(&timed(finals))?;
    Some((config, sample.seconds))
}

/// How a finalist compares with who holds the place: with the default, where there is one, else with the incumbent.
pub(super) fn against(
    finals: &[(u64, Outcome)],
    holders: &Holders,
    config: u64,
) -> Option<Against> {
    let timed = timed(finals);
    let find = |config: u64| timed.iter().find(|of| of.0 == config).copied();
    let (_, own) = find(config)?;
    let (holder, held) = holders.all().filter_map(find).last()?;
    let ratio = Ratio::new(own, held);
    (config != holder).then_some(Against {
        config: holder,
        ratio,
    })
}

/// The winner among finalists with their outcomes. Whoever holds the place loses it only to one who is faster by more than
/// noise, round by round, and by the margin; of others the fastest wins, and among those that tie with it the smallest
/// number. `None` if all of them failed.
pub fn decide(finals: &[(u64, Outcome)], holders: &Holders) -> Option<Decision> {
    let timed = timed(finals);
    let find = |config: u64| timed.iter().find(|of| of.0 == config).copied();
    let held = holders.all().filter_map(find).collect_vec();
    let beats = |one: &Sample, other: &Sample| Ratio::new(one, other).is_faster(holders.margin);
    let mut field = timed.clone();
    field.retain(|(_, sample)| held.iter().all(|(_, held)| beats(sample, held)));
    // Who left earlier was beaten. How fast the machine was in those rounds says nothing for it, nor against the others.
    let rounds = field.iter().map(|(_, sample)| sample.rounds.len());
    let last = rounds.max().unwrap_or(0);
    field.retain(|(_, sample)| sample.rounds.len() == last);
    let winner = |(config, sample): (u64, &Sample)| Winner {
        config,
        sample: sample.clone(),
    };
    let Some((best, sample)) = fastest(&field) else {
        let (first, others) = held.split_first()?;
        // The default, where that is clearly faster than the incumbent.
        let better = others.iter().find(|(_, sample)| beats(sample, first.1));
        return Some(Decision {
            tied: vec![winner(*better.unwrap_or(first))],
            stays: true,
        });
    };
    field.retain(|(config, other)| {
        let ties = || {
            let ratio = Ratio::new(other, sample);
            ratio.low <= 1.0 && ratio.middle <= TIE
        };
        *config == best || ties()
    });
    ascending(&mut field, &|(config, _)| *config as f64);
    Some(Decision {
        tied: field.into_iter().map(winner).collect_vec(),
        stays: false,
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
        contenders(&trials, false, None)
    }

    fn chosen(times: &[(u64, f64, f64)], incumbent: Option<u64>) -> Vec<u64> {
        let mut field = field(times);
        let seats = incumbent.into_iter().collect::<Vec<_>>();
        let count = choose(&mut field, &seats, None);
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
        // One that was disturbed: its median is far off, but a tenth of its runs were as fast.
        let mut disturbed = field(&[(1, 10.0, 0.1), (2, 14.0, 0.1)]);
        disturbed[1].1.decile = 10.9;
        assert_eq!(choose(&mut disturbed.clone(), &[], None), 2);
        disturbed[1].1.decile = 11.1;
        assert_eq!(choose(&mut disturbed, &[], None), 1);
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
        assert_eq!(contenders(&trials, false, None).len(), 1);
        assert_eq!(contenders(&trials, true, None).len(), 2);
        assert_eq!(contenders(&trials, false, Some(2)).len(), 2);
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
        assert_eq!(winner(&hit, None), 1);
        // Fast now and then, and most calls are slow.
        let moody = [(1, of(10.0, 0.2, 9.0)), (2, of(9.5, 0.2, 9.2))];
        assert_eq!(winner(&moody, None), 2);
    }

    fn held(incumbent: Option<u64>, default: Option<u64>) -> Holders {
        Holders {
            incumbent,
            default,
            margin: 0.01,
        }
    }

    fn winner(finals: &[(u64, Outcome)], incumbent: Option<u64>) -> u64 {
        decide(finals, &held(incumbent, None)).unwrap().tied[0].config
    }

    fn timed(seconds: f64, half: f64) -> Outcome {
        Outcome::Timed(sample(seconds, half))
    }

    #[test]
    fn the_fastest_wins_unless_the_incumbent_ties() {
        let finals = [
            (1, timed(10.0, 0.2)),
            (2, timed(9.7, 0.2)),
            (3, Outcome::Failed(Failure::Timeout("10 s".into()))),
        ];
        assert_eq!(winner(&finals, None), 2);
        assert_eq!(winner(&finals, Some(1)), 1);
        assert_eq!(winner(&finals, Some(3)), 2);
        let clear = [(1, timed(10.0, 0.01)), (2, timed(9.8, 0.01))];
        assert_eq!(winner(&clear, Some(1)), 2);
        assert_eq!(decide(&finals[2..], &held(Some(3), None)), None);
    }

    #[test]
    fn ties_go_to_the_smaller_number() {
        let finals = [
            (7, timed(9.9, 0.2)),
            (4, timed(10.0, 0.2)),
            (2, timed(10.3, 0.2)),
        ];
        let decision = decide(&finals, &Holders::default()).unwrap();
        let tied: Vec<u64> = decision.tied.iter().map(|of| of.config).collect();
        // The third one's interval overlaps, but it is 4 % slower.
        assert_eq!((tied, decision.stays), (vec![4, 7], false));
        // Sure of 1 %: no tie.
        let finals = [(7, timed(9.9, 0.01)), (4, timed(10.0, 0.01))];
        assert_eq!(winner(&finals, None), 7);
    }

    #[test]
    fn who_left_early_does_not_win() {
        let of = |first: [f64; 5], then: f64, more: usize| {
            let rounds = [&first[..], &vec![then; more]].concat();
            let mut sorted = rounds.clone();
            sorted.sort_unstable_by(f64::total_cmp);
            let middle = sorted[sorted.len() / 2];
            Outcome::Timed(Sample {
                rounds,
                ..sample(middle, 0.1)
            })
        };
        let beaten = [3.10, 3.09, 3.09, 3.10, 3.08];
        let stayed = [3.09, 3.08, 3.10, 3.05, 3.09];
        // The machine became faster since, or slower.
        for then in [2.31, 4.62] {
            let finals = [(1, of(beaten, 0.0, 0)), (9, of(stayed, then, 195))];
            assert_eq!(winner(&finals, None), 9, "{then}");
            // Where that fails, it does.
            let failed = (9, Outcome::Failed(Failure::Wrong("y[0]".into())));
            assert_eq!(winner(&[finals[0].clone(), failed], None), 1);
        }
    }

    #[test]
    fn a_default_stays_unless_it_is_clearly_beaten() {
        let stays = |finals: &[(u64, Outcome)], incumbent, default| {
            let decision = decide(finals, &held(incumbent, default)).unwrap();
            (decision.tied[0].config, decision.stays)
        };
        // By less than the margin, though surely; within noise; clearly.
        let sure = [(1, timed(10.0, 0.01)), (2, timed(9.95, 0.01))];
        assert_eq!(stays(&sure, None, Some(1)), (1, true));
        let noisy = [(1, timed(10.0, 0.3)), (2, timed(9.6, 0.3))];
        assert_eq!(stays(&noisy, None, Some(1)), (1, true));
        let clear = [(1, timed(10.0, 0.1)), (2, timed(9.6, 0.1))];
        assert_eq!(stays(&clear, None, Some(1)), (2, false));
        // Who holds the place must be beaten, both must.
        let both = [
            (1, timed(10.0, 0.01)),
            (2, timed(9.5, 0.01)),
            (3, timed(9.45, 0.01)),
        ];
        assert_eq!(stays(&both, Some(1), Some(2)), (2, true));
        assert_eq!(stays(&both, Some(2), Some(1)), (2, true));
        assert_eq!(stays(&both, Some(1), None), (3, false));
        let near = [(1, timed(10.0, 0.01)), (2, timed(9.95, 0.01))];
        assert_eq!(stays(&near, Some(1), Some(2)), (1, true));
        // A default that failed holds nothing.
        let failed = [
            (1, Outcome::Failed(Failure::Crash("SIGSEGV".into()))),
            (2, timed(9.5, 0.01)),
        ];
        assert_eq!(stays(&failed, None, Some(1)), (2, false));
    }

    #[test]
    fn a_default_has_a_seat_wherever_it_is() {
        let many = |count: u64| -> Vec<(u64, f64, f64)> {
            (0..count)
                .map(|i| (i, 10.0 + i as f64 / 100.0, 0.1))
                .collect()
        };
        let seated = |mut times: Vec<(u64, f64, f64)>, seats: &[u64], default| {
            times.push((50, 90.0, 0.1));
            let mut field = field(&times);
            let count = choose(&mut field, seats, default);
            field[..count]
                .iter()
                .map(|(config, _)| *config)
                .collect::<Vec<_>>()
        };
        assert_eq!(seated(many(1), &[], Some(50)), [0, 50]);
        assert_eq!(seated(many(1), &[50], None), [0]);
        assert_eq!(
            seated(many(12), &[11], Some(50)),
            [0, 1, 2, 3, 4, 5, 50, 11]
        );
        assert_eq!(
            seated(many(12), &[11, 9], Some(50)),
            [0, 1, 2, 3, 4, 50, 9, 11]
        );
    }
}

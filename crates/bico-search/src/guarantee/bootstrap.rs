//! How fast the config is that a search would have chosen, from noisy times: a parametric bootstrap.
//!
//! The lowest of several noisy times is too good to be true: it was chosen for its luck too. How much
//! so is found by choosing again. In each resample the configs of the sink, of which nothing says that
//! one is slower than another, are taken to be equally fast (the case in which luck decides most), each
//! is given a new time with the noise of its own measurement, the winner is chosen anew, and what it was
//! lucky by is noted in units of its own noise.
//!
//! The allowance is the quantile of the most that the choice at *any* of the budgets was lucky by. So all
//! rows of a table hold at once with the reliability that was asked for, and the lowest limit so far
//! may be kept: a larger budget may always return the choice of a smaller one. Of limits that hold each
//! for itself the lowest would hold far less often. The price is that a longer search, which had more
//! occasions to be lucky, asks a little more of its first rows than a shorter one did.
//!
//! Single runs do not reach the search, only their median with its 95 % interval: the noise of a median is
//! taken to be normal, of different width upwards and downwards. A time without an interval (a recorded
//! space) counts as exact. What changes between two trials is in no interval, and in no bound.

use super::Settings;
use super::noise::{Noisy, allowance};
use crate::search::Outcome;
use bico_core::Lists;

/// What a budget guarantees.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bound {
    /// The place in the sequence of the outcome with the lowest time so far: what would be chosen.
    pub(super) chosen: usize,
    /// The place of the choice that the guarantee is that of: of this budget, or of a smaller one.
    pub(super) carrier: usize,
    /// The latency that the carrier keeps, seconds. Never rises along a sequence.
    pub(super) seconds: f64,
}

/// For each beginning of a sequence of outcomes, what the choice among them guarantees; `None` while
/// there is nothing to choose. The same sequence and settings give the same bounds.
///
/// Not chosen are outcomes that failed, were cut short, or are those of another config's object code.
pub(super) fn bounds(outcomes: &[Outcome], settings: &Settings) -> Vec<Option<Bound>> {
    let contenders: Vec<_> = outcomes.iter().map(Noisy::of).collect_vec();
    let allowance = allowance(&contenders, settings);
    let mut bound: Option<Bound> = None;
    let mut best = f64::INFINITY;
    let mut bounds = Vec::with_capacity(outcomes.len());
    for (place, contender) in contenders.iter().enumerate() {
        if let Some(noisy) = contender
            && noisy.seconds < best
        {
            best = noisy.seconds;
            let own = Bound {
                chosen: place,
                carrier: place,
                seconds: noisy.seconds + allowance * noisy.up,
            };
            bound = Some(match bound {
                Some(kept) if kept.seconds <= own.seconds => Bound {
                    chosen: place,
                    ..kept
                },
                _ => own,
            });
        }
        bounds.push(bound);
    }
    bounds
}

/// What one of these outcomes, all measured before one of them was chosen, keeps: as much is allowed for luck as the luckiest
/// choice among them needs. `None` where the measurement says nothing.
pub(super) fn kept(outcomes: &[Outcome], place: usize, settings: &Settings) -> Option<f64> {
    let contenders: Vec<_> = outcomes.iter().map(Noisy::of).collect_vec();
    let noisy = contenders.get(place).copied().flatten()?;
    let seconds = noisy.seconds + allowance(&contenders, settings) * noisy.up;
    (noisy.up < f64::MAX).then_some(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guarantee::noise::normals;
    use crate::search::{Failure, Sample};
    use proptest::prelude::*;

    fn timed(seconds: f64, half: f64) -> Outcome {
        Outcome::Timed(Sample::new(seconds, seconds - half, seconds + half, 20))
    }

    fn failed() -> Outcome {
        Outcome::Failed(Failure::Compile("no".into()))
    }

    fn settings() -> Settings {
        Settings::default()
    }

    #[test]
    fn one_config_keeps_its_one_sided_limit() {
        let bound = bounds(&[timed(1.0, 0.0196)], &settings())[0].unwrap();
        assert_eq!((bound.chosen, bound.carrier), (0, 0));
        // 1.645 deviations of 0.01, give or take what 2000 resamples do.
        assert!((bound.seconds - 1.01645).abs() < 0.0008, "{bound:?}");
        let exact = bounds(&[timed(1.0, 0.0)], &settings())[0].unwrap();
        assert_eq!(exact.seconds, 1.0);
    }

    #[test]
    fn the_lowest_of_many_equals_is_allowed_for_more() {
        let single = bounds(&[timed(1.0, 0.0196)], &settings())[0].unwrap();
        let many: Vec<Outcome> = (0..20).map(|_| timed(1.0, 0.0196)).collect();
        let bound = bounds(&many, &settings())[19].unwrap();
        // The largest of 20 normal numbers is below 2.80 in 95 % of all cases.
        assert!((bound.seconds - 1.0280).abs() < 0.0015, "{bound:?}");
        assert!(bound.seconds > single.seconds);
        // Others that are far off change nothing.
        let mut apart = vec![timed(1.0, 0.0196)];
        apart.extend((0..20).map(|_| timed(2.0, 0.0196)));
        assert_eq!(bounds(&apart, &settings())[20].unwrap(), single);
    }

    #[test]
    fn a_noisy_new_best_does_not_worsen_the_guarantee() {
        let outcomes = [timed(1.0, 0.001), timed(0.99, 0.5), timed(0.5, 0.001)];
        let bounds: Vec<Bound> = bounds(&outcomes, &settings())
            .into_iter()
            .flatten()
            .collect();
        assert_eq!((bounds[1].chosen, bounds[1].carrier), (1, 0));
        assert_eq!((bounds[2].chosen, bounds[2].carrier), (2, 2));
    }

    #[test]
    fn what_cannot_be_chosen_guarantees_nothing() {
        let cut = Outcome::Timed(Sample {
            cut: true,
            ..Sample::new(0.1, 0.1, 0.1, 3)
        });
        let same = Outcome::Same(1, Sample::new(0.2, 0.2, 0.2, 9));
        let outcomes = [
            failed(),
            cut,
            timed(f64::NAN, 0.0),
            same,
            timed(1.0, 0.0),
            failed(),
        ];
        let found = bounds(&outcomes, &settings());
        assert_eq!(found[..4], [None; 4]);
        assert_eq!(found[4], found[5]);
        assert_eq!(found[5].unwrap().seconds, 1.0);
        assert!(bounds(&[], &settings()).is_empty());
    }

    #[test]
    fn few_runs_are_trusted_less() {
        let of = |confidence, half| {
            let sample = Sample {
                confidence,
                ..Sample::new(1.0, 1.0 - half, 1.0 + half, 20)
            };
            kept(&[Outcome::Timed(sample)], 0, &settings())
        };
        let (three, five, many) = (of(0.75, 0.01), of(0.9375, 0.01), of(0.95, 0.01));
        assert!(three > five && five > many && many > Some(1.0));
        assert_eq!((of(0.0, 0.0), of(0.95, 0.0)), (None, Some(1.0)));
        assert_eq!(kept(&[failed()], 0, &settings()), None);
    }

    /// How often all bounds of a search hold, and the mean allowance of the last one, in noise's
    /// deviations, where these are the true times.
    fn coverage(truth: impl Fn(&mut fastrand::Rng) -> Vec<f64>) -> (f64, f64) {
        let mut random = fastrand::Rng::with_seed(11);
        let settings = Settings {
            resamples: 1000,
            ..settings()
        };
        let (mut held, mut allowance) = (0, 0.0);
        let repetitions = 400;
        for _ in 0..repetitions {
            let truth = truth(&mut random);
            let outcomes: Vec<Outcome> = truth
                .iter()
                .map(|time| timed(time + normals(&mut random).0, 1.96))
                .collect();
            let bounds: Vec<Bound> = bounds(&outcomes, &settings).into_iter().flatten().collect();
            held += usize::from(
                bounds
                    .iter()
                    .all(|bound| truth[bound.carrier] <= bound.seconds),
            );
            let last = bounds[bounds.len() - 1];
            let Outcome::Timed(sample) = &outcomes[last.carrier] else {
                unreachable!()
            };
            allowance += last.seconds - sample.seconds;
        }
        (
            held as f64 / f64::from(repetitions),
            allowance / f64::from(repetitions),
        )
    }

    #[test]
    fn all_budgets_hold_at_once_as_often_as_asked() {
        type Truth = fn(&mut fastrand::Rng) -> Vec<f64>;
        let worlds: [(&str, Truth); 4] = [
            ("equal", |_| vec![100.0; 32]),
            ("close", |random| {
                (0..32).map(|_| 100.0 + 3.0 * random.f64()).collect()
            }),
            ("spread", |random| {
                (0..32).map(|_| 100.0 + 20.0 * random.f64()).collect()
            }),
            ("far", |random| {
                (0..32).map(|_| 100.0 + 500.0 * random.f64()).collect()
            }),
        ];
        for (name, truth) in worlds {
            let (held, allowance) = coverage(truth);
            // 0.95, and what chance does to 400 repetitions.
            assert!(held >= 0.92, "{name}: {held}");
            assert!(allowance < 3.2, "{name}: {allowance}");
        }
    }

    fn any_outcomes() -> impl Strategy<Value = Vec<Outcome>> {
        let outcome = prop_oneof![
            6 => (1.0f64..3.0, 0.0f64..0.5).prop_map(|(seconds, half)| timed(seconds, half)),
            1 => Just(failed()),
        ];
        proptest::collection::vec(outcome, 0..24)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_guarantee_never_gets_worse(outcomes in any_outcomes(), seed in 0u64..3) {
            let settings = Settings { resamples: 100, seed, ..settings() };
            let bounds = bounds(&outcomes, &settings);
            prop_assert_eq!(&super::bounds(&outcomes, &settings), &bounds);
            let mut best: Option<usize> = None;
            let seconds = |place: usize| outcomes[place].sample().unwrap().seconds;
            for (place, bound) in bounds.iter().enumerate() {
                if outcomes[place].sample().is_some() && best.is_none_or(|best| seconds(place) < seconds(best)) {
                    best = Some(place);
                }
                prop_assert_eq!(bound.map(|bound| bound.chosen), best);
                if let Some(bound) = bound {
                    prop_assert!(bound.carrier <= place && bound.seconds >= seconds(bound.carrier));
                }
            }
            for pair in bounds.windows(2) {
                if let [Some(before), Some(after)] = pair {
                    prop_assert!(after.seconds <= before.seconds);
                } else {
                    prop_assert!(pair[0].is_none());
                }
            }
        }
    }
}

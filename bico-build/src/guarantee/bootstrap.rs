//! How fast the config is that a search would have chosen, from noisy times: a parametric bootstrap.
//!
//! The lowest of several noisy times is too good to be true: it was chosen for its luck too. How much
//! so is found by choosing again. In each resample the configs of the sink, of which nothing says that one
//! is slower than another, are taken to be equally fast (the case in which luck decides most), each is
//! given a new time with the noise of its own measurement, the winner is chosen anew, and what it
//! was lucky by is noted in units of its own noise. The allowance is the quantile of the most
//! that any budget's choice was lucky by, so that the whole table holds at once with the reliability
//! that was asked for, and not only each row of it; only therefore may a budget keep the guarantee of a
//! smaller one.
//!
//! Single runs do not reach the search, only their median with its 95 % interval: the noise of a
//! median is taken to be normal, of different width upwards and downwards. A time without an interval (a
//! recorded space) counts as exact.

use super::outcomes::{ends, is_time};
use super::{ByTime, Change, Settings, Sink};
use crate::search::{Outcome, Sample};

/// What a budget guarantees.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bound {
    /// The place in the sequence of the outcome with the lowest time so far: what would be chosen.
    pub chosen: usize,
    /// The place of the choice that the guarantee is that of: of this budget, or of a smaller one.
    pub carrier: usize,
    /// The latency that the carrier keeps, seconds. Never rises along a sequence.
    pub seconds: f64,
}

/// For each beginning of a sequence of outcomes, what the choice among them guarantees; `None` while
/// there is nothing to choose. The same sequence and settings give the same bounds.
///
/// Not chosen are outcomes that failed, were cut short, or are those of another config's object code.
pub fn bounds(outcomes: &[Outcome], settings: &Settings) -> Vec<Option<Bound>> {
    let contenders = contenders(outcomes);
    let mut resampling = Resampling::new(&contenders, settings);
    let mut sink = Sink::empty(&ByTime, outcomes);
    for (place, contender) in contenders.iter().enumerate() {
        if contender.is_some() {
            let change = sink.reach(place);
            resampling.follow(place, change, sink.members());
        }
    }
    let allowance = resampling.allowance(settings.reliability);
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

/// A measured time and the standard deviations of its noise.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Noisy {
    seconds: f64,
    /// Of how far the truth lies above it.
    up: f64,
    /// And below it.
    down: f64,
}

impl Noisy {
    fn new(sample: &Sample) -> Noisy {
        let (low, high) = ends(sample);
        // Of fewer than six runs the interval is that of the smallest and the largest, which holds
        // the median with 1 - 2^(1 - runs) only: how many deviations that is, from a table.
        let reach = match sample.runs {
            0..=2 => 0.674_490,
            3 => 1.150_349,
            4 => 1.534_121,
            5 => 1.862_732,
            _ => 1.959_964,
        };
        Noisy {
            seconds: sample.seconds,
            up: (high - sample.seconds) / reach,
            down: (sample.seconds - low) / reach,
        }
    }

    /// How far the truth lies above the time, where the noise is `z` deviations.
    fn error(&self, z: f64) -> f64 {
        z * if z > 0.0 { self.up } else { self.down }
    }
}

fn contenders(outcomes: &[Outcome]) -> Vec<Option<Noisy>> {
    let contender = |outcome: &Outcome| match outcome {
        Outcome::Timed(sample) if !sample.cut && is_time(sample) => Some(Noisy::new(sample)),
        _ => None,
    };
    outcomes.iter().map(contender).collect()
}

/// One resample at some place of the sequence.
#[derive(Debug, Clone, Copy)]
struct Resample {
    /// What the winner of the sink was lucky by, seconds and deviations.
    error: f64,
    luck: f64,
    /// The most deviations so far.
    most: f64,
}

struct Resampling<'a> {
    contenders: &'a [Option<Noisy>],
    seed: u64,
    resamples: Vec<Resample>,
}

impl<'a> Resampling<'a> {
    fn new(contenders: &'a [Option<Noisy>], settings: &Settings) -> Resampling<'a> {
        let nothing = Resample {
            error: f64::NEG_INFINITY,
            luck: 0.0,
            most: 0.0,
        };
        Resampling {
            contenders,
            seed: settings.seed,
            resamples: vec![nothing; settings.resamples.max(1)],
        }
    }

    /// Chooses again in each resample, now that an outcome has changed the sink.
    fn follow(&mut self, place: usize, change: Change, sink: &[usize]) {
        match change {
            Change::Kept => return,
            Change::Joined => self.enter(place),
            Change::Replaced => {
                for resample in &mut self.resamples {
                    resample.error = f64::NEG_INFINITY;
                }
                sink.iter().for_each(|member| self.enter(*member));
            }
        }
        for resample in &mut self.resamples {
            resample.most = resample.most.max(resample.luck);
        }
    }

    /// Lets a config compete. Its noise is its own: it is the same whenever it is asked for.
    fn enter(&mut self, place: usize) {
        let Some(noisy) = self.contenders[place] else {
            return;
        };
        let mut random = fastrand::Rng::with_seed(
            self.seed ^ (place as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15),
        );
        let mut spare = None;
        for resample in &mut self.resamples {
            let z = spare.take().unwrap_or_else(|| {
                let (first, second) = normals(&mut random);
                spare = Some(second);
                first
            });
            let error = noisy.error(z);
            if error > resample.error {
                resample.error = error;
                resample.luck = if noisy.up > 0.0 { z } else { 0.0 };
            }
        }
    }

    /// Deviations that a choice must be allowed for.
    fn allowance(&self, reliability: f64) -> f64 {
        let mut most: Vec<f64> = self
            .resamples
            .iter()
            .map(|resample| resample.most)
            .collect();
        most.sort_unstable_by(f64::total_cmp);
        let place = (reliability * most.len() as f64).ceil() as usize;
        most[place.clamp(1, most.len()) - 1]
    }
}

/// Two independent standard normal numbers, by the method of Box and Muller.
fn normals(random: &mut fastrand::Rng) -> (f64, f64) {
    // 1 - u is never 0.
    let radius = (-2.0 * (1.0 - random.f64()).ln()).sqrt();
    let (sin, cos) = (std::f64::consts::TAU * random.f64()).sin_cos();
    (radius * cos, radius * sin)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Failure;
    use proptest::prelude::*;

    fn timed(seconds: f64, half: f64) -> Outcome {
        Outcome::Timed(Sample {
            seconds,
            low: seconds - half,
            high: seconds + half,
            runs: 20,
            cut: false,
        })
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
            seconds: 0.1,
            low: 0.1,
            high: 0.1,
            runs: 3,
            cut: true,
        });
        let same = Outcome::Same(
            1,
            Sample {
                seconds: 0.2,
                low: 0.2,
                high: 0.2,
                runs: 9,
                cut: false,
            },
        );
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
        let of = |runs| {
            let Outcome::Timed(sample) = timed(1.0, 0.01) else {
                unreachable!()
            };
            bounds(&[Outcome::Timed(Sample { runs, ..sample })], &settings())[0]
                .unwrap()
                .seconds
        };
        assert!(of(3) > of(5) && of(5) > of(6) && of(6) == of(100));
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

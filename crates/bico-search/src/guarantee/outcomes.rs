//! The order of outcomes: whose time is significantly better.

use super::Order;
use crate::search::{Outcome, Sample};

/// Outcomes by their times: one is better than another where its interval ends before the other's
/// begins. What ran is better than what failed; what failed is all alike.
///
/// Outcomes whose intervals overlap are neither better nor worse, so this is no ranking but a
/// preorder: of three in a row the outer two may differ while neither differs from the middle one.
#[derive(Debug, Clone, Copy, Default)]
pub struct ByTime;

impl Order for ByTime {
    type Item = Outcome;

    fn reaches(&self, a: &Outcome, b: &Outcome) -> bool {
        match (interval(a), interval(b)) {
            (Some(a), Some(b)) => a == b || a.1 < b.0,
            (_, None) => true,
            (None, Some(_)) => false,
        }
    }
}

/// The ends of an outcome's interval; `None` where it failed or its time is no number.
fn interval(outcome: &Outcome) -> Option<(f64, f64)> {
    let sample = outcome.sample().filter(|sample| is_time(sample))?;
    Some(ends(sample))
}

/// A recorded space may hold anything.
pub(super) fn is_time(sample: &Sample) -> bool {
    sample.seconds.is_finite()
}

/// The ends of a sample's interval, its time between them.
pub(super) fn ends(sample: &Sample) -> (f64, f64) {
    // `min` and `max` pass over a NaN.
    (
        sample.seconds.min(sample.low),
        sample.seconds.max(sample.high),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Failure;
    use proptest::prelude::*;

    fn timed(low: f64, high: f64) -> Outcome {
        Outcome::Timed(Sample {
            seconds: (low + high) / 2.0,
            low,
            high,
            runs: 9,
            cut: false,
            throttled: false,
        })
    }

    fn failed() -> Outcome {
        Outcome::Failed(Failure::Crash("SIGSEGV".into()))
    }

    #[test]
    fn intervals_that_overlap_decide_nothing() {
        let (a, b, c) = (timed(1.0, 2.0), timed(1.5, 3.0), timed(2.5, 4.0));
        assert!(ByTime.dominates(&a, &c));
        for (x, y) in [(&a, &b), (&b, &a), (&b, &c), (&c, &b), (&c, &a)] {
            assert!(!ByTime.reaches(x, y));
        }
        assert!(ByTime.dominates(&c, &failed()) && !ByTime.reaches(&failed(), &c));
        assert!(ByTime.reaches(&failed(), &Outcome::Failed(Failure::Timeout("10 s".into()))));
        assert!(!ByTime.dominates(&failed(), &failed()));
    }

    fn any_outcome() -> impl Strategy<Value = Outcome> {
        prop_oneof![
            4 => (0u8..6, 0u8..3).prop_map(|(low, width)| timed(low.into(), f64::from(low + width))),
            1 => Just(failed()),
            1 => Just(timed(f64::NAN, f64::NAN)),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn it_is_a_preorder(a in any_outcome(), b in any_outcome(), c in any_outcome()) {
            prop_assert!(ByTime.reaches(&a, &a));
            if ByTime.reaches(&a, &b) && ByTime.reaches(&b, &c) {
                prop_assert!(ByTime.reaches(&a, &c));
            }
        }
    }
}

//! The order of outcomes: whose time is significantly better.

use crate::search::Outcome;

/// Whether `a` is at least as good as `b`: who has reached `a` has reached `b`.
///
/// An outcome is better than another where its interval ends before the other's begins. What ran is better than what
/// failed; what failed is all alike. Outcomes whose intervals overlap are neither better nor worse, so this is no
/// ranking but a preorder: of three in a row the outer two may differ while neither differs from the middle one.
fn reaches(a: &Outcome, b: &Outcome) -> bool {
    match (interval(a), interval(b)) {
        (Some(a), Some(b)) => a == b || a.1 < b.0,
        (_, None) => true,
        (None, Some(_)) => false,
    }
}

/// Adds to the outcomes that are guaranteed, the upper closure of what is reached, what one more guarantees.
pub(super) fn reach(outcomes: &[Outcome], held: &mut [bool], reached: usize) {
    // What is held has brought all below it already: the order is transitive.
    if !held[reached] {
        for (held, other) in held.iter_mut().zip(outcomes) {
            *held |= reaches(&outcomes[reached], other);
        }
    }
}

/// The ends of an outcome's interval, its time between them; `None` where it failed or its time is no number, as a
/// recorded space may hold anything.
pub(super) fn interval(outcome: &Outcome) -> Option<(f64, f64)> {
    let sample = outcome.sample()?;
    let seconds = sample.seconds;
    // `min` and `max` pass over a NaN.
    let ends = (seconds.min(sample.low), seconds.max(sample.high));
    seconds.is_finite().then_some(ends)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::{Failure, Sample};
    use proptest::prelude::*;

    fn timed(low: f64, high: f64) -> Outcome {
        Outcome::Timed(Sample::new((low + high) / 2.0, low, high, 9))
    }

    fn failed() -> Outcome {
        Outcome::Failed(Failure::Crash("SIGSEGV".into()))
    }

    #[test]
    fn intervals_that_overlap_decide_nothing() {
        let (a, b, c) = (timed(1.0, 2.0), timed(1.5, 3.0), timed(2.5, 4.0));
        assert!(reaches(&a, &c) && !reaches(&c, &a));
        for (x, y) in [(&a, &b), (&b, &a), (&b, &c), (&c, &b)] {
            assert!(!reaches(x, y));
        }
        assert!(reaches(&c, &failed()) && !reaches(&failed(), &c));
        assert!(reaches(
            &failed(),
            &Outcome::Failed(Failure::Timeout("10 s".into()))
        ));
    }

    fn any_outcome() -> impl Strategy<Value = Outcome> {
        prop_oneof![
            4 => (0u8..6, 0u8..3).prop_map(|(low, width)| timed(low.into(), f64::from(low + width))),
            1 => Just(failed()),
            1 => Just(timed(f64::NAN, f64::NAN)),
        ]
    }

    /// What is guaranteed once these outcomes are reached, then the first ones of a trail.
    fn region(outcomes: &[Outcome], known: &[usize], trail: &[usize], budget: usize) -> Vec<usize> {
        let mut held = vec![false; outcomes.len()];
        let reached = known.iter().chain(trail.iter().take(budget));
        reached.for_each(|reached| reach(outcomes, &mut held, *reached));
        (0..held.len()).filter(|outcome| held[*outcome]).collect()
    }

    fn is_within(small: &[usize], large: &[usize]) -> bool {
        small.iter().all(|item| large.contains(item))
    }

    /// Outcomes, a trail through them without repetitions, and two sets, one within the other.
    fn any_case() -> impl Strategy<Value = (Vec<Outcome>, Vec<usize>, Vec<usize>, Vec<usize>)> {
        let case = (1usize..10).prop_flat_map(|size| {
            let outcomes = proptest::collection::vec(any_outcome(), size);
            let trail = Just((0..size).collect::<Vec<_>>()).prop_shuffle();
            let set = proptest::collection::vec(0..size, 0..size);
            let more = proptest::collection::vec(0..size, 0..size);
            (outcomes, trail, set, more)
        });
        case.prop_map(|(outcomes, trail, set, more)| {
            let larger = [&set[..], &more[..]].concat();
            (outcomes, trail, set, larger)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn it_is_a_preorder(a in any_outcome(), b in any_outcome(), c in any_outcome()) {
            prop_assert!(reaches(&a, &a));
            if reaches(&a, &b) && reaches(&b, &c) {
                prop_assert!(reaches(&a, &c));
            }
        }

        #[test]
        fn the_operator_is_extensive((outcomes, trail, set, _) in any_case(), budget in 0usize..12) {
            prop_assert!(is_within(&set, &region(&outcomes, &set, &trail, budget)));
        }

        #[test]
        fn the_operator_is_monotone_in_set_and_budget((outcomes, trail, set, larger) in any_case(), budget in 0usize..12) {
            let small = region(&outcomes, &set, &trail, budget);
            prop_assert!(is_within(&small, &region(&outcomes, &larger, &trail, budget)));
            prop_assert!(is_within(&small, &region(&outcomes, &set, &trail, budget + 1)));
        }

        #[test]
        fn the_operator_is_idempotent((outcomes, trail, set, _) in any_case(), budget in 0usize..12) {
            let once = region(&outcomes, &set, &trail, budget);
            prop_assert_eq!(&region(&outcomes, &once, &trail, budget), &once);
        }

        #[test]
        fn the_region_is_what_something_reached_reaches((outcomes, trail, set, _) in any_case(), budget in 0usize..12) {
            let reached: Vec<usize> = set.iter().chain(trail.iter().take(budget)).copied().collect();
            let held = |b: &usize| reached.iter().any(|a| reaches(&outcomes[*a], &outcomes[*b]));
            let expected: Vec<usize> = (0..trail.len()).filter(held).collect();
            prop_assert_eq!(region(&outcomes, &set, &trail, budget), expected);
        }
    }
}

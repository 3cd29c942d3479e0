//! What trials cost stays within its bound, whatever the arms are.

use super::world::{Rng, World};
use proptest::prelude::*;
use std::collections::VecDeque;

/// What trials of so many arms may cost after such a time, as the bandit's derivation promises, where a call of the incumbent
/// takes `call`.
fn limit(arms: usize, call: f64, time: f64) -> f64 {
    dear(arms, call, time) + (0.005 * time).max(5.0 * call)
}

/// The part of it for arms that cost.
fn dear(arms: usize, call: f64, time: f64) -> f64 {
    (0.02 * time).max((3.0 * arms as f64).min(60.0) * call)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn trials_keep_their_pace(
        seconds in prop::collection::vec(0.0f64..3.4, 2..20),
        noise in prop_oneof![Just(0.0), 0.0f64..0.3],
        delay in prop_oneof![Just(0usize), 1usize..300],
        lost in prop_oneof![Just(0.0), 0.0f64..0.5],
        seed: u64,
    ) {
        let seconds: Vec<f64> = seconds.iter().map(|gap| 1e-4 * gap.exp()).collect();
        let mut world = World::new(seed, &seconds, noise);
        world.delay = delay;
        world.lost = lost;
        let mut bandit = world.bandit();
        let slowest = seconds.iter().copied().fold(0.0, f64::max);
        let (mut beyond, mut incumbents) = (0.0, 0.0f64);
        // What is paid before it is known: the first calls of each arm, and outlying noise.
        let surprise: f64 = seconds.iter().map(|s| if delay > 0 { 2.0 } else { 1.0 } * s).sum();
        let doubt = 1.0 + 3.0 * noise;
        for _ in 0..3_000 {
            let incumbent = bandit.incumbent();
            let arm = world.call(&mut bandit);
            if let Some(incumbent) = incumbent && arm != incumbent {
                beyond += seconds[arm] - seconds[incumbent];
                incumbents = incumbents.max(seconds[incumbent]);
            }
            // How many answers are lost in a row is luck.
            let unanswered = world.unanswered.min(lost * 40.0 * slowest);
            let most = limit(seconds.len(), incumbents, world.total);
            let bound = doubt * (most + surprise) + unanswered;
            prop_assert!(beyond <= bound, "{beyond} beyond {bound}");
        }
    }

    /// Exact times, no arm near another: then what a warm arm costs is known before it is paid.
    #[test]
    fn a_trial_starts_only_while_the_purse_holds(
        gaps in prop::collection::vec(1u32..8, 2..20),
        delay in prop_oneof![Just(0usize), 1usize..100],
    ) {
        let seconds: Vec<f64> = gaps.iter().map(|gap| 1e-4 * 1.6f64.powi(*gap as i32)).collect();
        let mut bandit = World::new(0, &seconds, 0.0).bandit();
        let mut answers = vec![0; seconds.len()];
        let mut late: VecDeque<(usize, bool)> = VecDeque::new();
        // In calls of the incumbent of the moment.
        let (mut paid, mut total) = (0.0, 0.0);
        for _ in 0..4_000 {
            let incumbent = bandit.incumbent().unwrap();
            let calls = |arm: usize| seconds[arm] / seconds[incumbent];
            let cost = |arm: usize| (calls(arm) - 1.0).max(0.0);
            let tried = late.iter().filter(|(_, counts)| *counts);
            let under_way: f64 = tried.map(|(arm, _)| cost(*arm)).sum();
            let turn = bandit.next(|_| true).unwrap();
            let trial = turn.arm != incumbent;
            total += if trial { calls(turn.arm) } else { 1.0 };
            // The first two calls of an arm may surprise; they are paid, but don't count here.
            let counts = trial && answers[turn.arm] > 1;
            let wanted = if counts { cost(turn.arm) } else { 0.0 };
            let bound = dear(seconds.len(), 1.0, total);
            prop_assert!(
                wanted == 0.0 || paid + under_way + wanted <= 1.001 * bound,
                "{paid} and {under_way} and {wanted} of {bound}"
            );
            if turn.timed {
                late.push_back((turn.arm, counts));
            }
            let due = late.len() > delay || !turn.timed;
            if due && let Some((arm, counts)) = late.pop_front() {
                bandit.observe(arm, seconds[arm].ln());
                answers[arm] += 1;
                paid += if counts { cost(arm) } else { 0.0 };
            }
        }
    }

    #[test]
    fn whatever_is_told_an_arm_that_works_serves(
        told in prop::collection::vec(
            (0usize..6, prop_oneof![
                4 => -20.0f64..3.0,
                1 => prop_oneof![
                    Just(f64::NAN), Just(f64::INFINITY), Just(f64::NEG_INFINITY),
                    Just(f64::MAX), Just(f64::MIN), Just(0.0), -150.0f64..150.0,
                ],
            ], 0u8..20),
            1..400,
        ),
        seed: u64,
    ) {
        let mut rng = Rng::new(seed);
        let mut bandit = World::new(seed, &[1.0; 4], 0.0).bandit();
        let mut failed = [false; 4];
        for (arm, ln_seconds, act) in told {
            match act {
                0 => bandit.lost(arm),
                1 if rng.unit() < 0.3 => {
                    bandit.fail(arm);
                    failed.iter_mut().skip(arm).take(1).for_each(|failed| *failed = true);
                }
                2..10 => bandit.observe(arm, ln_seconds),
                _ => {
                    let shut = (rng.unit() * 4.0) as usize;
                    let turn = bandit.next(|at| at != shut);
                    let works = (0..4).any(|at| at != shut && !failed[at]);
                    prop_assert_eq!(turn.is_some(), works);
                    if let Some(turn) = turn {
                        prop_assert!(turn.arm != shut && !failed[turn.arm]);
                    }
                }
            }
            prop_assert!(bandit.settled().is_none_or(|arm| !failed[arm]));
            prop_assert!(bandit.excess() >= 0.0);
        }
        for arm in bandit.summaries() {
            prop_assert!(arm.mean.is_finite() && arm.variance.is_finite() && arm.variance >= 0.0);
        }
    }
}

#[test]
fn an_arm_that_never_answers_is_not_asked_for_ever() {
    let mut bandit = World::new(0, &[1.0; 2], 0.0).bandit();
    let mut asked = 0;
    for _ in 0..10_000 {
        let turn = bandit.next(|_| true).unwrap();
        if turn.arm == 0 {
            bandit.observe(0, -9.0);
        } else {
            asked += 1;
            bandit.lost(1);
        }
    }
    assert!((2..60).contains(&asked), "{asked} times");
}

#[test]
fn an_arm_whose_times_are_late_has_few_under_way() {
    let mut bandit = World::new(0, &[1.0; 3], 0.0).bandit();
    let mut timed = [0; 3];
    for _ in 0..5_000 {
        let turn = bandit.next(|_| true).unwrap();
        timed[turn.arm] += u32::from(turn.timed);
    }
    assert_eq!(timed, [16, 2, 2], "nothing was answered");
}

#[test]
fn dear_arms_wait_for_the_purse() {
    let slower = |arm| if arm % 2 == 0 { 1.5 } else { 12.0 };
    let seconds: Vec<f64> = (0..60)
        .map(|arm| if arm == 0 { 1.0 } else { slower(arm) })
        .collect();
    let mut world = World::new(0, &seconds, 0.0);
    let mut bandit = world.bandit();
    for calls in [150u64, 1_000, 4_000] {
        while world.calls.iter().sum::<u64>() < calls {
            world.call(&mut bandit);
        }
        let beyond = world.total - calls as f64;
        let most = limit(seconds.len(), 1.0, world.total);
        // The last trial that was paid may have surprised.
        assert!(beyond <= most + 11.0, "after {calls}: {beyond} of {most}");
        assert!(beyond >= 0.7 * most, "after {calls}: {beyond} of {most}");
    }
}

#[test]
fn where_the_first_of_a_few_is_best_1000_calls_lose_little() {
    let mut lost = Vec::new();
    for seed in 0..100 {
        let mut rng = Rng::new(seed);
        let arms = 6 + (3.0 * rng.unit()) as usize;
        let slower = |rng: &mut Rng| 2.0 * 10f64.powf(rng.unit());
        let mut seconds: Vec<f64> = (0..arms).map(|_| slower(&mut rng)).collect();
        seconds[0] = 1.0;
        let mut world = World::new(seed, &seconds, 0.05);
        let mut bandit = world.bandit();
        for _ in 0..1_000 {
            world.call(&mut bandit);
        }
        let calls = world.calls.iter().zip(&seconds);
        let beyond: f64 = calls.map(|(calls, s)| *calls as f64 * (s - 1.0)).sum();
        // The last trial may surprise.
        assert!(
            beyond < limit(arms, 1.0, 1_000.0) + 20.0,
            "{seconds:?}: {beyond}"
        );
        lost.push(beyond / 1_000.0);
    }
    lost.sort_by(f64::total_cmp);
    assert!(
        lost[50] < 0.03 && lost[90] < 0.04,
        "{} {}",
        lost[50],
        lost[90]
    );
}

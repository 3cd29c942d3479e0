//! Beginning, failing, being kept and taken up again.

use super::world::World;
use crate::learn::bandit::{Bandit, Prior, Standing, Summary};

#[test]
fn a_single_arm_settles_at_once() {
    let mut world = World::new(1, &[1e-4], 0.1);
    let mut bandit = world.bandit();
    assert_eq!(world.until_settled(&mut bandit, 4), Some(0));
    assert!(bandit.arms()[0].standing == Standing::Open);
}

#[test]
fn the_first_call_of_an_arm_does_not_count() {
    let mut bandit = Bandit::new(&[Prior::default()]);
    bandit.next(|_| true);
    bandit.observe(0, 5.0);
    assert_eq!((bandit.calls(), bandit.arms()[0].pulls), (1, 0));
    for _ in 0..20 {
        bandit.next(|_| true);
        bandit.observe(0, -9.0);
    }
    let summary = bandit.summaries()[0];
    assert_eq!(summary.pulls, 20);
    assert!((summary.mean + 9.0).abs() < 1e-9, "{summary:?}");
}

#[test]
fn the_same_times_give_the_same_turns() {
    let run = || {
        let mut world = World::new(5, &[2e-4, 1e-4, 1.1e-4, 9e-4], 0.2);
        world.delay = 7;
        let mut bandit = world.bandit();
        let arms: Vec<usize> = (0..3_000).map(|_| world.call(&mut bandit)).collect();
        (arms, format!("{:?}", bandit.arms()))
    };
    assert_eq!(run(), run());
}

#[test]
fn the_order_is_the_order_of_the_first_calls() {
    let mut world = World::new(5, &[1e-4; 5], 0.01);
    let mut bandit = world.bandit();
    let mut met = Vec::new();
    for _ in 0..60 {
        let arm = world.call(&mut bandit);
        if !met.contains(&arm) {
            met.push(arm);
        }
    }
    assert_eq!(met, [0, 1, 2, 3, 4]);
}

#[test]
fn a_weighty_prior_comes_before_the_order() {
    let prior = |gap| Prior { gap, weight: 3.0 };
    let mut bandit = Bandit::new(&[prior(1.0), prior(0.0), prior(2.0)]);
    assert_eq!(bandit.next(|_| true).map(|turn| turn.arm), Some(1));
}

#[test]
fn failing_arms_are_replaced_until_none_is_left() {
    let mut bandit = Bandit::new(&[Prior::default(); 3]);
    for arm in 0..3 {
        assert_eq!(bandit.next(|_| true).map(|turn| turn.arm), Some(arm));
        bandit.fail(arm);
        assert_eq!(bandit.arms()[arm].standing, Standing::Failed);
    }
    assert_eq!(bandit.next(|_| true), None);
    assert_eq!((bandit.incumbent(), bandit.settled()), (None, None));
}

#[test]
fn a_settled_arm_that_fails_is_replaced_and_it_settles_again() {
    let mut world = World::new(2, &[1.5e-4, 1e-4, 1.2e-4], 0.05);
    let mut bandit = world.bandit();
    assert_eq!(world.until_settled(&mut bandit, 10_000), Some(1));
    bandit.fail(1);
    assert_ne!(bandit.settled(), Some(1));
    assert_ne!(bandit.next(|_| true).map(|turn| turn.arm), Some(1));
    assert_eq!(world.until_settled(&mut bandit, 10_000), Some(2));
    assert_eq!(bandit.arms()[1].standing, Standing::Failed);
}

#[test]
fn an_arm_that_does_not_fit_does_not_hold_it_up() {
    let mut bandit = Bandit::new(&[Prior::default(); 3]);
    for call in 0..2_000 {
        let turn = bandit.next(|arm| arm != 0).unwrap();
        assert_ne!(turn.arm, 0);
        let noise = 0.01 * f64::from(call % 7);
        bandit.observe(turn.arm, -9.0 + noise + turn.arm as f64 * 0.2);
    }
    assert_eq!(bandit.settled(), Some(1));
    // A call that the settled arm does not fit is served by the next one.
    assert_eq!(bandit.next(|arm| arm == 2).map(|turn| turn.arm), Some(2));
    assert_eq!(bandit.settled(), Some(1));
}

/// What a process learned of four arms, of which the third is best.
fn learned() -> (World, Vec<Option<Summary>>) {
    let mut world = World::new(4, &[2e-4, 1.3e-4, 1e-4, 9e-4], 0.05);
    let mut bandit = world.bandit();
    assert_eq!(world.until_settled(&mut bandit, 10_000), Some(2));
    let known = bandit.summaries();
    let kept = |summary: Summary| (summary.pulls > 0).then_some(summary);
    (world, known.into_iter().map(kept).collect())
}

#[test]
fn what_was_kept_begins_settled_and_is_watched() {
    let (mut world, known) = learned();
    let mut bandit = world.bandit();
    bandit.resume(&known, Some(2));
    assert_eq!(bandit.settled(), Some(2));
    for _ in 0..1_000 {
        assert_eq!(world.call(&mut bandit), 2);
    }
    world.factor = 2.0;
    let looked = (0..200).any(|_| {
        world.call(&mut bandit);
        bandit.settled().is_none()
    });
    assert!(looked);
    assert_eq!(world.until_settled(&mut bandit, 10_000), Some(2));
}

#[test]
fn what_was_kept_unsettled_is_gone_on_with() {
    let (mut world, known) = learned();
    let mut bandit = world.bandit();
    bandit.resume(&known, None);
    assert_eq!(bandit.incumbent(), Some(2));
    assert_eq!(world.until_settled(&mut bandit, 10_000), Some(2));
}

#[test]
fn what_cannot_be_true_is_not_taken_up() {
    let bad = |pulls, mean, variance| {
        Some(Summary {
            pulls,
            mean,
            variance,
        })
    };
    let known = [
        bad(5, f64::NAN, 0.1),
        bad(5, 1.0, -1.0),
        bad(0, 1.0, 0.1),
        bad(5, 1e300, 0.1),
        bad(5, 1.0, f64::INFINITY),
    ];
    for settled in [0, 4, 99] {
        let mut bandit = Bandit::new(&[Prior::default(); 5]);
        bandit.resume(&known, Some(settled));
        assert_eq!(bandit.settled(), None);
        bandit.borrow(&known);
        assert_eq!(bandit.next(|_| true).map(|turn| turn.arm), Some(0));
    }
}

#[test]
fn a_neighbours_result_is_where_a_bucket_starts() {
    let (world, known) = learned();
    // All is slower here, and the neighbour's second is best by little.
    let mut near = World::new(9, &world.seconds, 0.05);
    near.factor = 40.0;
    near.seconds[1] = 0.9e-4;
    let mut bandit = near.bandit();
    bandit.borrow(&known);
    assert_eq!(near.call(&mut bandit), 2);
    assert_eq!(near.until_settled(&mut bandit, 10_000), Some(1));
    // What is nine times as slow over there is not tried here before anything else.
    assert!(near.calls[3] <= 2, "{:?}", near.calls);
}

#[test]
fn one_call_that_an_arm_does_not_fit_settles_nothing() {
    let times = [1.0f64, 0.5];
    let mut bandit = Bandit::new(&[Prior::default(); 2]);
    for call in 0..2000 {
        // The second, which is faster, does not fit every hundredth call, nor the first few.
        let fits = call >= 8 && call % 100 != 0;
        let turn = bandit.next(|arm| arm == 0 || fits).unwrap();
        assert!(turn.arm == 0 || fits);
        if turn.timed {
            bandit.observe(turn.arm, times[turn.arm].ln());
        }
    }
    assert_eq!(bandit.settled(), Some(1));
}

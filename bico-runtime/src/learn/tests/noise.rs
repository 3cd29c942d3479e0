//! The right arm in spite of what disturbs times.

use super::world::{Rng, World};

/// Seconds of eight arms of which one is better than the others by at least a tenth.
fn arms(seed: u64) -> (Vec<f64>, usize) {
    let mut rng = Rng::new(seed);
    let mut seconds: Vec<f64> = (0..8)
        .map(|_| 1e-4 * (1.1 + 3.0 * rng.unit().powi(2)))
        .collect();
    let best = (rng.unit() * 8.0) as usize;
    seconds[best] = 1e-4;
    (seconds, best)
}

#[test]
fn heavy_tails_do_not_decide() {
    let mut wrong = Vec::new();
    for seed in 0..100 {
        let (seconds, best) = arms(seed);
        let mut world = World::new(seed, &seconds, 0.1);
        world.tail = 0.02;
        let mut bandit = world.bandit();
        if world.until_settled(&mut bandit, 20_000) != Some(best) {
            wrong.push(seed);
        }
    }
    assert!(wrong.len() <= 3, "wrong for the seeds {wrong:?}");
}

#[test]
fn an_arm_whose_first_call_was_disturbed_is_looked_at_again() {
    let mut given_up = 0;
    for seed in 0..50 {
        let seconds = [2e-4, 1e-4, 3e-4, 4e-4];
        let mut world = World::new(seed, &seconds, 0.05);
        let mut bandit = world.bandit();
        for _ in 0..20_000 {
            // The scheduler took the processor away for as long as 100 calls take.
            let disturbed = world.calls[1] == 0;
            world.seconds[1] = if disturbed { 1e-2 } else { 1e-4 };
            world.call(&mut bandit);
        }
        given_up += u32::from(bandit.incumbent() != Some(1));
    }
    assert!(given_up <= 10, "{given_up} of 50 times");
}

#[test]
fn plain_noise_is_learned_cheaply() {
    for seed in 0..100 {
        let (seconds, _) = arms(seed);
        let mut world = World::new(seed, &seconds, 0.05);
        let mut bandit = world.bandit();
        for _ in 0..10_000 {
            world.call(&mut bandit);
        }
        let over = world.total / (10_000.0 * 1e-4) - 1.0;
        assert!(over < 0.03, "seed {seed}: {over}");
        // Its own account agrees, but for the noise of the account.
        let own = bandit.excess() / bandit.calls() as f64;
        assert!((own - over).abs() < 0.01, "seed {seed}: {own} for {over}");
    }
}

#[test]
fn a_bimodal_arm_is_judged_by_its_mean() {
    // Fast three times of five, else three times as slow: 1.8 on average.
    for (steady, best) in [(1.55, 1), (2.1, 0)] {
        let mut wrong = Vec::new();
        for seed in 0..50 {
            let mut world = World::new(seed, &[1e-3, steady * 1e-3, 4e-3], 0.03);
            world.slow[0] = 0.4;
            let mut bandit = world.bandit();
            for _ in 0..5_000 {
                world.call(&mut bandit);
            }
            if bandit.incumbent() != Some(best) {
                wrong.push(seed);
            }
        }
        assert!(wrong.len() <= 3, "steady {steady}: wrong for {wrong:?}");
    }
}

#[test]
fn a_drift_while_exploring_crowns_nobody() {
    let mut wrong = Vec::new();
    for seed in 0..60 {
        let (seconds, best) = arms(seed);
        let mut world = World::new(seed, &seconds, 0.05);
        let mut bandit = world.bandit();
        for _ in 0..15 + seed % 10 {
            world.call(&mut bandit);
        }
        world.factor = 2.0;
        if world.until_settled(&mut bandit, 20_000) != Some(best) {
            wrong.push(seed);
        }
    }
    assert!(wrong.len() <= 2, "wrong for {wrong:?}");
}

#[test]
fn a_drift_after_settling_is_looked_at_again() {
    for seed in 0..40 {
        let (seconds, best) = arms(seed);
        let mut world = World::new(seed, &seconds, 0.05);
        let mut bandit = world.bandit();
        assert_eq!(world.until_settled(&mut bandit, 20_000), Some(best));
        for _ in 0..2_000 {
            world.call(&mut bandit);
        }
        assert_eq!(bandit.settled(), Some(best), "seed {seed}: still");
        world.factor = 2.0;
        let looked = (0..200).any(|_| {
            world.call(&mut bandit);
            bandit.settled().is_none()
        });
        assert!(looked, "seed {seed}: it must look again");
        let settled = world.until_settled(&mut bandit, 20_000);
        assert_eq!(settled, Some(best), "seed {seed}: all were slower alike");
    }
}

#[test]
fn where_only_the_settled_arm_slows_down_another_one_takes_over() {
    for seed in 0..40 {
        let mut world = World::new(seed, &[1.3e-4, 1e-4, 1.5e-4, 3e-4], 0.05);
        let mut bandit = world.bandit();
        assert_eq!(world.until_settled(&mut bandit, 20_000), Some(1));
        world.seconds[1] = 2e-4;
        for _ in 0..20_000 {
            world.call(&mut bandit);
        }
        assert_eq!(bandit.settled(), Some(0), "seed {seed}");
    }
}

#[test]
fn a_restless_machine_is_looked_at_seldom() {
    let mut world = World::new(7, &[1.2e-4, 1e-4, 1.5e-4], 0.05);
    let mut bandit = world.bandit();
    let mut reopened = 0;
    let mut settled = false;
    for call in 0..200_000 {
        if call % 500 == 0 {
            world.factor = (2.0 * world.rng.unit()).exp();
        }
        world.call(&mut bandit);
        reopened += u32::from(settled && bandit.settled().is_none());
        settled = bandit.settled().is_some();
    }
    // Log2 of the calls, as an upper bound.
    assert!((1..=18).contains(&reopened), "{reopened} times");
    assert!(world.calls[1] > 190_000, "{:?}", world.calls);
}

#[test]
fn equal_arms_settle() {
    for noise in [0.001, 0.05, 0.2] {
        let mut world = World::new(3, &[1e-4; 6], noise);
        let mut bandit = world.bandit();
        let settled = world.until_settled(&mut bandit, 100_000);
        assert!(settled.is_some(), "noise {noise}");
    }
}

#[test]
fn late_times_change_little() {
    for seed in 0..40 {
        let (seconds, best) = arms(seed);
        let mut world = World::new(seed, &seconds, 0.05);
        world.delay = 200;
        let mut bandit = world.bandit();
        assert_eq!(world.until_settled(&mut bandit, 20_000), Some(best));
        let trials: u64 = world.calls.iter().sum::<u64>() - world.calls[best];
        assert!(trials < 700, "seed {seed}: {:?}", world.calls);
    }
}

#[test]
fn intervals_hold_the_mean_as_often_as_they_say() {
    // How often at least, of arms with as many pulls; how wide the noise is, the share of outliers, that of an arm's slow calls.
    for (name, least, noise, tail, slow) in [
        ("plain", 0.97, 0.05, 0.0, 0.0),
        ("wide", 0.97, 0.3, 0.0, 0.0),
        // Outliers are clipped, which leaves something of them in the mean.
        ("tails", 0.87, 0.1, 0.02, 0.0),
        // Of three calls it may be that none was slow.
        ("moody", 0.85, 0.03, 0.0, 0.4),
    ] {
        let mut held = [[0u32; 2]; 4];
        for seed in 0..200 {
            let (seconds, _) = arms(seed);
            let mut world = World::new(seed, &seconds, noise);
            world.tail = tail;
            world.slow[0] = slow;
            let mut bandit = world.bandit();
            for calls in 1..=1_000 {
                world.call(&mut bandit);
                if ![10, 30, 100, 300, 1000].contains(&calls) {
                    continue;
                }
                for (at, arm) in bandit.arms().iter().enumerate() {
                    let class = match arm.pulls {
                        0 => continue,
                        1..=5 => 0,
                        6..=20 => 1,
                        21..=100 => 2,
                        _ => 3,
                    };
                    let mut mean = seconds[at].ln() + 0.5 * noise * noise;
                    if at == 0 {
                        mean += (1.0 + 2.0 * slow).ln();
                    }
                    let [low, high] = arm.interval;
                    held[class][0] += u32::from((low..=high).contains(&mean));
                    held[class][1] += 1;
                }
            }
        }
        for [held, of] in held {
            assert!(
                f64::from(held) >= least * f64::from(of),
                "{name}: {held} of {of}"
            );
        }
    }
}

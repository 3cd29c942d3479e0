//! What other devices' trials are worth, and what they cost where they mislead.

use super::{Grid, blind, budget, configs, search};
use crate::search::{Configs, Found, Kinship, Prior};

fn prior(device: &str, kinship: Kinship, trials: &[u64]) -> Prior {
    Prior {
        device: device.into(),
        kinship,
        trials: trials.iter().map(|config| (*config, 1.0)).collect(),
    }
}

fn searched(grid: &Grid, priors: &[Prior], evaluations: u64, seed: u64) -> Found {
    let works = |_| true;
    let ranked = blind(grid);
    search(
        grid,
        &ranked,
        priors,
        budget(evaluations),
        "adaptive",
        seed,
        works,
    )
}

fn reached(grid: &Grid, priors: &[Prior], evaluations: u64) -> f64 {
    let of = |seed| {
        let winner = searched(grid, priors, evaluations, seed).winner;
        grid.best() / winner.unwrap().sample.seconds
    };
    (0..4).map(of).sum::<f64>() / 4.0
}

/// All configs, the fastest first.
fn order(grid: &Grid) -> Vec<u64> {
    let mut order: Vec<u64> = (0..grid.len()).collect();
    order.sort_by(|a, b| grid.seconds(*a).total_cmp(&grid.seconds(*b)));
    order
}

#[test]
fn winners_come_first_and_then_the_device_that_does_best() {
    let grid = Grid::new(&[9, 8, 5]);
    let by_time = order(&grid);
    let (best, good) = (by_time[0], by_time[40]);
    let (second, third) = (by_time[1], by_time[2]);
    let priors = [
        prior(
            "far",
            Kinship::Other,
            &[9_999_999, third, second, best, by_time[9]],
        ),
        prior("near", Kinship::Architecture, &[good, third]),
    ];
    let found = searched(&grid, &priors, 12, 0);
    let expected = [good, third, second, best, by_time[9]];
    assert_eq!(configs(&found)[..5], expected);
    let why = found.trail.trials().filter_map(|row| row.why.as_deref());
    let expected = [
        "the winner on near",
        "number 2 on far",
        "number 3 on far",
        "number 4 on far",
        "number 5 on far",
    ];
    assert_eq!(why.take(5).collect::<Vec<&str>>(), expected);
}

#[test]
fn a_device_that_is_alike_saves_the_search() {
    let grid = Grid::new(&[9, 8, 5, 6]);
    let alike = prior("alike", Kinship::Vendor, &order(&grid)[3..15]);
    let (warm, cold) = (reached(&grid, &[alike], 5), reached(&grid, &[], 5));
    assert!(warm > 0.98 && warm > cold + 0.1, "{warm} {cold}");
}

#[test]
fn a_device_that_misleads_costs_little() {
    let grid = Grid::new(&[9, 8, 5, 3]);
    let mut by_time = order(&grid);
    by_time.reverse();
    let cold = reached(&grid, &[], 50);
    // The slowest of all, and ordinary ones.
    for trials in [&by_time[..12], &by_time[500..512]] {
        let misleading = prior("misleading", Kinship::Architecture, trials);
        let warm = reached(&grid, &[misleading], 50);
        assert!(warm > cold - 0.01, "{warm} {cold}");
    }
}

#[test]
fn a_lost_bet_leaves_the_search_of_who_never_made_it() {
    let grid = Grid::new(&[9, 8, 5, 6]);
    let by_time = order(&grid);
    let far_apart = [by_time[30], by_time[2000], by_time[2100]];
    let priors = far_apart.map(|winner| prior("other", Kinship::Other, &[winner, winner + 1]));
    for seed in 0..3 {
        let (warm, cold) = (
            searched(&grid, &priors, 30, seed),
            searched(&grid, &[], 30, seed),
        );
        let (warm, cold) = (configs(&warm), configs(&cold));
        // The winners, and one more of the best of them; then what is not measured yet.
        let (spent, rest) = warm.split_at(4);
        assert_eq!(spent[..3], far_apart);
        let cold = cold.into_iter().filter(|config| !spent.contains(config));
        assert_eq!(rest, cold.take(rest.len()).collect::<Vec<u64>>());
    }
}

#[test]
fn winners_that_fail_here_are_doubted() {
    let grid = Grid::new(&[9, 8, 5]);
    let priors = [prior(
        "other",
        Kinship::Vendor,
        &(0..12).collect::<Vec<u64>>(),
    )];
    let (ranked, works) = (blind(&grid), |config| config > 20);
    let found = search(&grid, &ranked, &priors, budget(40), "adaptive", 0, works);
    let why = found.trail.trials().filter_map(|row| row.why.as_deref());
    let expected = ["the winner on other", "far from the others"];
    assert_eq!(why.take(2).collect::<Vec<&str>>(), expected);
    let reached = grid.best() / found.winner.unwrap().sample.seconds;
    assert!(reached > 0.9, "{reached}");
}

#[test]
fn what_others_did_not_vary_is_tried() {
    let grid = Grid::new(&[9, 8, 5]);
    // The others' best all have the last value of the third parameter, where the first is best.
    let trials = [4, 5, 3, 6].map(|n| 9 * 8 * 4 + 9 * 6 + n);
    let priors = [prior("other", Kinship::Architecture, &trials)];
    let found = searched(&grid, &priors, 12, 0);
    let probed = found
        .trail
        .trials()
        .find(|row| row.why.as_deref() == Some("the best so far with a value not tried before"));
    assert_ne!(grid.digits(probed.unwrap().config)[2], 4);
}

mod bet;
mod grid;

use super::super::{DEFAULT, by_name};
use crate::rank::{Kind, Ranked};
use crate::search::{Budget, Configs, Found, Prior, Search, Stop, run};
use grid::{Clock, Compiled, Grid};
use std::collections::HashSet;

fn blind(grid: &Grid) -> Ranked {
    let count = grid.len().min(5000);
    Ranked::new(
        (0..count).collect(),
        vec![1.0; count as usize],
        Kind::Seconds,
    )
}

fn budget(evaluations: u64) -> Budget {
    Budget {
        evaluations,
        seconds: f64::INFINITY,
        patience: None,
    }
}

fn search(
    grid: &Grid,
    ranked: &Ranked,
    priors: &[Prior],
    budget: Budget,
    strategy: &str,
    seed: u64,
    works: fn(u64) -> bool,
) -> Found {
    let search = Search {
        baseline: None,
        priors,
        ..Search::new(grid, ranked, budget)
    };
    run(
        &search,
        &mut *by_name(strategy, seed).unwrap(),
        &mut Clock(grid, works),
        &mut (),
    )
}

fn configs(found: &Found) -> Vec<u64> {
    found.trail.trials().map(|row| row.config).collect()
}

#[test]
fn it_is_the_default() {
    assert_eq!(DEFAULT, "adaptive");
}

#[test]
fn it_needs_fewer_evaluations_than_chance() {
    let grid = Grid::new(&[9, 8, 5, 6, 2, 2]);
    let (ranked, best) = (blind(&grid), grid.best());
    let reached = |strategy: &str| -> f64 {
        let of = |seed| {
            let found = search(&grid, &ranked, &[], budget(30), strategy, seed, |_| true);
            best / found.winner.unwrap().sample.seconds
        };
        (0..8).map(of).sum::<f64>() / 8.0
    };
    let (adaptive, ucb, random) = (reached("adaptive"), reached("ucb"), reached("random"));
    assert!(
        adaptive > 0.97 && adaptive > random + 0.05,
        "{adaptive} {random}"
    );
    assert!(ucb > random + 0.03, "{ucb} {random}");
}

#[test]
fn what_takes_long_to_compile_is_tried_less_where_it_promises_no_more() {
    let grid = Grid::new(&[9, 8, 5, 5]);
    let (ranked, best) = (blind(&grid), grid.best());
    let (mut told, mut untold, mut reached) = (0.0, 0.0, 0.0);
    for seed in 0..6 {
        let plain = search(&grid, &ranked, &[], budget(30), "adaptive", seed, |_| true);
        let seconds = |varies: bool| {
            let mut measure = Compiled(Clock(&grid, |_| true), varies);
            let plan = Search {
                baseline: None,
                ..Search::new(&grid, &ranked, budget(30))
            };
            let mut strategy = by_name("adaptive", seed).unwrap();
            let found = run(&plan, &mut *strategy, &mut measure, &mut ());
            // Where all take the same, nothing is chosen by it.
            assert!(varies || configs(&found) == configs(&plain));
            let all = configs(&found).into_iter();
            (
                all.map(|config| measure.seconds(config)).sum::<f64>(),
                found,
            )
        };
        let (of_told, found) = seconds(true);
        told += of_told;
        untold += seconds(false).0;
        reached += best / found.winner.unwrap().sample.seconds / 6.0;
    }
    assert!(told < 0.7 * untold, "{told} {untold}");
    assert!(reached > 0.97, "{reached}");
}

#[test]
fn a_ranking_comes_first_and_is_corrected() {
    let grid = Grid::new(&[9, 8, 5, 4]);
    // The ranking knows the third parameter only.
    let predicted = (0..grid.len()).map(|config| 1.0 + grid.digits(config)[2] as f64);
    let ranked = Ranked::new(
        (0..grid.len()).collect(),
        predicted.collect(),
        Kind::Seconds,
    );
    let found = search(&grid, &ranked, &[], budget(30), "adaptive", 1, |_| true);
    assert_eq!(configs(&found)[0], ranked.order[0]);
    let reached = grid.best() / found.winner.unwrap().sample.seconds;
    assert!(reached > 0.97, "{reached}");
    // A score is the same upside down, whatever its unit.
    let score = ranked
        .order
        .iter()
        .map(|config| -1e9 * grid.digits(*config)[2] as f64);
    let scored = Ranked::new(ranked.order.clone(), score.collect(), Kind::Score);
    let found = search(&grid, &scored, &[], budget(30), "adaptive", 1, |_| true);
    let reached = grid.best() / found.winner.unwrap().sample.seconds;
    assert!(reached > 0.97, "{reached}");
}

#[test]
fn what_cannot_run_comes_last() {
    let grid = Grid::new(&[9, 4]);
    let predicted = (0..36).map(|config| {
        if config % 3 == 0 {
            f64::INFINITY
        } else {
            1.0 + config as f64
        }
    });
    let ranked = Ranked::new((0..36).collect(), predicted.collect(), Kind::Seconds);
    let found = search(&grid, &ranked, &[], budget(99), "adaptive", 0, |config| {
        config % 3 != 0
    });
    let order = configs(&found);
    assert_eq!((order.len(), found.stop), (36, Stop::Exhausted));
    assert!(order[..24].iter().all(|config| config % 3 != 0));
}

#[test]
fn it_stops_when_nothing_more_is_expected() {
    let grid = Grid::new(&[9, 8, 5]);
    let ranked = blind(&grid);
    // Half of the budget at least is spent, and a smaller budget's search is the beginning of a larger one's.
    let mut before: Vec<u64> = Vec::new();
    for granted in [60, 120, 300] {
        let patient = Budget {
            patience: Some(1000),
            ..budget(granted)
        };
        let found = search(&grid, &ranked, &[], patient, "adaptive", 0, |_| true);
        let order = configs(&found);
        let spent = order.len() as u64;
        assert_eq!(found.stop, Stop::Gain);
        assert!(
            spent >= granted / 2 && spent < granted,
            "{spent} of {granted}"
        );
        assert_eq!(order[..before.len()], before);
        assert!(grid.best() / found.winner.unwrap().sample.seconds > 0.99);
        before = order;
    }
    // Where a search may not stop early it does not.
    let found = search(&grid, &ranked, &[], budget(300), "adaptive", 0, |_| true);
    assert_eq!(
        (found.stop, found.trail.trials().count()),
        (Stop::Evaluations, 300)
    );
}

#[test]
fn it_does_not_stop_on_a_guess() {
    let grid = Grid::new(&[5, 4]);
    let patient = Budget {
        patience: Some(32),
        ..budget(64)
    };
    // All fail but the first and the last one.
    let works: fn(u64) -> bool = |config| config == 0 || config == 19;
    for seed in 0..5 {
        let found = search(&grid, &blind(&grid), &[], patient, "adaptive", seed, works);
        assert_eq!(found.stop, Stop::Exhausted);
        assert_eq!(found.trail.trials().count(), 20);
    }
}

#[test]
fn corners_of_spaces() {
    let shapes: [&[u64]; 6] = [
        &[1],
        &[2],
        &[2, 1, 2],
        &[2; 10],
        &[1000, 1000, 1000],
        &[5000],
    ];
    for sizes in shapes {
        for works in [|_| true, |_| false, |config| config % 7 == 3] {
            let grid = Grid::new(sizes);
            for (evaluations, seed) in [(0, 0), (1, 1), (40, 2)] {
                let found = search(
                    &grid,
                    &blind(&grid),
                    &[],
                    budget(evaluations),
                    "adaptive",
                    seed,
                    works,
                );
                let order = configs(&found);
                let distinct: HashSet<u64> = order.iter().copied().collect();
                assert_eq!(distinct.len(), order.len());
                assert_eq!(order.len() as u64, evaluations.min(grid.len()), "{sizes:?}");
                assert!(order.iter().all(|config| *config < grid.len()));
            }
        }
    }
}

#[test]
fn more_than_the_pool_is_searched_in_the_end() {
    let grid = Grid::new(&[5000]);
    let found = search(
        &grid,
        &blind(&grid),
        &[],
        budget(4200),
        "adaptive",
        0,
        |_| false,
    );
    assert_eq!(found.trail.trials().count(), 4200);
}

#[test]
fn the_best_of_a_huge_space_is_approached() {
    let grid = Grid::new(&[40, 40, 40, 40, 40, 40]);
    let found = search(&grid, &blind(&grid), &[], budget(60), "adaptive", 4, |_| {
        true
    });
    let random = search(&grid, &blind(&grid), &[], budget(60), "random", 4, |_| true);
    let (found, random) = (
        found.winner.unwrap().sample.seconds,
        random.winner.unwrap().sample.seconds,
    );
    assert!(found < random, "{found} {random}");
    assert!(found < 1.1e-3 * 1.3, "{found}");
}

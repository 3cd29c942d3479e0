mod anchors;
mod files;
mod finals;
mod hands;
mod judged;
mod resumed;
mod told;

use super::Strategy;
use super::*;
use crate::rank::{Kind, Ranked};
use bico_core::Value;
use proptest::prelude::*;
use std::collections::HashSet;
use told::{Told, numbers};

fn ranked(predictions: &[f64]) -> Ranked {
    Ranked::new(
        (0..predictions.len() as u64).collect(),
        predictions.to_vec(),
        Kind::Seconds,
    )
}

fn budget(evaluations: u64) -> Budget {
    Budget {
        evaluations,
        seconds: 1e9,
        patience: None,
    }
}

fn configs_of(found: &Found) -> Vec<u64> {
    found.trail.trials().map(|row| row.config).collect()
}

fn guided() -> Box<dyn Strategy> {
    by_name("guided", 0).unwrap()
}

#[test]
fn the_order_of_the_first_trials() {
    let (configs, ranked) = (numbers(6), ranked(&[6.0, 5.0, 4.0, 3.0, 2.0, 1.0]));
    let mut told = Told::new((0..6).map(|c| (c, 10.0 + c as f64)));
    let search = Search {
        incumbent: Some(3),
        ..Search::new(&configs, &ranked, budget(5))
    };
    let found = run(&search, &mut *guided(), &mut told, &mut ());
    assert_eq!(configs_of(&found), [3, 5, 0, 4, 2]);
    let kinds: Vec<RowKind> = found.trail.trials().map(|row| row.kind).collect();
    use RowKind::{Baseline, Incumbent, Trial};
    assert_eq!(kinds, [Incumbent, Trial, Baseline, Trial, Trial]);
    assert_eq!(found.stop, Stop::Evaluations);
    assert_eq!(found.winner.unwrap().config, 0);
    // Each was announced before it was measured, and never more than the budget pays for.
    assert!(
        told.announced
            .iter()
            .zip(&told.asked)
            .all(|(announced, asked)| announced[0] == *asked)
    );
    assert_eq!(told.announced[0], [3, 5, 0, 4, 2]);
    assert_eq!(told.announced[4], [2]);
}

/// The measure's own limit ends the search, also before the finals; then the best trial wins.
#[test]
fn a_measure_without_time_is_asked_for_nothing_more() {
    let (configs, ranked) = (numbers(6), ranked(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
    for (limit, trials) in [(0.0, 1), (3.0, 3)] {
        let mut told = Told::new((0..6).map(|c| (c, 10.0 - 0.1 * c as f64)));
        told.limit = limit;
        let search = Search::new(&configs, &ranked, budget(6));
        let found = run(&search, &mut *guided(), &mut told, &mut ());
        assert_eq!((found.stop, told.asked.len()), (Stop::Seconds, trials));
        assert_eq!(found.trail.rows.len(), trials);
        assert_eq!(found.winner.unwrap().config, trials as u64 - 1);
    }
}

#[test]
fn rows_say_where_the_search_stands() {
    let (configs, ranked) = (numbers(4), ranked(&[4.0, 1.0, 2.0, 3.0]));
    let mut told = Told::new([(0, 8.0), (1, 4.0), (3, 2.0)]);
    let found = run(
        &Search {
            amounts: &|_| (Some(1000.0), None),
            ..Search::new(&configs, &ranked, budget(9))
        },
        &mut *guided(),
        &mut told,
        &mut (),
    );
    let rows: Vec<_> = found
        .trail
        .trials()
        .map(|row| {
            (
                row.evaluation,
                row.config,
                row.rank.unwrap(),
                row.best.unwrap().seconds,
                row.sink,
            )
        })
        .collect();
    assert_eq!(
        rows,
        [
            (1, 1, 1, 4.0, 1),
            (2, 0, 4, 4.0, 1),
            (3, 2, 2, 4.0, 1),
            (4, 3, 3, 2.0, 1)
        ]
    );
    let row = &found.trail.rows[0];
    assert_eq!(
        (row.predicted, row.flops_per_second, row.spent),
        (Some(1.0), Some(250.0), 1.0)
    );
    assert_eq!(row.values, [Value::Int(1)]);
    assert_eq!(found.trail.rows[2].flops_per_second, None);
    assert_eq!(found.stop, Stop::Exhausted);
    let top: Vec<u64> = found
        .trail
        .top(2)
        .iter()
        .map(|(config, _)| *config)
        .collect();
    assert_eq!(top, [3, 1]);
}

#[test]
fn corners_end() {
    for (len, evaluations) in [(1, 1), (1, 9), (2, 1), (5, 0), (0, 5), (3, 1000)] {
        for strategy in names() {
            for works in [true, false] {
                let configs = numbers(len);
                let ranked = ranked(&vec![1.0; len as usize]);
                let mut told = Told::new((0..if works { len } else { 0 }).map(|c| (c, 1.0)));
                let search = Search {
                    incumbent: Some(7),
                    ..Search::new(&configs, &ranked, budget(evaluations))
                };
                let found = run(
                    &search,
                    &mut *by_name(strategy, 1).unwrap(),
                    &mut told,
                    &mut (),
                );
                let done = evaluations.min(len);
                assert_eq!(
                    found.trail.trials().count() as u64,
                    done,
                    "{len} {evaluations} {strategy}"
                );
                assert_eq!(found.winner.is_some(), works && done > 0);
            }
        }
    }
}

#[test]
fn seconds_end_a_search() {
    let (configs, ranked) = (numbers(100), ranked(&[1.0; 100]));
    let mut told = Told::new((0..100).map(|c| (c, 1.0)));
    let limit = Budget {
        seconds: 6.5,
        ..budget(100)
    };
    let found = run(
        &Search::new(&configs, &ranked, limit),
        &mut *guided(),
        &mut told,
        &mut (),
    );
    assert_eq!(
        (found.stop, found.trail.trials().count()),
        (Stop::Seconds, 7)
    );
}

#[test]
fn a_plateau_ends_a_search() {
    let (configs, ranked) = (numbers(100), ranked(&[1.0; 100]));
    let mut told = Told::new((0..100).map(|c| (c, if c < 3 { 3.0 - c as f64 } else { 5.0 })));
    let limit = Budget {
        patience: Some(10),
        ..budget(100)
    };
    let found = run(
        &Search::new(&configs, &ranked, limit),
        &mut *guided(),
        &mut told,
        &mut (),
    );
    assert_eq!(
        (found.stop, found.trail.trials().count()),
        (Stop::Plateau, 13)
    );
}

#[test]
fn a_strategy_that_repeats_itself_is_stopped() {
    struct Stubborn;
    impl Strategy for Stubborn {
        fn name(&self) -> &'static str {
            "stubborn"
        }
        fn next(&mut self, _: &View<'_>, _: usize) -> Vec<Proposal> {
            vec![2.into(), 2.into(), 99.into()]
        }
    }
    let (configs, ranked) = (numbers(5), ranked(&[1.0; 5]));
    let mut told = Told::new((0..5).map(|c| (c, 1.0)));
    let found = run(
        &Search::new(&configs, &ranked, budget(50)),
        &mut Stubborn,
        &mut told,
        &mut (),
    );
    assert_eq!(
        (configs_of(&found), found.stop),
        (vec![2, 0], Stop::Exhausted)
    );
}

#[test]
fn huge_spaces_are_searched() {
    let configs = numbers(1 << 40);
    let ranked = Ranked::new(vec![0, 1 << 30], vec![2.0, 1.0], Kind::Seconds);
    for strategy in ["random", "sequential", "annealing", "ucb", "adaptive"] {
        let found = run(
            &Search::new(&configs, &ranked, budget(50)),
            &mut *by_name(strategy, 3).unwrap(),
            &mut Told::new([]),
            &mut (),
        );
        let distinct: HashSet<u64> = configs_of(&found).into_iter().collect();
        assert_eq!(distinct.len(), 50, "{strategy}");
    }
}

/// Predictions and times of a small space; some configs fail.
fn any_space() -> impl proptest::strategy::Strategy<Value = Vec<(f64, Option<f64>)>> {
    proptest::collection::vec(
        (0.1f64..10.0, proptest::option::weighted(0.8, 0.1f64..10.0)),
        1..30,
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_larger_budget_only_adds(space in any_space(), n in 0u64..32, seed in 0u64..5, which in 0usize..6, incumbent in proptest::option::of(0u64..30), ahead in 1usize..40, patience in proptest::option::of(1u64..8)) {
        let configs = numbers(space.len() as u64);
        let ranked = ranked(&space.iter().map(|(p, _)| *p).collect::<Vec<_>>());
        let times = || space.iter().enumerate().filter_map(|(c, (_, t))| Some((c as u64, (*t)?)));
        let search = |evaluations, look_ahead| {
            let search = Search { incumbent, look_ahead, ..Search::new(&configs, &ranked, Budget { patience, ..budget(evaluations) }) };
            let mut strategy = by_name(names()[which], seed).unwrap();
            run(&search, &mut *strategy, &mut Told::new(times()), &mut ())
        };
        let (small, large) = (search(n, 8), search(n + 1, ahead));
        let few: Vec<&Row> = small.trail.trials().collect();
        let more: Vec<&Row> = large.trail.trials().collect();
        prop_assert!(few.len() as u64 <= n && more.len() <= few.len() + 1);
        prop_assert_eq!(&few[..], &more[..few.len()]);
        if patience.is_none() {
            prop_assert_eq!(few.len() as u64, n.min(space.len() as u64));
        }
        let distinct: HashSet<u64> = more.iter().map(|row| row.config).collect();
        prop_assert_eq!(distinct.len(), more.len());
        let bests: Vec<f64> = more.iter().filter_map(|row| Some(row.best?.seconds)).collect();
        prop_assert!(bests.windows(2).all(|pair| pair[1] <= pair[0]));
        // The finals repeat the times of the trials, so the winner is the best, or the incumbent that ties with it.
        let best = more.iter().filter_map(|row| row.outcome.sample()).map(|s| s.seconds).fold(f64::INFINITY, f64::min);
        match &large.winner {
            Some(winner) => prop_assert!(winner.sample.seconds <= best * 1.01),
            None => prop_assert!(best.is_infinite()),
        }
    }
}

#[test]
fn what_cannot_be_launched_costs_no_evaluation() {
    let (configs, ranked) = (numbers(6), ranked(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
    let mut told = Told::new((0..6).map(|c| (c, 10.0 - c as f64)));
    told.unlaunchable = HashSet::from([1, 3]);
    let search = Search::new(&configs, &ranked, budget(3));
    let found = run(&search, &mut *guided(), &mut told, &mut ());
    assert_eq!(configs_of(&found), [0, 1, 2, 3, 4]);
    let evaluations: Vec<u64> = found.trail.trials().map(|row| row.evaluation).collect();
    assert_eq!(evaluations, [1, 1, 2, 2, 3]);
    assert_eq!(found.trail.evaluated().count(), 3);
    assert_eq!(found.winner.map(|winner| winner.config), Some(4));
}

#[test]
fn throughput_follows_from_the_work_that_is_bound() {
    use crate::space::{Space, fixture};

    let options = "space(A in [2, 3]), work(flops = m * A), scratch(S: f64, len = A)";
    let bound = fixture::bound(fixture::spec(options)).unwrap();
    let space = Space::new(&bound).unwrap();
    assert_eq!(
        bound.amounts(&space.config(0)).unwrap(),
        (Some(128.0), None)
    );
    let configs: &dyn Configs = &*space;
    assert_eq!(
        (configs.len(), configs.names(), configs.values(0)),
        (2, space.names(), space.config(0))
    );
}

//! Who wins.

use super::told::{Told, numbers};
use super::*;

#[test]
fn finals_decide_and_are_rows_of_their_own() {
    let (configs, ranked) = (numbers(4), ranked(&[1.0; 4]));
    let mut told = Told::new([(0, 1.00), (1, 1.01), (2, 1.02), (3, 2.0)]);
    told.finals = [(0, Some(1.05)), (1, Some(1.01)), (2, None)].into();
    let found = run(
        &Search::new(&configs, &ranked, budget(4)),
        &mut *guided(),
        &mut told,
        &mut (),
    );
    assert_eq!(found.winner.as_ref().unwrap().config, 1);
    let finals: Vec<_> = found
        .trail
        .rows
        .iter()
        .filter(|row| row.kind == RowKind::Final)
        .map(|row| (row.config, row.evaluation))
        .collect();
    assert_eq!(finals, [(0, 4), (1, 4), (2, 4)]);
    assert_eq!(found.trail.trials().count(), 4);
    // The failed finalist is out of the best, whatever its trial said.
    let top: Vec<u64> = found
        .trail
        .top(9)
        .iter()
        .map(|(config, _)| *config)
        .collect();
    assert_eq!(top, [1, 0, 3]);
    assert_eq!(found.trail.failures().len(), 1);
}

#[test]
fn who_falls_at_the_last_look_does_not_win() {
    let (configs, ranked) = (numbers(4), ranked(&[1.0; 4]));
    // With finals, and then with nobody near to the best: those that were cut short are measured again.
    for (times, cut, winner) in [
        ([1.00, 1.01, 1.02, 3.0], vec![], 2),
        ([1.00, 1.01, 5.0, 4.0], vec![2, 3], 3),
        // Whoever is left, and has all runs, is slower.
        ([1.00, 1.01, 9.0, 4.0], vec![3], 3),
        ([1.00, 2.0, 5.0, 4.0], vec![], 2),
    ] {
        let mut told = Told::new((0..).zip(times));
        told.cut = cut.into_iter().collect();
        told.unsound = [0, 1].into();
        if winner == 2 && times[2] > 2.0 {
            told.unsound.insert(3);
        }
        let found = run(
            &Search::new(&configs, &ranked, budget(4)),
            &mut *guided(),
            &mut told,
            &mut (),
        );
        let best = found.winner.as_ref().unwrap();
        assert!(best.config == winner && !best.sample.cut, "{times:?}");
        let top = found.trail.top(9);
        assert!(top.iter().all(|(config, _)| !told.unsound.contains(config)));
        let failed = found.trail.rows.iter().rfind(|row| row.config == 0);
        assert!(matches!(failed.unwrap().outcome, Outcome::Failed(_)));
    }
    let mut told = Told::new([(0, 1.0), (1, 1.0), (2, 9.0), (3, 9.0)]);
    told.unsound = (0..4).collect();
    let found = run(
        &Search::new(&configs, &ranked, budget(4)),
        &mut *guided(),
        &mut told,
        &mut (),
    );
    assert_eq!(found.winner, None);
    assert_eq!(found.trail.failures().len(), 4);
}

#[test]
fn where_all_finalists_fail_the_next_ones_win() {
    let (configs, ranked) = (numbers(4), ranked(&[1.0; 4]));
    let mut told = Told::new([(0, 1.00), (1, 1.01), (2, 2.0), (3, 3.0)]);
    told.finals = [(0, None), (1, None)].into();
    let found = run(
        &Search::new(&configs, &ranked, budget(4)),
        &mut *guided(),
        &mut told,
        &mut (),
    );
    assert_eq!(found.winner.unwrap().config, 2);
}

#[test]
fn the_incumbent_stays_while_nothing_is_clearly_better() {
    let (configs, ranked) = (numbers(2), ranked(&[1.0; 2]));
    for (noise, kept) in [(0.02, 1), (0.0001, 0)] {
        let mut told = Told {
            noise,
            ..Told::new([(0, 1.00), (1, 1.02)])
        };
        let search = Search {
            incumbent: Some(1),
            ..Search::new(&configs, &ranked, budget(4))
        };
        let found = run(&search, &mut *guided(), &mut told, &mut ());
        assert_eq!(found.winner.unwrap().config, kept);
    }
}

#[test]
fn a_default_comes_first_and_stays_unless_it_is_clearly_beaten() {
    let (configs, ranked) = (numbers(4), ranked(&[1.0; 4]));
    let find = |times: [f64; 4], evaluations| {
        let mut told = Told::new((0..).zip(times));
        let search = Search {
            default: Some(2),
            ..Search::new(&configs, &ranked, budget(evaluations))
        };
        run(&search, &mut *guided(), &mut told, &mut ())
    };
    // Surely faster, by half a percent; by three; and the default far behind.
    let cases = [
        ([0.995, 1.1, 1.0, 1.2], 2, true),
        ([0.97, 1.1, 1.0, 1.2], 0, false),
        ([0.1, 5.0, 1.0, 5.0], 0, false),
    ];
    for (times, winner, stays) in cases {
        let found = find(times, 4);
        let won = found.winner.as_ref().unwrap().config;
        assert_eq!((won, found.stays), (winner, stays), "{times:?}");
        let first = &found.trail.rows[0];
        assert_eq!((first.config, first.kind), (2, RowKind::Default));
        assert!(
            !found
                .trail
                .rows
                .iter()
                .any(|row| row.kind == RowKind::Baseline)
        );
        let finals = found
            .trail
            .rows
            .iter()
            .filter(|row| row.kind == RowKind::Final);
        for row in finals {
            let ratio = row
                .against
                .map(|against| (against.config, against.ratio.middle));
            let expected = (2, times[row.config as usize] / times[2]);
            assert_eq!(ratio, (row.config != 2).then_some(expected));
        }
    }
    // The smallest budget has it.
    assert_eq!(find([0.1, 1.0, 1.0, 1.0], 1).winner.unwrap().config, 2);
}

#[test]
fn of_equals_the_one_with_the_same_bits_in_every_call_wins() {
    let (configs, ranked) = (numbers(6), ranked(&[1.0; 6]));
    for (unequal, winner) in [(vec![], 0), (vec![0, 1], 2), (vec![0, 1, 2, 3], 0)] {
        let mut told = Told::new((0..6).map(|config| (config, 1.0)));
        told.unequal = unequal.into_iter().collect();
        let search = Search::new(&configs, &ranked, budget(6));
        let found = run(&search, &mut *guided(), &mut told, &mut ());
        assert_eq!(found.winner.unwrap().config, winner);
    }
}

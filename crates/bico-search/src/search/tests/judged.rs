//! Trials that are judged anew, by what later ones showed to be right.

use super::*;

/// Two fast ones are outvoted after the fourth measurement, which shows a failed one to be right.
fn turned() -> Told {
    let mut told = Told::new([(0, 1.0), (1, 1.1), (3, 5.1), (4, 6.0)]);
    told.anew = vec![(4, 0, None), (4, 1, None), (4, 2, Some(5.0))];
    told.finals = [(2, Some(5.0))].into();
    told
}

#[test]
fn the_outvoted_are_out_and_the_right_ones_in() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kernel.jsonl");
    let mut journal = Journal::create(&path).unwrap();
    let (configs, ranked) = (numbers(5), ranked(&[1.0; 5]));
    let mut told = turned();
    let search = Search::new(&configs, &ranked, budget(5));
    let found = run(&search, &mut *guided(), &mut told, &mut journal);
    assert_eq!(found.winner.as_ref().unwrap().config, 2);
    let top: Vec<u64> = found
        .trail
        .top(9)
        .iter()
        .map(|(config, _)| *config)
        .collect();
    assert_eq!(top, [2, 3, 4]);
    assert_eq!(found.trail.time(0), None);
    assert!(matches!(found.trail.rows[1].outcome, Outcome::Failed(_)));
    // What comes after is measured against the best of those that are right.
    assert_eq!(
        told.bests,
        [None, Some(1.0), Some(1.0), Some(1.0), Some(5.0)]
    );
    assert_eq!(found.trail.rows[4].sink, 1);
    // The file keeps what was seen, and then what became of it.
    let text = std::fs::read_to_string(&path).unwrap();
    let row = |line| serde_json::from_str::<serde_json::Value>(line).unwrap();
    let rows: Vec<_> = text.lines().map(row).collect();
    let brief = |row: &serde_json::Value| {
        let text = |name: &str| row[name].as_str().unwrap_or_default().to_string();
        (
            text("kind"),
            row["config"].as_u64().unwrap(),
            text("failure"),
        )
    };
    let brief: Vec<_> = rows.iter().map(brief).collect();
    let expected = [
        ("baseline", 0, ""),
        ("trial", 1, ""),
        ("trial", 2, "crash"),
        ("trial", 3, ""),
        ("judged", 0, "crash"),
        ("judged", 1, "crash"),
        ("judged", 2, ""),
        ("trial", 4, ""),
        ("final", 2, ""),
        ("final", 3, ""),
    ];
    let expected = expected.map(|(kind, config, failure)| (kind.into(), config, failure.into()));
    assert_eq!(brief, expected);
    assert_eq!(
        (&rows[6]["seconds"], &rows[6]["evaluation"]),
        (&5.0.into(), &4.into())
    );
    assert_eq!(rows[6]["best"]["config"], 2);
}

#[test]
fn what_was_cut_for_the_sake_of_a_wrong_one_has_its_turn() {
    let (configs, ranked) = (numbers(3), ranked(&[1.0; 3]));
    let search = Search::new(&configs, &ranked, budget(3));
    let mut told = Told::new([(0, 1.0), (1, 9.0), (2, 5.0)]);
    told.cut = [1, 2].into();
    let found = run(&search, &mut *guided(), &mut told, &mut ());
    assert_eq!(found.winner.unwrap().config, 0);
    told.anew = vec![(6, 0, None)];
    let found = run(&search, &mut *guided(), &mut told, &mut ());
    assert_eq!(
        found.winner.unwrap(),
        Winner {
            config: 2,
            sample: found.trail.time(2).unwrap().clone()
        }
    );
    // Measured again, to its end.
    let finals = found
        .trail
        .rows
        .iter()
        .filter(|row| row.kind == RowKind::Final);
    assert_eq!(finals.map(|row| row.config).collect::<Vec<_>>(), [2]);
}

#[test]
fn a_plateau_of_wrong_ones_is_none() {
    let (configs, ranked) = (numbers(12), ranked(&[1.0; 12]));
    let patient = Budget {
        patience: Some(4),
        ..budget(12)
    };
    let search = Search {
        baseline: None,
        ..Search::new(&configs, &ranked, patient)
    };
    let mut told = Told::new((0..12).map(|config| (config, if config == 0 { 1.0 } else { 5.0 })));
    let found = run(
        &search,
        &mut *by_name("sequential", 0).unwrap(),
        &mut told,
        &mut (),
    );
    assert_eq!((found.stop, found.trail.rows.len()), (Stop::Plateau, 5));
    let mut told = Told {
        anew: vec![(4, 0, None)],
        ..Told::new(told.times)
    };
    let found = run(
        &search,
        &mut *by_name("sequential", 0).unwrap(),
        &mut told,
        &mut (),
    );
    assert_eq!(
        (found.stop, found.trail.trials().count()),
        (Stop::Plateau, 8)
    );
}

#[test]
fn what_is_kept_is_looked_at_and_another_is_kept_for_who_falls() {
    let (configs, ranked) = (numbers(4), ranked(&[1.0; 4]));
    let best = |trail: &Trail| trail.top(2).iter().map(|(config, _)| *config).collect();
    let search = Search {
        kept: &best,
        ..Search::new(&configs, &ranked, budget(4))
    };
    let mut told = Told::new([(0, 1.0), (1, 2.0), (2, 3.0), (3, 4.0)]);
    told.unkept = [1].into();
    let found = run(&search, &mut *guided(), &mut told, &mut ());
    assert_eq!(told.vouched, [0, 1, 2]);
    assert_eq!(best(&found.trail), [0, 2]);
    assert_eq!(found.winner.unwrap().config, 0);
    let rows = &found.trail.rows;
    let fallen = rows.iter().find(|row| row.config == 1).unwrap();
    assert!(matches!(fallen.outcome, Outcome::Failed(_)));
}

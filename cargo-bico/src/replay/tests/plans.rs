//! Runs over small spaces made here, with every strategy that there is.

use crate::replay::table::Entry;
use crate::replay::{
    Counts, GpuFacts, Knowledge, Plan, Record, Recording, Run, Status, Subject, Table, compare,
    kinship, prior, summaries,
};
use bico_core::Value;
use bico_search::search::{Kinship, RowKind, names};
use proptest::prelude::*;
use std::collections::HashSet;
use std::path::Path;

/// A space of two parameters, the second with two values, with a time (or none) for each config.
fn recording(times: &[Option<f64>]) -> Recording {
    named("k__X", times, GpuFacts::default())
}

fn named(name: &str, times: &[Option<f64>], facts: GpuFacts) -> Recording {
    let rows = times.iter().enumerate().map(|(at, time)| Entry {
        config: vec![at as u32 / 2, at as u32 % 2],
        record: Record {
            time: *time,
            status: match time {
                Some(_) => Status::Ok,
                None => Status::Failed("RuntimeFailedConfig".into()),
            },
            compiling: Some(2.0),
            measuring: Some(1.0),
            ..Record::default()
        },
    });
    let table = Table {
        name: name.into(),
        kernel: "k".into(),
        facts,
        parameters: vec![
            (
                "A".into(),
                (0..times.len() as i64).map(Value::Int).collect(),
            ),
            ("B".into(), [1, 2].map(Value::Int).to_vec()),
        ],
        rows: rows.collect(),
        ..Table::default()
    };
    Recording::new(Path::new("k.csv"), table).unwrap()
}

fn plan(strategies: &[&str], budgets: &[u64]) -> Plan {
    Plan {
        strategies: strategies.iter().map(|name| name.to_string()).collect(),
        budgets: budgets.to_vec(),
        seeds: 3,
        threads: 1,
        patience: None,
        baseline: false,
        hands: 1,
        trails: None,
    }
}

fn runs(plan: &Plan, recording: &Recording) -> Vec<Run> {
    let subject = Subject {
        recording,
        predicted: None,
        priors: Vec::new(),
    };
    plan.run(&subject).unwrap()
}

/// The configs of a run's trail, finals aside.
fn trail(run: &Run) -> Vec<u64> {
    let trials = run.trail.trials();
    trials.map(|row| row.config).collect()
}

/// Times that a search can learn from, with some failures among them.
fn bowl(len: usize) -> Vec<Option<f64>> {
    (0..len)
        .map(|at| {
            let x = at as f64 / len as f64 - 0.7;
            (at % 7 != 3).then_some(1.0 + 4.0 * x * x)
        })
        .collect()
}

#[test]
fn spaces_of_every_size_are_searched_to_their_end() {
    let spaces: [&[Option<f64>]; 6] = [
        &[Some(1.0)],
        &[None],
        &[Some(2.0), Some(1.0)],
        &[None, Some(1.0)],
        &[None; 9],
        &[Some(1.0); 9],
    ];
    for times in spaces {
        let recording = recording(times);
        for name in names() {
            for run in runs(&plan(&[name], &[1, 2, 50]), &recording) {
                let configs = trail(&run);
                let distinct: HashSet<u64> = configs.iter().copied().collect();
                assert_eq!(
                    (configs.len(), distinct.len()),
                    (times.len(), times.len()),
                    "{name} {times:?}"
                );
                let last = run.curve[2];
                let all_failed = times.iter().all(Option::is_none);
                assert_eq!(
                    last.fraction,
                    if all_failed { 0.0 } else { 1.0 },
                    "{name} {times:?}"
                );
                assert_eq!(last.evaluations, times.len() as u64);
                assert_eq!(last.spent, 3.0 * times.len() as f64);
                assert_eq!(run.curve[0].evaluations, 1);
            }
        }
    }
}

#[test]
fn fractions_follow_the_trail_and_failures_count() {
    let times = [None, Some(4.0), Some(8.0), Some(2.0), None, Some(1.0)];
    let run = &runs(
        &plan(&["sequential"], &[1, 2, 3, 4, 5, 6, 7]),
        &recording(&times),
    )[0];
    let fractions: Vec<f64> = run.curve.iter().map(|curve| curve.fraction).collect();
    assert_eq!(fractions, [0.0, 0.25, 0.25, 0.5, 0.5, 1.0, 1.0]);
    assert_eq!(trail(run), [0, 1, 2, 3, 4, 5]);
    let summary = &summaries(
        "k__X",
        &plan(&["sequential"], &[2]),
        std::slice::from_ref(run),
    )[0];
    assert_eq!((summary.mean, summary.median, summary.seeds), (0.0, 0.0, 1));
}

#[test]
fn the_baseline_is_the_second_config_only_where_it_is_asked_for() {
    let recording = recording(&bowl(20));
    let mut plan = plan(&["random"], &[6]);
    for baseline in [false, true] {
        plan.baseline = baseline;
        for run in runs(&plan, &recording) {
            let rows = &run.trail.rows;
            let found = rows.iter().position(|row| row.kind == RowKind::Baseline);
            assert_eq!(found.is_some(), baseline, "{rows:?}");
            if let Some(at) = found {
                assert!(at <= 1 && rows[at].config == 0);
            }
        }
    }
}

#[test]
fn a_plateau_ends_a_search_only_where_it_is_asked_for() {
    let recording = recording(&vec![Some(1.0); 100]);
    let mut plan = plan(&["random"], &[80]);
    assert_eq!(trail(&runs(&plan, &recording)[0]).len(), 80);
    plan.patience = Some(10);
    let run = &runs(&plan, &recording)[0];
    assert!(trail(run).len() < 30, "{:?}", trail(run));
    assert_eq!(run.curve[0].fraction, 1.0);
}

#[test]
fn threads_and_budgets_don_t_change_a_trail() {
    let recording = recording(&bowl(60));
    let all = names();
    let mut plan = plan(&all, &[7, 25, 40]);
    let reference = runs(&plan, &recording);
    assert_eq!(reference.len(), 3 * all.len());
    plan.threads = 4;
    let threaded = runs(&plan, &recording);
    for (one, four) in reference.iter().zip(&threaded) {
        assert_eq!((&one.strategy, one.seed), (&four.strategy, four.seed));
        assert_eq!(one.trail, four.trail, "{}", one.strategy);
    }
    plan.budgets = vec![25];
    for (long, short) in reference.iter().zip(runs(&plan, &recording)) {
        let (long_trail, short_trail) = (trail(long), trail(&short));
        assert_eq!(long_trail[..25], short_trail[..], "{}", long.strategy);
        assert_eq!(long.curve[1].fraction, short.curve[0].fraction);
    }
    // Other seeds choose otherwise, where a strategy draws at all.
    let random: Vec<&Run> = reference
        .iter()
        .filter(|run| run.strategy == "random")
        .collect();
    assert_ne!(trail(random[0]), trail(random[1]));
}

#[test]
fn trails_are_written_where_they_are_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let mut plan = plan(&["random"], &[3]);
    plan.trails = Some(folder.path().join("trails"));
    runs(&plan, &recording(&bowl(9)));
    let text = std::fs::read_to_string(folder.path().join("trails/k__X/random-2.jsonl")).unwrap();
    assert!(text.lines().count() >= 3);
    let row: serde_json::Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    assert_eq!(
        (&row["strategy"], &row["evaluation"]),
        (&"random".into(), &1.into())
    );
    assert!(row["values"]["A"].is_i64());
    std::fs::write(folder.path().join("file"), "").unwrap();
    plan.trails = Some(folder.path().join("file"));
    let recording = recording(&bowl(9));
    let subject = Subject {
        recording: &recording,
        predicted: None,
        priors: Vec::new(),
    };
    assert!(
        plan.run(&subject)
            .unwrap_err()
            .to_string()
            .contains("cannot be written")
    );
}

#[test]
fn an_unknown_strategy_is_named() {
    let subject = Subject {
        recording: &recording(&[Some(1.0)]),
        predicted: None,
        priors: Vec::new(),
    };
    let error = plan(&["random", "rnadom"], &[1]).run(&subject);
    let error = error.unwrap_err().to_string();
    assert!(
        error.starts_with("unknown strategy `rnadom`: use one of ") && error.contains("annealing"),
        "{error}"
    );
}

#[test]
fn an_author_ranks_and_describes() {
    let recording = recording(&bowl(6));
    let blind = recording.ranked(None);
    assert_eq!(blind.order, [0, 1, 2, 3, 4, 5]);
    // The value of A is the prediction.
    let by_a = |config| match recording.configs.config(config)[0] {
        Value::Int(a) => 10.0 - a as f64,
        _ => f64::INFINITY,
    };
    let predicted: Vec<f64> = (0..6).map(by_a).collect();
    let authored = recording.ranked(Some(&predicted));
    assert_eq!(authored.order, [4, 5, 2, 3, 0, 1]);
    let subject = Subject {
        recording: &recording,
        predicted: Some(predicted),
        priors: Vec::new(),
    };
    let run = &plan(&["guided"], &[3]).run(&subject).unwrap()[0];
    assert_eq!(trail(run), [4, 5, 2]);
    let row = &run.trail.rows[2];
    assert_eq!((row.rank, row.predicted), (Some(3), Some(9.0)));
}

fn gpu(vendor: &str, capability: Option<i64>, arch: &str) -> GpuFacts {
    GpuFacts {
        vendor: Some(vendor.into()),
        arch: Some(arch.into()),
        compute_capability: capability,
        ..GpuFacts::default()
    }
}

#[test]
fn other_devices_are_priors_by_kinship() {
    let here = gpu("NVIDIA", Some(80), "Ampere");
    assert_eq!(
        kinship(&here, &gpu("NVIDIA", Some(80), "Ampere")),
        Kinship::Architecture
    );
    assert_eq!(
        kinship(&here, &gpu("NVIDIA", Some(86), "Ampere")),
        Kinship::Vendor
    );
    assert_eq!(kinship(&here, &gpu("AMD", None, "RDNA2")), Kinship::Other);
    let amd = gpu("AMD", None, "RDNA2");
    assert_eq!(kinship(&amd, &amd), Kinship::Architecture);
    assert_eq!(kinship(&amd, &gpu("AMD", None, "CDNA2")), Kinship::Vendor);
    assert_eq!(
        kinship(&GpuFacts::default(), &GpuFacts::default()),
        Kinship::Other
    );

    // The other device knows two more configs, and one that fails there.
    let here = named("k__X", &[Some(1.0); 4], here);
    let other = named(
        "k__Y",
        &[Some(5.0), None, Some(3.0), Some(4.0), Some(1.0), Some(2.0)],
        gpu("NVIDIA", Some(86), "Ampere"),
    );
    let best = prior(&here, &other, 4);
    assert_eq!(
        (best.kinship, best.trials),
        (Kinship::Vendor, vec![(2, 3.0), (3, 4.0)])
    );
}

#[test]
fn a_recording_is_never_its_own_prior() {
    let recordings = [
        recording(&bowl(8)),
        named("k__Y", &bowl(8), GpuFacts::default()),
    ];
    let knowledge = Knowledge {
        others: &recordings,
        trials: 12,
        ..Knowledge::default()
    };
    let searched: Vec<&Recording> = recordings.iter().collect();
    let rows = compare(
        &plan(&["sequential", "random"], &[2, 8]),
        &searched,
        &knowledge,
    )
    .unwrap();
    let cells: Vec<(&str, &str, u64)> = rows
        .iter()
        .map(|row| (row.space.as_str(), row.strategy.as_str(), row.budget))
        .collect();
    assert_eq!(
        cells[..3],
        [
            ("k__X", "sequential", 2),
            ("k__X", "sequential", 8),
            ("k__X", "random", 2)
        ]
    );
    assert_eq!(rows.len(), 8);
    let text = crate::replay::display(&plan(&["sequential", "random"], &[2, 8]), &rows);
    assert_eq!(text.lines().count(), 1 + 4 + 3 * 3, "{text}");
    assert!(text.contains("average   random"), "{text}");
}

#[test]
fn counts_are_of_configs() {
    let counts = recording(&[Some(1.0), None, Some(1.0)]).counts;
    assert_eq!(
        counts,
        Counts {
            timed: 2,
            failed: 1,
            ..Counts::default()
        }
    );
}

fn any_times() -> impl Strategy<Value = Vec<Option<f64>>> {
    proptest::collection::vec(proptest::option::weighted(0.8, 0.1f64..10.0), 1..40)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_strategy_measures_twice_and_more_budget_is_never_worse(times in any_times(), budget in 1u64..50) {
        let recording = recording(&times);
        for name in names() {
            for run in runs(&plan(&[name], &[budget, budget + 1]), &recording) {
                let configs = trail(&run);
                let distinct: HashSet<u64> = configs.iter().copied().collect();
                prop_assert_eq!(distinct.len(), configs.len(), "{}", name);
                prop_assert_eq!(configs.len() as u64, (budget + 1).min(times.len() as u64), "{}", name);
                prop_assert!(run.curve[0].fraction <= run.curve[1].fraction);
                prop_assert!((0.0..=1.0).contains(&run.curve[1].fraction));
            }
        }
    }
}

//! The parts of an emission, each for itself.

use super::served::{Winner, compared};
use super::*;
use crate::compile::{Hash, Unit};
use crate::emit::EmittedCandidate;
use crate::lock::{self, Entry, Hashes, Trial, Verified};
use crate::tuner::cover::Known;
use crate::tuner::plan::ProblemPlan;
use crate::tuner::stored::Values;
use bico_core::device::DeviceKey;
use bico_core::{Map, Value};
use bico_syntax::Language;
use bico_syntax::bind::Scope;

fn problem(variant: usize) -> ProblemPlan {
    ProblemPlan {
        key: "n=64".into(),
        label: "n=64".into(),
        scope: Scope::default(),
        sizes: vec![64],
        variant,
        point: None,
    }
}

fn config(tile: i64) -> Values {
    vec![Value::Int(tile)]
}

fn winner(device: &'static str, tile: i64, verified: &[i64]) -> Winner {
    Winner {
        device: DeviceKey::new(device),
        known: Known {
            winner: config(tile),
            trials: vec![(config(tile), 1.0)],
            marked: vec![config(1)],
        },
        verified: verified.iter().map(|tile| config(*tile)).collect(),
    }
}

fn served<'a>(problem: &'a ProblemPlan, winners: Vec<Winner>) -> Served<'a> {
    Served {
        problem,
        winners,
        predicted: &[],
        first: Some(config(1)),
        top: None,
    }
}

fn candidate(variant: u16, tile: i64) -> EmittedCandidate {
    EmittedCandidate {
        values: config(tile),
        variant,
        kernel: 0,
        unit: Unit {
            source: "k.c".into(),
            language: Language::C,
            defines: Vec::new(),
            flags: Vec::new(),
            gpu: None,
        },
        entries: vec!["k".into()],
        needs: Vec::new(),
        only_on: Vec::new(),
        verified: true,
        targets: Vec::new(),
        exact: false,
        host: None,
    }
}

#[test]
fn winners_come_first_and_predictions_only_where_there_are_none() {
    let problem = problem(0);
    let guesses = [config(8), config(2)];
    let known = served(&problem, vec![winner("A", 4, &[4, 8]), winner("B", 8, &[])]);
    let unknown = Served {
        predicted: &guesses,
        ..served(&problem, Vec::new())
    };
    assert_eq!(chosen(&[&known, &unknown]), [4, 8, 1, 2].map(config));
    assert_eq!(chosen(&[&unknown]), guesses);
}

#[test]
fn what_an_entry_says_is_what_calls_may_try() {
    let trial = |tile: i64| Trial {
        config: Map::from_iter([("TILE".to_string(), lock::Value::Int(tile))]),
        seconds: 1.0,
        place: lock::Place::default(),
    };
    let entry = Entry {
        hashes: Hashes {
            source: Hash(1),
            headers: Map::default(),
            space: Hash(2),
            launch: Hash(3),
            verify: Hash(4),
            flags: Hash(5),
        },
        winner: trial(1),
        timed: None,
        tested: None,
        ratio: None,
        interval: [1.0; 2],
        verified: Verified::Reference,
        rules: 1,
        strategy: String::new(),
        budget: lock::Budget {
            evaluations: 2,
            seconds: 1.0,
        },
        evaluations: 2,
        space_size: 2,
        toolchain: String::new(),
        trials: vec![trial(1), trial(2)],
        first: None,
        ranked: None,
        resources: None,
        source: None,
    };
    let tried = |verified, source: Option<&str>| {
        let source = source.map(str::to_string);
        let entry = Entry {
            verified,
            source,
            ..entry.clone()
        };
        let tiles = compared(&entry).map(|trial| trial.config["TILE"].clone());
        let mut tiles: Vec<lock::Value> = tiles.collect();
        tiles.dedup();
        tiles.len()
    };
    assert_eq!(tried(Verified::Consensus, None), 2);
    // What a program learned: the winner is that of an entry which a build verified, or nobody's.
    assert_eq!(tried(Verified::Reference, Some("runtime")), 1);
    assert_eq!(tried(Verified::Nothing, Some("runtime")), 0);
}

#[test]
fn a_config_may_have_won_on_several_devices() {
    let problem = problem(0);
    let served = served(&problem, ["A", "B"].map(|key| winner(key, 4, &[])).into());
    let won = config(4);
    let winners = served.won_by(&won).into_iter().map(DeviceKey::as_str);
    assert_eq!(winners.collect::<Vec<_>>(), ["A", "B"]);
    assert_eq!(served.won_by(&config(8)).len(), 0);
}

#[test]
fn numbers_are_those_of_the_variant_and_winners_are_tried_first() {
    let [plain, other] = [problem(0), problem(1)];
    let candidates = [(0, 1), (0, 4), (1, 4), (1, 8)].map(|(v, tile)| candidate(v, tile));
    let mut numbered = Numbered::new(&candidates);
    let first = numbered.problem(&served(&plain, vec![winner("A", 4, &[])]));
    assert_eq!(first.winners, [(0, 1)]);
    assert_eq!(first.order, [1, 0]);
    // Without a config that was ranked first, the first in the order stands for it.
    assert_eq!((first.first, first.top), (0, 1));
    let second = numbered.problem(&served(
        &other,
        vec![
            winner("B", 8, &[]),
            winner("A", 8, &[]),
            winner("C", 9, &[]),
        ],
    ));
    assert_eq!(second.winners, [(1, 3), (0, 3)]);
    assert_eq!((second.order, second.first), (vec![3, 2], 3));
    assert_eq!(numbered.devices, ["A", "B"].map(DeviceKey::new));
}

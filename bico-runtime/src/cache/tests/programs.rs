//! Programs that learn: the same kernel in one process after another.

use super::processes::{command, succeeds};
use super::*;
use crate::__private::{AtomicU8, AtomicU32, Board, Candidate, Data, Rules};
use crate::choice::Reason;
use crate::data::Problem;
use crate::{Tunable, Value as Plain};
use std::collections::BTreeSet;

static TILES: [Plain; 3] = [Plain::Int(8), Plain::Int(4), Plain::Int(2)];
/// What a call takes with each of them: the one in the middle wins, the model likes the first.
const SECONDS: [f64; 3] = [3e-3, 1e-3, 2e-3];
const UPGRADED: &str = "fedcba9876543210fedcba9876543210";

/// `TILE in [8, 4, 2]`, tuned on another machine.
fn tunable(hash: &'static str) -> Tunable {
    let candidate = |value| Candidate {
        values: std::slice::from_ref(value),
        variant: 0,
        needs: &[],
        only_on: &[],
        gpu: None,
    };
    let problem = Problem {
        sizes: &[64],
        consts: &[],
        variant: 0,
        winners: &[(0, 0)],
        order: &[0, 1, 2],
        first: 0,
        top: 0,
    };
    let data: &'static Data = Box::leak(Box::new(Data {
        fingerprint: 0,
        hash,
        unverified: &[],
        key: "learner",
        parameters: &["TILE"],
        sizes: &["n"],
        consts: &[],
        candidates: Vec::leak(TILES.iter().map(candidate).collect()),
        problems: Vec::leak(vec![problem]),
        devices: &["another device"],
        sources: &[],
    }));
    let rules: &'static Rules = Box::leak(Box::new(Rules {
        require: &[],
        sized: false,
        selectors: &[],
        launches: &[],
        rank: |_| Ok(1.0),
        live: false,
        timed: false,
        work: |scope| Ok(scope.sizes[0] as f64),
    }));
    let able = data.candidates.iter().map(|_| AtomicU8::new(0)).collect();
    Tunable::new(
        data,
        rules,
        Vec::leak(vec![crate::dispatch::log2(64)]),
        Vec::leak(vec![AtomicU32::new(0)]),
        Vec::leak(able),
        Box::leak(Box::new(Board::new())),
    )
}

/// Calls it so often; gives the candidates that served.
fn call(tunable: &Tunable, times: usize) -> BTreeSet<usize> {
    let mut served = BTreeSet::new();
    for time in 0..times {
        let pull = tunable.pull(&[64], &[]).unwrap();
        served.insert(pull.candidate());
        let noise = 1.0 + 0.001 * (time % 7) as f64;
        let seconds = SECONDS[pull.candidate()] * noise;
        pull.took(seconds);
    }
    served
}

/// In a started process.
pub(super) fn play(part: &str) {
    logger::start();
    let tunable = match part {
        "upgraded" => tunable(UPGRADED),
        _ => tunable(KERNEL),
    };
    if part == "second" {
        assert_eq!(call(&tunable, 100), BTreeSet::from([1]));
        let choice = tunable.config_of(&[64]).unwrap();
        assert!(matches!(choice.reason, Reason::Learned { .. }));
        assert_eq!(logger::lines("WARN "), Vec::<String>::new());
        return;
    }
    let explored = call(&tunable, 2000).len() > 1;
    assert_eq!(call(&tunable, 100), BTreeSet::from([1]));
    // Eight start at once: the later ones may find what the first have left.
    assert!(explored || part == "at-once");
    let warnings = usize::from(part == "corrupt");
    assert_eq!(logger::lines("WARN ").len(), warnings);
    let settled = logger::lines("settled on TILE=4").len();
    assert_eq!(settled, usize::from(explored));
    let learned = crate::learned();
    let mine = learned.iter().filter(|l| l.hash == tunable.data.hash);
    let settled: Vec<String> = mine
        .map(|l| format!("{} {:?} {:?} {}", l.tunable, l.sizes, l.config, l.settled))
        .collect();
    match part {
        "off" => assert!(learned.is_empty()),
        _ => assert_eq!(settled, ["learner [(\"n\", 64)] [(\"TILE\", \"4\")] true"]),
    }
}

fn run(part: &str, cache: &Path) {
    let mut command = command(&format!("program {part}"), cache);
    succeeds(command.env_remove("BICO_RUNTIME").spawn().unwrap());
}

#[test]
fn a_second_process_begins_settled_and_an_upgraded_kernel_anew() {
    let cache = tempfile::tempdir().unwrap();
    run("first", cache.path());
    let path = only_file(&cache.path().join("learned"));
    run("second", cache.path());
    run("upgraded", cache.path());
    // What was learned of the old one is as it was.
    run("second", cache.path());
    let files = crate::cache::files(&cache.path().join("learned"));
    assert_eq!(files.len(), 2);

    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, &text[..text.len() / 2]).unwrap();
    run("corrupt", cache.path());
    run("second", cache.path());
    run("off", Path::new("off"));
}

#[test]
fn eight_programs_at_once_leave_what_a_ninth_begins_with() {
    let cache = tempfile::tempdir().unwrap();
    let start = |_| {
        let mut command = command("program at-once", cache.path());
        command.env_remove("BICO_RUNTIME").spawn().unwrap()
    };
    let children: Vec<_> = (0..8).map(start).collect();
    children.into_iter().for_each(succeeds);
    run("second", cache.path());
}

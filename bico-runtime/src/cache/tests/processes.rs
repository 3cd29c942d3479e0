//! Real processes: this very executable, started again.

use super::*;
use crate::cache::merge::Moments;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// What a started process shall do.
const ROLE: &str = "BICO_CACHE_TEST";
const PROCESSES: i64 = 8;
const SAVES: u64 = 25;

/// This executable with only [`child`], in a role.
pub(super) fn command(role: &str, cache: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["cache::tests::processes::child", "--exact", "--nocapture"])
        .env(ROLE, role)
        .env("BICO_TEST_CACHE", cache)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

pub(super) fn succeeds(child: Child) {
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{text}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// No test of its own: what a process that the tests start does.
#[test]
#[allow(clippy::disallowed_methods)]
fn child() {
    let Ok(role) = std::env::var(ROLE) else {
        return;
    };
    match role.split_once(' ') {
        Some(("learn", number)) => learn(number.parse().unwrap()),
        Some(("program", part)) => super::programs::play(part),
        Some(("trouble", kinds)) => super::trouble::expect(kinds),
        Some(("off", _)) => {
            assert_eq!(crate::cache::place(), None);
            let (name, facts) = on(cpu());
            assert!(Memory::open(name, facts).is_none() && crate::learned().is_empty());
        }
        other => panic!("{other:?}"),
    }
}

/// What a process measures.
fn observation(process: i64, call: u64) -> f64 {
    -9.0 + 0.01 * process as f64 + 0.001 * call as f64
}

fn one(time: f64) -> Moments {
    Moments {
        count: 1,
        mean: time,
        squares: 0.0,
    }
}

fn learn(process: i64) {
    let (name, facts) = on(cpu());
    let memory = Memory::open(name, facts).unwrap();
    let shared = memory.records.iter().find(|record| record.bucket == [0]);
    let mut known = shared.map(|record| Moments::of(&record.arms[0]));
    let mut own: Option<Moments> = None;
    let of = |moments: Moments| arm(1, moments.count, moments.mean, moments.variance());
    let keep = |record: &Record| {
        let mut tries = 0;
        while !memory.save(record) {
            tries += 1;
            assert!(tries < 1000);
            std::thread::sleep(Duration::from_millis(1));
        }
    };
    for call in 0..SAVES {
        let now = one(observation(process, call));
        let after = |before: Option<Moments>| before.map_or(now, |before| before.plus(now));
        (known, own) = (Some(after(known)), Some(after(own)));
        let everyones = record(0, None, &[known.map(of).unwrap()]);
        let mine = record(process + 1, Some(0), &[own.map(of).unwrap()]);
        keep(&everyones);
        keep(&mine);
    }
}

#[test]
fn eight_processes_lose_nothing() {
    let cache = tempfile::tempdir().unwrap();
    let children: Vec<Child> = (0..PROCESSES)
        .map(|process| {
            let role = format!("learn {process}");
            command(&role, cache.path()).spawn().unwrap()
        })
        .collect();
    children.into_iter().for_each(succeeds);

    let folder = cache.path().join("learned");
    let (_, records) = open(&folder, &on(cpu()));
    assert_eq!(records.len() as i64, PROCESSES + 1);
    let all: Vec<f64> = (0..PROCESSES)
        .flat_map(|process| (0..SAVES).map(move |call| observation(process, call)))
        .collect();
    let check = |record: &Record, times: &[f64]| {
        let expected = times.iter().map(|time| one(*time));
        let expected = expected.reduce(Moments::plus).unwrap();
        let [arm] = record.arms.as_slice() else {
            panic!("{record:?}");
        };
        assert_eq!(arm.pulls, expected.count);
        assert!((arm.mean - expected.mean).abs() < 1e-9, "{arm:?}");
        let variance = expected.variance();
        assert!((arm.variance - variance).abs() < 1e-6 * variance, "{arm:?}");
    };
    check(&records[0], &all);
    for (process, record) in records[1..].iter().enumerate() {
        let start = process * SAVES as usize;
        check(record, &all[start..start + SAVES as usize]);
        assert_eq!(record.settled, Some(0));
    }
    // Nothing is left behind but the file and its lock.
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 2);
}

#[test]
fn switched_off_by_the_environment() {
    succeeds(command("off now", Path::new("off")).spawn().unwrap());
    assert!(!Path::new("off").exists());
}

//! Searches that were cut and are gone on with.

use super::*;
use std::path::Path;

const CONFIGS: u64 = 24;

fn label() -> Label {
    Label {
        problem: "m=64".into(),
        device: "a CPU".into(),
    }
}

/// Times without an order; some configs fail, some are cut short.
fn told() -> Told {
    let time = |config: u64| 1.0 + ((config * 7) % CONFIGS) as f64 / 10.0;
    let sound = (0..CONFIGS).filter(|config| config % 5 != 3);
    let mut told = Told::new(sound.map(|config| (config, time(config))));
    told.noise = 0.1;
    told.compiles = true;
    told.cut = (0..CONFIGS).filter(|config| config % 7 == 6).collect();
    told
}

/// Searches with a trail in this file, and gives whoever was asked.
fn search(path: &Path, strategy: &str, resumes: bool) -> Told {
    let (configs, ranked) = (numbers(CONFIGS), ranked(&[1.0; CONFIGS as usize]));
    let mut journal = Journal::open(path).unwrap();
    let rows = journal.begin(label(), &["m=64", "m=32"], resumes).unwrap();
    let mut told = told();
    let mut measure = Resumed::new(&mut told, Recorded::read(&rows));
    let mut strategy = by_name(strategy, 3).unwrap();
    let search = Search::new(&configs, &ranked, budget(16));
    run(&search, &mut *strategy, &mut measure, &mut journal);
    journal.end();
    assert!(journal.error().is_none());
    told
}

#[test]
fn it_ends_as_if_it_had_not_been_cut() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, cut) = (folder.path().join("whole"), folder.path().join("cut.jsonl"));
    for strategy in ["adaptive", "annealing", "guided", "random", "ucb"] {
        let _ = std::fs::remove_file(&whole);
        search(&whole, strategy, false);
        let trail = std::fs::read_to_string(&whole).unwrap();
        let lines: Vec<&str> = trail.split_inclusive('\n').collect();
        assert!(lines.len() > 16 && trail.contains("SIGSEGV") && trail.contains("\"cut\":true"));
        // Choices that hang on what trials took hang on what their rows say.
        assert_eq!(
            trail.contains(" s\",") && trail.contains("% in "),
            strategy == "adaptive"
        );
        for kept in 0..=lines.len() {
            // Who was killed may have left half a row.
            let half = lines.get(kept).map_or("", |line| &line[..line.len() / 2]);
            std::fs::write(&cut, lines[..kept].concat() + half).unwrap();
            let told = search(&cut, strategy, true);
            assert_eq!(std::fs::read_to_string(&cut).unwrap(), trail);
            let rows: Vec<serde_json::Value> = lines[..kept]
                .iter()
                .map(|line| serde_json::from_str(line).unwrap())
                .collect();
            // Before anything ran there was nothing to keep.
            if rows.iter().any(|row| row.get("seconds").is_some()) {
                let known = |config: &u64| rows.iter().any(|row| row["config"] == *config);
                assert!(!told.asked.iter().any(known), "{strategy}, {kept}");
                assert_eq!(told.asked.len(), 16_usize.saturating_sub(kept));
            }
        }
    }
}

/// Of a file that others share, each search replaces its own rows, and a cut one loses none before it has them again.
#[test]
fn other_searches_keep_their_rows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kernel.jsonl");
    let row =
        |problem: &str| format!("{{\"problem\":\"{problem}\",\"device\":\"a CPU\",\"x\":1}}\n");
    std::fs::write(&path, row("m=32") + &row("m=64") + &row("m=16")).unwrap();
    // One is not among the problems any more.
    search(&path, "guided", false);
    let trail = std::fs::read_to_string(&path).unwrap();
    assert!(
        trail.starts_with(&row("m=32")) && !trail.contains(&row("m=64")),
        "{trail}"
    );
    assert!(!trail.contains("m=16"));
    // While what it knows is not written again, the file stays.
    let mut journal = Journal::open(&path).unwrap();
    let known = journal.begin(label(), &["m=64", "m=32"], true).unwrap();
    assert_eq!(known.len(), trail.lines().count() - 1);
    drop(journal);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), trail);
    let told = search(&path, "guided", true);
    assert!(told.asked.is_empty());
    assert_eq!(std::fs::read_to_string(&path).unwrap(), trail);
}

#[test]
fn what_says_nothing_of_a_config_is_not_kept() {
    let row = |config: u64, more: &str| {
        format!("{{\"kind\":\"trial\",\"config\":{config},\"spent\":1.5,{more}}}")
    };
    let timed = |config| {
        row(
            config,
            r#""seconds":1e-3,"low":1e-3,"high":2e-3,"runs":5,"cut":false"#,
        )
    };
    let lost = row(
        1,
        r#""failure":"worker","detail":"it could not be started""#,
    );
    let crash = row(2, r#""failure":"crash","detail":"SIGSEGV \u001b[2J""#);
    let read = |rows: &[String]| Recorded::read(rows).len();
    assert_eq!(read(&[timed(0), lost.clone(), crash.clone()]), 2);
    // Where nothing ran, something else may be broken.
    assert_eq!(read(&[lost, crash]), 0);
    let strange = row(3, r#""failure":"boredom","detail":"""#);
    let broken = [
        strange,
        timed(4).replace("1.5", "null"),
        "{}".into(),
        "x".into(),
    ];
    assert_eq!(read(&[&broken[..], &[timed(0)]].concat()), 1);
    let again = timed(0).replace("trial", "final");
    assert_eq!(read(&[again]), 0);
}

use super::*;
use crate::adopt::tests::house::{House, SOURCE, cpu};
use bico_build::env::Mode;
use bico_build::lock::{Lock, Verified, modify, to_text};
use bico_core::device::{CpuFacts, Facts};

const N64: &str = "alpha=1.0, n=64";

fn survey(house: &House) -> Result<Survey, Error> {
    let env = package::env(house.folder.path(), &Features::All, Mode::Off)?;
    Survey::new(env)
}

/// `scale (alpha=1.0, n=64) fresh`, for each row, and its note.
fn said(house: &House) -> Vec<String> {
    let rows = survey(house).unwrap().rows().unwrap();
    let line = |row: &Row| {
        let (key, problem, state) = (&row.tunable, &row.problem, row.state.name());
        let note = row
            .note
            .as_deref()
            .map_or(String::new(), |note| format!(": {note}"));
        format!("{key} ({problem}) {state}{note}")
    };
    rows.iter().map(line).collect()
}

/// A package whose only result is of `scale` at 64.
fn tuned() -> House {
    let house = House::new();
    house.tuned(&cpu(8), N64, 4, Verified::Reference);
    house
}

const MISSING: [&str; 2] = [
    "act (ACT=silu, n=8) missing: no device has a result of it",
    "scale (alpha=1.0, n=100) missing: no device has a result of it",
];

fn with_missing(line: &str) -> [String; 3] {
    [MISSING[0], line, MISSING[1]].map(String::from)
}

#[test]
fn a_result_is_fresh_until_its_kernel_changes() {
    let house = tuned();
    assert_eq!(said(&house), with_missing("scale (alpha=1.0, n=64) fresh"));
    let changes = [
        ("TILE in [1, 2, 4, 8, 16]", "TILE in [1, 2, 4, 8]", "space"),
        ("rtol = 1e-3", "rtol = 1e-4", "verify"),
        ("space(TILE", "flags = [\"-O3\"], space(TILE", "flags"),
        ("alpha: f32, n: u32", "alpha: f32, n: u64", "launch"),
    ];
    for (from, to, part) in changes {
        house.write("src/lib.rs", &SOURCE.replacen(from, to, 1));
        let stale = format!("scale (alpha=1.0, n=64) stale: changed: {part}");
        assert_eq!(said(&house), with_missing(&stale), "{to}");
    }
    house.write("src/lib.rs", SOURCE);
    house.write("k.c", "#include \"k.h\"\n");
    let stale = "scale (alpha=1.0, n=64) stale: changed: source (k.c and what it includes), verify";
    assert_eq!(said(&house), with_missing(stale));
}

#[test]
fn an_include_counts_as_the_source() {
    let house = House::new();
    house.write("k.c", "#include \"k.h\"\n");
    house.write("k.h", "1");
    house.tuned(&cpu(8), N64, 4, Verified::Reference);
    assert_eq!(said(&house), with_missing("scale (alpha=1.0, n=64) fresh"));
    house.write("k.h", "2");
    assert!(said(&house)[1].contains("stale: changed: source"));
}

#[test]
fn what_cannot_be_true_and_what_older_rules_verified() {
    let house = House::new();
    // A device with two cores takes no tile of 4.
    house.tuned(&cpu(2), N64, 4, Verified::Reference);
    let faulty = &said(&house)[1];
    assert!(
        faulty.starts_with("scale (alpha=1.0, n=64) faulty: line ") && faulty.contains("TILE"),
        "{faulty}"
    );
    let house = tuned();
    let path = house.folder.path().join("bico.lock");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace(", rules 2", "")).unwrap();
    assert!(
        said(&house)[1].starts_with("scale (alpha=1.0, n=64) outdated: verified by older rules")
    );
}

#[test]
fn what_nothing_asks_for_is_removed_when_that_is_wanted() {
    let house = tuned();
    let Facts::Cpu(other) = cpu(8) else {
        unreachable!()
    };
    let other = Facts::Cpu(CpuFacts { model: 3, ..other });
    house.tuned(&other, "alpha=1.0, n=65", 1, Verified::Reference);
    let path = house.folder.path().join("bico.lock");
    let rename = |lock: &mut Lock| {
        let kernel = lock.kernels["scale"].clone();
        lock.kernels.insert("gone".to_string(), kernel);
    };
    modify(&path, None, rename).unwrap();
    let rows = said(&house);
    let expected = [
        MISSING[0],
        "gone (alpha=1.0, n=64) unused: there is no such tunable",
        "gone (alpha=1.0, n=65) unused: there is no such tunable",
        "scale (alpha=1.0, n=64) fresh",
        "scale (alpha=1.0, n=65) unused: the tunable has no such problem",
        MISSING[1],
    ];
    assert_eq!(rows, expected);

    let survey = survey(&house).unwrap();
    survey.prune(&survey.rows().unwrap()).unwrap();
    assert_eq!(said(&house), with_missing("scale (alpha=1.0, n=64) fresh"));
    // What is left is what a lock without them would have been, the devices too.
    let left = std::fs::read_to_string(&path).unwrap();
    let alone = tuned().lock().unwrap();
    assert_eq!(left, to_text(&alone).unwrap());
}

#[test]
fn what_another_feature_brings_is_no_leftover() {
    let house = tuned();
    let behind = SOURCE.replacen("#[bico", "#[cfg(not(feature = \"x\"))] #[bico", 1);
    house.write("src/lib.rs", &behind);
    house.write(
        "Cargo.toml",
        "[package]\nname = \"p\"\n[features]\nx = []\n[workspace]\n",
    );
    // It is judged, and its other problem is not missing.
    assert_eq!(said(&house), [MISSING[0], "scale (alpha=1.0, n=64) fresh"]);
    // A mistake there may hide it.
    house.write("src/lib.rs", &behind.replace("TILE in [1", "TILE im [1"));
    let survey = survey(&house).unwrap();
    let rows = survey.rows().unwrap();
    assert_eq!(rows[1].state, State::Unused);
    let error = survey.prune(&rows).unwrap_err().to_string();
    assert!(
        error.starts_with("nothing was removed: mistakes behind"),
        "{error}"
    );
    assert!(house.lock().unwrap().kernels.contains_key("scale"));
}

#[test]
fn without_a_lock_or_with_a_faulty_one() {
    let house = House::new();
    let error = survey(&house).err().unwrap().to_string();
    assert!(error.starts_with("there is no bico.lock in "), "{error}");
    assert!(error.contains("run `cargo bico tune`"), "{error}");
    house.write("bico.lock", "{\n  \"version\": 1,\n  \"version\": 1\n}\n");
    let error = survey(&house).err().unwrap().to_string();
    assert!(error.contains("bico.lock:3:"), "{error}");
    // Where nothing is tuned, none is needed.
    let house = House::new();
    house.write("src/lib.rs", "");
    assert!(survey(&house).unwrap().rows().unwrap().is_empty());
}

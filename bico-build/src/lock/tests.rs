//! The lock as a whole: its bytes, every message of its reader, and several writers.

use super::*;
use crate::compile::Hash;
use bico::device::{CpuFacts, Facts};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, SystemTime};

const SAMPLE: &str = r#"{
  "devices": {
    "AMD EPYC (AuthenticAMD family 26 model 2, x86-64-v4)": {
      "brand": "AMD EPYC",
      "cores": 2,
      "family": 26,
      "features": ["avx2", "x86-64-v4"],
      "kind": "cpu",
      "l1d_bytes": 49152,
      "l2_bytes": 1048576,
      "l3_bytes": 33554432,
      "level": "x86-64-v4",
      "model": 2,
      "vector_bits": 512,
      "vendor": "AuthenticAMD"
    }
  },
  "kernels": {
    "gemm": {
      "AMD EPYC (AuthenticAMD family 26 model 2, x86-64-v4)": {
        "k=4096, m=1024": {
          "budget": {"evaluations": 64, "seconds": 60},
          "evaluations": 48,
          "hashes": {
            "flags": "00000000000000000000000000000005",
            "launch": "00000000000000000000000000000003",
            "source": "00000000000000000000000000000001",
            "space": "00000000000000000000000000000002",
            "verify": "00000000000000000000000000000004"
          },
          "space_size": 1234,
          "strategy": "guided",
          "toolchain": "cc (Debian 12.2.0-14+deb12u1) 12.2.0",
          "trials": [
            {"config": {"ISA": "x86-64-v3", "TILE_M": 8}, "seconds": 0.001234},
            {"config": {"ISA": "x86-64-v2", "TILE_M": 4}, "seconds": 0.0000001235}
          ],
          "verified": "reference",
          "winner": {"config": {"ISA": "x86-64-v3", "TILE_M": 8}, "interval_seconds": [0.001226, 0.00125], "seconds": 0.001234}
        }
      }
    }
  },
  "version": 1
}
"#;

const DEVICE: &str = "AMD EPYC (AuthenticAMD family 26 model 2, x86-64-v4)";

fn facts() -> Facts {
    Facts::Cpu(CpuFacts {
        vendor: "AuthenticAMD".into(),
        brand: "AMD EPYC".into(),
        family: 26,
        model: 2,
        level: "x86-64-v4".into(),
        cores: 2,
        l1d_bytes: 48 << 10,
        l2_bytes: 1 << 20,
        l3_bytes: 32 << 20,
        vector_bits: 512,
        features: vec!["avx2".into(), "x86-64-v4".into()],
    })
}

fn trial(tile: i64, isa: &str, seconds: f64) -> Trial {
    let config = [("TILE_M".to_string(), Value::Int(tile)), ("ISA".to_string(), Value::Str(isa.to_string()))];
    Trial { config: config.into_iter().collect(), seconds, place: Place::default() }
}

fn entry() -> Entry {
    Entry {
        hashes: Hashes { source: Hash(1), space: Hash(2), launch: Hash(3), verify: Hash(4), flags: Hash(5) },
        winner: trial(8, "x86-64-v3", 0.00123401),
        interval: [0.0012261, 0.00125],
        verified: Verified::Reference,
        strategy: "guided".into(),
        budget: Budget { evaluations: 64, seconds: 60.0 },
        evaluations: 48,
        space_size: 1234,
        toolchain: "cc (Debian 12.2.0-14+deb12u1) 12.2.0".into(),
        trials: vec![trial(8, "x86-64-v3", 0.001234), trial(4, "x86-64-v2", 1.23456e-7)],
        source: None,
    }
}

fn with(lock: &mut Lock, key: &str, problem: &str, entry: Entry) {
    lock.devices.insert(DEVICE.into(), facts());
    let problems = lock.kernels.entry(key.into()).or_default().entry(DEVICE.into()).or_default();
    problems.insert(problem.into(), entry);
}

fn sample() -> Lock {
    let mut lock = Lock::default();
    with(&mut lock, "gemm", "k=4096, m=1024", entry());
    lock
}

fn read(text: &str) -> Result<Lock, Error> {
    parse(Path::new("bico.lock"), text)
}

#[test]
fn the_bytes_of_a_lock() {
    assert_eq!(to_text(&sample()).unwrap(), SAMPLE);
    assert_eq!(to_text(&read(SAMPLE).unwrap()).unwrap(), SAMPLE);
    let empty = "{\n  \"devices\": {},\n  \"kernels\": {},\n  \"version\": 1\n}\n";
    assert_eq!(to_text(&Lock::default()).unwrap(), empty);
    assert_eq!(read(empty).unwrap(), Lock::default());
    assert_eq!(read(&SAMPLE.replace('\n', "\r\n")).unwrap(), read(SAMPLE).unwrap());
}

#[test]
fn configs_know_their_lines() {
    let lock = read(SAMPLE).unwrap();
    let entry = &lock.kernels["gemm"][DEVICE]["k=4096, m=1024"];
    let lines: Vec<usize> = entry.trials.iter().map(|trial| trial.place.line).collect();
    assert_eq!(lines, [35, 36]);
    assert_eq!(entry.winner.place.line, 39);
    let error = Error::at(Path::new("bico.lock"), entry.trials[1].place, "gemm: TILE_M = 24 is not in the space")
        .help("run `cargo bico tune`");
    let shown = "error: gemm: TILE_M = 24 is not in the space\n  --> bico.lock:36:24\n  = help: run `cargo bico tune`";
    assert_eq!(error.to_string(), shown);
}

/// The sample with one replacement, which must be there exactly once or is made at its first place.
fn edited(from: &str, to: &str) -> String {
    assert!(SAMPLE.contains(from), "{from}");
    SAMPLE.replacen(from, to, 1)
}

/// Asserts what the reader says: the message, the line, and what it advises.
fn says(text: &str, message: &str, line: usize, help: &str) {
    let error = read(text).expect_err(message);
    assert_eq!((error.message.as_str(), error.place.line), (message, line), "{error}");
    assert!(error.help.join(" ").contains(help), "{error}");
    assert!(error.to_string().starts_with(&format!("error: {message}\n  --> bico.lock")), "{error}");
}

#[test]
fn merge_conflicts() {
    for marker in ["<<<<<<< HEAD", "||||||| base", "=======", ">>>>>>> theirs"] {
        let text = edited("  \"kernels\"", &format!("{marker}\n  \"kernels\""));
        says(&text, "the lock holds a merge conflict", 18, "cargo bico merge");
    }
}

#[test]
fn files_that_end_early() {
    says("", "the lock is empty", 0, "delete it to tune again");
    says(" \n", "the lock is empty", 0, "delete it");
    // Wherever it is cut, it is an error with a line, and nearly always this one.
    let end = SAMPLE.trim_end().len();
    for cut in 1..end {
        let error = read(&SAMPLE[..cut]).expect_err("cut off");
        assert!(error.place.line > 0, "{cut}: {error}");
        assert_eq!(error.message, "the lock ends in the middle", "cut at {cut}");
    }
}

#[test]
fn what_json_does_not_know() {
    says(
        &edited("\"cores\": 2,", "\"cores\": 2, // two"),
        "comments do not belong into a lock: they would be lost",
        5,
        "restore",
    );
    says(&edited("\"AuthenticAMD\"\n", "\"AuthenticAMD\",\n"), "a comma before the end of a list", 15, "restore");
    says(&edited("0.001234}", "NaN}"), "numbers must be finite", 35, "");
    says(&edited("0.001234}", "-Infinity}"), "numbers must be finite", 35, "");
    says(&edited("\"seconds\": 60", "seconds: 60"), "this is not JSON: expected string for object property", 22, "");
    says(&edited("\"cores\": 2,", "\"cores\": 2"), "this is not JSON: expected comma", 5, "");
    says(&format!("{SAMPLE}{{}}"), "this is not JSON: text cannot contain more than one JSON value", 44, "");
    says(&"[".repeat(100_000), "this is not JSON: maximum nesting depth exceeded", 1, "");
}

#[test]
fn duplicates() {
    says(&edited("\"family\": 26", "\"cores\": 26"), "`cores` stands here twice", 6, "the first stands in line 5");
    let gemm = "\"gemm\": {},\n    \"gemm\": {";
    says(&edited("\"gemm\": {", gemm), "`gemm` stands here twice", 20, "line 19");
    let twice = edited("\"x86-64-v2\", \"TILE_M\": 4", "\"x86-64-v3\", \"TILE_M\": 8");
    says(&twice, "the config of line 35 stands here again", 36, "delete one");
}

#[test]
fn versions() {
    let newer = "written by a newer bico: format 2, and this one reads formats up to 1";
    says(&edited("\"version\": 1", "\"future\": {},\n  \"version\": 2"), newer, 45, "update bico-build");
    says(&edited("\"version\": 1", "\"version\": 0"), "there is no format 0", 44, "");
    says(&edited(",\n  \"version\": 1", ""), "the field `version` of the lock is missing", 1, "restore");
    let whole = "`version` must be a whole number from 0 to 9223372036854775807";
    says(&edited("\"version\": 1", "\"version\": 1.5"), whole, 44, "");
}

#[test]
fn fields() {
    says(&edited("\"strategy\"", "\"strateg\""), "the field `strategy` of an entry is missing", 21, "restore");
    says(&edited("\"strategy\"", "\"x\": 1, \"strategy\""), "unknown field `x` of an entry", 32, "known are budget");
    says(&edited("\"cores\": 2,", ""), "the field `cores` of a device is missing", 3, "");
    says(&edited("\"kind\": \"cpu\"", "\"kind\": \"cuda\""), "`kind` is \"cpu\", not \"cuda\"", 8, "update");
    says(
        &edited("\"verified\": \"reference\"", "\"verified\": \"maybe\""),
        "`verified` is \"reference\" or \"consensus\", not \"maybe\"",
        38,
        "",
    );
}

#[test]
fn kinds() {
    says("[]", "the lock must be an object, not a list", 1, "");
    says(&edited("\"TILE_M\": 8", "\"TILE_M\": null"), "`TILE_M` must be a number, a string, true or false, not null", 35, "");
    says(&edited("\"strategy\": \"guided\"", "\"strategy\": 1"), "`strategy` must be a string, not a number", 32, "");
    says(&edited("\"evaluations\": 48", "\"evaluations\": \"48\""), "`evaluations` must be a whole number, not a string", 23, "");
    says(&edited("\"seconds\": 60", "\"seconds\": true"), "`seconds` must be a number, not true or false", 22, "");
    says(&edited("[\"avx2\", \"x86-64-v4\"]", "{}"), "`features` must be a list, not an object", 7, "");
}

#[test]
fn numbers() {
    let big = "9223372036854775808";
    let message = format!("`TILE_M` is {big}, which does not fit 64 bits");
    says(&edited("\"TILE_M\": 8", &format!("\"TILE_M\": {big}")), &message, 35, "");
    let whole = "`evaluations` must be a whole number from 0 to 9223372036854775807";
    says(&edited("\"evaluations\": 48", "\"evaluations\": -1"), whole, 23, "");
    says(&edited("\"seconds\": 60", "\"seconds\": 1e999"), "`seconds` is 1e999, which is too large", 22, "");
    says(&edited("\"seconds\": 60", "\"seconds\": -1"), "`seconds` must not be negative", 22, "");
    says(&edited("\"family\": 26", "\"family\": 4294967296"), "`family` must be at most 4294967295", 6, "");
    says(&edited("0.001226, 0.00125", "0.1"), "`interval_seconds` must hold two times, not 1", 39, "");
    says(&edited("0.001226, 0.00125", "2, 1"), "`interval_seconds` must begin with the smaller time", 39, "");
    let hash = "`flags` must be 32 digits of 0-9 and a-f";
    says(&edited("00000000000000000000000000000005", "5"), hash, 25, "");
}

#[test]
fn texts() {
    let isa = |value: &str| edited("\"ISA\": \"x86-64-v3\"", &format!("\"ISA\": \"{value}\""));
    says(&isa("a\\u0007"), "`ISA` holds the control character \\u{7}", 35, "");
    says(&isa("a\u{1b}[2J"), "`ISA` holds the control character \\u{1b}", 35, "");
    says(&isa("a\\\"b"), "`ISA` holds the character `\"`, which bico.lock does not take", 35, "");
    says(&isa("a\\\\b"), "`ISA` holds the character `\\`, which bico.lock does not take", 35, "");
    says(
        &isa("a\u{202e}b"),
        "`ISA` holds the character \\u{202e}, which cannot be seen or is no letter",
        35,
        "",
    );
    says(&isa(&"x".repeat(300)), "`ISA` holds more than 256 characters", 35, "");
    assert!(read(&isa("$(rm -rf x); `y` @f")).is_ok(), "the space decides about values");
}

#[test]
fn names() {
    says(&edited("\"TILE_M\": 8", "\"TILE M\": 8"), "`TILE M` cannot be the name of a parameter", 35, "");
    says(&edited("\"TILE_M\": 8", "\"A=1 -o\": 8"), "`A=1 -o` cannot be the name of a parameter", 35, "");
    says(&edited("\"gemm\"", "\"../gemm\""), "`../gemm` cannot be the key of a tunable", 19, "");
    says(
        &edited("\"k=4096, m=1024\"", "\"k=\\n\""),
        "`k=\\n` cannot be the name of a problem: it holds the control character \\u{a}",
        21,
        "",
    );
    says(&edited(DEVICE, ""), "`` cannot be the key of a device", 3, "");
    says(
        &edited(DEVICE, "another"),
        &format!("the device `{DEVICE}` does not stand under `devices`"),
        20,
        "restore",
    );
}

#[test]
fn damaged_files_have_a_line_too() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("bico.lock");
    std::fs::write(&path, b"{\n \"d\xff\": 1}").unwrap();
    let error = load(&path).unwrap_err();
    assert_eq!((error.message.as_str(), error.place.line, error.place.column), ("the lock is not valid UTF-8", 2, 4));
    std::fs::remove_file(&path).unwrap();
    assert!(load(&path).unwrap().is_none());
    std::fs::create_dir(&path).unwrap();
    assert!(load(&path).unwrap_err().message.starts_with("the lock cannot be read: "));
}

#[test]
fn what_no_reader_takes_is_not_written() {
    let refused = |change: &dyn Fn(&mut Lock)| {
        let mut lock = sample();
        change(&mut lock);
        to_text(&lock).unwrap_err()
    };
    fn first(lock: &mut Lock) -> &mut Entry {
        lock.kernels.get_mut("gemm").unwrap().get_mut(DEVICE).unwrap().values_mut().next().unwrap()
    }
    let message = refused(&|lock| first(lock).winner = trial(1, "a\"b", 1.0));
    assert_eq!(message, "gemm: \"a\\\"b\" holds the character `\"`, which bico.lock does not take");
    assert_eq!(refused(&|lock| first(lock).winner.seconds = f64::NAN), "gemm: a time of NaN seconds");
    assert_eq!(refused(&|lock| first(lock).evaluations = u64::MAX), "gemm: 18446744073709551615 is too large");
    assert!(refused(&|lock| lock.devices.clear()).starts_with("gemm: there are no facts of the device"));
    assert!(refused(&|lock| with(lock, "a/b", "n=1", entry())).contains("`a/b` cannot be the key"));
}

#[test]
fn a_lock_is_written_only_when_it_changes() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("bico.lock");
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    let (lock, written) = modify(&path, Some(time), |lock| *lock = sample()).unwrap();
    assert!(written);
    // What modify gives is what the file says: times are rounded.
    assert_eq!(load(&path).unwrap().unwrap(), lock);
    assert_eq!(std::fs::metadata(&path).unwrap().modified().unwrap(), time);

    // The same state, in another layout: left alone.
    let loose = SAMPLE.replace("  ", " ");
    std::fs::write(&path, &loose).unwrap();
    assert!(!modify(&path, Some(time), |lock| *lock = sample()).unwrap().1);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), loose);
    let names: Vec<_> = std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["bico.lock"]);
}

#[test]
fn a_faulty_lock_is_not_overwritten() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("bico.lock");
    std::fs::write(&path, "<<<<<<< HEAD\n").unwrap();
    let error = modify(&path, None, |lock| *lock = sample()).unwrap_err();
    assert!(error.to_string().contains("cargo bico merge"), "{error}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "<<<<<<< HEAD\n");
    std::fs::remove_file(&path).unwrap();
    let error = modify(&path, None, |lock| with(lock, "a b", "n=1", entry())).unwrap_err();
    assert!(error.message.starts_with("the lock cannot hold this: `a b`"), "{error}");
    assert!(!path.exists());
}

#[cfg(unix)]
#[test]
fn permissions_and_links_survive() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let (real, link) = (dir.path().join("real.lock"), dir.path().join("bico.lock"));
    modify(&real, None, |lock| *lock = sample()).unwrap();
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    modify(&link, None, |lock| with(lock, "conv", "n=1", entry())).unwrap();
    assert!(link.is_symlink());
    assert_eq!(std::fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(load(&real).unwrap().unwrap().kernels.len(), 2);
}

#[test]
fn several_writers_lose_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("bico.lock");
    // Left behind by a build that was killed.
    std::fs::write(dir.path().join(".bico.lock.tmp"), "{").unwrap();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let path = &path;
            scope.spawn(move || {
                for number in 0..5 {
                    let problem = format!("n={}", 10 * writer + number);
                    modify(path, None, |lock| with(lock, "gemm", &problem, entry())).unwrap();
                    load(path).unwrap().unwrap();
                }
            });
        }
    });
    assert_eq!(load(&path).unwrap().unwrap().kernels["gemm"][DEVICE].len(), 20);
}

#[test]
fn merging_keeps_both_sides_and_the_newer_of_equal_kernels() {
    let mut older = sample();
    with(&mut older, "only_old", "n=1", entry());
    let mut newer = sample();
    with(&mut newer, "only_new", "n=1", entry());
    let faster = Entry { winner: trial(4, "x86-64-v4", 0.001), ..entry() };
    with(&mut newer, "gemm", "k=4096, m=1024", faster.clone());
    let merged = merge(&older, &newer, |_, _| false);
    assert_eq!(merged.kernels.keys().collect::<Vec<_>>(), ["gemm", "only_new", "only_old"]);
    assert_eq!(merged.kernels["gemm"][DEVICE]["k=4096, m=1024"], faster);

    // Of different kernels: the one that the sources agree with.
    let other = Entry { hashes: Hashes { source: Hash(9), ..entry().hashes }, ..faster };
    with(&mut newer, "gemm", "k=4096, m=1024", other.clone());
    let kept = |current: u128| {
        let merged = merge(&older, &newer, |_, hashes| hashes.source == Hash(current));
        merged.kernels["gemm"][DEVICE]["k=4096, m=1024"].clone()
    };
    assert_eq!(kept(1), entry());
    assert_eq!(kept(9), other);
    assert_eq!(kept(7), other);
}

fn any_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<i64>().prop_map(Value::Int),
        any::<f64>().prop_filter("finite", |x| x.is_finite()).prop_map(Value::Float),
        any::<bool>().prop_map(Value::Bool),
        "[ !#-\\[\\]-~äßλ]{0,12}".prop_map(Value::Str),
    ]
}

fn any_seconds() -> impl Strategy<Value = f64> {
    (0.0..10_000.0_f64, -12..4_i32).prop_map(|(mantissa, exponent)| rounded(mantissa * 10f64.powi(exponent)))
}

fn any_trial() -> impl Strategy<Value = Trial> {
    let config = prop::collection::btree_map("[A-Za-z_][A-Za-z0-9_]{0,6}", any_value(), 0..4);
    (config, any_seconds()).prop_map(|(config, seconds)| Trial { config, seconds, place: Place::default() })
}

fn any_entry() -> impl Strategy<Value = Entry> {
    let numbers = (any::<u128>(), 0..=i64::MAX as u64, 0..=i64::MAX as u64, any_seconds());
    let trials = prop::collection::vec(any_trial(), 0..4);
    (any_trial(), any_seconds(), any_seconds(), any::<bool>(), numbers, trials).prop_map(
        |(winner, a, b, reference, (hash, evaluations, space_size, seconds), mut trials)| {
            trials.dedup_by(|a, b| a.config == b.config);
            trials.sort_by(|a, b| a.config.len().cmp(&b.config.len()));
            trials.dedup_by(|a, b| a.config.len() == b.config.len());
            Entry {
                hashes: Hashes { source: Hash(hash), ..entry().hashes },
                winner,
                interval: [a.min(b), a.max(b)],
                verified: if reference { Verified::Reference } else { Verified::Consensus },
                budget: Budget { evaluations, seconds },
                evaluations,
                space_size,
                trials,
                source: (!reference).then(|| "runtime".to_string()),
                ..entry()
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_back(
        entries in prop::collection::btree_map(("[a-z][a-z0-9_]{0,5}", "[a-z]=[0-9]{1,3}"), any_entry(), 0..4),
    ) {
        let mut lock = Lock { devices: BTreeMap::from([(DEVICE.to_string(), facts())]), ..Lock::default() };
        for ((key, problem), entry) in entries {
            with(&mut lock, &key, &problem, entry);
        }
        let text = to_text(&lock).unwrap();
        let back = read(&text).unwrap();
        prop_assert_eq!(&back, &lock);
        prop_assert_eq!(to_text(&back).unwrap(), text);
    }

    #[test]
    fn no_damage_makes_the_reader_panic(at in 0..SAMPLE.len(), with in any::<char>()) {
        let mut text: String = SAMPLE[..at].to_string();
        text.push(with);
        text.push_str(&SAMPLE[at + 1..]);
        if let Err(error) = read(&text) {
            prop_assert!(error.place.line > 0);
        }
    }
}

//! A package, what a program learned of it, and the lock that comes of it.

pub(crate) mod house;

use super::*;
use bico::learned_files::{ArmRecord, Memory, Name, Record};
use bico_build::lock::{Entry, Lock, RULES, Verified};
use bico_build::tuner::faults::faults;
use bico_build::tuner::store::Store;
use bico_core::StoredValue as Value;
use bico_core::device::{CpuFacts, CudaFacts};
use house::{House, SOURCE, arm, cpu, record, tile};
use std::time::SystemTime;

fn outcomes(adopted: &Adopted) -> Vec<(String, Outcome)> {
    let rows = adopted.rows.iter();
    rows.map(|row| (row.problem.clone(), row.outcome.clone()))
        .collect()
}

fn only(adopted: &Adopted) -> &Outcome {
    assert_eq!(adopted.rows.len(), 1, "{adopted}");
    &adopted.rows[0].outcome
}

const LOCK: &str = r#"{
  "devices": {
    "AMD EPYC (AuthenticAMD family 26 model 2, x86-64-v4)": {
      "brand": "AMD EPYC",
      "cores": 8,
      "family": 26,
      "features": ["avx2", "fma"],
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
    "scale": {
      "AMD EPYC (AuthenticAMD family 26 model 2, x86-64-v4)": {
        "alpha=1.0, n=64": {
          "budget": {"evaluations": 3, "seconds": 0.005643},
          "evaluations": 3,
          "hashes": {
            "flags": "FLAGS",
            "launch": "LAUNCH",
            "source": "SOURCE",
            "space": "SPACE",
            "verify": "VERIFY"
          },
          "source": "runtime",
          "space_size": 4,
          "strategy": "bandit",
          "toolchain": "unknown",
          "trials": [
            {"config": {"TILE": 4}, "seconds": 0.0001234},
            {"config": {"TILE": 8}, "seconds": 0.0002}
          ],
          "verified": "no",
          "winner": {"config": {"TILE": 4}, "interval_seconds": [0.0001224, 0.0001245], "seconds": 0.0001234, "timed": "geometric mean of a program's calls, 95 %"}
        }
      }
    }
  },
  "version": 1
}
"#;

#[test]
fn a_settled_result_of_a_declared_problem_becomes_an_entry() {
    let house = House::new();
    let arms = [
        tile(4, 26, 1.234_49e-4),
        tile(8, 8, 2e-4),
        tile(1, 1, 8.33e-4),
    ];
    house.learn("scale", "", &[record(64, Some(0), &arms)]);
    let adopted = house.adopt();
    assert!(adopted.written);
    let device = house.facts.key().to_string();
    let head = format!(
        "tunable  problem          {:1$}  config  time",
        "device",
        device.len()
    );
    let shown = format!(
        "{head}                       calls  in bico.lock\n\
         scale    alpha=1.0, n=64  {device}  TILE=4  123 µs (122 µs to 124 µs)  26     \
         new; never verified, see `cargo bico check --winners`\n"
    );
    assert_eq!(adopted.to_string(), shown);

    let text = std::fs::read_to_string(&adopted.lock).unwrap();
    let hashes = house.plans()[0].hashes.clone();
    let expected = [
        ("FLAGS", hashes.flags),
        ("LAUNCH", hashes.launch),
        ("SOURCE", hashes.source),
        ("SPACE", hashes.space),
        ("VERIFY", hashes.verify),
    ]
    .into_iter()
    .fold(LOCK.to_string(), |text, (name, hash)| {
        text.replace(name, &hash.to_string())
    });
    assert_eq!(text, expected);

    // A build takes it: it is fresh, and nothing in it is outside of the space.
    let store = Store::open(&house.env(), SystemTime::now()).unwrap();
    let plan = &house.plans()[0];
    assert!(
        faults(plan, &store.committed, Path::new("bico.lock"))
            .unwrap()
            .is_empty()
    );
    let entry = store.entry("scale", &house.facts.key(), "alpha=1.0, n=64");
    assert!(entry.unwrap().hashes.changed(&plan.hashes).is_empty());

    // Once more changes nothing.
    let again = house.adopt();
    assert_eq!((only(&again), again.written), (&Outcome::Known, false));
    assert_eq!(std::fs::read_to_string(&again.lock).unwrap(), text);
    assert!(again.to_string().ends_with("  the same\n"), "{again}");
}

#[test]
fn a_later_result_replaces_an_earlier_one() {
    let house = House::new();
    house.learn("scale", "", &[record(64, Some(0), &[tile(4, 26, 1e-4)])]);
    house.adopt();
    house.learn("scale", "", &[record(64, Some(0), &[tile(2, 260, 5e-5)])]);
    let adopted = house.adopt();
    assert!(
        matches!(only(&adopted), Outcome::Replaced(what) if what.ends_with("before: TILE=4, 100 µs (99.2 µs to 101 µs), learned before")),
        "{adopted}"
    );
    let entry = house.entry("alpha=1.0, n=64");
    assert_eq!(entry.winner.config["TILE"], lock::Value::Int(2));
    // What was known of the other arm stays.
    assert_eq!(entry.evaluations, 2);
}

#[test]
fn what_was_tuned_is_replaced_only_when_asked() {
    let house = House::new();
    house.tuned(&house.facts, "alpha=1.0, n=64", 8, Verified::Reference);
    let before = std::fs::read(house.folder.path().join("bico.lock")).unwrap();
    let arms = [tile(4, 26, 1e-4), tile(8, 5, 2e-4)];
    house.learn("scale", "", &[record(64, Some(0), &arms)]);
    let adopted = house.adopt();
    let tuned = Outcome::Tuned("TILE=8, 1.00 ms (1.00 ms to 1.00 ms), from tuning".to_string());
    assert_eq!((only(&adopted), adopted.written), (&tuned, false));
    assert_eq!(std::fs::read(&adopted.lock).unwrap(), before);
    let adopted = house.adopt_with(&Asked {
        replace: true,
        ..house.asked()
    });
    assert!(matches!(only(&adopted), Outcome::Replaced(what) if what.ends_with("from tuning")));
    let entry = house.entry("alpha=1.0, n=64");
    assert_eq!(entry.source.as_deref(), Some("runtime"));
}

#[test]
fn verified_is_what_a_build_verified() {
    // The winner was measured and right on another CPU, at other sizes, or nowhere.
    let other = cpu(4);
    let Facts::Cpu(mut other) = other else {
        unreachable!()
    };
    other.model = 3;
    let other = Facts::Cpu(other);
    for (problem, config, verified, expected) in [
        (
            "alpha=1.0, n=64",
            4,
            Verified::Reference,
            Verified::Reference,
        ),
        (
            "alpha=1.0, n=100",
            4,
            Verified::Consensus,
            Verified::Consensus,
        ),
        ("alpha=1.0, n=64", 8, Verified::Reference, Verified::Nothing),
        ("alpha=1.0, n=64", 4, Verified::Nothing, Verified::Nothing),
    ] {
        let house = House::new();
        house.tuned(&other, problem, config, verified);
        house.learn("scale", "", &[record(64, Some(0), &[tile(4, 26, 1e-4)])]);
        let adopted = house.adopt();
        assert!(matches!(only(&adopted), Outcome::Adopted(_)), "{adopted}");
        let entry = house.entry("alpha=1.0, n=64");
        assert_eq!(entry.verified, expected);
        // By the rules by which it was.
        assert_eq!(entry.rules == RULES, expected != Verified::Nothing);
        // The other device's entry is as it was.
        let lock = house.lock().unwrap();
        assert_eq!(lock.kernels["scale"].len(), 2);
        assert_eq!(lock.devices[&other.key()], other);
    }
    // Another reference: nobody knows whether the config agrees with it.
    let house = House::new();
    house.tuned(&other, "alpha=1.0, n=64", 4, Verified::Reference);
    house.write("src/lib.rs", &SOURCE.replace("1e-3", "1e-4"));
    house.learn("scale", "", &[record(64, Some(0), &[tile(4, 26, 1e-4)])]);
    house.adopt();
    assert_eq!(house.entry("alpha=1.0, n=64").verified, Verified::Nothing);
}

#[test]
fn what_is_not_adopted_is_said() {
    let house = House::new();
    let one = [tile(4, 26, 1e-4)];
    let records = [
        record(100, None, &one),
        record(1000, Some(0), &one),
        record(64, Some(0), &[tile(2, 1, 1e-4)]),
    ];
    house.learn("scale", "", &records);
    let mut act = record(16, Some(0), &[arm("A", Value::Int(1), 9, 1e-5)]);
    act.consts = vec![("ACT".to_string(), Value::Str("silu".to_string()))];
    house.learn("act", "", &[act.clone()]);
    act.consts[0].0 = "OTHER".to_string();
    house.learn("act", "", &[act]);
    let adopted = house.adopt();
    let expected = [
        (
            "n=16, ACT=\"silu\"",
            Outcome::Undeclared("problem(n = 16, const ACT = \"silu\")".to_string()),
        ),
        (
            "n=16, OTHER=\"silu\"",
            Outcome::Refused("its sizes and constants are not those of the tunable".to_string()),
        ),
        (
            "alpha=1.0, n=64",
            Outcome::Refused("TILE=2 won, and was timed only once".to_string()),
        ),
        ("alpha=1.0, n=100", Outcome::Exploring(1)),
        (
            "n=1000",
            Outcome::Undeclared("problem(alpha = 1.0, n = 1000)".to_string()),
        ),
    ];
    let mut expected: Vec<_> = expected.map(|(p, o)| (p.to_string(), o)).into();
    let mut found = outcomes(&adopted);
    expected.sort();
    found.sort();
    assert_eq!(found, expected);
    assert!(!adopted.written && house.lock().is_none());
    // Of one tunable only, and of none that is not there.
    let only = |key: &str| Asked {
        only: vec![key.to_string()],
        ..house.asked()
    };
    assert_eq!(house.adopt_with(&only("act")).rows.len(), 2);
    let error = adopt(house.folder.path(), &Features::All, &only("gemm")).unwrap_err();
    assert!(error.to_string().contains("no tunable `gemm`"), "{error}");
}

#[test]
fn a_config_outside_of_the_space_is_refused() {
    for (bad, says) in [
        (tile(3, 9, 1e-4), "TILE=3 is not in the space: "),
        // Valid on a machine with more cores.
        (tile(16, 9, 1e-4), "TILE=16 is not in the space: "),
        (
            arm("TILE", Value::Str("a\\\"b".to_string()), 9, 1e-4),
            "is not in the space: ",
        ),
        (
            arm("SIZE", Value::Int(4), 9, 1e-4),
            "SIZE=4 is not in the space: its parameters are not those of the tunable",
        ),
    ] {
        for arms in [vec![bad.clone()], vec![tile(4, 26, 1e-5), bad]] {
            let house = House::new();
            house.learn("scale", "", &[record(64, Some(0), &arms)]);
            let adopted = house.adopt();
            let Outcome::Refused(why) = only(&adopted) else {
                panic!("{adopted}");
            };
            assert!(why.contains(says), "{why}");
            assert!(!adopted.written && house.lock().is_none());
        }
    }
    // What a lock cannot hold.
    let house = House::new();
    let mut long = tile(4, 26, 1e300);
    (long.mean, long.variance) = (200.0, 80_000.0);
    house.learn("scale", "", &[record(64, Some(0), &[long])]);
    let adopted = house.adopt();
    assert!(matches!(only(&adopted), Outcome::Refused(why) if why.contains("cannot hold it")));
    assert!(!adopted.written);
}

#[test]
fn another_kernel_or_device_of_the_name_is_not_taken() {
    let mut house = House::new();
    let good = [record(64, Some(0), &[tile(4, 26, 1e-4)])];
    house.learn("scale", "", &good);
    house.write("k.c", "void scale(float *y, float alpha, unsigned n) { }");
    assert_eq!(only(&house.adopt()), &Outcome::Changed);

    let house_of = |change: &dyn Fn(&str) -> String| {
        let house = House::new();
        house.learn("scale", "", &good);
        let learned = house.folder.path().join("cache").join(LEARNED);
        let path = files(&learned).remove(0).path;
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, change(&text)).unwrap();
        house
    };
    for (from, to, says) in [
        ("\"model\": 2", "\"model\": 3", "has facts of AMD EPYC"),
        ("\"cores\": 8", "\"cores\": -8", "`cores`"),
        (
            "\"kind\": \"cpu\"",
            "\"kind\": \"cpu\", \"l1i\": 3",
            "`l1i`",
        ),
    ] {
        let house = house_of(&|text| text.replace(from, to));
        let adopted = house.adopt();
        assert!(
            matches!(only(&adopted), Outcome::Refused(why) if why.contains(says)),
            "{adopted}"
        );
        assert!(!adopted.written);
    }

    let hash = house.plans()[0].hashes.kernel().to_string();
    std::fs::remove_dir_all(house.folder.path().join("cache")).unwrap();
    house.facts = Facts::Cuda(CudaFacts::typical("a GPU", "", 90));
    house.learn_as("scale", &hash, "570.1", &good);
    let adopted = house.adopt();
    let why = Outcome::Refused("its kernel cannot run on a GPU (sm_90)".to_string());
    assert_eq!(only(&adopted), &why);
}

#[test]
fn of_two_drivers_the_newer_one_counts() {
    let house = House::new();
    for (driver, config) in [("570.124", 4), ("570.86", 8)] {
        let arms = [tile(config, 26, 1e-4)];
        house.learn("scale", driver, &[record(64, Some(0), &arms)]);
    }
    let adopted = house.adopt();
    let outcomes = outcomes(&adopted);
    assert_eq!(outcomes.len(), 2);
    assert!(
        outcomes
            .iter()
            .any(|(_, outcome)| *outcome == Outcome::Older)
    );
    let winner = house.entry("alpha=1.0, n=64").winner;
    assert_eq!(winner.config["TILE"], lock::Value::Int(4));
}

#[test]
fn without_a_cache_or_with_a_faulty_lock_there_is_an_error() {
    let house = House::new();
    let adopted = house.adopt();
    assert!(adopted.to_string().is_empty() && !adopted.written);
    house.learn("scale", "", &[record(64, Some(0), &[tile(4, 26, 1e-4)])]);
    house.write("bico.lock", "{\n");
    let error = adopt(house.folder.path(), &Features::All, &house.asked()).unwrap_err();
    assert!(
        error.to_string().contains("the lock ends in the middle"),
        "{error}"
    );
}

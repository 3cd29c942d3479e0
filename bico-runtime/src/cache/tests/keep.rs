//! What is kept comes back; what it no longer holds for does not.

use super::*;
use proptest::prelude::*;

#[test]
fn the_next_process_knows_what_this_one_learned() {
    let folder = tempfile::tempdir().unwrap();
    for device in [cpu(), gpu()] {
        let (memory, nothing) = open(folder.path(), &on(device));
        assert_eq!(nothing, []);
        let arms = [arm(32, 40, -9.0, 0.01), arm(64, 3, -8.5, 0.02)];
        let small = record(6, Some(0), &arms);
        let large = record(10, None, &[arm(64, 2, -11.0, 0.0)]);
        assert!(memory.save(&large) && memory.save(&small));
        let (_, records) = open(folder.path(), &on(device));
        assert_eq!(records, [small, large]);
    }
}

#[test]
fn a_file_is_made_to_be_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    let (memory, _) = open(folder.path(), &on(gpu()));
    let mut given = record(10, Some(0), &[arm(64, 2, -11.5, 0.25)]);
    given.arms[0].seconds = 0.0103;
    given.arms[0]
        .config
        .push(("FAST".to_string(), Value::Bool(true)));
    given
        .consts
        .push(("ACT".to_string(), Value::Str("silu".to_string())));
    assert!(memory.save(&given));
    let path = only_file(folder.path());
    let name = path.file_name().unwrap().to_str().unwrap();
    assert!(name.starts_with("gemm-a-GPU-sm_90-"), "{name}");
    let text = std::fs::read_to_string(path).unwrap();
    let (facts, rest) = text.split_once("\n  \"records\"").unwrap();
    assert!(facts.starts_with("{\n  \"facts\": {\n    \"architecture\": "));
    let expected = "\n  \"records\": [
    {
      \"arms\": [
        {
          \"config\": {
            \"FAST\": true,
            \"TILE\": 64
          },
          \"mean\": -11.5,
          \"pulls\": 2,
          \"seconds\": 0.0103,
          \"variance\": 0.25
        }
      ],
      \"bucket\": [
        10
      ],
      \"consts\": {
        \"ACT\": \"silu\"
      },
      \"settled\": 0,
      \"sizes\": {
        \"n\": 1024
      }
    }
  ],
  \"subject\": {
    \"device\": \"a GPU (sm_90)\",
    \"driver\": \"12080\",
    \"hash\": \"0123456789abcdef0123456789abcdef\",
    \"tunable\": \"gemm\"
  },
  \"version\": 1
}
";
    assert_eq!(format!("\n  \"records\"{rest}"), expected);
}

#[test]
fn an_upgraded_driver_or_kernel_starts_anew_and_the_old_file_stays() {
    let folder = tempfile::tempdir().unwrap();
    let old = on(gpu());
    let known = record(10, Some(0), &[arm(32, 40, -9.0, 0.01)]);
    assert!(open(folder.path(), &old).0.save(&known));
    let mut upgrades = [old.clone(), old.clone(), old.clone()];
    upgrades[0].0.driver = "13000".to_string();
    upgrades[1].0.hash = "f".repeat(32);
    upgrades[2].0.tunable = "gemv".to_string();
    for (index, new) in upgrades.iter().enumerate() {
        let (memory, records) = open(folder.path(), new);
        assert_eq!(records, [], "{new:?}");
        let learned = record(10, None, &[arm(64, index as u64 + 1, -8.0, 0.0)]);
        assert!(memory.save(&learned));
        assert_eq!(open(folder.path(), new).1, [learned]);
    }
    assert_eq!(open(folder.path(), &old).1, [known]);
}

#[test]
fn what_is_no_number_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let (memory, _) = open(folder.path(), &on(cpu()));
    let good = arm(8, 5, -9.0, 0.01);
    let mut bad = vec![
        arm(1, 0, 0.0, 0.0),
        arm(2, 5, f64::NAN, 0.0),
        arm(3, 5, -9.0, f64::NAN),
        arm(4, 5, -9.0, -1.0),
        arm(5, 5, f64::INFINITY, 0.0),
    ];
    bad.push(ArmRecord {
        seconds: f64::NAN,
        ..arm(6, 5, -9.0, 0.0)
    });
    bad.push(ArmRecord {
        config: vec![("TILE".to_string(), Value::Float(f64::INFINITY))],
        ..good.clone()
    });
    let nothing = record(3, Some(1), &bad);
    assert!(memory.save(&nothing));
    assert_eq!(open(folder.path(), &on(cpu())).1, []);
    bad.push(good.clone());
    let settled_on = |arm| record(3, Some(arm), &bad);
    assert!(memory.save(&settled_on(7)));
    let kept = record(3, Some(0), std::slice::from_ref(&good));
    assert_eq!(open(folder.path(), &on(cpu())).1, [kept]);
    // A claim for an arm without a time is none.
    assert!(memory.save(&settled_on(0)));
    let kept = record(3, None, &[good]);
    assert_eq!(open(folder.path(), &on(cpu())).1, [kept]);
}

#[test]
fn temporary_files_of_killed_processes_go_after_a_day() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str| std::fs::write(folder.path().join(name), "{").unwrap();
    let names = [".a.json.1-0-5.tmp", "a.json", ".a.json.lock", "mine.tmp"];
    names.iter().for_each(|name| write(name));
    let left = || {
        let entries = std::fs::read_dir(folder.path()).unwrap();
        entries.count()
    };
    let now = std::time::SystemTime::now();
    let hours = |hours: u64| std::time::Duration::from_secs(3600 * hours);
    crate::cache::file::clean(folder.path(), now + hours(23));
    assert_eq!(left(), 4);
    crate::cache::file::clean(folder.path(), now + hours(25));
    assert_eq!(left(), 3);
    assert!(!folder.path().join(names[0]).exists());
}

#[test]
fn a_file_does_not_grow_for_ever() {
    let folder = tempfile::tempdir().unwrap();
    let (memory, _) = open(folder.path(), &on(cpu()));
    let most = crate::cache::file::MOST_RECORDS as i64;
    let many: Vec<Record> = (0..most)
        .map(|bucket| {
            record(
                bucket,
                None,
                &[arm(1, 10 + (bucket + 7) as u64 % most as u64, -9.0, 0.0)],
            )
        })
        .collect();
    let (name, _) = on(cpu());
    let path = name.path(folder.path());
    let text = crate::cache::json::text(&name, &bico_core::json::ToJson::to_json(cpu()), &many);
    std::fs::write(path, text).unwrap();
    let new = record(most, None, &[arm(1, 1, -9.0, 0.0)]);
    assert!(memory.save(&new));
    let (_, kept) = open(folder.path(), &on(cpu()));
    assert_eq!(kept.len() as i64, most);
    let fewest = most as usize - 7;
    // The one of the fewest calls went, though the new one has fewer.
    assert!(kept.contains(&new) && !kept.contains(&many[fewest]));
    assert_eq!(many[fewest].arms[0].pulls, 10);
}

fn values() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<i64>().prop_map(Value::Int),
        any::<f64>()
            .prop_filter("finite", |value| value.is_finite())
            .prop_map(Value::Float),
        any::<bool>().prop_map(Value::Bool),
        "[ -~äß]{0,12}".prop_map(Value::Str),
    ]
}

fn records() -> impl Strategy<Value = Record> {
    let arms = prop::collection::vec(
        (
            values(),
            1_u64..1 << 50,
            -299.0..299.0,
            0.0..1e4,
            1e-300..1e300,
        ),
        1..9,
    );
    let sizes = prop::collection::vec(any::<i64>(), 0..4);
    let consts = prop::collection::vec(values(), 0..3);
    let settled = prop::option::of(any::<prop::sample::Index>());
    (arms, sizes, consts, settled).prop_map(|(arms, sizes, consts, settled)| {
        let named = |name: &str, index: usize| format!("{name}{index}");
        let mut arms: Vec<ArmRecord> = arms
            .into_iter()
            .enumerate()
            .map(
                |(index, (value, pulls, mean, variance, seconds))| ArmRecord {
                    config: vec![
                        ("A".to_string(), Value::Int(index as i64)),
                        ("B".to_string(), value),
                    ],
                    pulls,
                    mean,
                    variance,
                    seconds,
                },
            )
            .collect();
        arms.sort_by(|a, b| a.mean.total_cmp(&b.mean));
        Record {
            bucket: sizes
                .iter()
                .map(|size: &i64| size.unsigned_abs().max(1).ilog2().into())
                .collect(),
            consts: (0..).map(|i| named("C", i)).zip(consts).collect(),
            sizes: (0..).map(|i| named("n", i)).zip(sizes).collect(),
            settled: settled.map(|settled| settled.index(arms.len())),
            arms,
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_record_comes_back_to_the_last_digit(given in records()) {
        let folder = tempfile::tempdir().unwrap();
        let (memory, _) = open(folder.path(), &on(cpu()));
        prop_assert!(memory.save(&given));
        let bytes = std::fs::read(only_file(folder.path())).unwrap();
        let (memory, records) = open(folder.path(), &on(cpu()));
        prop_assert_eq!(&records, std::slice::from_ref(&given));
        // A process that learned nothing changes nothing.
        prop_assert!(memory.save(&records[0]));
        prop_assert_eq!(std::fs::read(only_file(folder.path())).unwrap(), bytes);
    }
}

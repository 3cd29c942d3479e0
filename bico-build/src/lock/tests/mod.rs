//! The lock as a whole: its bytes, and what may become of it.

mod committed;
mod devices;
mod faults;
mod files;
#[cfg(feature = "tune")]
mod imported;
mod random;

use super::*;
use crate::compile::Hash;
use bico_core::Map;
use bico_core::device::{CpuFacts, Facts};
use std::path::Path;

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
          "first": {"config": {"ISA": "x86-64-v2", "TILE_M": 4}, "seconds": 0.0025},
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
    let config = [
        ("TILE_M".to_string(), Value::Int(tile)),
        ("ISA".to_string(), Value::Str(isa.to_string())),
    ];
    Trial {
        config: config.into_iter().collect(),
        seconds,
        place: Place::default(),
    }
}

fn entry() -> Entry {
    Entry {
        hashes: Hashes {
            source: Hash(1),
            headers: Map::default(),
            space: Hash(2),
            launch: Hash(3),
            verify: Hash(4),
            flags: Hash(5),
        },
        winner: trial(8, "x86-64-v3", 0.00123401),
        timed: None,
        tested: None,
        ratio: None,
        interval: [0.0012261, 0.00125],
        verified: Verified::Reference,
        rules: 1,
        strategy: "guided".into(),
        budget: Budget {
            evaluations: 64,
            seconds: 60.0,
        },
        evaluations: 48,
        space_size: 1234,
        toolchain: "cc (Debian 12.2.0-14+deb12u1) 12.2.0".into(),
        trials: vec![
            trial(8, "x86-64-v3", 0.001234),
            trial(4, "x86-64-v2", 1.23456e-7),
        ],
        first: Some(trial(4, "x86-64-v2", 0.0025)),
        ranked: None,
        resources: None,
        source: None,
    }
}

fn with(lock: &mut Lock, key: &str, problem: &str, entry: Entry) {
    lock.devices.insert(DEVICE.to_string().into(), facts());
    let kernel = lock.kernels.or_default(key.into());
    let problems = kernel.or_default(DEVICE.to_string().into());
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
    assert_eq!(
        read(&SAMPLE.replace('\n', "\r\n")).unwrap(),
        read(SAMPLE).unwrap()
    );
}

#[test]
fn configs_know_their_lines() {
    let lock = read(SAMPLE).unwrap();
    let entry = &lock.kernels["gemm"][DEVICE]["k=4096, m=1024"];
    let lines: Vec<usize> = entry.trials.iter().map(|trial| trial.place.line).collect();
    assert_eq!(lines, [36, 37]);
    assert_eq!(entry.winner.place.line, 40);
    let error = Error::at(
        Path::new("bico.lock"),
        entry.trials[1].place,
        "gemm: TILE_M = 24 is not in the space",
    )
    .help("run `cargo bico tune`");
    let shown = "error: gemm: TILE_M = 24 is not in the space\n  --> bico.lock:37:24\n  = help: run `cargo bico tune`";
    assert_eq!(error.to_string(), shown);
}

#[test]
fn what_no_reader_takes_is_not_written() {
    let refused = |change: &dyn Fn(&mut Lock)| {
        let mut lock = sample();
        change(&mut lock);
        to_text(&lock).unwrap_err()
    };
    fn first(lock: &mut Lock) -> &mut Entry {
        lock.kernels
            .get_mut("gemm")
            .unwrap()
            .get_mut(DEVICE)
            .unwrap()
            .iter_mut()
            .next()
            .unwrap()
            .1
    }
    let message = refused(&|lock| first(lock).winner = trial(1, "a\"b", 1.0));
    assert_eq!(
        message,
        "gemm: \"a\\\"b\" holds the character `\"`, which bico.lock does not take"
    );
    assert_eq!(
        refused(&|lock| first(lock).winner.seconds = f64::NAN),
        "gemm: a time of NaN seconds"
    );
    assert_eq!(
        refused(&|lock| first(lock).evaluations = u64::MAX),
        "gemm: 18446744073709551615 is too large"
    );
    assert!(
        refused(&|lock| lock.devices = Map::default())
            .starts_with("gemm: there are no facts of the device")
    );
    assert!(refused(&|lock| with(lock, "a/b", "n=1", entry())).contains("`a/b` cannot be the key"));
}

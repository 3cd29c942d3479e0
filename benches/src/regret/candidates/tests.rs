use super::{candidates, nearest_first};
use bico_core::Value;
use cargo_bico::replay::{Entry, GpuFacts, Record, Recording, Status, Table};
use std::path::Path;

/// A space of one parameter with a time (or none) for each config.
fn named(name: &str, times: &[Option<f64>], facts: GpuFacts) -> Recording {
    let rows = times.iter().zip(0..).map(|(time, at)| Entry {
        config: vec![at],
        record: Record {
            time: *time,
            status: match time {
                Some(_) => Status::Ok,
                None => Status::Failed("RuntimeFailedConfig".into()),
            },
            ..Record::default()
        },
    });
    let values = (0..times.len() as i64).map(Value::Int).collect();
    let table = Table {
        name: name.into(),
        kernel: "k".into(),
        facts,
        parameters: vec![("A".into(), values)],
        rows: rows.collect(),
        ..Table::default()
    };
    Recording::new(Path::new("k.csv"), table).unwrap()
}

fn gpu(vendor: &str, capability: Option<i64>, arch: &str) -> GpuFacts {
    GpuFacts {
        vendor: Some(vendor.into()),
        arch: Some(arch.into()),
        compute_capability: capability,
        ..GpuFacts::default()
    }
}

fn with_bandwidth(bandwidth: f64) -> GpuFacts {
    GpuFacts {
        mem_bw_gb_s: Some(bandwidth),
        sm_or_cu_count: Some(40),
        ..gpu("NVIDIA", Some(80), "Ampere")
    }
}

#[test]
fn the_nearest_device_comes_first() {
    let time = [Some(1.0)];
    let here = named("k__HERE", &time, with_bandwidth(1000.0));
    let others = [
        named("k__AMD", &time, gpu("AMD", None, "CDNA2")),
        named("k__TURING", &time, gpu("NVIDIA", Some(75), "Turing")),
        named("k__OTHER_AMPERE", &time, gpu("NVIDIA", Some(86), "Ampere")),
        named("k__FASTER", &time, with_bandwidth(3000.0)),
        named("k__ALIKE", &time, with_bandwidth(1100.0)),
    ];
    let others: Vec<_> = others.iter().collect();
    let order: Vec<&str> = nearest_first(&here, &others)
        .iter()
        .map(|other| other.name.as_str())
        .collect();
    let expected = [
        "k__ALIKE",
        "k__FASTER",
        "k__OTHER_AMPERE",
        "k__TURING",
        "k__AMD",
    ];
    assert_eq!(order, expected);
}

#[test]
fn candidates_come_from_the_others_alone() {
    let here = named(
        "k__A",
        &[Some(9.0), Some(9.0), Some(9.0), Some(9.0), None, Some(0.1)],
        gpu("NVIDIA", Some(80), "Ampere"),
    );
    // Config 0 failed here, so that 1 is the first; 3 wins, and 2 serves the other one best.
    let near = named(
        "k__B",
        &[None, Some(9.0), Some(1.1), Some(1.0), Some(5.0), Some(8.0)],
        GpuFacts::default(),
    );
    let far = named(
        "k__C",
        &[
            Some(9.0),
            Some(9.0),
            Some(1.05),
            Some(3.0),
            Some(1.0),
            Some(8.0),
        ],
        GpuFacts::default(),
    );
    assert_eq!(candidates(&here, &[&near, &far], 3), [3, 4, 2, 1]);
    // What nobody kept is no candidate, however fast it is here; and what fails here may be one.
    assert_eq!(candidates(&here, &[&far], 1), [4, 0]);
    assert_eq!(candidates(&here, &[], 12), [0u64; 0]);
}

//! Out of a trail into every format, and back.

use super::Winner;
use super::{cuh, header, trail};
use crate::replay::format::{self, Written};
use crate::replay::{Entry, Record, Status, Table};
use bico_core::Value;
use bico_core::device::Dims;
use proptest::prelude::*;
use std::path::PathBuf;
use tempfile::TempDir;

/// What a search can say of a failed config.
const FAILURES: [&str; 8] = [
    "compile",
    "crash",
    "timeout",
    "wrong",
    "out_of_bounds",
    "unwritten",
    "unlaunchable",
    "worker",
];

/// A list of values of one kind, each another one.
fn domain() -> impl Strategy<Value = Vec<Value>> {
    let ints = proptest::collection::btree_set(-5_000_000_000i64..5_000_000_000, 1..5)
        .prop_map(|all| all.into_iter().map(Value::Int).collect::<Vec<_>>());
    let floats = proptest::collection::btree_set(-4000i64..4000, 1..5).prop_map(|all| {
        all.into_iter()
            .map(|of| Value::Float(of as f64 / 8.0 + 0.0625))
            .collect()
    });
    let bools = Just(vec![Value::Bool(false), Value::Bool(true)]);
    // Some look like numbers, or have what CSV must quote.
    let texts = ["float", "12", "a,b", "say \"x\"", "true", "unsigned int"];
    let texts = proptest::sample::subsequence(texts.to_vec(), 1..5)
        .prop_map(|all| all.into_iter().map(Value::Str).collect());
    prop_oneof![ints, floats, bools, texts]
}

fn table() -> impl Strategy<Value = Table> {
    let outcome = prop_oneof![
        (1e-9..1e3f64).prop_map(Ok),
        proptest::sample::select(FAILURES.to_vec()).prop_map(Err)
    ];
    let rows = proptest::collection::vec((any::<[u8; 4]>(), outcome), 1..12);
    (proptest::collection::vec(domain(), 1..4), rows).prop_map(|(domains, rows)| {
        let named = domains.into_iter().zip(["A", "BLOCK_X", "T_", "d"]);
        let mut table = Table {
            kernel: "f32::gemm".to_string(),
            device: "NVIDIA H200 (sm_90)".to_string(),
            problem: "k=3, n=8".to_string(),
            parameters: named
                .map(|(values, name)| (name.to_string(), values))
                .collect(),
            ..Table::default()
        };
        for (chosen, outcome) in rows {
            let places = table.parameters.iter().zip(chosen);
            let config: Vec<u32> = places
                .map(|((_, values), chosen)| u32::from(chosen) % values.len() as u32)
                .collect();
            if table.rows.iter().any(|row| row.config == config) {
                continue;
            }
            let record = Record {
                time: outcome.ok(),
                status: outcome.map_or_else(|why| Status::Failed(why.into()), |_| Status::Ok),
                compiling: Some(0.25),
                measuring: Some(0.5),
                ..Record::default()
            };
            table.rows.push(Entry { config, record });
        }
        table
    })
}

/// The table as a reader finds it in a file of this format.
fn read_back(table: &Table, written: Written) -> Table {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("x.txt");
    let name = match written {
        Written::Csv => "x.csv",
        _ => "x.json",
    };
    let path = path.with_file_name(name);
    std::fs::write(&path, format::written(table, written, "a name").unwrap()).unwrap();
    if written == Written::Csv {
        let beside = path.with_extension("json");
        std::fs::write(beside, format::sidecar(table).unwrap()).unwrap();
    }
    format::read(&path).unwrap()
}

/// A config by name, and what came of it.
type Row = (Vec<(String, Value)>, Option<f64>, Status);

fn rows(table: &Table) -> Vec<Row> {
    let names = || table.parameters.iter().map(|(name, _)| name.clone());
    let row = |row: &Entry| {
        let config = names().zip(table.values(row)).collect();
        (config, row.record.time, row.record.status.clone())
    };
    table.rows.iter().map(row).collect()
}

proptest! {
    #[test]
    fn what_is_exported_is_imported(table in table()) {
        for written in [Written::Csv, Written::KernelTuner, Written::T4] {
            let back = read_back(&table, written);
            prop_assert_eq!(&back.kernel, &table.kernel);
            prop_assert_eq!(&back.device, &table.device);
            prop_assert_eq!(&back.problem, &table.problem);
            let (ours, theirs) = (rows(&table), rows(&back));
            prop_assert_eq!(ours.len(), theirs.len());
            for (own, read) in ours.iter().zip(&theirs) {
                // To Kernel Tuner `true` is 1.
                let one = |(name, value): &(String, Value)| (name.clone(), match *value {
                    Value::Bool(value) if written == Written::KernelTuner => Value::Int(value.into()),
                    other => other,
                });
                let config: Vec<(String, Value)> = own.0.iter().map(one).collect();
                prop_assert_eq!(&config, &read.0);
                prop_assert_eq!(&own.2, &read.2);
                // Milliseconds in the file: the last digit of a double may turn.
                let near = |(a, b): (f64, f64)| (a - b).abs() <= 1e-15 * a;
                prop_assert!(own.1.is_some() == read.1.is_some());
                prop_assert!(own.1.zip(read.1).is_none_or(near), "{own:?} {read:?}");
            }
        }
    }
}

#[test]
fn kernel_tuner_finds_a_file_that_was_closed() {
    let table = Table {
        kernel: "k".to_string(),
        parameters: vec![
            ("A".to_string(), vec![Value::Int(4), Value::Int(8)]),
            ("F".to_string(), vec![Value::Float(1e-7)]),
            ("T".to_string(), vec![Value::Bool(true)]),
        ],
        rows: vec![
            Entry {
                config: vec![0, 0, 0],
                record: Record {
                    time: Some(0.25),
                    status: Status::Ok,
                    ..Record::default()
                },
            },
            Entry {
                config: vec![1, 0, 0],
                record: Record {
                    status: Status::Failed("unlaunchable".to_string()),
                    ..Record::default()
                },
            },
        ],
        ..Table::default()
    };
    let text = format::written(&table, Written::KernelTuner, "NVIDIA X").unwrap();
    // What it appends to is the file without the last three characters.
    assert!(text.ends_with("}}\n}"), "{text}");
    assert!(text.contains("\"device_name\": \"NVIDIA X\""), "{text}");
    assert!(
        text.contains("\n\"4,1e-07,1\": {\"A\":4,\"F\":1e-7,\"T\":1,\"time\":250.0}"),
        "{text}"
    );
    assert!(
        text.contains("\"__error__\":\"InvalidConfig\",\"bico_failure\":\"unlaunchable\""),
        "{text}"
    );
}

fn trail_file(text: &str) -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("k.jsonl");
    std::fs::write(&path, text).unwrap();
    (folder, path)
}

/// A row of a trail, with what a test is about.
fn row(problem: &str, kind: &str, a: u8, more: &str) -> String {
    format!(
        "{{\"problem\":\"{problem}\",\"device\":\"D\",\"kind\":\"{kind}\",\"evaluation\":2,\"spent\":1.0,\"config\":0,\
         \"strategy\":\"adaptive\",\"sink\":1,\"values\":{{\"A\":{a},\"T\":\"float\"}},{more}}}\n"
    )
}

fn rows_of_a_trail() -> String {
    let costs = "\"costs\":{\"compiling\":0.5,\"timing\":0.25,\"warming\":0.125}";
    let first = format!("\"seconds\":2.0,\"low\":1.9,\"runs\":9,{costs}");
    let last = "\"seconds\":1.5,\"low\":1.4,\"runs\":20";
    row("n=8", "baseline", 1, &first)
        + &row("n=8", "trial", 2, "\"failure\":\"wrong\",\"detail\":\"\"")
        + &row("n=9", "trial", 2, "\"seconds\":3.0")
        + &row("n=8", "final", 1, last)
        + "{\"problem\":\"n=8\",\"dev"
}

#[test]
fn a_trail_says_of_each_config_what_was_seen_last() {
    let (_folder, path) = trail_file(&rows_of_a_trail());
    let tables = trail::read(&path, "k", &|_, _| None, &|| None, &mut Vec::new()).unwrap();
    assert_eq!(tables.len(), 2);
    let rows = rows(&tables[0]);
    assert_eq!(rows.len(), 2);
    assert_eq!((rows[0].1, &rows[0].2), (Some(1.5), &Status::Ok));
    assert_eq!(rows[1].2, Status::Failed("wrong".to_string()));
    let record = &tables[0].rows[0].record;
    assert_eq!(
        (record.compiling, record.measuring),
        (Some(0.5), Some(0.375))
    );
    assert_eq!(record.runs, Some(20));
    // With a space that has 1 only, the other config is none of it.
    let known = |_: &str, _: &str| {
        let texts = ["half", "float"].map(Value::Str).to_vec();
        Some(vec![
            ("A".to_string(), vec![Value::Int(1)]),
            ("T".to_string(), texts),
        ])
    };
    let tables = trail::read(&path, "k", &known, &|| None, &mut Vec::new()).unwrap();
    assert_eq!(tables[0].rows.len(), 1);
    assert_eq!(tables[0].rows[0].config, [0, 1]);
    assert!(tables[0].notes[0].contains("no longer in the space"));
}

#[test]
fn a_damaged_trail_is_named_with_its_line() {
    let (_folder, path) = trail_file("{\"problem\":1}\n");
    let error = trail::read(&path, "k", &|_, _| None, &|| None, &mut Vec::new()).unwrap_err();
    assert!(error.contains("k.jsonl:1: "), "{error}");
    assert!(error.contains("= help: `cargo bico tune`"), "{error}");
}

/// A winner on a GPU of this architecture.
pub(super) fn winner(device: &str, capability: Option<i64>, problem: &str, tile: i64) -> Winner {
    let config = [
        ("TILE", Value::Int(tile)),
        ("T", Value::Str("float")),
        ("PIPED", Value::Bool(true)),
    ];
    Winner {
        key: "f32::gemm".to_string(),
        device: device.to_string(),
        capability,
        problem: problem.to_string(),
        entries: vec!["gemm<64>".to_string()],
        config: config
            .map(|(name, value)| (name.to_string(), value))
            .to_vec(),
        defines: vec![
            ("TILE".to_string(), tile.to_string()),
            ("T".to_string(), "float".to_string()),
            ("PIPED".to_string(), "1".to_string()),
        ],
        flags: Vec::new(),
        launches: match capability {
            Some(_) => vec![Dims {
                cluster: [1; 3],
                grid: [12, 1, 1],
                block: [tile as u32, 2, 1],
                shared: 0,
                dependent: false,
            }],
            None => Vec::new(),
        },
        seconds: 1.5e-4,
        verified: "reference, rules 2".to_string(),
    }
}

#[test]
fn a_value_that_no_macro_can_hold_is_refused() {
    let mut bad = winner("CPU", None, "n=8", 4);
    bad.defines[0].1 = "1\n#error".to_string();
    let error = header::header("p", &[bad], "").unwrap_err().to_string();
    assert!(error.contains("which no `#define` can hold"), "{error}");
}

#[test]
fn constants_are_for_gpus() {
    let error = cuh::cuh("p", &[winner("CPU", None, "n=8", 4)]).unwrap_err();
    assert!(
        error.to_string().contains("take `--format header`"),
        "{error}"
    );
}

/// What a C compiler makes of the header, with these flags, for `VALUE`.
fn compiled(text: &str, flags: &[&str], value: &str) -> Result<String, String> {
    let folder = TempDir::new().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("winners.h"), text).unwrap();
    let main = format!(
        "#include \"winners.h\"\n#include <stdio.h>\nint main(void) {{ printf(\"%d\", (int)({value})); return 0; }}\n"
    );
    std::fs::write(at("main.c"), main).unwrap();
    let mut compiler = std::process::Command::new("gcc");
    compiler
        .args(["-Wall", "-Werror", "-std=c99", "-pedantic"])
        .args(flags);
    let output = compiler
        .arg("-o")
        .arg(at("main"))
        .arg(at("main.c"))
        .output()
        .unwrap();
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let output = std::process::Command::new(at("main")).output().unwrap();
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn a_c_compiler_takes_the_device_that_is_chosen() {
    let winners = [
        winner("NVIDIA H200 (sm_90)", Some(90), "n=8", 64),
        winner("NVIDIA A100 (sm_80)", Some(80), "n=8", 32),
        winner("NVIDIA A30 (sm_80)", Some(80), "n=8", 16),
        winner("12th CPU */ x", None, "n=8", 4),
        winner("12th CPU */ x", None, "n=9", 5),
    ];
    let text = header::header("my-package", &winners, "").unwrap();
    let of = |flags: &[&str], value: &str| compiled(&text, flags, value);
    let tile = "BICO_F32_GEMM_TILE";
    // The only CPU is chosen by itself, with its first problem.
    assert_eq!(of(&[], tile).unwrap(), "4");
    assert_eq!(of(&[], "BICO_F32_GEMM_N_9_TILE").unwrap(), "5");
    assert_eq!(
        of(&["-DBICO_KERNEL_F32_GEMM"], "sizeof(T) + TILE").unwrap(),
        "8"
    );
    assert_eq!(of(&["-DBICO_KERNEL_F32_GEMM_N_9"], "TILE").unwrap(), "5");
    let (without, with): (Vec<_>, Vec<_>) = winners
        .iter()
        .cloned()
        .partition(|of| of.capability.is_none());
    assert_eq!(without.len(), 2);
    let text = header::header("my-package", &with, "").unwrap();
    let of = |flags: &[&str], value: &str| compiled(&text, flags, value);
    assert_eq!(of(&["-DBICO_DEVICE_NVIDIA_A30_SM_80"], tile).unwrap(), "16");
    assert_eq!(of(&["-DBICO_CUDA_ARCH=900"], tile).unwrap(), "64");
    assert_eq!(
        of(&["-D__CUDA_ARCH__=900"], "BICO_F32_GEMM_LAUNCH_BLOCK_X").unwrap(),
        "64"
    );
    // Two GPUs have this architecture, nobody chose one.
    assert!(
        of(&["-DBICO_CUDA_ARCH=800"], tile)
            .unwrap_err()
            .contains("undeclared")
    );
    assert!(of(&[], tile).unwrap_err().contains("undeclared"));
    let two = [
        "-DBICO_DEVICE_NVIDIA_A30_SM_80",
        "-DBICO_DEVICE_NVIDIA_A100_SM_80",
    ];
    assert!(
        of(&two, tile)
            .unwrap_err()
            .contains("more than one BICO_DEVICE_.. of a GPU")
    );
}

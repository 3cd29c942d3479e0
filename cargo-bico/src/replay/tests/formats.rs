//! Each format, as its program writes it.

use super::{Folder, gzip, rows, sidecar};
use crate::replay::{Counts, Recording, Status};
use bico_core::Value;

const CACHE: &str = r#"{
"device_name": "NVIDIA A100-PCIE-40GB",
"kernel_name": "tile_kernel",
"problem_size": [
4096,
4096
],
"tune_params_keys": [
"tile",
"shape",
"pad"
],
"tune_params": {
"tile": [
4,
1,
2
],
"shape": [
"wide",
"tall"
],
"pad": [
0
]
},
"objective": "time",
"cache": {
"4,wide,0": {"tile": 4, "shape": "wide", "pad": 0, "time": 2.5, "times": [2.0, 3.0], "compile_time": 600.5, "verification_time": 0, "benchmark_time": 99.5, "GFLOP/s": NaN, "strategy_time": 0, "framework_time": 1.5, "timestamp": "2025-05-15 01:58:50+00:00"},
"1,wide,0": {"tile": 1, "shape": "wide", "pad": 0, "time": 1.5, "times": [1.5], "compile_time": 100, "benchmark_time": 50},
"2,wide,0": {"tile": 2, "shape": "wide", "pad": 0, "time": "RuntimeFailedConfig", "compile_time": 100},
"2,tall,0": {"tile": 2, "shape": "tall", "pad": 0, "__error__": "CompilationFailedConfig", "time": 7.5},"#;

#[test]
fn a_csv_with_its_sidecar() {
    let folder = Folder::new();
    folder.write(
        "k__X.json",
        sidecar(r#"["A * B <= 4", "A // B != 1 or A == 1"]"#),
    );
    // 1,1 1,3 2,1 4,1 are allowed; 4,1 is not measured, 2,3 is not allowed, 1,1 stands there twice.
    let text = rows(&[
        (2, 1, 2.0),
        (1, 1, 4.0),
        (1, 3, 0.0),
        (2, 3, 1.0),
        (1, 1, 1.0),
    ]);
    let recording = folder.read("k__X.csv.gz", gzip(&text)).unwrap();
    assert_eq!(recording.name, "k__X");
    assert_eq!(
        (recording.kernel.as_str(), recording.device.as_str()),
        ("k", "NVIDIA X")
    );
    assert_eq!(recording.facts.compute_capability, Some(86));
    assert!(!recording.listed && recording.notes.is_empty());
    let counts = Counts {
        timed: 2,
        failed: 1,
        missing: 1,
        disallowed: 1,
        repeated: 1,
    };
    assert_eq!(recording.counts, counts);
    let values: Vec<Vec<Value>> = (0..4)
        .map(|config| recording.configs.config(config))
        .collect();
    let expected = [[1, 1], [1, 3], [2, 1], [4, 1]].map(|pair| pair.map(Value::Int).to_vec());
    assert_eq!(values, expected);
    assert_eq!(recording.optimum(), Some((2, 0.002)));
    assert_eq!(recording.best(9), [(2, 0.002), (0, 0.004)]);
    assert_eq!(
        recording.record(1).status,
        Status::Failed("RuntimeFailedConfig".into())
    );
    assert_eq!(recording.record(3).status, Status::Missing);
    assert_eq!(
        recording.describe(),
        "k__X: 4 configs, 2 timed, 1 failed, 1 never measured (they count as failed), \
         1 rows that the restrictions don't allow left out, 1 repeated rows left out"
    );
    let by_sidecar = Recording::read(&folder.0.path().join("k__X.json")).unwrap();
    assert_eq!(by_sidecar.counts, counts);
}

#[test]
fn all_columns_of_a_csv() {
    let folder = Folder::new();
    let text = "A,time_ms,status,time_min_ms,time_std_ms,n_runs,compile_ms,bench_ms\n7,2,ok,1.5,0.5,4,600,400\n8,,CompilationFailedConfig,,,,30,\n";
    let recording = folder.read("a.csv", text).unwrap();
    assert!(recording.notes[0].starts_with("no sidecar"));
    assert!(recording.listed);
    let record = recording.record(0);
    assert_eq!(
        (record.time, record.fastest, record.deviation, record.runs),
        (Some(0.002), Some(0.0015), Some(0.0005), Some(4))
    );
    assert_eq!((record.compiling, record.measuring), (Some(0.6), Some(0.4)));
    assert_eq!(recording.record(1).compiling, Some(0.03));
}

#[test]
fn what_cannot_be_translated_falls_back_to_the_rows() {
    let folder = Folder::new();
    folder.write("k__X.json", sidecar(r#"["A & 1 == 0"]"#));
    let recording = folder
        .read("k__X.csv", rows(&[(2, 1, 2.0), (4, 3, 4.0)]))
        .unwrap();
    assert!(recording.listed);
    assert_eq!(recording.configs.len(), 2);
    assert_eq!(
        recording.notes,
        [
            "restriction `A & 1 == 0` is not translated: `&` is not translated; the space is the 2 rows that are listed"
        ]
    );
    // A division by zero is no space either, and a restriction that never holds is an empty one.
    folder.write("k__X.json", sidecar(r#"["A // (B - 1) == 0"]"#));
    let recording = folder.read("k__X.csv", rows(&[(2, 1, 2.0)])).unwrap();
    assert!(
        recording.notes[0].contains("division by zero"),
        "{:?}",
        recording.notes
    );
    folder.write("k__X.json", sidecar(r#"["A > 4"]"#));
    let error = folder.read("k__X.csv", rows(&[(2, 1, 2.0)])).unwrap_err();
    assert_eq!(error.message, "holds no config that the restrictions allow");
}

#[test]
fn a_cache_of_kernel_tuner() {
    let folder = Folder::new();
    let whole = format!("{}}}\n}}", CACHE.strip_suffix(',').unwrap());
    for (text, cut) in [(whole.as_str(), false), (CACHE, true)] {
        let recording = folder.read("tile/A100.json.gz", gzip(text)).unwrap();
        assert_eq!(
            (recording.name.as_str(), recording.kernel.as_str()),
            ("tile__A100", "tile_kernel")
        );
        assert_eq!(recording.device, "NVIDIA A100-PCIE-40GB");
        // The order of `tune_params`, not that of measuring.
        let values: Vec<Value> = (0..4)
            .map(|config| recording.configs.config(config)[0])
            .collect();
        assert_eq!(values, [4, 1, 2, 2].map(Value::Int));
        assert_eq!(recording.configs.config(3)[1], Value::Str("tall"));
        let record = recording.record(0);
        assert_eq!(
            (record.time, record.fastest, record.deviation),
            (Some(0.0025), Some(0.002), Some(0.0005))
        );
        assert_eq!(
            (record.compiling, record.measuring),
            (Some(0.6005), Some(0.0995))
        );
        assert_eq!(
            recording.record(2).status,
            Status::Failed("RuntimeFailedConfig".into())
        );
        assert_eq!(
            recording.record(3).status,
            Status::Failed("CompilationFailedConfig".into())
        );
        assert_eq!(recording.record(3).time, None);
        assert_eq!(recording.notes.len(), usize::from(cut));
    }
}

#[test]
fn a_cache_that_was_cut_in_an_entry_keeps_the_others() {
    let folder = Folder::new();
    let cut = &CACHE[..CACHE.len() - 30];
    let recording = folder.read("a.json", cut).unwrap();
    assert_eq!(recording.configs.len(), 3);
    assert!(
        recording.notes[0].contains("3 whole configs"),
        "{:?}",
        recording.notes
    );
}

#[test]
fn results_in_t4() {
    let folder = Folder::new();
    let text = r#"{"metadata": {"timeunit": "miliseconds"}, "schema_version": "1.0.0", "results": [
        {"timestamp": "t", "configuration": {"x": 32, "p": true}, "times": {"compilation": 600, "benchmark": 100, "runtimes": [2.0, 4.0]},
         "invalidity": "correct", "correctness": 1, "measurements": [{"name": "time", "value": 3.0, "unit": ""}], "objectives": ["time"]},
        {"configuration": {"x": 16, "p": true}, "times": {"compilation_time": 30, "runtimes": []},
         "invalidity": "compile", "correctness": 0, "measurements": [{"name": "time", "value": "CompilationFailedConfig", "unit": ""}], "objectives": ["time"]},
        {"configuration": {"x": 16, "p": false}, "times": {"runtimes": []},
         "invalidity": "correct", "correctness": 1, "measurements": [{"name": "GFLOP/s", "value": 10, "unit": "GFLOP/s"}, {"name": "time", "value": 9e-6, "unit": "s"}], "objectives": ["GFLOP/s"]}
    ]}"#;
    let recording = folder.read("gemm/A100_T4.json", text).unwrap();
    assert_eq!(
        (recording.kernel.as_str(), recording.device.as_str()),
        ("gemm", "A100")
    );
    // Values are sorted where the file does not declare them.
    let values: Vec<Vec<Value>> = (0..3)
        .map(|config| recording.configs.config(config))
        .collect();
    assert_eq!(values[0], [Value::Int(16), Value::Bool(true)]);
    assert_eq!(values[1], [Value::Int(16), Value::Bool(false)]);
    assert_eq!(recording.record(0).status, Status::Failed("compile".into()));
    assert_eq!(recording.record(1).time, Some(9e-6));
    let record = recording.record(2);
    assert_eq!(
        (record.time, record.fastest, record.compiling),
        (Some(0.003), Some(0.002), Some(0.6))
    );
}

#[test]
fn mixed_values_become_one_kind() {
    let folder = Folder::new();
    let recording = folder
        .read("a.csv", "A,B,time_ms\n0.5,1,1\n2,x,1\n")
        .unwrap();
    let values: Vec<Vec<Value>> = (0..2)
        .map(|config| recording.configs.config(config))
        .collect();
    assert_eq!(values[0], [Value::Float(0.5), Value::Str("1")]);
    assert_eq!(values[1], [Value::Float(2.0), Value::Str("x")]);
}

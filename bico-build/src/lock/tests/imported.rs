//! What other tools measured, in its own file.

use crate::lock::{Import, Imported, Place, Trial, Value, keep_imported, load_imported};
use bico_core::Map;
use bico_core::device::DeviceKey;

fn import(from: &str, seconds: &[f64]) -> Import {
    let trial = |(tile, seconds): (i64, &f64)| Trial {
        config: Map::from_iter([("TILE".to_string(), Value::Int(tile))]),
        seconds: *seconds,
        place: Place::default(),
    };
    Import {
        from: from.to_string(),
        trials: (1..).zip(seconds).map(trial).collect(),
    }
}

fn imported(device: &str, problem: &str, import: Import) -> Imported {
    let problems = Map::from_iter([(problem.to_string(), import)]);
    let devices = Map::from_iter([(DeviceKey::new(device.to_string()), problems)]);
    Map::from_iter([("gemm".to_string(), devices)])
}

#[test]
fn results_are_added_and_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bico.imported");
    assert!(load_imported(&path).unwrap().is_empty());
    for (device, problem, of) in [
        ("A", "n=8", import("CSV, 1 configs", &[1.0])),
        ("A", "n=9", import("T4 results", &[2.0, 3.0])),
        ("A", "n=8", import("Kernel Tuner cache", &[0.5, 0.25])),
        ("B", "n=8", import("CSV", &[4.0])),
    ] {
        keep_imported(&path, &imported(device, problem, of)).unwrap();
    }
    let known = load_imported(&path).unwrap();
    let devices = known.get("gemm").unwrap();
    let of = |device: &str, problem: &str| devices.get(device)?.get(problem);
    assert_eq!(of("A", "n=8").unwrap().from, "Kernel Tuner cache");
    let seconds = |import: &Import| {
        import
            .trials
            .iter()
            .map(|of| of.seconds)
            .collect::<Vec<_>>()
    };
    assert_eq!(seconds(of("A", "n=8").unwrap()), [0.5, 0.25]);
    assert_eq!(seconds(of("A", "n=9").unwrap()), [2.0, 3.0]);
    assert!(of("B", "n=8").is_some());
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(
        text.contains("{\"config\": {\"TILE\": 1}, \"seconds\": 0.5}"),
        "{text}"
    );
    // Nothing is left of the way there.
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn faults_are_named_with_their_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bico.imported");
    let bad = imported("a \"quoted\" name", "n=8", import("CSV", &[1.0]));
    let error = keep_imported(&path, &bad).unwrap_err().to_string();
    assert!(error.contains("the file cannot hold this: "), "{error}");
    assert!(!path.exists());
    for (text, said) in [
        ("", "error: "),
        ("{\"kernels\": {}, \"version\": 2}", "of format 1 only"),
        (
            "{\"kernels\": {\"../x\": {}}, \"version\": 1}",
            "`../x` cannot be the key of a tunable",
        ),
        (
            "{\"kernels\": {\"k\": {\"D\": {\"n=1\": {\"from\": \"\", \"trials\": [\n{\"config\": {}, \"seconds\": -1}]}}}}, \"version\": 1}",
            ":2:",
        ),
    ] {
        std::fs::write(&path, text).unwrap();
        let error = load_imported(&path).unwrap_err().to_string();
        assert!(error.contains(said), "{said}: {error}");
    }
    std::fs::write(&path, [0xff]).unwrap();
    let error = load_imported(&path).unwrap_err().to_string();
    assert!(
        error.contains("not valid UTF-8") && error.contains("`cargo bico import` again"),
        "{error}"
    );
}

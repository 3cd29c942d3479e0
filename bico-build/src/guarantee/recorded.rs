//! The law of random search on recorded spaces, beside what was computed elsewhere.

use super::Draws;
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::PathBuf;

/// The folder of the recorded spaces: `BICO_SPACES`, by default beside the workspace.
fn folder() -> PathBuf {
    #[allow(clippy::disallowed_methods)] // A setting of tests: no build reads it.
    let set = std::env::var_os("BICO_SPACES");
    set.map_or_else(
        || concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/spaces").into(),
        PathBuf::from,
    )
}

/// The times of all configs of a space; those that failed have none.
fn times(path: &std::path::Path) -> Vec<Option<f64>> {
    let mut text = String::new();
    let file = std::fs::File::open(path).unwrap();
    flate2::read::GzDecoder::new(file)
        .read_to_string(&mut text)
        .unwrap();
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let head = lines.next().unwrap();
    let column = |name| head.iter().position(|known| *known == name).unwrap();
    let (time, status) = (column("time_ms"), column("status"));
    lines
        .map(|line| match line[status] {
            "ok" => line[time].parse().ok(),
            _ => None,
        })
        .collect()
}

#[test]
fn means_of_random_search_are_those_computed_elsewhere() {
    let path = folder().join("kernel_tuner.json");
    let Ok(text) = std::fs::read_to_string(&path) else {
        // Past the harness, which keeps what a passing test prints to itself.
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED, no {}: set BICO_SPACES",
            path.display()
        );
        return;
    };
    let table: serde_json::Value = serde_json::from_str(&text).unwrap();
    let spaces = table["spaces"].as_object().unwrap();
    let mut compared = 0;
    for (name, strategies) in spaces {
        let means: BTreeMap<String, f64> =
            serde_json::from_value(strategies["uniform_random_exact"].clone()).unwrap();
        let times = times(&folder().join(format!("{name}.csv.gz")));
        let failed = times.iter().filter(|time| time.is_none()).count() as u64;
        let law = Draws::new(times.iter().flatten().copied(), failed);
        for (draws, mean) in means {
            let own = law.fraction_of_optimum(draws.parse().unwrap());
            // Their times have more digits than the files' six.
            assert!(
                (own - mean).abs() < 1e-6,
                "{name}, {draws}: {own}, not {mean}"
            );
            compared += 1;
        }
    }
    assert!(compared > 0, "{} names no space", path.display());
}

//! Several configs at once for one GPU: compiled side by side, measured one by one.

use super::workers::{package, times, times_are_told};
use crate::tune::resumed::timeless;
use serde_json::Value;

/// The trail of a build with so many jobs and compilers that are slow with some configs, without what hangs on the clock.
fn trail(jobs: &str, slow: &str) -> Vec<Value> {
    let package = package("begun");
    // Who has no score has the best of its ranking compiled before anything is measured.
    let score = "score = -(SPIN / 100000 - 3).abs(), measure(cache = warm)";
    package.edit("src/main.rs", "measure(cache = warm)", score);
    let build = package.cargo(&["build", "-j", jobs]).env("BICO", "tune");
    let build = build.gpus("A100", slow).env("BICO_HOST_TIMES", times());
    build.run().ok();
    times_are_told(&package);
    timeless(&package)
}

/// What is measured next never hangs on which compiler is the faster one.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn who_compiles_sooner_changes_no_search() {
    let rows = trail("4", "");
    assert_eq!(
        rows,
        trail(
            "4",
            "slow:300:SPIN=0;slow:1200:SPIN=300000;slow:1200:SPIN=500000"
        )
    );
    let trials = rows.iter().filter(|row| row["kind"] != "final");
    let under_way: Vec<u64> = trials.filter_map(|row| row["under_way"].as_u64()).collect();
    let expected: Vec<u64> = (0..13).map(|_| 4).chain([3, 2, 1]).collect();
    assert_eq!(under_way, expected);
    // With one job one after the other.
    let alone = trail("1", "");
    assert!(alone.iter().all(|row| row["under_way"].is_null()));
}

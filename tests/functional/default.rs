//! `default = { .. }`: what would run without bico is measured first, and stays unless it is clearly beaten.

use crate::harness::{KERNEL, MAIN, Package, tunable};
use serde_json::{Value, json};

/// A package whose default is this, with more in the attribute.
fn package(name: &str, more: &str) -> Package {
    let package = Package::new(name);
    package.file("kernels/work.c", KERNEL);
    package.file("src/main.rs", &format!("{}{MAIN}", tunable("work", more)));
    package
}

fn of_kind<'a>(trail: &'a [Value], kind: &str) -> Vec<&'a Value> {
    trail.iter().filter(|row| row["kind"] == kind).collect()
}

#[test]
fn a_slow_default_is_measured_first_and_beaten() {
    let package = package("beaten", "default = { SPIN: 400000 },");
    let said = package.command(&["tune"]).run().ok();
    let said = said.says(" as fast as the default");
    said.says_nothing_of("the first config");
    let trail = package.trail("work");
    assert_eq!(
        (&trail[0]["kind"], &trail[0]["values"]),
        (&json!("default"), &json!({ "SPIN": 400000 }))
    );
    assert!(of_kind(&trail, "baseline").is_empty());
    // Far behind, and yet measured beside the winner.
    let finals = of_kind(&trail, "final");
    assert_eq!(finals.len(), 2, "{finals:#?}");
    let winner = finals
        .iter()
        .find(|row| row["values"]["SPIN"] == 0)
        .unwrap();
    let against = &winner["against"];
    assert_eq!(against["config"], trail[0]["config"]);
    assert!(
        against["ratio"]["high"].as_f64().unwrap() < 0.5,
        "{against}"
    );
    package
        .command(&["show", "--trail"])
        .run()
        .ok()
        .says(" of the time of config 0 (");
    // It is what the winner is compared with, and a candidate.
    assert_eq!(package.winner("work"), json!({ "SPIN": 0 }));
    let entry = package.entries("work");
    assert_eq!(
        entry["n=256"]["first"]["config"],
        json!({ "SPIN": 400000 }),
        "{entry:#}"
    );
}

#[test]
fn a_default_that_nothing_beats_stays() {
    let package = package(
        "stays",
        "default = { SPIN: if n > 100 { 0 } else { 20000 } },",
    );
    let said = package.command(&["tune"]).run().ok();
    said.says("SPIN=0, ")
        .says(", the default, which nothing is clearly faster than, ");
    assert_eq!(package.winner("work"), json!({ "SPIN": 0 }));
    // Another default makes no result stale.
    package.edit("src/main.rs", "n > 100", "n > 1000");
    package.command(&["status"]).run().ok().says("fresh");
}

#[test]
fn without_a_lock_and_without_tune_it_is_what_runs() {
    let package = package("unmeasured", "default = { SPIN: 20000 },");
    package.build("off").ok();
    let candidates = package.start().env("BICO_RUNTIME", "off").run().ok();
    candidates.says("y[3] = 7");
}

#[test]
fn what_is_no_config_here_is_no_default() {
    let package = package(
        "excluded",
        "require(SPIN < n * 100), default = { SPIN: 400000 },",
    );
    let said = package.command(&["tune"]).run().ok();
    said.says("`work` (n=256) has no default on ")
        .says("where what the attribute names is no config: ")
        .says("itself the first config");
}

//! What a budget guarantees: told after a search, and kept beside the trail.

use crate::harness::{KERNEL, MAIN, Package, tunable};

#[test]
fn what_an_evaluation_cost_adds_up() {
    let package = Package::work("costs");
    let start = std::time::Instant::now();
    let said = package
        .cargo(&["build", "-vv"])
        .env("BICO", "tune")
        .run()
        .ok();
    let passed = start.elapsed().as_secs_f64();
    // Which parts are named hangs on the machine: what is less than a hundredth is part of the rest.
    said.says("bico: work: ").says(" s: ").says(" rest");
    let mut sum = 0.0;
    for row in package.trail("work") {
        let costs = row["costs"].as_object().unwrap();
        assert!(costs.values().all(|seconds| seconds.as_f64() > Some(0.0)));
        if row["kind"] != "final" {
            assert!(
                costs.contains_key("verifying") && costs.contains_key("timing"),
                "{row:#}"
            );
        }
        sum += costs
            .values()
            .filter_map(serde_json::Value::as_f64)
            .sum::<f64>();
    }
    // The build does more than search: it compiles itself, above all.
    assert!(sum > 0.0 && sum < passed, "{sum} {passed}");
}

#[test]
fn a_search_tells_its_guarantee() {
    let package = Package::new("guarantee");
    package.file("kernels/work.c", KERNEL);
    let item = tunable("work", "budget_scale = SPIN * FACTOR / 1000,");
    package.file(
        "src/main.rs",
        &format!(
            "const HALF: u8 = 1;\n#[allow(dead_code)]\nconst FACTOR: i64 = 2 * HALF as i64;\n{item}{MAIN}"
        ),
    );
    // Cargo shows what a build script says with -vv only.
    let tune = || package.cargo(&["build", "-vv"]).env("BICO", "tune").run();
    tune()
        .ok()
        .says("bico: work: with 95 % reliability the winner's median call takes at most ")
        .says("bico: work: SPIN * FACTOR / 1000 <= 0 (1 of 3 configs) guarantees at most ");
    let scales = |key| -> Vec<f64> {
        let rows = package.trail(key);
        rows.iter()
            .map(|row| row["scale"].as_f64().unwrap())
            .collect()
    };
    let found = scales("work");
    assert!(
        [0.0, 40.0, 800.0].iter().all(|scale| found.contains(scale)),
        "{found:?}"
    );

    let table = package.trail_file("work").with_extension("guarantee.csv");
    let table = std::fs::read_to_string(table).unwrap();
    let lines: Vec<&str> = table.lines().collect();
    let trials = package
        .trail("work")
        .iter()
        .filter(|row| row["kind"] != "final")
        .count();
    assert_eq!(lines.len(), 1 + trials + 1 + 3, "{table}");
    assert!(
        lines[0].starts_with("problem,device,over,budget,"),
        "{table}"
    );

    // Neither the scale nor a `const` that only the scale names makes anything stale.
    package.measured();
    package.edit("src/main.rs", "HALF: u8 = 1", "HALF: u8 = 3");
    package.build("locked").ok();
    package.edit("src/main.rs", "/ 1000", "/ 100");
    package.build("locked").ok();
    assert!(!package.measured());
    assert!(package.run().contains("SPIN=0 (tuned on"));

    // A scale that is no number somewhere is shown on its place, before anything is measured.
    package.edit("src/main.rs", "SPIN * FACTOR / 100", "0 / SPIN");
    tune().fails().says("0 / SPIN").says("src/main.rs");
    assert!(!package.measured());
}

//! Several workers for one search.

use crate::harness::process::{MARK, marked, wait_for};
use crate::harness::{MAIN, Package, tunable};
use std::collections::BTreeSet;

/// A package whose kernel has 24 configs, each of which takes some milliseconds in all.
fn package(name: &str) -> Package {
    let package = Package::work(name);
    let space = "SPIN in [400000, 0, 20000]";
    let text = format!("{}{MAIN}", tunable("work", "")).replace(
        space,
        "SPIN in [0, 300000, 310000, 320000, 330000, 340000, 350000, 360000, 370000, 380000, 390000, 400000], \
         TURN in [1, 2]",
    );
    package.file("src/main.rs", &text.replace("evaluations = 8", "evaluations = 24"));
    package.edit("kernels/work.c", "y[i] = 2 * x[i] + 1;\n}\n\nvoid work_reference", "y[i] = 2 * x[i] + 1 + (TURN - TURN);\n    for (volatile int turn = 0; turn < 1000 * TURN; turn++) {\n    }\n}\n\nvoid work_reference");
    package
}

/// The names of those who measured.
fn workers(package: &Package) -> BTreeSet<String> {
    let rows = package.trail("work");
    let names = rows.iter().filter_map(|row| row["worker"].as_str());
    names.map(String::from).collect()
}

#[test]
fn two_workers_tune_one_kernel() {
    let package = package("both_hands");
    let mark = package.folder().display().to_string();
    let output = package
        .cargo(&["build"])
        .env("BICO", "tune")
        .env("BICO_WORKERS", "env ONE=1; env TWO=2")
        .env(MARK, &mark)
        .run()
        .ok();
    println!("{output}");
    for row in package.trail("work") {
        println!("{row}");
    }
    assert_eq!(package.winner("work")["SPIN"], 0);
    let names = ["env ONE=1", "env TWO=2"].map(String::from);
    assert_eq!(workers(&package), BTreeSet::from(names));
    wait_for("all of its processes to end", || marked(&mark).is_empty());
}

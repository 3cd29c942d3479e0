//! `cargo bico check --perf`: winners against what they were measured beside.

use crate::harness::{Call, Package, tunable};
use crate::workers::in_five;
use serde_json::Value;
use std::process::Command;

const KERNEL: &str = "#include <stdint.h>
void extra(void);
void work(float *y, const float *x, uint32_t n)
{
    extra();
    for (volatile int spin = 0; spin < SPIN; spin++) {
    }
    for (uint32_t i = 0; i < n; i++)
        y[i] = 2 * x[i] + 1;
}

void work_reference(float *y, const float *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = 2 * x[i] + 1;
}
";

/// Builds the library that the kernel is linked with, which no hash covers.
fn library(package: &Package, body: &str) {
    package.file(
        "lib/extra.c",
        &format!("void extra(void)\n{{\n{body}\n}}\n"),
    );
    let script = "gcc -O1 -fPIC -c extra.c -o extra.o && ar rcs libextra.a extra.o";
    let mut command = Command::new("sh");
    let made = command
        .args(["-c", script])
        .current_dir(package.root().join("lib"));
    assert!(made.status().unwrap().success());
}

/// The attribute's option for that.
const LINKED: &str = "link = [\"extra\"],";

/// A package whose kernel is linked with it.
fn linked(name: &str, attribute: &str) -> Package {
    let package = Package::new(name);
    package.file("kernels/work.c", KERNEL);
    package.file("src/main.rs", &format!("{attribute}fn main() {{}}"));
    library(&package, "");
    package
}

fn call(package: &Package, args: &[&str]) -> Call {
    let folder = package.root().join("lib");
    package.command(args).env("LIBRARY_PATH", folder)
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn a_slower_library_is_found_and_no_hash_moves() {
    let package = linked("perf", &tunable("work", LINKED));
    let perf = ["check", "--perf"];
    call(&package, &perf)
        .run()
        .fails()
        .says("bico.lock has no result for a device of this machine");

    call(&package, &["tune"]).run().ok();
    let ratio = package.entries("work")["n=256"]["winner"]["ratio"].clone();
    assert_eq!(ratio["to"], "reference", "{ratio}");
    let [low, high] = [0, 1].map(|at| ratio["interval"][at].as_f64().unwrap());
    let value = ratio["value"].as_f64().unwrap();
    assert!(low <= value && value <= high, "{ratio}");

    library(
        &package,
        "    for (volatile int i = 0; i < 3000000; i++) {\n    }",
    );
    let slower = call(&package, &perf).run();
    assert_eq!(slower.code, Some(1), "{slower:?}");
    slower
        .fails()
        .says("): SLOWER, SPIN=0 takes ")
        .says(" of the reference's time, was ")
        .says("slower by more than 5 % and noise: work (n=256)");
    let json = call(&package, &["check", "--perf", "--json"]).run().fails();
    let results: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(results[0]["verdict"], "slower", "{results:#}");
    assert!(results[0]["now"].as_f64().unwrap() > 10.0 * value);
    call(&package, &["status"]).run().ok();

    // What a hash covers is another command's.
    package.edit("kernels/work.c", "2 * x[i] + 1", "2.0f * x[i] + 1");
    let stale = call(&package, &perf).run();
    assert_eq!(stale.code, Some(3), "{stale:?}");
    stale
        .fails()
        .says("undecided, its entry is stale (changed: source): tune it");
}

/// A worker in which the winner is slow is no alarm, however slow it is: the next one says what is.
#[test]
fn what_is_slow_for_a_moment_is_looked_at_again() {
    let package = linked("moment", &tunable("work", LINKED));
    call(&package, &["tune"]).run().ok();

    let file = package.root().join("slow");
    // In the process that finds the file.
    let body = format!(
        "    int remove(const char *);
    static int slow = -1;
    if (slow < 0)
        slow = remove(\"{}\") == 0;
    for (volatile int i = 0; slow && i < 3000000; i++) {{
    }}",
        file.display()
    );
    library(&package, &body);
    in_five(&package, || {
        package.file("slow", "");
        let checked = call(&package, &["check", "--perf"]).run();
        assert!(!file.exists(), "{checked:?}");
        // On a busy machine it cannot tell, which is no alarm either.
        [Some(0), Some(3)]
            .contains(&checked.code)
            .then_some(checked)
    });
}

#[test]
fn without_a_fast_reference_the_default_is_what_it_is_compared_with() {
    let attribute = tunable("work", "link = [\"extra\"], default = { SPIN: 20000 },");
    let attribute = attribute.replace("verify(reference = \"work_reference\"),", "");
    let package = linked("beside", &attribute);
    call(&package, &["tune"]).run().ok();
    let entry = package.entries("work")["n=256"]["winner"].clone();
    assert_eq!(entry["ratio"]["to"], "first", "{entry:#}");
    assert!(entry["ratio"]["value"].as_f64().unwrap() < 0.5, "{entry:#}");
    package.file(
        "Cargo.toml",
        &(package.read("Cargo.toml") + "\n[package.metadata.bico]\nperf = \"a bit\"\n"),
    );
    call(&package, &["check", "--perf"])
        .run()
        .fails()
        .says("`perf` in [package.metadata.bico] is no share from 0 % to 50 %")
        .says("write `perf = \"5 %\"`");
}

/// Where a parameter stands in flags, the reference has the same ones each time.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn the_reference_is_compiled_as_it_was() {
    let package = Package::work("perf-flags");
    let flags = "flags = [\"-O{LEVEL}\", \"-DSPIN=0\"], problem(n = 100000)";
    package.edit_all(&[
        (
            "src/main.rs",
            "SPIN in [400000, 0, 20000]",
            "LEVEL in [0, 3]",
        ),
        ("src/main.rs", "problem(n = 256)", flags),
    ]);
    // Who keeps the memory busy changes the ratio for as long as that lasts, when tuning or afterwards.
    in_five(&package, || {
        package.command(&["tune", "--force"]).run().ok();
        assert_eq!(package.winner("work")["LEVEL"], 3);
        let checked = package.command(&["check", "--perf"]).run();
        (checked.code == Some(0)).then_some(checked)
    });
    // Whatever the times say: the reference has the first config's flags, and the winner its own.
    let compiler = package.compiler();
    let check = package.command(&["check", "--perf"]);
    let check = check.env("CC", &compiler.script).env("BICO_CACHE", "off");
    check.run();
    let calls = compiler.calls();
    for flag in ["-O0", "-O3"] {
        let mut calls = calls.lines();
        let is_there = calls.any(|call| call.contains("work.c") && call.contains(flag));
        assert!(is_there, "{flag}");
    }
}

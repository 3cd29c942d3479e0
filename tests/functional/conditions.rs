//! What a device did while it was measured, and a clock that is waited for.

use crate::harness::{KERNEL, Package, tunable};

fn package(name: &str, more: &str) -> Package {
    let package = Package::new(name);
    package.file("kernels/work.c", KERNEL);
    let attribute = tunable("work", more);
    package.file("src/main.rs", &format!("{attribute}fn main() {{}}"));
    package
}

#[test]
fn a_trail_says_what_the_cpu_did_and_the_lock_does_not() {
    let package = package("watched", "");
    package.command(&["tune"]).run().ok();
    let trail = package.trail("work");
    let timed = || trail.iter().filter(|row| row["seconds"].is_number());
    assert!(timed().count() > 2);
    let tells = std::fs::read_to_string("/proc/cpuinfo").is_ok_and(|of| of.contains("cpu MHz"));
    for row in timed() {
        let conditions = &row["conditions"];
        if tells {
            assert!(conditions["clock_hz"].as_f64().unwrap() > 1e8, "{row:#}");
        }
        let stolen = conditions["stolen"].as_f64().unwrap();
        assert!((0.0..=1.0).contains(&stolen), "{row:#}");
        assert!(conditions["celsius"].is_null(), "{row:#}");
    }
    let said = package
        .cargo(&["build", "-vv"])
        .env("BICO", "tune")
        .run()
        .ok();
    said.says("Budget  Latency  Throughput")
        .says("Place  Latency  Throughput");
    let lock = package.read("bico.lock");
    assert!(
        !lock.contains("clock") && !lock.contains("stolen"),
        "{lock}"
    );
}

/// Two looks of a tenth of a second are the least that it takes to see that a clock is steady.
#[test]
fn a_sustained_clock_is_waited_for() {
    let package = package("sustained", "measure(clock = sustained),");
    package.command(&["tune"]).run().ok();
    let trail = package.trail("work");
    let warming = |row: &serde_json::Value| row["costs"]["warming"].as_f64().unwrap_or_default();
    let waited = trail.iter().filter(|row| warming(row) >= 0.2);
    assert!(waited.count() >= 2, "{trail:#?}");
    assert_eq!(package.winner("work")["SPIN"], 0);
    // How it is timed makes no result stale.
    package.edit("src/main.rs", "measure(clock = sustained),", "");
    package.command(&["status"]).run().ok().says("fresh");
}

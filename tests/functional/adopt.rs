//! `cargo bico adopt`: what a program learned becomes entries of the lock.

use crate::harness::{Call, Package};
use serde_json::Value;
use std::process::Command;

/// Calls `work` until it is settled.
const LEARNING: &str = r#"
fn main() -> bico::Result<()> {
    let x: Vec<f32> = (0..256).map(|i| i as f32).collect();
    let mut y = vec![0.0; 256];
    for _ in 0..100_000 {
        work(&mut y, &x, 256)?;
        if bico::status(work_tunable()).iter().any(|status| status.to_string().contains(": settled")) {
            break;
        }
    }
    for status in bico::status(work_tunable()) {
        println!("{status}");
    }
    Ok(())
}
"#;

/// A package whose lock knows `work` on a CPU that nobody has, and a program that has learned on this one.
fn learned(name: &str) -> Package {
    let package = Package::work(name);
    let source = format!("{}{LEARNING}", crate::harness::tunable("work", ""));
    package.file("src/main.rs", &source);
    package.build("tune").ok();
    let lock = package.lock();
    let mut facts = lock["devices"].as_object().unwrap().values();
    let brand = facts.next().unwrap()["brand"].as_str().unwrap().to_string();
    package.edit("bico.lock", &brand, "Nobody's CPU");
    package.build("locked").ok();
    let cache = package.folder().join("cache");
    let said = package.start().env("BICO_CACHE", cache).run().ok();
    said.says(": settled");
    package
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn what_a_program_learned_is_shown_and_then_written() {
    let package = learned("learned");
    let before = package.read("bico.lock");
    // Off a terminal nothing is written without `--yes`.
    for args in [&["adopt"][..], &["adopt", "--dry-run"], &["adopt", "work"]] {
        let shown = package.command(args).run().ok();
        shown
            .says("tunable  problem  device")
            .says("  SPIN=0  ")
            .says("new; verified where it was tuned")
            .says("nothing was written: `cargo bico adopt --yes` writes 1 entry to bico.lock");
        assert_eq!(package.read("bico.lock"), before, "{args:?}");
    }
    let written = package.command(&["adopt", "--yes"]).run().ok();
    written
        .says("new; verified where it was tuned")
        .says("wrote ")
        .says("review the entries with `\"source\": \"runtime\"`, and commit it");
    let devices = package.lock()["kernels"]["work"]
        .as_object()
        .unwrap()
        .clone();
    let entries: Vec<&Value> = devices
        .values()
        .map(|problems| &problems["n=256"])
        .collect();
    assert_eq!(entries.len(), 2);
    let adopted = entries
        .iter()
        .find(|entry| entry["source"] == "runtime")
        .unwrap();
    assert_eq!(adopted["winner"]["config"]["SPIN"], 0);
    // A build takes it for this device's.
    package.measured();
    package.build("auto").ok().says_nothing_of("warning");
    assert!(!package.measured());
    let again = package.command(&["adopt", "--yes"]).run().ok();
    again
        .says("  the same\n")
        .says("nothing was written: bico.lock would stay as it is");
    // Other keys, other caches.
    package
        .command(&["adopt", "wrok"])
        .run()
        .fails()
        .says("error: the package has no tunable `wrok`; did you mean `work`?");
    package
        .command(&["adopt", "--cache", "elsewhere"])
        .run()
        .ok()
        .says("nothing to adopt: no program has learned anything of this package's kernels here");
    package
        .command(&["adopt"])
        .env("BICO_CACHE", "off")
        .run()
        .fails()
        .says("error: there is no cache to adopt from")
        .says("name the folder that the program used with `--cache`");
}

/// A call of `cargo bico adopt` in a terminal of its own, at which somebody types `answer`.
fn answered(package: &Package, answer: &str) -> Call {
    let line = format!(
        "printf '{answer}\\n' | script -qec '{} bico adopt' /dev/null",
        env!("CARGO_BIN_EXE_command")
    );
    let mut command = Command::new("sh");
    command.args(["-c", &line]).current_dir(package.root());
    package
        .call(command)
        .env("BICO_CACHE", package.folder().join("cache"))
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn on_a_terminal_it_asks() {
    let package = learned("asked");
    let before = package.read("bico.lock");
    for no in ["n", "", "maybe"] {
        let said = answered(&package, no).run().ok();
        said.says("bico.lock? [y/N] ").says("nothing was written: ");
        assert_eq!(package.read("bico.lock"), before, "{no}");
    }
    answered(&package, "y")
        .run()
        .ok()
        .says("write 1 entry to ")
        .says("wrote ");
    assert_ne!(package.read("bico.lock"), before);
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn entries_from_tuning_are_replaced_only_when_asked() {
    let package = learned("tuned");
    package.command(&["tune"]).run().ok();
    let before = package.read("bico.lock");
    package
        .command(&["adopt", "--yes"])
        .run()
        .ok()
        .says("not replaced without `--replace`: SPIN=0, ")
        .says("nothing was written");
    assert_eq!(package.read("bico.lock"), before);
    let said = package.command(&["adopt", "--yes", "--replace"]).run().ok();
    said.says("replaced; ")
        .says("before: SPIN=0, ")
        .says(", from tuning");
    assert!(
        package
            .read("bico.lock")
            .contains("\"source\": \"runtime\"")
    );
    // A lock that is none stays as it is.
    package.file("bico.lock", "{\n");
    let said = package.command(&["adopt", "--yes"]).run().fails();
    said.says("the lock ends in the middle").says("bico.lock:");
    assert_eq!(package.read("bico.lock"), "{\n");
}

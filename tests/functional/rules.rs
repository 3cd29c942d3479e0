//! Entries that were verified by the rules of an older bico.

use crate::harness::Package;
use serde_json::{Value, json};

const RULES: &str = ", rules 2";

/// Changes the only entry of `work`, which is of the first rules then.
fn edit(package: &Package, change: impl FnOnce(&mut Value)) {
    package.edit("bico.lock", RULES, "");
    let mut lock = package.lock();
    let devices = lock["kernels"]["work"].as_object_mut().unwrap();
    let entry = &mut devices.values_mut().next().unwrap()["n=256"];
    change(entry);
    package.file("bico.lock", &lock.to_string());
}

fn spins(entry: &Value) -> Vec<&Value> {
    let trials = entry["trials"].as_array().unwrap().iter();
    trials.map(|trial| &trial["config"]["SPIN"]).collect()
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn what_older_rules_verified_is_verified_again() {
    let package = Package::work("older");
    package.build("auto").ok();
    let (lock, trail) = (package.read("bico.lock"), package.trail("work"));
    package.edit("bico.lock", RULES, "");
    let old = package.read("bico.lock");
    package.measured();
    // Who may not measure is told.
    let device = package.lock()["devices"]
        .as_object()
        .unwrap()
        .keys()
        .next()
        .unwrap()
        .clone();
    let warning = format!(
        "1 result was verified by older rules than this bico's: run `BICO=auto cargo build` on {device}, and commit bico.lock"
    );
    package.build("locked").ok().says(&warning);
    package
        .cargo(&["build"])
        .env("CI", "true")
        .run()
        .ok()
        .says(&warning);
    package.build("off").ok().says_nothing_of("older rules");
    assert!(!package.measured());
    assert_eq!(package.read("bico.lock"), old);
    assert!(package.run().contains("SPIN=0 (tuned on"));
    // Verified, and neither searched nor timed: the entry is as it was, and so is its trail.
    let said = package.build_unseen().ok();
    said.says("verified 1 result again by the rules of this bico: see bico.lock")
        .says_nothing_of("older rules");
    assert!(package.measured());
    assert_eq!(package.read("bico.lock"), lock);
    assert_eq!(package.trail("work"), trail);
    package.build("locked").ok().says_nothing_of("warning");
    package.build("auto").ok();
    assert!(!package.measured());
    // What nobody verified is not tried on other devices.
    let brand = device.split(" (").next().unwrap();
    let lock = lock.replace(brand, "Nobody's CPU");
    for (verified, tried) in [("reference, rules 2", true), ("no", false)] {
        package.file("bico.lock", &lock.replace("reference, rules 2", verified));
        package.build("off").ok();
        let printed = package.run();
        assert_eq!(printed.contains("1 of 2 tried on"), tried, "{printed}");
    }
    // Nor does another device's build change what it cannot verify.
    let old = lock.replace(RULES, "");
    package.file("bico.lock", &old);
    package
        .build("auto")
        .ok()
        .says("verified by older rules")
        .says("Nobody's CPU");
    assert!(package.measured());
    assert_eq!(package.read("bico.lock"), old);
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn what_newer_rules_find_wrong_goes() {
    let package = Package::work("newer");
    package.edit("src/main.rs", "[400000, 0, 20000]", "[400000, 0, 20000, 1]");
    package.edit(
        "kernels/work.c",
        "y[i] = 2 * x[i] + 1;\n}\n\nvoid work_ref",
        "y[i] = 2 * x[i] + (SPIN != 1);\n}\n\nvoid work_ref",
    );
    package.build("auto").ok();
    let wrong = json!({"config": {"SPIN": 1}, "seconds": 1e-9});
    let lost = "bico.lock loses what older rules let pass: SPIN=1 of work (n=256), wrong: y[0] is";
    // A runner-up.
    let lock = package.read("bico.lock");
    edit(&package, |entry| {
        entry["trials"]
            .as_array_mut()
            .unwrap()
            .insert(0, wrong.clone());
        entry["ranked"] = wrong.clone();
    });
    package.build("auto").ok().says(lost);
    let entry = &package.entries("work")["n=256"];
    assert_eq!(entry.get("ranked"), None);
    let without = |text: &str| {
        let mut lock: Value = serde_json::from_str(text).unwrap();
        let devices = lock["kernels"]["work"].as_object_mut().unwrap();
        let entry = &mut devices.values_mut().next().unwrap()["n=256"];
        entry.as_object_mut().unwrap().remove("ranked");
        lock
    };
    assert_eq!(package.lock(), without(&lock));
    // The winner: the others are measured again, to find the next.
    edit(&package, |entry| {
        entry["winner"]["config"]["SPIN"] = 1.into();
        let trials = entry["trials"].as_array_mut().unwrap();
        trials.retain(|of| of["config"]["SPIN"] != 0);
        trials.insert(0, wrong.clone());
    });
    package.build("auto").ok().says(lost).says("checked");
    let entry = &package.entries("work")["n=256"];
    assert_eq!(entry["winner"]["config"]["SPIN"], 20_000);
    assert_eq!(entry["verified"], "reference, rules 2");
    assert!(!spins(entry).contains(&&json!(1)));
    // All: tuned anew.
    edit(&package, |entry| {
        entry["winner"]["config"]["SPIN"] = 1.into();
        entry["trials"] = json!([wrong]);
        let entry = entry.as_object_mut().unwrap();
        entry.remove("first");
        entry.remove("ranked");
    });
    package
        .build_unseen()
        .ok()
        .says(lost)
        .says("tuned 1 kernel");
    let entry = &package.entries("work")["n=256"];
    assert_eq!(entry["winner"]["config"]["SPIN"], 0);
    assert_eq!(spins(entry).len(), 3);
}

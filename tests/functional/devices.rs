//! A lock that knows another device than this machine.

use crate::harness::Package;

/// Gives all that the lock knows to a CPU that nobody has.
fn rename(package: &Package) -> String {
    let lock = package.lock();
    let facts = lock["devices"]
        .as_object()
        .unwrap()
        .values()
        .next()
        .unwrap();
    let brand = facts["brand"].as_str().unwrap();
    let text = package.read("bico.lock").replace(brand, "Nobody's CPU");
    package.file("bico.lock", &text);
    text
}

fn devices(package: &Package) -> Vec<String> {
    package.lock()["kernels"]["work"]
        .as_object()
        .unwrap()
        .keys()
        .cloned()
        .collect()
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn results_stay_on_this_machine_unless_asked_for() {
    let mut package = Package::work("elsewhere");
    package.build("auto").ok();
    let lock = rename(&package);
    package.measured();

    // The runtime decides among what the other device's entry offers.
    for mode in ["locked", "off"] {
        package.clean();
        package.build(mode).ok().says_nothing_of("warning");
        assert!(!package.measured(), "{mode}");
        let printed = package.run();
        assert!(printed.contains("y[3] = 7"), "{printed}");
        assert!(printed.contains("1 of 2 tried on"), "{printed}");
    }

    // A contributor's laptop does not dirty a committed file.
    package.build("auto").ok();
    assert!(package.measured());
    assert_eq!(package.read("bico.lock"), lock);
    assert!(package.run().contains("SPIN=0 (tuned on"));
    // The next build, and one in a clean target folder, know it.
    package
        .cargo(&["build", "-v"])
        .run()
        .ok()
        .says("Fresh elsewhere");
    for mode in ["locked", "off", "auto"] {
        package.clean();
        package.build(mode).ok();
        assert!(!package.measured(), "{mode}");
        assert_eq!(package.read("bico.lock"), lock);
        assert!(package.run().contains("SPIN=0 (tuned on"), "{mode}");
    }

    // Without the cache it is looked for beside the build, and only there.
    package
        .cargo(&["build"])
        .env("BICO_CACHE", "off")
        .run()
        .ok();
    assert!(!package.measured());
    package.clean();
    package
        .cargo(&["build"])
        .env("BICO_CACHE", "off")
        .run()
        .ok();
    assert!(package.measured());
    assert_eq!(package.read("bico.lock"), lock);

    package.build("tune").ok();
    assert_eq!(devices(&package).len(), 2);
    assert!(package.run().contains("SPIN=0 (tuned on"));
    // The other one's entry is as it was.
    let before: serde_json::Value = serde_json::from_str(&lock).unwrap();
    let foreign = devices(&package)
        .into_iter()
        .find(|device| device.contains("Nobody"))
        .unwrap();
    assert_eq!(
        package.lock()["kernels"]["work"][&foreign],
        before["kernels"]["work"][&foreign]
    );
    assert_eq!(
        package.lock()["devices"][&foreign],
        before["devices"][&foreign]
    );

    // A stale lock fails here, although the device is another one.
    package.file("bico.lock", &lock);
    package.edit("kernels/work.c", "2 * x[i] + 1", "1 + 2 * x[i]");
    package.clean();
    package.build("locked").fails().says("stale").says("source");
}

/// What the other device's winner needs, this one may not have.
#[test]
fn a_candidate_that_cannot_run_here() {
    let package = Package::work("unable");
    package.edit(
        "src/main.rs",
        "SPIN in [400000, 0, 20000]",
        "SPIN in [400000, 0, 20000], WIDE in [false, true]",
    );
    package.edit(
        "src/main.rs",
        "problem(n",
        "require(!WIDE || device.cores > 4000), problem(n",
    );
    package.build("auto").ok();
    rename(&package);
    let cores = package.lock()["devices"]
        .as_object()
        .unwrap()
        .values()
        .next()
        .unwrap()["cores"]
        .clone();
    package.edit(
        "bico.lock",
        &format!("\"cores\": {cores}"),
        "\"cores\": 9999",
    );
    // The winner, and the trial that measured it.
    package.edit(
        "bico.lock",
        "{\"config\": {\"SPIN\": 0, \"WIDE\": false}",
        "{\"config\": {\"SPIN\": 0, \"WIDE\": true}",
    );
    package.build("locked").ok();
    let printed = package.run();
    assert!(
        printed.contains("y[3] = 7") && printed.contains("WIDE=false"),
        "{printed}"
    );
    // The facts are part of the check: where they don't allow it, the value is foreign.
    package.edit("bico.lock", "\"cores\": 9999", "\"cores\": 2");
    package
        .build("locked")
        .fails()
        .says("bico.lock:")
        .says("device.cores > 4000");
}

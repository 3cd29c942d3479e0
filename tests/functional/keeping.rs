//! What a build keeps of what it found, and where.

use crate::harness::Package;

/// Stands in for a folder that cannot be written, which root can always write.
fn block(package: &Package) {
    std::fs::create_dir(package.root().join(".bico.lock.tmp")).unwrap();
}

fn unblock(package: &Package) {
    std::fs::remove_dir(package.root().join(".bico.lock.tmp")).unwrap();
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn where_the_lock_cannot_be_written() {
    let mut package = Package::work("unwritable");
    block(&package);
    // Said before anything is measured, where nothing else is asked for.
    package
        .build("tune")
        .fails()
        .says("the lock cannot be written")
        .says("bico.lock")
        .says("BICO=auto");
    assert!(!package.measured());
    // What `auto` finds serves this machine, and is not asked for again.
    let said = package.build("auto").ok();
    assert_eq!(said.count("the lock cannot be written"), 1, "{said}");
    said.says("this machine only");
    assert!(package.measured());
    assert!(package.run().contains("SPIN=0 (tuned on"));
    package.clean();
    package.build("auto").ok();
    assert!(!package.measured());
    assert!(package.run().contains("SPIN=0 (tuned on"));
    assert!(!package.has_lock());
    package.build("locked").fails().says("does not know `work`");
    // As soon as it can be written, it is.
    unblock(&package);
    package.build("auto").ok();
    assert!(package.measured());
    assert_eq!(package.winner("work")["SPIN"], 0);
}

/// The help of a faulty entry is `BICO=tune`, and it helps.
#[test]
fn tune_replaces_what_cannot_be_true() {
    let package = Package::work("edited");
    package.build("tune").ok();
    let good = package.lock();
    package.edit(
        "bico.lock",
        "\"winner\": {\"config\": {\"SPIN\": 0}",
        "\"winner\": {\"config\": {\"SPIN\": 7}",
    );
    package
        .build("auto")
        .fails()
        .says("bico.lock:")
        .says("BICO=tune cargo build");
    package
        .build("tune")
        .ok()
        .says("removed the entry of `work` (n=256)");
    assert_eq!(package.winner("work")["SPIN"], 0);
    assert_eq!(package.lock()["devices"], good["devices"]);
    package.build("locked").ok();
    // A file that is no lock at all may be anything.
    package.edit("bico.lock", "\"version\": 1", "\"version\": 1,,");
    let bad = package.read("bico.lock");
    package.build("tune").fails().says("bico.lock:");
    assert_eq!(package.read("bico.lock"), bad);
}

/// A config of the space, with another one's time and test.
#[test]
fn a_winner_that_nobody_has_measured() {
    let package = Package::work("unmeasured");
    package.edit("src/main.rs", "evaluations = 8", "evaluations = 2");
    package.build("auto").ok();
    let lock = package.read("bico.lock");
    let config = |spin: &u32| format!("{{\"config\": {{\"SPIN\": {spin}}}");
    let mut spins = [400_000, 0, 20_000].into_iter();
    let other = spins.find(|spin| !lock.contains(&config(spin)));
    let other = config(&other.expect("two of three were measured"));
    let winner = package.winner("work")["SPIN"].as_u64().unwrap() as u32;
    let from = format!("\"winner\": {}", config(&winner));
    package.edit("bico.lock", &from, &format!("\"winner\": {other}"));
    for mode in ["locked", "auto"] {
        package
            .build(mode)
            .fails()
            .says("work: the winner is none of its entry's `trials`: nobody has measured it")
            .says("bico.lock:")
            .says("undo the edit, or run `BICO=tune cargo build` to measure anew");
    }
    package.build("tune").ok();
    package.build("locked").ok();
    // A better time than any that was measured.
    let mut lock = package.lock();
    let devices = lock["kernels"]["work"].as_object_mut().unwrap();
    let entry = &mut devices.values_mut().next().unwrap()["n=256"];
    entry["winner"]["seconds"] = 1e-12.into();
    package.file("bico.lock", &lock.to_string());
    package
        .build("locked")
        .fails()
        .says("work: the winner's `seconds` are not within its `interval_seconds`");
}

/// Results of a tunable that is gone are named, not thrown away: a feature may bring it back.
#[test]
fn removed_tunables_are_named() {
    let package = Package::work("removed");
    package
        .build("tune")
        .ok()
        .says_nothing_of("which this build");
    package.edit(
        "src/main.rs",
        "entry = \"work\",",
        "entry = \"work\", name = \"new\",",
    );
    let said = package.build("tune").ok();
    assert_eq!(said.count("results of work, which this build"), 1, "{said}");
    assert_eq!(package.winner("work"), package.winner("new"));
    package
        .build("auto")
        .ok()
        .says_nothing_of("which this build");
}

/// Cargo shows nothing of a build script that succeeds; where there is no terminal, it is told to.
#[test]
fn success_is_said_once() {
    let package = Package::work("tuned");
    package.edit(
        "kernels/work.c",
        "void work(float",
        "#if SPIN == 20000\n#error no\n#endif\nvoid work(float",
    );
    let said = package.build_unseen().ok();
    assert_eq!(said.count("bico: tuned 1 kernel in "), 1, "{said}");
    said.says("(3 configs measured, 1 failed)")
        .says("results in bico.lock")
        .says("bico/tuned");
    // A run that measures nothing has nothing to say.
    package.file("build.rs", "fn main() {\n    bico_build::tune()\n}\n");
    package.build_unseen().ok().says_nothing_of("warning");
}

/// Both is said: what is not there might as well not have been looked at.
#[test]
fn whether_results_are_the_same_to_the_bit() {
    let package = Package::work("bits");
    let tested = |wanted: &str| {
        package.build("auto").ok();
        let entry = &package.entries("work")["n=256"];
        let tested = entry["winner"]["tested"].as_str().unwrap();
        assert!(tested.ends_with(wanted), "{tested}");
    };
    tested(" calls, bit-reproducible");
    package.edit(
        "kernels/work.c",
        "    for (uint32_t i = 0; i < n; i++)\n        y[i] = 2 * x[i] + 1;\n}\n\nvoid work_reference",
        "    static unsigned calls;\n    float last = calls++ % 2 ? 1e-7f : 0;\n\
         \x20   for (uint32_t i = 0; i < n; i++)\n        y[i] = (2 * x[i] + 1) * (1 + last);\n}\n\n\
         void work_reference",
    );
    tested(" calls, not bit-reproducible");
}

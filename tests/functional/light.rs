//! Builds that only read the lock: bico-build without its feature `tune`.

use crate::harness::Package;

const LIGHT: &str = "is compiled without its feature `tune`";

/// A package with a lock, whose build does without the search from now on.
fn light(name: &str) -> Package {
    let mut package = Package::work(name);
    package.build("auto").ok();
    assert!(package.measured() && package.has_lock());
    let manifest = package.read("Cargo.toml");
    let (before, build) = manifest.split_once("[build-dependencies]").unwrap();
    let build = build.replace(", \"workers\"", "");
    let build = build.replacen(" }", ", default-features = false }", 1);
    package.file(
        "Cargo.toml",
        &format!("{before}[build-dependencies]{build}"),
    );
    package.clean();
    package
}

#[test]
fn the_lock_serves() {
    let package = light("light");
    let lock = package.read("bico.lock");
    for mode in ["auto", "locked", "off"] {
        package.build(mode).ok().says_nothing_of("warning");
        assert!(package.run().contains("SPIN=0 (tuned on"), "{mode}");
    }
    // What older rules verified is verified where the search is compiled in.
    package.edit("bico.lock", ", rules 2", "");
    for mode in ["auto", "locked"] {
        package
            .build(mode)
            .ok()
            .says("1 result was verified by older rules")
            .says("run `BICO=auto cargo build`, with bico-build's feature `tune`, on ");
    }
    assert!(!package.measured());
    package.file("bico.lock", &lock);
    // Who asks for `tune` and gets none hears of it.
    package
        .build("tune")
        .ok()
        .says(LIGHT)
        .says("did not measure, left the lock as it is for work");
    // A stale entry: its winner serves, `locked` stops.
    let kernel = package.read("kernels/work.c");
    package.file("kernels/work.c", &format!("{kernel}/* changed */\n"));
    package.build("locked").fails().says("bico.lock is stale");
    package
        .build("auto")
        .ok()
        .says(LIGHT)
        .says("took stale winners that are still in the space");
    assert!(package.run().contains("SPIN=0"));
    assert!(!package.measured());
    assert_eq!(package.read("bico.lock"), lock);
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn what_the_lock_does_not_know_gets_the_first_config() {
    let package = light("light-unknown");
    std::fs::remove_file(package.root().join("bico.lock")).unwrap();
    package.build("locked").fails().says("does not know `work`");
    for mode in ["auto", "off"] {
        package
            .build(mode)
            .ok()
            .says(LIGHT)
            .says("the first valid config");
        assert!(package.run().contains("SPIN=400000"), "{mode}");
    }
    // A second build runs nothing, and still shows why.
    package.build("off").ok().says(LIGHT);
    package.edit("src/main.rs", "problem(", "require(SPIN < 0), problem(");
    package
        .build("auto")
        .fails()
        .says("the space is empty at (n=256)")
        .says("src/main.rs:");
    assert!(!package.measured() && !package.has_lock());
}

//! When cargo runs the build script again, and when it does not.

use crate::harness::{Package, Tree};

/// A lock that a checkout brings is met by the next build, whatever the mode.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn a_lock_that_appears_later() {
    let mut package = Package::work("appears");
    package.build("tune").ok();
    let lock = package.read("bico.lock");
    let path = package.root().join("bico.lock");
    for mode in ["off", "auto"] {
        package.clean();
        std::fs::remove_file(&path).unwrap();
        let build = || {
            let call = package.cargo(&["build", "-v"]).env("BICO", mode);
            call.env("CI", "1").env("BICO_CACHE", "off").run().ok()
        };
        build();
        assert!(package.run().contains("(predicted"), "{mode}");
        if mode == "off" {
            // Nothing is missing for cargo.
            let tree = Tree::of(package.root());
            build().says("Fresh appears").says_nothing_of("Running");
            assert_eq!(Tree::of(package.root()), tree);
        }
        package.file("bico.lock", &lock);
        build();
        assert!(package.run().contains("SPIN=0 (tuned on"), "{mode}");
        build().says("Fresh appears").says_nothing_of("Running");
    }
}

/// Who asks to tune a second time gets it, though nothing changed; the next build runs the script
/// once, because the variable changed, and then no more.
#[test]
fn tune_tunes_again() {
    let package = Package::work("again");
    for _ in 0..3 {
        package.build("tune").ok();
        assert!(package.measured());
    }
    package.build("auto").ok();
    assert!(!package.measured());
    package
        .cargo(&["build", "-v"])
        .run()
        .ok()
        .says("Fresh again")
        .says_nothing_of("Running");
}

/// A mistake is not buried below what cargo is told of a run that succeeds.
#[test]
fn a_mistake_stands_alone() {
    let package = Package::work("alone");
    let rerun = "rerun-if";
    package
        .build("locked")
        .fails()
        .says("bico.lock does not know `work`")
        .says_nothing_of(rerun);
    // Mended, and broken again: cargo knows that it has to look.
    package.build("off").ok();
    package.edit("src/main.rs", "SPIN in [", "SPIN in [1 / 0, ");
    for _ in 0..2 {
        package
            .build("off")
            .fails()
            .says("src/main.rs")
            .says_nothing_of(rerun);
    }
    package.edit("src/main.rs", "1 / 0, ", "");
    package.build("off").ok();
}

//! When tuning happens: the table in docs/lock.md, and the cases in which `auto` must not measure.

use crate::harness::{KERNEL, MAIN, Package, tunable};
use crate::workers::in_five;
use serde_json::Value;

#[test]
fn a_fresh_entry() {
    let mut package = Package::work("fresh");
    package.build("auto").ok();
    package.measured();
    let lock = package.read("bico.lock");
    for mode in ["locked", "off", "auto"] {
        package.clean();
        package.build(mode).ok().says_nothing_of("warning");
        assert!(!package.measured(), "{mode}");
        assert_eq!(package.read("bico.lock"), lock, "{mode}");
        assert!(package.run().contains("SPIN=0 (tuned on"), "{mode}");
        assert!(!package.trail_file("work").exists());
    }
    package.build("tune").ok();
    assert!(package.measured());
    package.build("").ok();
    assert!(!package.measured());
}

#[test]
fn no_entry() {
    let mut package = Package::work("missing");
    package
        .build("locked")
        .fails()
        .says("bico.lock does not know `work` (n=256) on any device")
        .says("BICO=tune cargo build");
    package.build("off").ok();
    assert!(
        package
            .run()
            .contains("SPIN=400000 (predicted for n=256, not yet tuned on")
    );
    assert!(!package.measured());
    assert!(!package.has_lock());
    package.build("tune").ok();
    assert!(package.measured());
    assert_eq!(package.winner("work")["SPIN"], 0);
    // The command that the message names has mended it.
    package.clean();
    package.build("locked").ok();
    assert!(!package.measured());
    assert!(package.run().contains("SPIN=0 (tuned on"));
    package.build("auto").ok();
    package
        .build("nonsense")
        .fails()
        .says("`nonsense`")
        .says("BICO")
        .says("`locked`");
}

#[test]
fn a_stale_entry() {
    let package = Package::work("stale");
    package.build("auto").ok();
    package.measured();
    let lock = package.read("bico.lock");

    changes_that_make_it_stale(&package, &lock);
    changes_that_do_not(&package);

    // `auto` looks at the winner and its runners-up again, and says how to do more.
    package.edit(
        "kernels/work.c",
        "y[i] = 2 * x[i] + 1;",
        "y[i] = 1 + 2 * x[i];",
    );
    package.build("auto").ok().says("BICO=tune");
    assert!(package.measured());
    assert_ne!(package.read("bico.lock"), lock);
    assert_eq!(package.winner("work")["SPIN"], 0);
    package.build("locked").ok();
    package.measured();

    // A winner that became wrong is found out.
    package.edit(
        "kernels/work.c",
        "y[i] = 1 + 2 * x[i];\r\n}\r\n\r\nvoid work_ref",
        "y[i] = 1 + (SPIN ? 2 : 3) * x[i];\r\n}\r\n\r\nvoid work_ref",
    );
    package
        .build("auto")
        .ok()
        .says("`work` (n=256) changed, and its winner, SPIN=0, is no longer right: wrong: ")
        .says("it is searched anew");
    assert_eq!(package.winner("work")["SPIN"], 20000);
    // By a whole search, not as the next best of those that were known.
    assert_eq!(package.trail("work")[0]["strategy"], "random");
    package.build("locked").ok();

    package.edit("src/main.rs", "0x0, ", "0x0, 5, ");
    package.build("tune").ok();
    assert_eq!(package.winner("work")["SPIN"], 5);
}

/// What was measured is another thing, whichever part of it changes.
fn changes_that_make_it_stale(package: &Package, lock: &str) {
    let changes = [
        (
            "kernels/work.c",
            "y[i] = 2 * x[i] + 1;",
            "y[i] = 1 + 2 * x[i];",
            "source",
        ),
        (
            "src/main.rs",
            "[400000, 0, 20000]",
            "[400000, 0, 20000, 60000]",
            "space",
        ),
        (
            "src/main.rs",
            "problem(n",
            "require(n + SPIN > 0), problem(n",
            "space",
        ),
        (
            "src/main.rs",
            "verify(reference = \"work_reference\"",
            "verify(reference = \"work_reference\", rtol = 1e-4",
            "verify",
        ),
        (
            "src/main.rs",
            "budget(",
            "flags = [\"-fno-math-errno\"], budget(",
            "flags",
        ),
        (
            "src/main.rs",
            "#[len(n)] x:",
            "#[len(n)] #[init(ones)] x:",
            "launch",
        ),
    ];
    for (path, from, to, what) in changes {
        package.edit(path, from, to);
        package
            .build("locked")
            .fails()
            .says("bico.lock is stale for `work` (n=256)")
            .says(what)
            .says("changed")
            .says("BICO=tune cargo build");
        // Its winner is still in the space.
        package.build("off").ok();
        assert!(package.run().contains("SPIN=0"), "{what}");
        assert!(!package.measured(), "{what}");
        assert_eq!(package.read("bico.lock"), lock, "{what}");
        package.edit(path, to, from);
    }
}

/// What says how to search, and what is said for people, makes nothing stale.
fn changes_that_do_not(package: &Package) {
    for (path, from, to) in [
        (
            "src/main.rs",
            "evaluations = 8, seconds = 20",
            "evaluations = 7, seconds = 10, strategy = \"random\"",
        ),
        ("src/main.rs", "\npub fn work", "\n/// Docs.\npub fn work"),
        (
            "src/main.rs",
            "budget(",
            "work(flops = 2 * n), score = -SPIN, measure(cache = warm), budget(",
        ),
        (
            "src/main.rs",
            "space(SPIN in [400000, 0, 20000])",
            "space( SPIN in [ 400_000, 0x0, 20000 ] , )",
        ),
    ] {
        package.edit(path, from, to);
        package.build("locked").ok();
        assert!(package.run().contains("SPIN=0"));
    }
    package.file("kernels/work.c", &KERNEL.replace('\n', "\r\n"));
    package.build("locked").ok();
}

/// Two tunables, one warning, and the next build by somebody else looks again.
#[test]
fn continuous_integration() {
    let package = Package::work("ci");
    package.file(
        "src/main.rs",
        &format!(
            "#![allow(dead_code)]\n{}{}{MAIN}",
            tunable("work", ""),
            tunable("other", "")
        ),
    );
    let ci = |mode: &str| {
        package
            .cargo(&["build"])
            .env("BICO", mode)
            .env("CI", "true")
            .run()
    };
    for _ in 0..2 {
        let said = ci("auto").ok();
        assert_eq!(said.count("CI is set"), 1, "{said}");
        assert_eq!(said.count("warning: ci@0.1.0"), 1, "{said}");
        said.says("work").says("other");
        assert!(!package.measured());
        assert!(!package.has_lock());
        assert!(package.run().contains("(predicted"));
    }
    ci("locked").fails().says("`work`").says("`other`");
    // Anywhere else the next build tunes.
    package.build("auto").ok();
    assert!(package.measured());
    assert!(package.run().contains("SPIN=0 (tuned on"));
    // With everything known there is nothing to say.
    ci("auto").ok().says_nothing_of("did not measure");
    package.edit("kernels/work.c", "2 * x[i] + 1", "1 + 2 * x[i]");
    let said = ci("auto").ok();
    assert_eq!(said.count("CI is set"), 1, "{said}");
    assert!(package.run().contains("SPIN=0"));
    // Who asks by name means it; who switches CI off is not in it.
    assert!(!package.measured());
    ci("tune").ok();
    assert!(package.measured());
    package.edit("kernels/work.c", "1 + 2 * x[i]", "2 * x[i] + 1");
    package.cargo(&["build"]).env("CI", "false").run().ok();
    assert!(package.measured());
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn editors_and_other_places() {
    let package = Package::work("editor");
    // An editor must not be kept waiting.
    let analyzer = |args: &[&str]| package.cargo(args).env("RA_RUSTC_WRAPPER", "1").run().ok();
    let said = analyzer(&["check"]);
    assert_eq!(said.count("rust-analyzer runs this build"), 1, "{said}");
    assert!(!package.measured());
    // docs.rs, whatever the mode.
    for mode in ["auto", "tune", "locked"] {
        package
            .cargo(&["check"])
            .env("BICO", mode)
            .env("DOCS_RS", "1")
            .run()
            .ok();
        assert!(!package.measured(), "{mode}");
        assert!(!package.has_lock(), "{mode}");
    }
    // A checkout of cargo's, which has its mark at the root of the repository.
    let mark = package.folder().join(".cargo-ok");
    std::fs::write(&mark, "").unwrap();
    package.build("tune").ok();
    assert!(!package.measured());
    assert!(!package.has_lock());
    std::fs::remove_file(&mark).unwrap();
    package.cargo(&["check"]).run().ok();
    assert!(package.measured());
    // What `check` found serves the others.
    package.build("auto").ok();
    package.cargo(&["check", "--tests"]).run().ok();
    assert!(!package.measured());
    assert!(package.run().contains("SPIN=0 (tuned on"));
}

/// A package with so little time that nothing can be measured still builds.
#[test]
fn no_time_at_all() {
    let package = Package::work("hurried");
    package.manifest("[package.metadata.bico]\ncap = 0\n");
    package.build("auto").ok();
    assert!(package.run().contains("y[3] = 7"));
    package.manifest("[package.metadata.bico]\ncap = \"long\"\n");
    package.build("auto").fails().says("cap").says("Cargo.toml");
    package.manifest("[package.metadata.bico]\ntime = 3\n");
    package.build("auto").fails().says("`time`").says("`cap`");
}

/// A config that hangs when the cap ends is stopped there, not after ten seconds, and the best so far wins.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn the_cap_ends_a_hanging_config() {
    let package = Package::work("late");
    package.manifest("[package.metadata.bico]\ncap = 6\n");
    package.edit("src/main.rs", "[400000, 0, 20000]", "[400000, 0, 77, 78]");
    let hang = "{\n    while (SPIN == 77 || SPIN == 78)\n        __asm__ volatile(\"\");\n    for (volatile";
    package.file(
        "kernels/work.c",
        &KERNEL.replace("{\n    for (volatile", hang),
    );
    let said = package.build_unseen().ok().stderr;
    assert!(package.winner("work")["SPIN"] != 77, "{said}");
    let trail = package.trail("work");
    let stopped = "cap on tuning is used up";
    let is_stopped = |row: &Value| {
        row["detail"]
            .as_str()
            .is_some_and(|why| why.contains(stopped))
    };
    assert_eq!(
        trail.iter().filter(|row| is_stopped(row)).count(),
        1,
        "{trail:#?}"
    );
    // `tuned 1 kernel in 6.1 s`: far below what the hanging ones might take otherwise.
    let seconds = said.split("tuned 1 kernel in ").nth(1).unwrap();
    let seconds: f64 = seconds.split(' ').next().unwrap().parse().unwrap();
    assert!(seconds < 12.0, "{said}");
}

/// Another process holds the machine-wide lock: it is waited for once, and not for each trial.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn another_build_that_measures_for_ever() {
    let package = Package::work("patient");
    package.manifest("[package.metadata.bico]\ncap = 8\n");
    // The lock of this machine: builds of other tests wait meanwhile, two seconds or so.
    let lock = || std::fs::File::open("/tmp/bico-cpu.lock");
    let lock = lock().unwrap_or_else(|_| {
        package.build("auto").ok();
        lock().unwrap()
    });
    lock.lock().unwrap();
    let built = package.build("tune").ok();
    let why = "waited 2.0 s for other builds that measured, and then measured beside them";
    assert_eq!(built.count(why), 1, "{built}");
    assert_eq!(package.winner("work")["SPIN"], 0);
    let trail = package.trail("work");
    let trials = trail.iter().filter(|row| row["kind"] != "final").count();
    assert_eq!(trials, 3, "the cap was spent on waiting: {trail:#?}");
}

/// A compiler that takes long is told of while it is waited for; one that takes too long costs its config.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn a_slow_compiler() {
    let package = Package::work("unhurried");
    package.manifest("[package.metadata.bico]\ncompile_seconds = 8\n");
    let compiler = package.compiler();
    let text = "#!/bin/sh\ncase \"$*\" in *-DSPIN=20000*) exec sleep 100;; esac\nexec cc \"$@\"\n";
    std::fs::write(&compiler.script, text).unwrap();
    // Again where it took as long to get the processor as to compile: then nobody had to wait for the compiler.
    in_five(&package, || {
        let build = package.build_seen().env("CC", &compiler.script);
        let built = build.env("BICO", "tune").run().ok();
        (built.count("bico: compiling kernels/work.c for ") > 0).then_some(())
    });
    assert_eq!(package.winner("work")["SPIN"], 0);
    let trail = package.trail("work");
    let slow = trail.iter().find(|row| row["values"]["SPIN"] == 20000);
    let detail = slow.unwrap()["detail"].as_str().unwrap();
    assert_eq!(
        detail,
        "the compiler was stopped after 8 s: `compile_seconds` in [package.metadata.bico] says how long it may take"
    );
}

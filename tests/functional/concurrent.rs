//! Builds at the same time, and builds that are killed.

use crate::harness::process::{MARK, marked, wait_for};
use crate::harness::{KERNEL, Kind, MAIN, Package, fresh_target, tunable};
use crate::workers;
use std::process::Command;

/// Two builds of one package, in two target folders, tune two tunables.
#[test]
fn two_builds_at_once_lose_nothing() {
    let package = Package::work("both");
    let other = fresh_target(Kind::Cpu);
    package.manifest("[features]\na = []\nb = []\n");
    let keys = |feature: &str| ["1", "2", "3"].map(|number| format!("{feature}{number}"));
    let of = |feature: &str| {
        let cfg = format!("\n#[cfg(feature = \"{feature}\")]");
        keys(feature)
            .map(|key| format!("{cfg}{}", tunable(&key, "").trim_start()))
            .concat()
    };
    package.file(
        "src/main.rs",
        &format!(
            "#![allow(dead_code)]\n{}{}fn main() {{}}\n",
            of("a"),
            of("b")
        ),
    );
    let build = |feature: &str| package.cargo(&["build", "--features", feature]);
    std::thread::scope(|scope| {
        let first = scope.spawn(|| build("a").run());
        let second = scope.spawn(|| build("b").env("CARGO_TARGET_DIR", other.path()).run());
        first.join().unwrap().ok();
        second.join().unwrap().ok();
    });
    for key in ["a", "b"].iter().flat_map(|feature| keys(feature)) {
        assert_eq!(package.winner(&key)["SPIN"], 0, "{key}");
    }
    build("a,b").env("BICO", "locked").run().ok();
}

/// Two searches of one tunable at once, with two workers each.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn two_searches_with_workers_and_one_lock() {
    let package = workers::package("both_with_workers");
    std::thread::scope(|scope| {
        let search = || workers::tune(&package, workers::TWO).run();
        let (first, second) = (scope.spawn(search), scope.spawn(search));
        for search in [first, second] {
            search.join().unwrap().ok();
        }
    });
    workers::is_sane(&package);
    package.build("locked").ok();
}

/// A disk that is full while the trail is written.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn a_trail_that_is_not_whole_is_told() {
    let package = workers::package("full_disk_here");
    // No file can be larger than the kernel's, and nobody ends for that alone.
    let limited = "trap '' XFSZ; ulimit -f 17; exec \"$0\" \"$@\"";
    let mut bash = Command::new("bash");
    bash.args(["-c", limited, env!("CARGO_BIN_EXE_command")]);
    bash.args(["bico", "tune"]);
    package
        .started(bash)
        .run()
        .ok()
        .says("work.jsonl is not whole, as it could not be written: File too large");
    assert_eq!(package.winner("work")["SPIN"], 0);
}

/// A build that is killed in the middle of tuning leaves the lock as it was, and nobody behind.
#[test]
fn kill_9_in_the_middle_of_tuning() {
    let package = Package::work("killed");
    package.build("auto").ok();
    let lock = package.read("bico.lock");
    // Each call of these takes long, so that the kill falls into the middle.
    let slow = "SPIN in [400000, 0, 20000]";
    package.edit(
        "src/main.rs",
        slow,
        "SPIN in (100000000..=120000000).step_by(1000000)",
    );
    package.edit(
        "src/main.rs",
        "evaluations = 8, seconds = 20",
        "evaluations = 20, seconds = 60",
    );
    std::fs::remove_file(package.trail_file("work")).unwrap();

    let mark = package.folder().display().to_string();
    let mut cargo = package
        .cargo(&["build"])
        .env("BICO", "tune")
        .env(MARK, &mark)
        .spawn();
    let trail = package.trail_file("work");
    wait_for("the first trial", || {
        assert!(cargo.try_wait().unwrap().is_none(), "the build ended");
        std::fs::read_to_string(&trail).is_ok_and(|text| text.contains('\n'))
    });
    let processes = marked(&mark);
    let script = |parent: u32| {
        let mut found = processes
            .iter()
            .filter(|p| p.parent == parent && p.command.contains("build-script-build"));
        found
            .next()
            .unwrap_or_else(|| panic!("no build script below {parent}: {processes:#?}"))
    };
    let build_script = script(cargo.id());
    let worker = script(build_script.id);
    assert!(
        marked(&mark).iter().any(|process| process.id == worker.id),
        "the worker lives"
    );
    cargo.kill().unwrap();
    build_script.kill();
    cargo.wait().unwrap();
    wait_for("all of its processes to end", || marked(&mark).is_empty());

    assert_eq!(package.read("bico.lock"), lock);
    // Each row that was written is whole.
    assert!(!package.trail("work").is_empty());
    package.edit(
        "src/main.rs",
        "SPIN in (100000000..=120000000).step_by(1000000)",
        slow,
    );
    package.edit(
        "src/main.rs",
        "evaluations = 20, seconds = 60",
        "evaluations = 8, seconds = 20",
    );
    package.build("locked").ok();
    // Whatever the killed build held, the next one gets.
    package.build("tune").ok();
    assert_eq!(package.winner("work")["SPIN"], 0);
    let stray: Vec<_> = std::fs::read_dir(package.root())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.contains("tmp"))
        .collect();
    assert!(stray.is_empty(), "{stray:?}");
}

/// The worker alone is killed, by the system for its memory perhaps: that trial is lost.
#[test]
fn a_killed_worker_costs_one_trial() {
    let package = Package::work("bereft");
    package.file(
        "kernels/work.c",
        &KERNEL.replace(
            "{\n    for (volatile",
            "{\n    if (SPIN == 1)\n        raise(SIGKILL);\n    for (volatile",
        ),
    );
    package.edit(
        "kernels/work.c",
        "#include <stdint.h>",
        "#include <signal.h>\n#include <stdint.h>",
    );
    package.file(
        "src/main.rs",
        &format!(
            "{}{MAIN}",
            tunable("work", "").replace("[400000, 0", "[400000, 1, 0")
        ),
    );
    package.build("auto").ok();
    let trail = package.trail("work");
    let row = trail.iter().find(|row| row["values"]["SPIN"] == 1).unwrap();
    assert!(
        row["detail"].as_str().unwrap().contains("SIGKILL"),
        "{row:#}"
    );
    assert_eq!(package.winner("work")["SPIN"], 0);
}

/// Workers start through a command of the user's.
#[test]
fn workers_start_through_a_runner() {
    let package = Package::work("runner");
    let folder = package.folder().join("a folder");
    std::fs::create_dir(&folder).unwrap();
    let log = folder.join("log");
    let script = format!(
        "#!/bin/sh\necho \"$1\" >> '{}'\nshift\nexec \"$@\"\n",
        log.display()
    );
    std::fs::write(folder.join("run"), script).unwrap();
    let run = |words: &str| {
        package
            .cargo(&["build"])
            .env("BICO", "tune")
            .env("BICO_RUNNER", words)
            .run()
    };
    run(&format!("sh '{}/run' \"two words\"", folder.display())).ok();
    assert_eq!(package.winner("work")["SPIN"], 0);
    let log = std::fs::read_to_string(log).unwrap();
    assert!(log.starts_with("two words\n"), "{log}");
    // One that starts nothing is named.
    for (words, said) in [
        ("/nowhere/srun -n1", "/nowhere/srun"),
        ("false", "worker"),
        ("sh 'a", "BICO_RUNNER"),
    ] {
        package.edit("build.rs", "}", " }");
        run(words).fails().says(said).says_nothing_of("panicked");
        assert_eq!(package.winner("work")["SPIN"], 0);
    }
}

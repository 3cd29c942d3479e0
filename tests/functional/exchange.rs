//! `cargo bico export` and `cargo bico import`: out of a package and into it.

use crate::harness::{Call, Output, Package};
use serde_json::Value;
use std::process::Command;

/// Runs a program in the package's folder.
fn run(package: &Package, program: &str, args: &[&str]) -> Output {
    let mut command = Command::new(program);
    command.args(args).current_dir(package.root());
    Call::new(command).run()
}

fn export(package: &Package, args: &[&str]) -> Output {
    let args: Vec<&str> = ["export"].iter().chain(args).copied().collect();
    package.command(&args).run()
}

/// What an import would take.
fn looked(package: &Package, args: &[&str]) -> Value {
    let args: Vec<&str> = ["import", "--dry-run", "--json"]
        .iter()
        .chain(args)
        .copied()
        .collect();
    let output = package.command(&args).run().ok();
    serde_json::from_str(&output.stdout).unwrap()
}

const USER: &str = r#"#define BICO_KERNEL_WORK
#include "winners.h"
#include "kernels/work.c"

int main(void)
{
    float x[2] = {1, 2}, y[2];
    work(y, x, 2);
    printf("%g %g, SPIN=%d", y[0], y[1], BICO_WORK_SPIN);
    return 0;
}
"#;

#[test]
fn winners_serve_builds_without_bico() {
    let package = Package::work("exported");
    export(&package, &["--format", "header"])
        .fails()
        .says("there is no bico.lock")
        .says("`cargo bico tune` writes one");
    export(&package, &["--format", "nonsense"])
        .fails()
        .says("invalid value 'nonsense'")
        .says("kernel-tuner");
    package.command(&["tune"]).run().ok();

    let header = ["--format", "header", "--output", "winners.h"];
    export(&package, &header).ok().says("wrote winners.h");
    package.file("user.c", USER);
    run(
        &package,
        "gcc",
        &["-Wall", "-Werror", "user.c", "-o", "user"],
    )
    .ok();
    let user = package.root().join("user");
    let printed = run(&package, user.to_str().unwrap(), &[]).ok().stdout;
    assert_eq!(printed, "3 5, SPIN=0");
    assert!(package.read("winners.h").contains("verified: reference"));

    let flags = export(&package, &["--format", "flags"]).ok().stdout;
    assert_eq!(flags, "-DSPIN=0\n");
    export(&package, &["--format", "cuh"])
        .fails()
        .says("no winner is of a CUDA kernel");
    export(&package, &["--format", "flags", "--device", "H100"])
        .fails()
        .says("bico.lock has no winner on \"H100\"")
        .says("= help: there are:\n      work (n=256) on ");

    // Flags are those of one winner.
    package.edit(
        "src/main.rs",
        "problem(n = 256)",
        "problem(n = 256), problem(n = 512)",
    );
    package.command(&["tune"]).run().ok();
    export(&package, &["--format", "flags"])
        .fails()
        .says("flags are those of one winner, and these are 2")
        .says("name one kernel, and choose by `--device` and `--problem`");
    let flags = export(&package, &["--format", "flags", "--problem", "n=512"]);
    assert_eq!(flags.ok().stdout, "-DSPIN=0\n");
    export(&package, &["--format", "csv", "--problem", "n=1024"])
        .fails()
        .says("no search is known at (n=1024)")
        .says("= help: there are:\n      work (n=256) on ");

    // A kernel that has changed since has no winner.
    package.edit("kernels/work.c", "2 * x[i] + 1", "1 + 2 * x[i]");
    export(&package, &["--format", "header"])
        .fails()
        .says("stale, changed since: source");
}

#[test]
fn searches_go_out_and_come_back_as_priors() {
    let package = Package::work("exchanged");
    export(&package, &["--format", "csv"])
        .fails()
        .says("no search is known")
        .says("`cargo bico tune` makes one");
    // One of three fails.
    package.edit(
        "kernels/work.c",
        "void work(float",
        "#if SPIN == 20000\n#error no\n#endif\nvoid work(float",
    );
    package.command(&["tune"]).run().ok();
    for (format, file) in [
        ("csv", "out.csv"),
        ("kernel-tuner", "out-kt.json"),
        ("t4", "out-t4.json"),
    ] {
        export(&package, &["--format", format, "--output", file]).ok();
        let looked = looked(&package, &[file]);
        let report = &looked[0];
        for (name, value) in [("configs", 3), ("timed", 2), ("failed", 1), ("outside", 0)] {
            assert_eq!(report[name], value, "{format}: {report:#}");
        }
        assert_eq!(report["problem"], "n=256", "{format}");
    }
    assert!(
        package
            .read("out-kt.json")
            .contains("CompilationFailedConfig")
    );
    assert!(!package.root().join("bico.imported").exists());
}

/// A package with another tool's file, of another device: its parameter has another name.
fn with_foreign_file(name: &str) -> Package {
    let package = Package::work(name);
    package.command(&["tune"]).run().ok();
    let to = ["--format", "kernel-tuner", "--output", "out.json"];
    export(&package, &to).ok();
    let foreign = package.read("out.json").replace("SPIN", "spin");
    let own = foreign.find("\"bico\"").unwrap();
    let end = own + foreign[own..].find('\n').unwrap() + 1;
    let foreign = format!("{}{}", &foreign[..own], &foreign[end..]);
    package.file("foreign.json", &foreign);
    package
}

#[test]
fn what_is_imported_is_a_prior_and_nothing_else() {
    let package = with_foreign_file("imported");
    let root = package.root().to_path_buf();
    let import = |args: &[&str]| {
        let args: Vec<&str> = ["import", "foreign.json"]
            .iter()
            .chain(args)
            .copied()
            .collect();
        package.command(&args).run()
    };
    import(&[])
        .fails()
        .says("foreign.json")
        .says("the file has no parameter `SPIN`; it has `spin`")
        .says("`--rename THEIRS=SPIN`");
    import(&["--rename", "spin=TURN"])
        .fails()
        .says("--rename spin=TURN: the file has the parameters `spin`, the tunable `SPIN`");
    let lock = package.read("bico.lock");
    import(&["--rename", "spin=SPIN", "--device", "Another CPU"])
        .ok()
        .says("work (n=256) on Another CPU: 3 configs, 3 timed, 0 failed")
        .says("nothing in it counts as verified");
    // The lock holds what was measured and verified, and nothing else.
    assert_eq!(package.read("bico.lock"), lock);
    let imported: Value = serde_json::from_str(&package.read("bico.imported")).unwrap();
    let trials = &imported["kernels"]["work"]["Another CPU"]["n=256"]["trials"];
    assert_eq!(trials.as_array().unwrap().len(), 3);
    assert_eq!(trials[0]["config"]["SPIN"], 0);

    // A build that measures nothing knows nothing of it.
    std::fs::remove_file(root.join("bico.lock")).unwrap();
    package.build("off").ok();
    assert!(!package.has_lock());
    let printed = package.run();
    assert!(!printed.contains("(tuned on"), "{printed}");
    // The next search begins with it, and verifies what it finds.
    package.command(&["tune"]).run().ok();
    let trail = package.trail("work");
    let why = trail[0]["why"].as_str().unwrap_or_default();
    assert!(why.contains("on Another CPU (imported)"), "{trail:#?}");
    assert_eq!(trail[0]["values"]["SPIN"], 0);
    let lock = package.read("bico.lock");
    assert!(
        lock.contains("\"verified\": \"reference") && !lock.contains("Another CPU"),
        "{lock}"
    );

    // It is input from outside.
    let sound = package.read("bico.imported");
    package.edit("bico.imported", "\"SPIN\": 0", "\"SPIN\": [0]");
    let faulty = package.command(&["tune", "--force"]).run().fails();
    faulty
        .says("`SPIN` must be a number")
        .says("bico.imported:8:");
    package.file(
        "bico.imported",
        &sound.replace("\"version\": 1", "\"version\": 2"),
    );
    let newer = package.command(&["tune", "--force"]).run().fails();
    newer
        .says("of format 1 only")
        .says("`cargo bico import` again");
}

#[test]
fn files_that_are_none() {
    let package = Package::work("refused");
    let import = |file: &str| package.command(&["import", file]).run().fails();
    import("nowhere.json")
        .says("nowhere.json")
        .says("cannot be read");
    import("work")
        .says("there is no file `work`")
        .says("`--only work` imports for that kernel alone");
    package.file("a.json", "{\"rows\": []}");
    import("a.json").says("this JSON is no recorded space");
    package.file("b.csv", "SPIN,time_ms,status\n0,1.5,ok\n");
    import("b.csv")
        .says("the file does not say on which device")
        .says("--device");
    package.file("c.csv", "SPIN,time_ms,status\n7,1.5,ok\n");
    let outside = package
        .command(&["import", "c.csv", "--device", "X"])
        .run()
        .fails();
    outside.says("no config of the file that was timed is in the space");
    assert!(!package.root().join("bico.imported").exists());
}

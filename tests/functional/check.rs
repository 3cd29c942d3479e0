//! `cargo bico check`: verified, not timed.

use crate::harness::Package;

const RIGHT: &str = "y[i] = 2 * x[i] + 1;\n}\n\nvoid work_reference";

/// Makes the kernel wrong where the condition holds.
fn spoil(package: &Package, condition: &str) {
    let wrong = RIGHT.replace(" + 1;", &format!(" + 1 + ({condition});"));
    package.edit("kernels/work.c", RIGHT, &wrong);
}

#[test]
fn a_wrong_config_is_named() {
    let package = Package::work("checked");
    package
        .command(&["check"])
        .run()
        .ok()
        .says("work on ")
        .says("n=256")
        .says_nothing_of("wrong:");
    // Nothing is kept.
    assert!(!package.has_lock() && package.measured());

    spoil(&package, "SPIN == 0 && i == 32");
    let output = package.command(&["check", "--seed", "7"]).run().fails();
    output
        .says("seed 7")
        .says("wrong: SPIN=0: wrong: y[32] is ")
        .says(", at n = 255")
        .says("error: 1 config is wrong: work (n=256)");
    // Only the first of three.
    package.command(&["check", "--configs", "1"]).run().ok();
    let json = package.command(&["check", "--json"]).run().fails();
    let reports: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    let report = &reports[0];
    for (name, value) in [("configs", 3), ("right", 2), ("wrong", 1), ("failed", 0)] {
        assert_eq!(report[name], value, "{report:#}");
    }
    assert_eq!(report["failures"][0]["config"], "SPIN=0");
    assert_eq!(report["failures"][0]["kind"], "wrong");
}

#[test]
fn sizes_that_are_asked_for() {
    let package = Package::work("sizes");
    spoil(&package, "SPIN == 0 && i == 70000");
    package.command(&["check", "--problems"]).run().ok();
    let asked = ["check", "--problem", "n=5", "--problem", "n=100_000"];
    let output = package.command(&asked).run().fails();
    output
        .says("wrong: SPIN=0: wrong: y[70000] is ")
        .says("at n = 100000");
    package
        .command(&["check", "--problem", "k=3"])
        .run()
        .fails()
        .says("no tunable has all arguments that `--problem` names");
    package
        .command(&["check", "--problem", "n=many"])
        .run()
        .fails()
        .says("`n=many`: `n` takes values like 256");
    package
        .command(&["check", "--only", "wrok"])
        .run()
        .fails()
        .says("has no tunable `wrok`; did you mean `work`?");
}

#[test]
fn winners_of_the_lock() {
    let package = Package::work("winners");
    let winners = ["check", "--winners"];
    package
        .command(&winners)
        .run()
        .fails()
        .says("no winner of bico.lock is in the space");
    package.command(&["tune"]).run().ok();
    assert_eq!(package.winner("work")["SPIN"], 0);
    let lock = package.read("bico.lock");
    package.command(&winners).run().ok();
    // Another one may be as wrong as it likes.
    spoil(&package, "SPIN == 20000");
    package.command(&winners).run().ok();
    package.edit("kernels/work.c", "SPIN == 20000", "SPIN == 0");
    package
        .command(&winners)
        .run()
        .fails()
        .says("wrong: SPIN=0: ");
    assert_eq!(package.read("bico.lock"), lock);
}

/// Without a reference the majority is right.
#[test]
fn configs_that_disagree() {
    let package = Package::work("disagree");
    package.edit("src/main.rs", "verify(reference = \"work_reference\"),", "");
    spoil(&package, "SPIN == 400000");
    package
        .command(&["check"])
        .run()
        .fails()
        .says("note: there is no reference: configs are compared with each other")
        .says("wrong: SPIN=400000: wrong: its results differ from those of 2 other configs");
}

/// Sizes that a condition excludes are replaced by the nearest ones that it allows, in builds as in checks.
#[test]
fn sizes_that_divide_are_found() {
    let package = Package::work("divides");
    let condition = "verify(reference = \"work_reference\"),";
    package.edit(
        "src/main.rs",
        condition,
        &format!("{condition} require(n % 64 == 0),"),
    );
    package
        .command(&["check"])
        .run()
        .ok()
        .says_nothing_of("wrong:");
    // Of 64, 128 and 192 one is enough, and the problem's size says nothing of it.
    spoil(&package, "SPIN == 0 && n == 128");
    let output = package.command(&["check"]).run().fails();
    output
        .says("wrong: SPIN=0: wrong: y[0] is ")
        .says(", at n = 128");
    package.build("auto").ok();
    assert_ne!(package.winner("work")["SPIN"], 0);
    // Larger than 16 bits can count: the first that divides.
    package.edit("kernels/work.c", "n == 128", "n == 65600");
    let output = package.command(&["check"]).run().fails();
    output.says(", at n = 65600");
}

/// What could be checked at no size is not right.
#[test]
fn no_size_is_left() {
    let package = Package::work("none-left");
    let condition = "verify(reference = \"work_reference\"),";
    package.edit(
        "src/main.rs",
        condition,
        &format!("{condition} require(n >= 256, n % 4 == 0, n < 1000),"),
    );
    // Where nothing smaller is allowed, twice the problem's size is.
    package.command(&["check"]).run().ok();
    spoil(&package, "n == 512");
    let output = package.command(&["check"]).run().fails();
    output.says(", at n = 512");
    // There is no room for that.
    package.edit("src/main.rs", "problem(n = 256)", "problem(n = 600_000)");
    package.edit(
        "src/main.rs",
        "n >= 256, n % 4 == 0, n < 1000",
        "n >= 600_000, n % 4 == 0",
    );
    let output = package.command(&["check"]).run().fails();
    output
        .says("error: no size was checked of work (n=600000)")
        .says(
            "note: no awkward size is left: `require(n >= 600000)` excludes `n = 1`, `n = 13`, `n = 31`, \
             `require(n % 4 == 0)` excludes `n = 1`, `n = 13`, `n = 31`; try `--problem n=600004`",
        );
    package
        .command(&["check", "--problem", "n=600004"])
        .run()
        .ok();
    package.edit("src/main.rs", "problem(n = 600_000)", "problem(n = 256)");
    package.edit("src/main.rs", "n >= 600_000, n % 4 == 0", "n == 256");
    let output = package.command(&["check"]).run().fails();
    output.says("`require(n == 256)` excludes `n = 1`, `n = 13`, `n = 31`; try `--problems`");
    package.command(&["check", "--problems"]).run().ok();
}

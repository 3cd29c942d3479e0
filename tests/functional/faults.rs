//! Configs that go wrong in every way cost one trial each, and the trail names them.

use crate::harness::process::{MARK, marked, wait_for};
use crate::harness::{Package, only_trial};

const SOURCE: &str = r#"
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

enum { RIGHT, SLOW, CHATTY, SEGFAULT, ABORT, LOOP, BEYOND, BEFORE, WRONG, NAN_, UNWRITTEN, HOG, EXIT, DEEP, CLOSE, GREEDY };
#define KIND JOIN(IS_, FAULT)
#define IS_right RIGHT
#define IS_slow SLOW
#define IS_chatty CHATTY
#define IS_segfault SEGFAULT
#define IS_abort ABORT
#define IS_loop LOOP
#define IS_beyond BEYOND
#define IS_before BEFORE
#define IS_wrong WRONG
#define IS_nan NAN_
#define IS_unwritten UNWRITTEN
#define IS_hog HOG
#define IS_exit EXIT
#define IS_deep DEEP
#define IS_close CLOSE
#define IS_greedy GREEDY

__attribute__((noinline)) static int deep(volatile char *above)
{
    volatile char here[4096];
    here[0] = above[0];
    return deep(here) + here[1];
}

void work(float *y, const float *x, uint32_t n, float *buffer)
{
    if (KIND == SEGFAULT)
        *(volatile int *)16 = 1;
    if (KIND == ABORT)
        abort();
    if (KIND == LOOP)
        for (volatile int spin = 1; spin; ) {
        }
    if (KIND == EXIT)
        exit(0);
    if (KIND == DEEP)
        y[0] = deep("");
    if (KIND == CLOSE)
        for (int file = 0; file < 64; file++)
            close(file);
    if (KIND == HOG)
        for (;;) {
            char *more = malloc(256 << 20);
            if (!more)
                abort();
            memset(more, 1, 256 << 20);
        }
    if (KIND == CHATTY) {
        puts("{\"Tried\": 0}");
        fputs("a kernel may print\n", stderr);
        fflush(stdout);
    }
    if (KIND == SLOW || KIND == CHATTY)
        for (volatile int spin = 0; spin < 50000; spin++) {
        }
    uint32_t end = KIND == UNWRITTEN ? n - 1 : n;
    for (uint32_t i = 0; i < end; i++)
        y[i] = 2 * x[i] + 1;
    if (KIND == BEYOND)
        y[n] = 1;
    if (KIND == BEFORE)
        y[-1] = 1;
    if (KIND == WRONG)
        y[n / 2] += 1;
    if (KIND == NAN_)
        y[n / 2] = 0.0f / 0.0f;
    buffer[0] = 1;
}

void work_reference(float *y, const float *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = 2 * x[i] + 1;
}
"#;

const MAIN: &str = r#"
#[bico::tunable(
    source = "kernels/work.c",
    space(FAULT in [
        "broken", "slow", "segfault", "abort", "loop", "beyond", "before", "wrong", "nan", "unwritten",
        "hog", "exit", "deep", "close", "greedy", "chatty", "right",
    ]),
    scratch(buffer: f32, len = if FAULT == "greedy" { 1000000000000000 } else { 16 }),
    problem(n = 1000),
    verify(reference = "work_reference"),
    budget(evaluations = 20, seconds = 200, strategy = "sequential"),
)]
fn work(#[len(n)] y: &mut [f32], #[len(n)] x: &[f32], n: u32) -> bico::Result<()>;

fn main() -> bico::Result<()> {
    let mut y = [0.0; 1000];
    work(&mut y, &[3.0; 1000], 1000)?;
    println!("{} {}", y[999], bico::config_of(work_tunable(), &[1000])?.config);
    Ok(())
}
"#;

#[test]
fn each_costs_its_trial() {
    let package = Package::new("faults");
    package.file("kernels/work.c", SOURCE);
    package.file("src/main.rs", MAIN);
    package.build("auto").ok();
    assert_eq!(package.winner("work")["FAULT"], "right");
    assert_eq!(package.run(), "7 FAULT=right\n");

    let trail = package.trail("work");
    let row = |fault: &str| only_trial(&trail, "FAULT", fault);
    for (fault, kind, detail) in [
        ("segfault", "crash", "SIGSEGV"),
        ("abort", "crash", "SIGABRT"),
        ("deep", "crash", "SIG"),
        ("exit", "crash", "exit"),
        ("loop", "timeout", ""),
        ("beyond", "out_of_bounds", "y"),
        ("before", "out_of_bounds", "y"),
        ("wrong", "wrong", "y["),
        ("nan", "wrong", "NaN"),
        ("unwritten", "unwritten", "y"),
        ("broken", "compile", "IS_broken"),
        ("greedy", "memory", ""),
    ] {
        let row = row(fault);
        assert_eq!(row["failure"], kind, "{row:#}");
        assert!(row["detail"].as_str().unwrap().contains(detail), "{row:#}");
        assert!(row["seconds"].is_null(), "{row:#}");
    }
    // How it fails depends on the machine; that it does, not.
    assert!(row("hog")["failure"].is_string(), "{:#}", row("hog"));
    assert!(
        row("close")["failure"].is_string() || row("close")["seconds"].is_number(),
        "{:#}",
        row("close")
    );
    for fault in ["right", "slow", "chatty"] {
        assert!(row(fault)["seconds"].is_number(), "{:#}", row(fault));
    }
    // None of them is in the lock.
    let entry = &package.entries("work")["n=1000"];
    for trial in entry["trials"].as_array().unwrap() {
        let fault = trial["config"]["FAULT"].as_str().unwrap();
        assert!(
            ["right", "slow", "chatty", "close"].contains(&fault),
            "{entry:#}"
        );
    }
}

/// Where nothing is right, the build says why.
#[test]
fn nothing_is_right() {
    let package = Package::work("hopeless");
    package.edit(
        "kernels/work.c",
        "y[i] = 2 * x[i] + 1;\n}\n\nvoid work_ref",
        "y[i] = 3;\n}\n\nvoid work_ref",
    );
    package
        .build("auto")
        .fails()
        .says("work")
        .says("expected")
        .says("work.jsonl");
    assert!(!package.has_lock());
    for row in package.trail("work") {
        assert_eq!(row["failure"], "wrong", "{row:#}");
    }
}

/// Without a reference, configs must agree with each other.
#[test]
fn who_says_that_there_is_no_nan_may_swallow_it() {
    let package = Package::work("finite");
    let right = "y[i] = 2 * x[i] + 1;\n}\n\nvoid work_ref";
    let swallows = right.replace("x[i] + 1", "(x[i] == x[i] ? x[i] : 0) + 1");
    package.edit("kernels/work.c", right, &swallows);
    package
        .command(&["check"])
        .run()
        .fails()
        .says("expected NaN")
        .says("`#[init(..)]` says that there are none");
    package.edit(
        "src/main.rs",
        "    verify(reference",
        "    flags = [\"-ffinite-math-only\"],\n    verify(reference",
    );
    package.command(&["check"]).run().ok();
    package.build("auto").ok();
}

#[test]
fn consensus() {
    let package = Package::work("consensus");
    package.edit(
        "src/main.rs",
        "    verify(reference = \"work_reference\"),\n",
        "",
    );
    package.edit(
        "src/main.rs",
        "[400000, 0, 20000]",
        "[400000, 0, 20000, 30000, 1]",
    );
    // The fastest one is alone with its opinion.
    package.edit(
        "kernels/work.c",
        "y[i] = 2 * x[i] + 1;\n}\n\nvoid work_ref",
        "y[i] = 2 * x[i] + (SPIN != 1);\n}\n\nvoid work_ref",
    );
    package.edit(
        "kernels/work.c",
        "spin < SPIN",
        "spin < (SPIN == 0 ? 1000 : SPIN)",
    );
    package.build("auto").ok();
    assert_eq!(package.winner("work")["SPIN"], 0);
    assert_eq!(
        package.entries("work")["n=256"]["verified"],
        "consensus, rules 2"
    );
}

/// Where the first configs are wrong alike and later ones, which are more, are right, none of the first may stay.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn the_opinion_turns() {
    let package = Package::work("turning");
    package.edit(
        "src/main.rs",
        "    verify(reference = \"work_reference\"),\n",
        "",
    );
    package.edit(
        "src/main.rs",
        "[400000, 0, 20000]",
        "[1, 2, 0, 3, 20000, 400000]",
    );
    package.edit(
        "src/main.rs",
        "seconds = 20",
        "seconds = 20, strategy = \"sequential\"",
    );
    package.edit(
        "kernels/work.c",
        "y[i] = 2 * x[i] + 1;\n}\n\nvoid work_ref",
        "y[i] = 2 * x[i] + (SPIN != 1 && SPIN != 2);\n}\n\nvoid work_ref",
    );
    package.edit(
        "kernels/work.c",
        "spin < SPIN",
        "spin < (SPIN == 0 ? 2000 : SPIN == 3 ? 5000 : SPIN)",
    );
    package.build("auto").ok();
    let entry = &package.entries("work")["n=256"];
    for of in ["winner", "first", "ranked"] {
        assert_eq!(entry[of]["config"]["SPIN"], 0, "{of}: {entry:#}");
    }
    let trials = entry["trials"].as_array().unwrap();
    // Those that were far too slow differ by far: a single run beside other programs orders them.
    let spins: Vec<_> = trials
        .iter()
        .map(|of| of["config"]["SPIN"].as_i64())
        .collect();
    assert_eq!(spins, [0, 3, 20_000, 400_000].map(Some));
    assert!(package.run().contains("y[3] = 7"));
    // The trail keeps what was seen at the time, and what became of it.
    let trail = package.trail("work");
    let seen = |kind: &str| -> Vec<(Option<i64>, bool)> {
        let rows = trail.iter().filter(|row| row["kind"] == kind);
        let seen =
            |row: &serde_json::Value| (row["values"]["SPIN"].as_i64(), row["seconds"].is_number());
        rows.map(seen).collect()
    };
    let first = [
        (Some(2), true),
        (Some(0), false),
        (Some(3), false),
        (Some(20_000), true),
    ];
    assert_eq!(seen("trial")[..4], first);
    let judged = [
        (Some(1), false),
        (Some(2), false),
        (Some(0), true),
        (Some(3), true),
    ];
    assert_eq!(seen("judged"), judged);
    let outvoted = trail.iter().find(|row| row["kind"] == "judged").unwrap();
    let why = outvoted["detail"].as_str().unwrap();
    assert!(
        why.contains("those of 3 other configs, and 1 agrees"),
        "{why}"
    );
}

/// What a config leaves behind in its process must not be put down to those after it.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn nothing_outlives_a_trial() {
    let package = Package::new("aftermath");
    package.file(
        "kernels/work.c",
        r#"
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SLOW, LEAK, ALARM, FORK, LATER, NONE };

void work(float *y, const float *x, uint32_t n, float *buffer)
{
    static int done;
    for (volatile int spin = 0; spin < (AFTER == NONE ? 0 : 20000); spin++) {
    }
    if (!done) {
        done = 1;
        if (AFTER == LEAK)
            for (size_t size = (size_t)1 << 40; size >= (size_t)1 << 22; size /= 2)
                while (malloc(size)) {
                }
        if (AFTER == ALARM)
            alarm(1);
        if (AFTER == FORK && fork() == 0) {
            sleep(1000);
            _exit(0);
        }
        if (AFTER == LATER) {
            /* The heap is broken, but whoever uses it next will notice. */
            char *block = malloc(64);
            memset(block - 16, 0x55, 256);
            free(malloc(5000));
        }
    }
    for (uint32_t i = 0; i < n; i++)
        y[i] = 2 * x[i] + 1;
}

void work_reference(float *y, const float *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = 2 * x[i] + 1;
}
"#,
    );
    package.file(
        "src/main.rs",
        r#"
        #[bico::tunable(
            source = "kernels/work.c",
            space(AFTER in 0..=5),
            scratch(buffer: f32, len = if AFTER == 1 { 1 } else { 4000000 }),
            problem(n = 1000),
            verify(reference = "work_reference"),
            budget(evaluations = 8, seconds = 60, strategy = "sequential"),
        )]
        fn work(#[len(n)] y: &mut [f32], #[len(n)] x: &[f32], n: u32) -> bico::Result<()>;

        fn main() {}
        "#,
    );
    let mark = package.folder().display().to_string();
    package.cargo(&["build"]).env(MARK, &mark).run().ok();
    assert_eq!(package.winner("work")["AFTER"], 5);
    for row in package.trail("work") {
        let innocent = row["values"]["AFTER"] == 0 || row["values"]["AFTER"] == 5;
        assert!(!innocent || row["seconds"].is_number(), "{row:#}");
    }
    wait_for("all of its processes to end", || marked(&mark).is_empty());
}

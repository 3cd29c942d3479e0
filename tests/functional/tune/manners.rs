//! Help, colours, exit codes, completions and manual pages.

use crate::harness::{Output, Package};

fn run(args: &[&str]) -> Output {
    Package::work("manners").command(args).run()
}

#[test]
fn help_tells_what_to_type() {
    let top = run(&["--help"]).ok();
    top.says("Exit codes:")
        .says("130")
        .says("cargo bico tune gemm --force");
    let commands = "adopt check compile completions devices diff export import man merge new replay report show space status tune";
    for command in commands.split(' ') {
        let help = run(&[command, "--help"]).ok();
        help.says("Examples:\n")
            .says(&format!("  cargo bico {command}"));
    }
}

#[test]
fn arguments_that_make_no_sense_end_with_2() {
    for (args, says) in [
        (
            &["tune", "--strategy", "gudied"][..],
            "[possible values: adaptive, annealing, guided",
        ),
        (&["tune", "--budget", "0"], "0 is not in 1.."),
        (&["tune", "--seconds", "0"], "write a number of seconds"),
        (
            &["tune", "--seconds", "nan"],
            "write a number of seconds, like `60`",
        ),
        (
            &["tune", "--problem", "n"],
            "`n` is not a size: write `m=64,n=64`",
        ),
        (&["tune", "--force", "--missing"], "cannot be used with"),
        (
            &["tune", "--worker", "0", "ssh a"],
            "--worker: `0` is no number of workers, from 1 to 4096",
        ),
        (
            &["tune", "--worker", "1", ""],
            "--local stands for this machine",
        ),
        (
            &["tune", "--worker", "1", "ssh 'a"],
            "a quote is not closed",
        ),
        (&["tune", "--send"], "--worker"),
        (&["tnue"], "similar subcommand exists: 'tune'"),
        (&["tune", "--color", "pink"], "pink"),
    ] {
        let output = run(args).fails();
        assert_eq!(output.code, Some(2), "{output}");
        output.says(says);
    }
    let package = Package::new("empty");
    package.file("src/main.rs", "fn main() {}\n");
    for command in ["tune", "check"] {
        let output = package.command(&[command]).run().fails();
        assert_eq!(output.code, Some(1));
        output.says(&format!(
            "nothing to {command} in this package\n  = help: mark a wrapper"
        ));
    }
    let output = run(&["tune", "wrok"]).fails();
    assert_eq!(output.code, Some(2));
    output.says("error: the package has no tunable `wrok`; did you mean `work`?");
}

#[test]
fn colours_where_they_are_wanted() {
    let package = Package::work("colours");
    let red = |output: Output| output.fails().count("\x1b[") > 0;
    let wrong = ["tune", "wrok"];
    assert!(!red(package.command(&wrong).run()));
    assert!(red(package
        .command(&["tune", "wrok", "--color", "always"])
        .run()));
    assert!(red(package.command_seen(&wrong, "").run()));
    assert!(!red(package
        .command_seen(&wrong, "")
        .env("NO_COLOR", "1")
        .run()));
    assert!(!red(package
        .command_seen(&["tune", "wrok", "--color=never"], "")
        .run()));
    let help = package.command(&["--color", "always", "--help"]).run().ok();
    help.says("\x1b[");
    package
        .command_seen(&["--help", "--color", "never"], "")
        .run()
        .ok()
        .says_nothing_of("\x1b[");
}

#[test]
fn completions_and_pages() {
    for (shell, says) in [
        ("bash", "complete -F"),
        ("zsh", "#compdef cargo-bico"),
        ("fish", "complete -c cargo-bico"),
    ] {
        let script = run(&["completions", shell]).ok();
        script.says(says).says("message-format");
    }
    let page = run(&["man"]).ok();
    page.says(".TH cargo-bico 1").says("tune");
    let package = Package::work("pages");
    package.command(&["man", "man1"]).run().ok();
    let page = package.read("man1/cargo-bico-tune.1");
    assert!(
        page.contains("Examples") || page.contains("EXTRA"),
        "{page}"
    );
    assert!(
        page.contains("cargo\\-bico\\-tune") || page.contains("cargo-bico-tune"),
        "{page}"
    );
    package.file("taken", "");
    let refused = package.command(&["man", "taken/pages"]).run().fails();
    refused
        .says("cannot write to taken/pages: ")
        .says("cargo bico man man1");
}

/// Nobody waits for one search to hear of it.
#[test]
fn an_empty_space_is_told_before_another_is_searched() {
    let package = Package::work("empty");
    let problems = "problem(n = 256), problem(n = 100), require(SPIN <= 1000 * n - 200000)";
    package.edit("src/main.rs", "problem(n = 256)", problems);
    let said = package.command(&["tune"]).run().fails();
    said.says("the space is empty at (n=100) on ")
        .says_nothing_of("1/");
    assert!(!package.measured() && !package.has_lock());
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn a_sample_and_a_sweep_end_at_no_plateau() {
    let package = Package::work("sweep");
    // The first one is by far the fastest.
    package.edit_all(&[
        ("src/main.rs", "SPIN in [400000, 0, 20000]", "SPIN in 0..40"),
        (
            "kernels/work.c",
            "spin < SPIN",
            "spin < SPIN + 9000 * !!SPIN",
        ),
    ]);
    for strategy in ["sequential", "random"] {
        let asked = ["tune", "--force", "--strategy", strategy, "--budget", "40"];
        package.command(&asked).run().ok();
        let rows = package.trail("work");
        let last = rows
            .iter()
            .filter_map(|row| row["evaluation"].as_u64())
            .max();
        assert_eq!(last, Some(40), "{strategy}");
    }
}

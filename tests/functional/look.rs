//! `cargo bico show`, `status` and `diff`: what the lock holds, whether it still fits, what changed of it.

use crate::harness::{Call, Output, Package};
use serde_json::{Value, json};
use std::process::Command;

const DEVICE: &str = "AMD EPYC (AuthenticAMD family 26 model 2, x86-64-v4)";

/// A package whose lock is what tuning wrote, but for the device and all times.
fn tuned(name: &str) -> Package {
    let package = Package::work(name);
    package.command(&["tune"]).run().ok();
    let lock = package.lock();
    let facts = lock["devices"].as_object().unwrap().values().next();
    let mut entry = package.entries("work")["n=256"].clone();
    let trial = |spin: i64, seconds: f64| json!({ "config": { "SPIN": spin }, "seconds": seconds });
    for (name, value) in [
        ("evaluations", json!(3)),
        ("first", trial(400_000, 8e-4)),
        ("ranked", trial(20_000, 4.2e-5)),
        ("resources", Value::Null),
        ("space_size", json!(3)),
        ("trials", json!([trial(0, 2e-6), trial(20_000, 4.2e-5)])),
        ("winner", winner(0, [1.9e-6, 2e-6, 2.1e-6])),
    ] {
        entry[name] = value;
    }
    entry
        .as_object_mut()
        .unwrap()
        .retain(|_, value| !value.is_null());
    let lock = json!({
        "devices": { DEVICE: facts },
        "kernels": { "work": { DEVICE: { "n=256": entry } } },
        "version": 1,
    });
    package.file("bico.lock", &lock.to_string());
    package
}

fn winner(spin: i64, [low, median, high]: [f64; 3]) -> Value {
    json!({
        "config": { "SPIN": spin }, "seconds": median, "interval_seconds": [low, high],
        "timed": "median, 95 %, flushed",
        "ratio": { "interval": [0.23, 0.25], "to": "reference", "value": 0.24 },
    })
}

/// What the manual shows is what the commands print.
#[track_caller]
fn is_in_the_manual(text: &str) {
    let manual = include_str!("../../docs/ci.md");
    assert!(manual.contains(text), "docs/ci.md does not show:\n{text}");
}

/// Changes the only result.
fn edit(package: &Package, change: impl FnOnce(&mut Value)) {
    let mut lock = package.lock();
    change(&mut lock["kernels"]["work"][DEVICE]["n=256"]);
    package.file("bico.lock", &lock.to_string());
}

#[track_caller]
fn json_of(output: &Output) -> Value {
    serde_json::from_str(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

const SHOWN: &str = "\
work on AMD EPYC (AuthenticAMD family 26 model 2, x86-64-v4)

problem  winner     time            interval  over reference  over first  over ranked  evaluated  verified            state
n=256    SPIN=0  2.00 µs  1.90 µs to 2.10 µs            4.2x       ~400x         ~21x     3 of 3  reference, rules 2  fresh
";

#[test]
fn the_lock_as_a_table() {
    let package = tuned("shown");
    let shown = package.command(&["show"]).run().ok();
    assert_eq!(shown.stdout, SHOWN);
    is_in_the_manual(SHOWN);
    for asked in [&["show", "work"][..], &["show", "--device", "epyc"]] {
        assert_eq!(package.command(asked).run().ok().stdout, SHOWN);
    }
    let json = json_of(&package.command(&["show", "--json"]).run().ok());
    let result = &json["results"][0];
    assert_eq!(result["config"], json!({ "SPIN": 0 }), "{json:#}");
    assert_eq!(result["interval_seconds"], json!([1.9e-6, 2.1e-6]));
    assert_eq!(
        (&result["state"], &result["device"]),
        (&json!("fresh"), &json!(DEVICE))
    );
}

#[test]
fn the_trail_of_a_search() {
    let package = Package::work("trail");
    package.command(&["tune"]).run().ok();
    let shown = package.command(&["show", "--trail"]).run().ok();
    let (_, trail) = shown
        .stdout
        .split_once("the trail of work (n=256) on ")
        .unwrap();
    let lines: Vec<&str> = trail.lines().collect();
    let head = "Budget Latency Throughput Best Sink Config Why";
    let words: Vec<&str> = lines[2].split_whitespace().collect();
    assert_eq!(words.join(" "), head);
    let path = package.trail_file("work");
    assert_eq!(lines.last(), Some(&path.to_str().unwrap()));
    let rows = std::fs::read_to_string(&path).unwrap().lines().count();
    assert_eq!(lines.len(), 3 + rows + 2, "{trail}");
    assert!(
        lines[3].contains("SPIN=400000") && lines[3].contains("baseline"),
        "{trail}"
    );
    let json = json_of(&package.command(&["show", "--trail", "--json"]).run().ok());
    assert_eq!(
        json["searches"][0]["trails"][0]["rows"]
            .as_array()
            .unwrap()
            .len(),
        rows
    );

    std::fs::remove_file(&path).unwrap();
    package
        .command(&["show", "--trail"])
        .run()
        .fails()
        .says("there is no trail of these results in ")
        .says("on the machine that tuned");
}

#[test]
fn names_that_there_are_not() {
    let package = tuned("misnamed");
    for (asked, said) in [
        (
            &["show", "wrok"][..],
            "have no tunable `wrok`; did you mean `work`?",
        ),
        (&["status", "--only", "x"], "have no tunable `x`"),
        (
            &["status", "wrok"],
            "no tunable `wrok`; did you mean `work`?",
        ),
        (
            &["check", "wrok"],
            "no tunable `wrok`; did you mean `work`?",
        ),
        (
            &["export", "wrok", "-f", "flags"],
            "no tunable `wrok`; did you mean `work`?",
        ),
        (&["diff", "--only", "x", "bico.lock"], "have no tunable `x`"),
        (&["show", "--device", "H100"], "have no device `H100`"),
        (&["diff", "no-such-file"], "no revision"),
    ] {
        package.command(asked).run().fails().says(said);
    }
    package.file("bico.lock", "{\n  \"version\": 1,\n  oops\n");
    for asked in ["show", "status"] {
        package.command(&[asked]).run().fails().says("bico.lock:3:");
    }
    std::fs::remove_file(package.root().join("bico.lock")).unwrap();
    for asked in ["show", "status"] {
        package
            .command(&[asked])
            .run()
            .fails()
            .says("there is no bico.lock in ")
            .says("run `cargo bico tune` on a machine with the device");
    }
}

/// Who looks leaves no trace: a checkout that cannot be written to will do.
#[test]
fn looking_writes_nothing() {
    let package = tuned("traces");
    let nowhere = package.folder().join("untouched");
    let page = package.folder().join("page.html");
    let page = page.to_str().unwrap();
    for arguments in [
        &["show", "--trail"][..],
        &["status"],
        &["space"],
        &["export", "--format", "flags"],
        &["import", "--dry-run", "nothing.json"],
        &["adopt", "--dry-run"],
        &["report", "--output", page],
    ] {
        let call = package.command(arguments);
        let output = call.env("CARGO_TARGET_DIR", &nowhere).run();
        assert!(!nowhere.exists(), "{output}");
    }
    assert!(package.folder().join("page.html").is_file());
}

/// `cargo bico show | head` and the like.
#[test]
fn readers_may_leave() {
    let package = tuned("unread");
    for arguments in [
        &["show"][..],
        &["show", "--json"],
        &["status"],
        &["status", "--json"],
        &["space", "--csv"],
        &["export", "--format", "header"],
        &["check", "--configs", "1"],
        &["devices"],
    ] {
        let output = package.command(arguments).unread();
        assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""));
    }
}

/// Neither a compiler nor anything else is there to be started.
fn alone(package: &Package, arguments: &[&str]) -> Output {
    let compiler = package.compiler();
    let output = package
        .command(arguments)
        .env("PATH", package.folder().join("nothing"))
        .env("CC", &compiler.script)
        .run();
    assert_eq!(compiler.calls(), "");
    output
}

#[test]
fn what_still_fits_is_seen_without_a_compiler() {
    let package = tuned("status");
    package.measured();
    let fresh = alone(&package, &["status"]).ok();
    assert_eq!(
        (fresh.stdout.as_str(), fresh.stderr.as_str()),
        ("1 fresh\n", "")
    );
    // What cannot change a result does not.
    package.edit(
        "src/main.rs",
        "budget(evaluations = 8",
        "budget(evaluations = 9",
    );
    alone(&package, &["status"]).ok();

    package.edit("kernels/work.c", "2 * x[i] + 1;", "1 + 2 * x[i];");
    package.edit(
        "src/main.rs",
        "problem(n = 256)",
        "problem(n = 256), problem(n = 8)",
    );
    let stale = alone(&package, &["status"]).fails();
    let expected = "\
stale    work  n=256  AMD EPYC (AuthenticAMD family 26 model 2, x86-64-v4)  changed: source (kernels/work.c and what it includes)
missing  work  n=8    -                                                     no device has a result of it

1 stale, 1 missing
";
    assert_eq!(stale.stdout, expected);
    let error = format!(
        "error: bico.lock does not fit the sources: 1 stale, 1 missing\n  = help: run `cargo bico tune` on {DEVICE}; commit bico.lock\n"
    );
    assert_eq!(stale.stderr, error);
    let json = json_of(&alone(&package, &["status", "--json"]).fails());
    assert_eq!(json["counts"]["stale"], 1, "{json:#}");
    assert_eq!(json["results"][0]["changed"], json!(["source"]));
    // A build says the same.
    package
        .build("locked")
        .fails()
        .says("bico.lock is stale for `work` (n=256): its source changed")
        .says("bico.lock does not know `work` (n=8)");
    package
        .command(&["show"])
        .run()
        .ok()
        .says("stale, changed: source");
    assert!(!package.measured());
}

#[test]
fn what_nothing_asks_for_is_removed() {
    let package = tuned("pruned");
    let before = package.read("bico.lock");
    package.edit("src/main.rs", "problem(n = 256)", "problem(n = 8)");
    let warning = "warning: 1 result of bico.lock is unused: `cargo bico status --prune`";
    package.command(&["status"]).run().fails().says(warning);
    assert_eq!(package.read("bico.lock"), before);
    package
        .command(&["status", "--prune"])
        .run()
        .fails()
        .says("removed 1 unused result from bico.lock")
        .says("1 missing");
    assert_eq!(package.lock()["kernels"], json!({}));
    let empty = "{\n  \"devices\": {},\n  \"kernels\": {},\n  \"version\": 1\n}\n";
    assert_eq!(package.read("bico.lock"), empty);
}

fn git(package: &Package, arguments: &[&str]) {
    let mut git = Command::new("git");
    let own = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
    git.args(own).args(arguments).current_dir(package.root());
    Call::new(git).run().ok();
}

#[test]
fn what_a_retune_changed() {
    let package = tuned("diff");
    let nowhere = package.folder().join("nothing");
    let without = package.command(&["diff"]).env("PATH", nowhere).run();
    without
        .fails()
        .says("git, which knows the revisions, is not installed");
    package
        .command(&["diff"])
        .run()
        .fails()
        .says("there is no revision `HEAD` without a git repository: fatal: ");
    git(&package, &["init", "-q"]);
    git(&package, &["commit", "-q", "--allow-empty", "-m", "before"]);
    // A revision without a lock is the one before the first tuning.
    let first = package.command(&["diff"]).run().ok();
    assert!(first.stdout.contains("added"), "{first}");
    git(&package, &["add", "bico.lock"]);
    git(&package, &["commit", "-q", "-m", "tuned"]);
    let same = package.command(&["diff"]).run().ok();
    assert_eq!(same.stdout, "1 unchanged\n");

    let old = package.read("bico.lock");
    edit(&package, |entry| {
        entry["winner"] = winner(20_000, [1.4e-6, 1.5e-6, 1.6e-6])
    });
    let expected = "\
work on AMD EPYC (AuthenticAMD family 26 model 2, x86-64-v4)

problem       config      time     interval            verdict
n=256    old  SPIN=0      2.00 µs  1.90 µs to 2.10 µs  another winner, 25.0 % less time
         new  SPIN=20000  1.50 µs  1.40 µs to 1.60 µs

1 with another winner, 0 unchanged
";
    is_in_the_manual(expected);
    package.file("old.lock", &old);
    for asked in [&["diff"][..], &["diff", "HEAD"], &["diff", "old.lock"]] {
        assert_eq!(package.command(asked).run().ok().stdout, expected);
    }
    let table = package
        .command(&["diff", "--format", "markdown"])
        .run()
        .ok();
    table.says("| n=256 | SPIN=0 | SPIN=20000 | 2.00 µs (1.90 µs to 2.10 µs) | 1.50 µs (1.40 µs to 1.60 µs) | another winner, 25.0 % less time |");
    let json = json_of(&package.command(&["diff", "--format", "json"]).run().ok());
    assert_eq!(json["changes"][0]["kind"], "winner", "{json:#}");
    assert_eq!(json["changes"][0]["within_noise"], false);
    edit(&package, |entry| {
        entry["winner"] = winner(0, [1.8e-6, 1.95e-6, 2e-6])
    });
    let noise = package.command(&["diff"]).run().ok();
    noise.says("the same winner, 2.5 % less time (within noise)");
}

/// A terminal shows what a pipe gets.
/// What is looked at reads the same on a terminal and off it: nothing is drawn, cut or coloured but mistakes.
#[test]
fn on_a_terminal() {
    let package = tuned("seen");
    package.edit("kernels/work.c", "2 * x[i] + 1;", "1 + 2 * x[i];");
    for arguments in [
        &["show"][..],
        &["show", "--json"],
        &["space", "--why"],
        &["devices"],
        &["new", "kernels/work.c", "--entry", "work"],
        &["export", "--format", "csv"],
        &["merge", "--help"],
        &["status"],
        &["show", "wrok"],
    ] {
        let off = package.command(arguments).run();
        let seen = package.command_seen(arguments, "").run();
        assert_eq!(seen.code, off.code, "{seen}");
        let is_wrong = off.code != Some(0);
        let coloured = is_wrong || arguments.contains(&"--help");
        assert_eq!(seen.stdout.contains("\x1b["), coloured, "{seen}");
        let plain = without_colours(&seen.stdout.replace("\r\n", "\n"));
        assert_eq!(plain, off.stdout.clone() + &off.stderr, "{seen}");
    }
}

/// A text without what a terminal takes for colours.
fn without_colours(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let first = parts.next().unwrap_or_default().to_string();
    let rest = parts.map(|part| part.split_once('m').map_or("", |(_, rest)| rest));
    first + &rest.collect::<String>()
}

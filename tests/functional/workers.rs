//! Several workers for one search, and what may become of them.

use crate::harness::process::{MARK, Process, marked, wait_for};
use crate::harness::{Call, MAIN, Output, Package, tunable};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

/// Two workers of this machine; their environment tells them apart.
pub(crate) const TWO: &str = "env ONE=1; env TWO=2";

/// A package whose kernel has 40 configs. Of them only those with `SPIN = 0` are fast.
pub(crate) fn package(name: &str) -> Package {
    let package = Package::work(name);
    let spins: Vec<String> = (0..20).map(|at| (at * 1_000_000).to_string()).collect();
    let space = format!("SPIN in [{}], TURN in [1, 2]", spins.join(", "));
    let text =
        format!("{}{MAIN}", tunable("work", "")).replace("SPIN in [400000, 0, 20000]", &space);
    package.file(
        "src/main.rs",
        &text.replace("evaluations = 8", "evaluations = 30"),
    );
    package.edit(
        "kernels/work.c",
        "spin < SPIN",
        "spin < SPIN + TURN * 10000",
    );
    package
}

pub(crate) fn mark(package: &Package) -> String {
    package.folder().display().to_string()
}

/// A search with these workers.
pub(crate) fn tune(package: &Package, workers: &str) -> Call {
    let call = package.command(&["tune", "--force"]);
    call.env("BICO_WORKERS", workers)
        .env(MARK, mark(package))
        .env("TMPDIR", temporary(package))
}

/// Where workers make their folders.
pub(crate) fn temporary(package: &Package) -> PathBuf {
    let folder = package.folder().join("tmp");
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// The names of those who measured.
pub(crate) fn measured(package: &Package) -> BTreeSet<String> {
    let rows = package.trail("work");
    let names = rows.iter().filter_map(|row| row["worker"].as_str());
    names.map(String::from).collect()
}

fn names(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| name.to_string()).collect()
}

/// Does a search until it gives something, five times at most: on a busy machine one worker may be through before another
/// has come, or a compiler be done while the processor is waited for.
#[track_caller]
pub(crate) fn in_five<T>(package: &Package, mut search: impl FnMut() -> Option<T>) -> T {
    let trail = package.trail_file("work");
    let anew = || {
        let _ = fs::remove_file(&trail);
        search()
    };
    let given = std::iter::repeat_with(anew).take(5).find_map(|of| of);
    given.expect("five searches, and none gave what it was to give")
}

/// Searches until so many have measured.
#[track_caller]
pub(crate) fn until_measured(
    package: &Package,
    workers: usize,
    search: impl Fn() -> Output,
) -> Output {
    in_five(package, || {
        let output = search().ok();
        (measured(package).len() >= workers).then_some(output)
    })
}

/// What holds after each search, whatever became of its workers.
#[track_caller]
pub(crate) fn is_sane(package: &Package) {
    let trail = package.trail("work");
    assert_eq!(package.winner("work")["SPIN"], 0, "{trail:#?}");
    let trials = trail.iter().filter(|row| row["kind"] != "final");
    let configs: Vec<String> = trials.map(|row| row["config"].to_string()).collect();
    let once: BTreeSet<&String> = configs.iter().collect();
    assert_eq!(once.len(), configs.len(), "{configs:?}");
    let mark = mark(package);
    wait_for("all of its processes to end", || marked(&mark).is_empty());
    let left: Vec<_> = fs::read_dir(temporary(package)).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}

/// A script of this text in the test's folder; the words that run it.
pub(crate) fn script(package: &Package, name: &str, text: &str) -> String {
    let path = package.folder().join(name);
    fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path.display().to_string()
}

/// The process that measures and has this in its environment.
fn worker_with(package: &Package, variable: &str) -> Option<Process> {
    let has = |process: &Process| {
        let environment = fs::read(format!("/proc/{}/environ", process.id)).unwrap_or_default();
        let mut all = environment.split(|byte| *byte == 0);
        process.command.contains("--bico-measuring-worker")
            && all.any(|of| of == variable.as_bytes())
    };
    marked(&mark(package)).into_iter().find(has)
}

/// Tunes with two workers, and sends one of them a signal once there are some rows; again where the search was over before.
fn with_signal(package: &Package, signal: &str) -> Output {
    let trail = package.trail_file("work");
    in_five(package, || {
        let call = tune(package, TWO);
        std::thread::scope(|scope| {
            let running = scope.spawn(move || call.run());
            let mut sent = false;
            wait_for("some trials", || {
                let rows = fs::read_to_string(&trail).unwrap_or_default();
                let worker = worker_with(package, "TWO=2");
                let worker = worker.filter(|_| rows.contains("env TWO=2"));
                sent = worker.is_some_and(|worker| kill(signal, worker.id));
                sent || running.is_finished()
            });
            let output = running.join().unwrap();
            sent.then_some(output)
        })
    })
}

/// Whether a process got a signal.
pub(crate) fn kill(signal: &str, id: u32) -> bool {
    let mut shell = Command::new("sh");
    let kill = shell.args(["-c", &format!("kill -{signal} {id}")]);
    kill.status().unwrap().success()
}

#[test]
fn two_tune_one_kernel_in_a_build() {
    let package = package("both_hands");
    until_measured(&package, 2, || {
        package.edit("build.rs", "}", " }");
        let build = package.cargo(&["build"]).env("BICO", "tune");
        let build = build.env("BICO_WORKERS", TWO).env(MARK, mark(&package));
        build.run()
    });
    is_sane(&package);
    assert_eq!(measured(&package), names(&["env ONE=1", "env TWO=2"]));
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn a_build_without_the_feature_says_so() {
    let package = package("one");
    package.edit("Cargo.toml", ", \"workers\"", "");
    let build = package.cargo(&["build"]).env("BICO", "tune");
    let said = "BICO_WORKERS is left alone: bico-build is compiled without its feature `workers`; `cargo bico tune` needs none";
    build.env("BICO_WORKERS", TWO).run().ok().says(said);
    assert_eq!(measured(&package), names(&[]));
    is_sane(&package);
}

#[test]
fn the_users_own_file_names_workers_and_a_package_does_not() {
    let package = package("own_file");
    let of_cargo = |text: &str| package.file(".cargo/config.toml", text);
    let refused = script(&package, "refused", "touch \"$0.was-here\"; exec \"$@\"");
    of_cargo(&format!("[env]\nBICO_WORKERS = \"2 x {refused}\"\n"));
    let folder = package.folder().join("config");
    fs::create_dir_all(folder.join("bico")).unwrap();
    fs::write(folder.join("bico/workers"), "# mine\n2 x env OWN=1\n").unwrap();
    let build = || {
        let build = package.cargo(&["build"]).env("BICO", "tune");
        build.env("XDG_CONFIG_HOME", &folder)
    };
    let output = until_measured(&package, 2, || {
        package.edit("build.rs", "}", " }");
        build().run()
    });
    let output = output.says("BICO_WORKERS is left alone");
    let both = names(&["env OWN=1 #1", "env OWN=1 #2"]);
    assert_eq!(measured(&package), both, "{output}");
    assert!(!PathBuf::from(format!("{refused}.was-here")).exists());
    // Nor does it send the build to another file.
    of_cargo("[env]\nXDG_CONFIG_HOME = { value = \"mine\", force = true }\n");
    package.file("mine/bico/workers", &format!("2 x {refused}\n"));
    package.edit("build.rs", "}", " }");
    build().env("HOME", package.folder()).run().ok();
    assert!(!PathBuf::from(format!("{refused}.was-here")).exists());
}

#[test]
fn a_worker_that_is_killed_costs_nothing() {
    let package = package("killed_worker");
    with_signal(&package, "KILL").ok();
    is_sane(&package);
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn a_worker_that_is_preempted_costs_nothing() {
    let package = package("preempted_worker");
    with_signal(&package, "TERM").ok();
    is_sane(&package);
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn a_worker_that_is_stopped_costs_nothing() {
    let package = package("stopped_worker");
    with_signal(&package, "STOP").ok();
    is_sane(&package);
}

/// What a worker may say that is none: each ends the worker, and not the search.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn nonsense_is_told_and_left() {
    let hello = r#"echo "$mark 1 [\"Ready\",[\"ok\",{\"machine\":\"m\",\"about\":\"\"}]]""#;
    let sample = r#"{\"seconds\":1e999,\"low\":0,\"high\":1,\"confidence\":0.95,\"decile\":0,\"runs\":9,\"caches\":\"Warm\",\"cut\":false,\"throttled\":false,\"conditions\":null,\"rounds\":[]}"#;
    let cases = [
        ("nothing", "read a; exit 0".to_string(), "left out"),
        ("garbage", "echo \"$mark garbage\"; cat >/dev/null".into(), "not asked"),
        ("unasked", "echo \"$mark 7 [\\\"Ready\\\",[\\\"ok\\\",{\\\"machine\\\":\\\"m\\\",\\\"about\\\":\\\"\\\"}]]\"; cat >/dev/null".into(), "not asked"),
        ("flood", format!("read a; {hello}; while read a; do n=${{a%% *}}; while echo \"$mark $n \\\"Loud\\\"\"; do :; done; done"), "does not stop talking"),
        ("infinite", format!("read a; {hello}; while read a; do n=${{a%% *}}; echo \"$mark $n [\\\"Tried\\\",[\\\"ok\\\",{{\\\"times\\\":{{\\\"sample\\\":{sample},\\\"disturbed\\\":0}},\\\"opinion\\\":null}}]]\"; done"), "left out"),
        ("long", format!("read a; {hello}; head -c 40000000 /dev/zero | tr '\\0' x"), ""),
    ];
    let package = package("nonsense");
    let find =
        "for word; do case \"$word\" in --bico-measuring-worker=*) mark=${word#*=};; esac; done\n";
    let said = cases.each_ref().map(|(.., said)| *said);
    let wrong = cases.map(|(name, text, _)| script(&package, name, &format!("{find}{text}")));
    let workers = format!("{}; env ONE=1; env TWO=2", wrong.join("; "));
    let mut output = tune(&package, &workers).run().ok();
    is_sane(&package);
    output = output.says_nothing_of("panicked");
    for (name, said) in wrong.iter().zip(said) {
        output = output.says(said);
        assert!(!measured(&package).contains(name), "{name}");
    }
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn another_build_is_refused() {
    let package = package("another_build");
    let copy = "program=$1; shift; cp \"$program\" \"$TMPDIR/other\"; printf x >>\"$TMPDIR/other\"\n\
                \"$TMPDIR/other\" \"$@\"; code=$?; rm -f \"$TMPDIR/other\"; exit $code";
    let other = script(&package, "other", copy);
    let output = tune(&package, &format!("{other}; env ONE=1")).run().ok();
    output.says("another build of the program").says(&other);
    is_sane(&package);
    assert_eq!(measured(&package), names(&["env ONE=1"]));
}

/// The connection carries so many bytes, and ends in the middle of a message.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn a_connection_that_is_cut_costs_nothing() {
    let package = package("cut_connection");
    let cut = script(
        &package,
        "cut",
        "\"$@\" | { dd bs=1 count=3000 2>/dev/null; kill -9 0; }",
    );
    tune(&package, &format!("{cut}; env ONE=1")).run().ok();
    is_sane(&package);
}

#[test]
fn without_workers_there_is_an_error() {
    let package = package("all_gone");
    let output = tune(&package, "2 x false; /nowhere/ssh gpu7").run().fails();
    output
        .says("no worker could be had")
        .says("`false #2` is left out: the measuring worker did not start: exit status 1")
        .says("`/nowhere/ssh gpu7`")
        .says_nothing_of("panicked");
}

/// The kernel takes so many turns at least, and as often again as `SLOW` says. Each step of `SPIN` takes as many again: next to
/// other tests a machine makes a config seem half again as slow.
pub(crate) fn slow_where_asked(package: &Package, turns: u32) {
    package.edit(
        "kernels/work.c",
        "{\n    for (volatile",
        "{\n    const int64_t slow = getenv(\"SLOW\") ? 1 + atoi(getenv(\"SLOW\")) : 1;\n    for (volatile",
    );
    package.edit(
        "kernels/work.c",
        "spin < SPIN + TURN * 10000",
        &format!("spin < slow * ({turns} + SPIN / 1000000 * {turns} + TURN * 10000)"),
    );
}

/// A board on which the kernel takes twice as long: told apart on a busy machine, too.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn boards_that_differ_are_kept_apart() {
    let package = package("apart");
    // So many that few searches are over before that is seen.
    slow_where_asked(&package, 5_000_000);
    package.edit("src/main.rs", "evaluations = 30", "evaluations = 20");
    let output = in_five(&package, || {
        let output = tune(&package, "env ONE=1; env SLOW=1").run().ok();
        // On a busy machine a search may be over before somebody has looked often enough: then one of them measured.
        let seen = output.count("`env SLOW=1`") > 0 || measured(&package).len() > 1;
        // And the other one may come first, by which all are compared.
        let is_first = output.count("`env ONE=1` is left out") == 0;
        (seen && is_first).then_some(output)
    });
    output
        .says("`env SLOW=1` is left out: it takes")
        .says("times as long as `env ONE=1`")
        .says("beside the others' (it runs on ");
    is_sane(&package);
    assert_eq!(measured(&package), names(&["env ONE=1"]));
}

/// A config that kills whoever tries it is at fault itself.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn a_config_that_kills_two_workers_is_at_fault() {
    let package = package("deadly");
    package.edit(
        "kernels/work.c",
        "{\n    for (volatile",
        "{\n    if (SPIN == 3000000)\n        raise(SIGKILL);\n    for (volatile",
    );
    package.edit(
        "kernels/work.c",
        "#include <stdint.h>",
        "#include <signal.h>\n#include <stdint.h>",
    );
    package.edit("src/main.rs", "evaluations = 30", "evaluations = 40");
    until_measured(&package, 2, || tune(&package, TWO).run());
    is_sane(&package);
    let trail = package.trail("work");
    let deadly = trail
        .iter()
        .filter(|row| row["values"]["SPIN"] == 3_000_000);
    for row in deadly {
        assert!(
            row["detail"].as_str().unwrap().contains("SIGKILL"),
            "{row:#}"
        );
    }
    assert_eq!(measured(&package), names(&["env ONE=1", "env TWO=2"]));
}

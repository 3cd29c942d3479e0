//! Workers on machines that share no file with this one.

use crate::harness::Package;
use crate::harness::process::{MARK, marked, wait_for};
use crate::workers::{
    TWO, in_five, is_sane, kill, mark, measured, package, script, temporary, tune, until_measured,
};
use std::fs;

/// Like ssh: joins its words, and has a shell read them in another folder, where nothing of here is known.
fn like_ssh(package: &Package) -> String {
    let text = format!(
        "host=$1; shift; cd /; exec env -i PATH=\"$PATH\" {MARK}='{}' TMPDIR='{}' HOST=$host sh -c \"$*\"",
        mark(package),
        temporary(package).display()
    );
    script(package, "ssh", &text)
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn all_is_sent_where_no_file_is_shared() {
    let package = package("sent");
    let ssh = like_ssh(&package);
    // They are not even allowed to look.
    let both = format!("send {ssh} a; send {ssh} b");
    until_measured(&package, 2, || tune(&package, &both).run());
    is_sane(&package);
    assert_eq!(measured(&package).len(), 2);
    // Without a reference, configs are held against each other's outputs.
    package.edit(
        "src/main.rs",
        "    verify(reference = \"work_reference\"),\n",
        "",
    );
    tune(&package, &format!("send 2 x {ssh} a")).run().ok();
    is_sane(&package);
    let trail = package.trail("work");
    assert!(
        trail.iter().all(|row| row["failure"].is_null()),
        "{trail:#?}"
    );
}

/// The folders that workers were sent to are gone, whoever ended.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn nothing_stays_of_what_was_sent() {
    for signal in ["KILL", "INT"] {
        let package = package("sent_away");
        package.edit("src/main.rs", "evaluations = 30", "evaluations = 40");
        let ssh = like_ssh(&package);
        let folders = || fs::read_dir(temporary(&package)).unwrap().count();
        let trail = package.trail_file("work");
        let rows = || fs::read_to_string(&trail).unwrap_or_default();
        in_five(&package, || {
            let mut running = tune(&package, &format!("send {ssh} a; send {ssh} b")).spawn();
            let mut under_way = true;
            wait_for("some trials while both are sent to", || {
                under_way = running.try_wait().unwrap().is_none();
                !under_way || folders() == 2 && rows().lines().count() > 1
            });
            assert!(!under_way || kill(signal, running.id()));
            running.wait().unwrap();
            under_way.then_some(())
        });
        let mark = mark(&package);
        wait_for("all of its processes to end", || marked(&mark).is_empty());
        assert_eq!(folders(), 0, "{signal}");
        // Started again it goes on there.
        let rows = package.trail("work").len();
        let again = package.command(&["tune", "--force", "--message-format", "json"]);
        let again = again.env("BICO_WORKERS", TWO).run().ok();
        assert!(
            rows > 1 && !again.stdout.contains("\"resumed\":0"),
            "{again}"
        );
    }
}

/// A worker where a disk is full, which is left out.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn a_full_disk_there_costs_nothing() {
    let package = package("full_disk");
    let ssh = like_ssh(&package);
    // Nothing can be written that is larger than a few blocks, and nobody ends for that alone.
    let text = format!("trap '' XFSZ; ulimit -f 8; exec {ssh} \"$@\"");
    let full = script(&package, "full", &text);
    let search = tune(&package, &format!("send {full} a; send {ssh} b"));
    let output = search.run().ok();
    output
        .says(&format!("the worker `{full} a` is left out"))
        .says("File too large");
    is_sane(&package);
    assert_eq!(measured(&package).len(), 1);
}

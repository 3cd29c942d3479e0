//! Workers that are gone for good, and who goes on.

use crate::harness::Package;
use crate::workers::{TWO, is_sane, mark, measured, package, script, slow_where_asked, tune};

/// The one that measured first is gone before another one has come, or was compared with it.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn who_comes_late_goes_on_alone() {
    let package = package("first_gone");
    let late = late(&package, "");
    for bytes in [1500, 3000, 5000, 9000] {
        let once = once(&package, bytes);
        let output = tune(&package, &format!("{once} {bytes}; {late}"))
            .run()
            .ok();
        let output = output.says(&format!("`{once} {bytes}` is left out"));
        is_sane(&package);
        assert!(measured(&package).contains(&late), "{bytes}: {output}");
        for row in package.trail("work") {
            assert!(row["failure"].is_null(), "{bytes}: {row:#} {output}");
        }
    }
}

/// Nobody else is left to go on with, and the same command would go on there unasked.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn the_last_one_goes_on_however_it_differs() {
    let package = package("last");
    slow_where_asked(&package, 200_000);
    package.edit("src/main.rs", "evaluations = 30", "evaluations = 10");
    let (once, late) = (once(&package, 9000), late(&package, "export SLOW=9; "));
    let output = tune(&package, &format!("{once} a; {late}"))
        .run()
        .ok()
        .says(&format!("`{once} a` is left out"))
        .says(&format!("the worker `{late}`: it takes"))
        .says("times as long as")
        .says("it went on alone (it runs on ");
    is_sane(&package);
    assert!(measured(&package).contains(&late), "{output}");
}

/// A worker that comes once another one's connection was cut.
fn late(package: &Package, before: &str) -> String {
    let cut = mark(package) + "/cut";
    // Not for ever: whoever stops the test leaves it behind.
    let wait = format!(
        "n=0; until rm {cut} 2>/dev/null; do n=$((n + 1)); [ $n -lt 6000 ] || exit 1; sleep 0.01; done; {before}exec \"$@\""
    );
    script(package, "late", &wait)
}

/// A worker whose connection is cut after so many bytes, and that cannot be reached again. It takes one more word, by
/// which several of them differ.
fn once(package: &Package, bytes: u32) -> String {
    let text = format!(
        "mkdir \"$0.$1\" 2>/dev/null || {{ echo no route >&2; exit 255; }}\nshift; \"$@\" | {{ dd bs=1 count={bytes} 2>/dev/null; touch {}/cut; kill -9 0; }}",
        mark(package)
    );
    script(package, "once", &text)
}

/// Their connections are cut, and they do not come back: what was measured is not lost.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn when_all_are_gone_the_same_command_goes_on_there() {
    let package = package("deserted");
    let once = once(&package, 9000);
    let output = tune(&package, &format!("{once} a; {once} b")).run().fails();
    output
        .says("`work` (n=256): no worker is left")
        .says(&format!("the worker `{once} b` is left out"))
        .says("exit status 255: no route")
        .says("the same command goes on there");
    assert!(!package.has_lock());
    let again = package.command(&["tune", "--force", "--message-format", "json"]);
    let again = again.env("BICO_WORKERS", TWO).run().ok();
    assert!(!again.stdout.contains("\"resumed\":0"), "{again}");
    is_sane(&package);
}

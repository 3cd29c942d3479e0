//! `like = other`: another tunable's winners are a start.

use crate::harness::{Package, tunable};

/// Fast at one of a hundred values, which no ranking can tell.
const KERNEL: &str = "#include <stdint.h>
#ifndef MORE
#define MORE 0
#endif
void work(float *y, const float *x, uint32_t n)
{
    for (volatile int spin = 0; spin < (SPIN == 77 ? 0 : 20000); spin++) {
    }
    for (volatile int spin = 0; spin < MORE; spin++) {
    }
    for (uint32_t i = 0; i < n; i++)
        y[i] = 2 * x[i] + 1;
}

void work_reference(float *y, const float *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = 2 * x[i] + 1;
}
";

/// `first` is tuned at full length, `second` begins where it ended.
fn package(name: &str, like: &str) -> Package {
    let package = Package::new(name);
    package.file("kernels/work.c", KERNEL);
    let domain = "SPIN in [400000, 0, 20000]";
    let with = |function: &str, space: &str, more: &str| {
        let text = tunable(function, more);
        assert!(text.contains(domain), "{text}");
        text.replace(domain, space)
    };
    let second = with(
        "second",
        "MORE in [0, 1000, 2000], SPIN in 0..100",
        &format!("like = {like},"),
    );
    let second = second.replace("evaluations = 8", "evaluations = 3");
    let first = with("first", "SPIN in 70..80", "");
    let first = first.replace("evaluations = 8", "evaluations = 10");
    package.file("src/main.rs", &format!("{second}{first}fn main() {{}}"));
    package
}

#[test]
fn a_search_begins_where_another_tunable_ended() {
    let package = package("like", "first");
    package.command(&["tune"]).run().ok();
    assert_eq!(package.winner("first")["SPIN"], 77);
    let winner = package.winner("second");
    assert_eq!((&winner["SPIN"], &winner["MORE"]), (&77.into(), &0.into()));
    let trail = package.trail("second");
    let why = |row: &serde_json::Value| row["why"].as_str().unwrap_or_default().to_string();
    assert!(
        trail
            .iter()
            .any(|row| why(row) == "the winner on this device of `first` at (n=256)"),
        "{trail:#?}"
    );
    // It is no part of what a result hangs on.
    package.edit("src/main.rs", "like = first,", "");
    package.command(&["status"]).run().ok().says("fresh");
}

#[test]
fn a_tunable_that_is_not_there() {
    let package = package("unlike", "frist");
    package
        .build("off")
        .fails()
        .says("error: this package has no tunable `frist`")
        .says("like = frist")
        .says("did you mean `first`?");
}

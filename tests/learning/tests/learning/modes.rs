//! `BICO_RUNTIME`.

use super::scene_with;

#[test]
fn fixed_never_explores() {
    let steps = ["call:16384:50", "call:64:50", "config:64", "status"];
    let said = scene_with(Some("fixed"), "spin", &steps);
    assert_eq!(
        said.line("status"),
        "n=16384 Fixed COST=120 0 timed, 0 arms"
    );
    let config = said.line("config");
    assert!(
        config.starts_with("Predicted spin (n=64): COST=120"),
        "{config}"
    );
    assert!(said.lines("log").is_empty(), "{}", said.0);
}

#[test]
fn fixed_takes_the_winner_for_sizes_far_away_too() {
    let steps = ["call:1000000:3", "config:1000000", "status"];
    let said = scene_with(Some("fixed"), "known", &steps);
    assert_eq!(
        said.line("status"),
        "n=16384 Winner COST=30 0 timed, 0 arms"
    );
    let config = said.line("config");
    assert!(
        config.starts_with("NearestSize known (n=1000000): COST=30"),
        "{config}"
    );
}

#[test]
fn anew_learns_although_the_lock_knows() {
    let steps = ["settle:16384:20000", "status", "config:16384"];
    let said = scene_with(Some("anew"), "known", &steps);
    let status = said.line("status");
    assert!(status.starts_with("n=16384 Settled COST=1 "), "{status}");
    assert!(said.line("config").starts_with("Learned"), "{}", said.0);
}

#[test]
fn what_means_nothing_is_said_once_and_learning_goes_on() {
    let steps = ["settle:16384:20000", "call:64:10", "status"];
    let said = scene_with(Some("of course"), "spin", &steps);
    assert_eq!(
        said.logged("WARN BICO_RUNTIME is `of course`"),
        1,
        "{}",
        said.0
    );
    assert!(
        said.lines("status")[1].starts_with("n=16384 Settled COST=1 "),
        "{}",
        said.0
    );
}

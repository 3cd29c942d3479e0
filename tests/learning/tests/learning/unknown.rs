//! On a CPU that no lock knows.

use super::scene;

#[test]
fn learns_and_settles_on_the_fastest() {
    let steps = [
        "config:16384",
        "call:16384:1",
        "config:16384",
        "status",
        "settle:16384:20000",
        "config:16384",
        "call:16384:100",
    ];
    let said = scene("spin", &steps);
    let [before, exploring, settled] = said.lines("config")[..] else {
        panic!("{}", said.0);
    };
    // The model likes the slowest, and until something is known that is what serves.
    assert!(
        before.starts_with("Predicted spin (n=16384): COST=120"),
        "{before}"
    );
    assert!(
        exploring.starts_with("Exploring { tried: 1, of: 4 } spin (n=16384): COST=120 (the best so far, 1 of 4 tried on "),
        "{exploring}"
    );
    assert!(settled.starts_with("Learned"), "{settled}");
    assert!(settled.contains("COST=1 (learned from "), "{settled}");
    let status = said.line("status");
    assert_eq!(
        status,
        "n=16384 Exploring { tried: 1, of: 4 } COST=120 1 timed, 4 arms"
    );
}

#[test]
fn what_cannot_run_here_is_no_arm() {
    let said = scene("spin", &["settle:16384:20000", "status"]);
    let status = said.line("status");
    assert!(status.starts_with("n=16384 Settled COST=1 "), "{status}");
    assert!(status.ends_with(", 4 arms"), "{status}");
    assert!(!said.0.contains("COST=45"), "{}", said.0);
}

#[test]
fn two_threads_learn_together() {
    let said = scene(
        "spin",
        &["threads:2:16384:3000", "settle:16384:20000", "status"],
    );
    let status = said.line("status");
    assert!(status.starts_with("n=16384 Settled COST=1 "), "{status}");
}

#[test]
fn a_new_bucket_begins_from_its_neighbour() {
    let steps = [
        "settle:16384:20000",
        "config:131072",
        "call:131072:1",
        "status",
        "settle:131072:20000",
        "config:131072",
    ];
    let said = scene("spin", &steps);
    let [before, after] = said.lines("config")[..] else {
        panic!("{}", said.0);
    };
    assert!(
        before.starts_with("Exploring { tried: 0, of: 4 } spin (n=131072): COST=1 ("),
        "{before}"
    );
    assert!(
        after.starts_with("Learned") && after.contains("COST=1 ("),
        "{after}"
    );
    let [tuned, large] = said.lines("status")[..] else {
        panic!("{}", said.0);
    };
    // Its first call is served by what the neighbour found, not by what the model likes.
    assert_eq!(
        large,
        "n=131072 Exploring { tried: 1, of: 4 } COST=1 1 timed, 4 arms"
    );
    assert!(tuned.starts_with("n=16384 Settled COST=1 "), "{tuned}");
    assert_eq!(
        said.logged("at n=131072: begins from what was learned at n=16384; 4 to try: COST=1;"),
        1
    );
}

#[test]
fn sizes_of_one_bucket_learn_together() {
    let said = scene(
        "spin",
        &["call:16384:3", "call:15000:3", "call:20000:3", "status"],
    );
    let status = said.line("status");
    assert!(status.contains(" 9 timed, "), "{status}");
}

/// Of what is settled, one call in many is looked at.
#[test]
fn settled_calls_are_not_timed() {
    for tunable in ["spin", "roomy"] {
        // The tuned size, which has a slot of its own, and one that shares its bucket.
        for n in [16_384, 16_000] {
            let settle = format!("settle:{n}:20000");
            let call = format!("call:{n}:3200");
            let said = scene(tunable, &[&settle, "status", &call, "status"]);
            let [before, after] = said.lines("status")[..] else {
                panic!("{}", said.0);
            };
            let timed = |line: &str| {
                let (rest, _) = line.split_once(" timed, ").expect("a count of timed calls");
                rest.rsplit(' ').next().map(str::parse::<u64>)
            };
            let (Some(Ok(before)), Some(Ok(after))) = (timed(before), timed(after)) else {
                panic!("{}", said.0);
            };
            // Unless a busy machine made it look again, 50 are.
            let again = said.logged("looking again") as u64;
            assert!(after > before, "{}", said.0);
            assert!(after - before < 400 || again > 0, "{}", said.0);
        }
    }
}

/// Whoever calls cannot know which candidate is being tried.
#[test]
fn a_candidate_that_needs_longer_buffers_costs_no_call() {
    // The buffers are as long as the fastest asks for, and no longer; what would begin is the slowest.
    let said = scene("padded", &["call:16384:200", "config:16384"]);
    assert!(said.lines("config").len() == 1, "{}", said.0);
}

//! On a CPU that the lock knows, at sizes near to the tuned ones and far from them.

use super::scene;

#[test]
fn near_sizes_are_served_by_the_winner_and_teach_nothing() {
    let steps = [
        "config:16384",
        "call:16384:50",
        "call:60000:50",
        "call:5000:50",
        "config:60000",
        "status",
    ];
    let said = scene("known", &steps);
    let [exact, near] = said.lines("config")[..] else {
        panic!("{}", said.0);
    };
    assert!(
        exact.starts_with("Exact known (n=16384): COST=30"),
        "{exact}"
    );
    assert!(
        near.starts_with("NearestSize known (n=60000): COST=30"),
        "{near}"
    );
    assert_eq!(
        said.line("status"),
        "n=16384 Winner COST=30 0 timed, 0 arms"
    );
    assert!(said.lines("log").is_empty(), "{}", said.0);
}

#[test]
fn far_sizes_are_learned_beginning_with_the_winner() {
    let steps = [
        "config:16384",
        "call:131072:1",
        "config:131072",
        "settle:131072:20000",
        "call:1024:1",
        "status",
    ];
    let said = scene("known", &steps);
    let far = said.lines("config")[1];
    assert!(
        far.starts_with("Exploring { tried: 1, of: 4 } known (n=131072): COST=30"),
        "{far}"
    );
    let [small, tuned, large] = said.lines("status")[..] else {
        panic!("{}", said.0);
    };
    assert!(large.starts_with("n=131072 Settled COST=1 "), "{large}");
    assert_eq!(tuned, "n=16384 Winner COST=30 0 timed, 0 arms");
    assert!(
        small.starts_with("n=1024 Exploring { tried: 1, of: 4 } COST=1 1 timed"),
        "{small}"
    );
    assert_eq!(
        said.logged("at n=131072: begins with what the model prefers"),
        1
    );
    assert_eq!(
        said.logged("at n=1024: begins from what was learned at n=131072"),
        1
    );
}

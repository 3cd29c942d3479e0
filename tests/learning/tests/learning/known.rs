//! On a CPU that the lock knows, at sizes near to the tuned ones and far from them.

use super::scene;

#[test]
fn near_sizes_are_served_by_the_winner_and_teach_nothing() {
    let steps = [
        "config:16384",
        "call:16384:500",
        "call:60000:500",
        "call:5000:500",
        "config:60000",
        "status",
    ];
    let said = scene("known", &steps);
    let [exact, near] = said.lines("config")[..] else {
        panic!("{}", said.0);
    };
    assert!(
        exact.starts_with("Exact known (n=16384): COST=2"),
        "{exact}"
    );
    assert!(
        near.starts_with("NearestSize known (n=60000): COST=2"),
        "{near}"
    );
    assert_eq!(said.line("status"), "n=16384 Winner COST=2 0 timed, 0 arms");
    assert!(said.lines("log").is_empty(), "{}", said.0);
}

#[test]
fn far_sizes_are_learned_beginning_with_the_winner() {
    let steps = [
        "config:16384",
        "call:1024:1",
        "config:1024",
        "settle:1024:20000",
        "call:300000:1",
        "status",
    ];
    let said = scene("known", &steps);
    let far = said.lines("config")[1];
    assert!(
        far.starts_with("Exploring { tried: 1, of: 4 } known (n=1024): COST=2"),
        "{far}"
    );
    let [small, tuned, large] = said.lines("status")[..] else {
        panic!("{}", said.0);
    };
    assert!(small.starts_with("n=1024 Settled COST=1 "), "{small}");
    assert_eq!(tuned, "n=16384 Winner COST=2 0 timed, 0 arms");
    assert!(
        large.starts_with("n=300000 Exploring { tried: 1, of: 4 } COST=1 1 timed"),
        "{large}"
    );
    assert_eq!(
        said.logged("at n=1024: begins with what the model prefers"),
        1
    );
    assert_eq!(
        said.logged("at n=300000: begins from what was learned at n=1024"),
        1
    );
}

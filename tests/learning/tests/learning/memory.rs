//! What a process learned, in the next one.

use super::scene_in;

#[test]
fn the_next_process_begins_settled() {
    let cache = tempfile::tempdir().unwrap();
    let first = scene_in(cache.path(), None, "spin", &["settle:16384:20000"]);
    assert_eq!(first.logged("settled on COST=1 "), 1, "{}", first.0);
    let steps = ["config:16384", "call:16384:50", "status"];
    let second = scene_in(cache.path(), None, "spin", &steps);
    let config = second.line("config");
    assert!(config.starts_with("Learned"), "{config}");
    assert!(config.contains("COST=1 (learned before on "), "{config}");
    let status = second.line("status");
    assert!(status.starts_with("n=16384 Settled COST=1 "), "{status}");
    // It never was anything else, and nothing was tried.
    assert_eq!(second.logged("settled before on COST=1"), 1, "{}", second.0);
    assert_eq!(second.logged("settled on"), 0, "{}", second.0);

    // Who learns anew, or not at all, does not look there, and leaves it as it is.
    for mode in ["anew", "fixed"] {
        let other = scene_in(cache.path(), Some(mode), "spin", &steps);
        let config = other.line("config");
        assert!(config.starts_with("Predicted"), "{mode}: {config}");
    }
    let third = scene_in(cache.path(), None, "spin", &["config:16384"]);
    assert!(
        third.line("config").contains("COST=1 (learned before on "),
        "{}",
        third.0
    );
}

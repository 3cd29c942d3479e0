//! Candidates that nobody has verified.

use super::scene;

#[test]
fn are_compared_before_they_serve() {
    // Every output is looked at by the scene.
    let steps = [
        "call:16384:1",
        "threads:2:16384:200",
        "settle:16384:20000",
        "status",
    ];
    let said = scene("liar", &steps);
    let status = said.line("status");
    // The fastest that tells the truth, or where the machine disturbed its first call the next one.
    let honest = ["30 ", "60 "].map(|cost| format!("n=16384 Settled COST={cost}"));
    let is_honest = honest.iter().any(|honest| status.starts_with(honest));
    assert!(is_honest, "{}", said.0);
    let why = "COST=1 does not run here: its results are not those of the others";
    assert_eq!(said.logged(why), 1, "{}", said.0);
}

#[test]
fn are_not_tried_where_nobody_compares() {
    let said = scene("guess", &["call:16384:200", "status", "config:16384"]);
    let status = said.line("status");
    assert!(
        status.contains("COST=120") && status.ends_with(", 1 arms"),
        "{status}"
    );
    assert!(said.line("config").contains("COST=120"), "{}", said.0);
}

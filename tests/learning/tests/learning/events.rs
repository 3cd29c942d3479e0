//! What is logged: one line each, never one per call.

use super::scene;

#[test]
fn beginning_dropping_and_settling_are_one_line_each() {
    let said = scene("spin", &["settle:16384:20000", "call:16384:3000", "status"]);
    let begun = "DEBUG spin on ";
    let lines = said.lines("log");
    assert!(lines[0].starts_with(begun), "{}", said.0);
    assert_eq!(
        said.logged(" at n=16384: begins with what the model prefers; 4 to try: COST=120; "),
        1,
        "{}",
        said.0
    );
    // A busy machine may be looked at again: each time is a line, and one more when that has settled.
    let again = said.logged("INFO spin on ") - said.logged("settled on ");
    assert_eq!(
        said.logged("times are not what they were; looking again"),
        again
    );
    let settled = said.logged(": settled on COST=1 after ");
    assert!(settled == again + 1 || settled == again, "{}", said.0);
    let dropped = said.logged(" is certainly slower, ");
    assert!(dropped <= 3 * (1 + again), "{}", said.0);
    assert_eq!(lines.len(), 1 + settled + again + dropped, "{}", said.0);
}

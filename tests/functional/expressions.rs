//! Expressions that have no value in some corner of the space.

use crate::harness::Package;

#[test]
fn the_message_names_the_expression_and_the_values() {
    let package = Package::work("corners");
    let space = "space(SPIN in [400000, 0, 20000])";
    let cases: [(&str, &[&str]); 5] = [
        (
            "space(SPIN in [400000, 0], PART = 8 / SPIN)",
            &["`8 / SPIN`", "zero", "SPIN = 0"],
        ),
        (
            "space(SPIN in [1, 4000000000], PART = SPIN * SPIN * 2)",
            &["`SPIN * SPIN", "overflow", "SPIN = 4000000000"],
        ),
        (
            "space(SPIN in [400000, 0], PART in 1..=(10 % SPIN))",
            &["`10 % SPIN`", "SPIN = 0"],
        ),
        (
            "space(SPIN in [400000, 0]), require(n / SPIN >= 0)",
            &["`n / SPIN`", "SPIN = 0", "n = 256"],
        ),
        (
            "space(SPIN in [400000, 0], PART in (0..8).step_by(SPIN))",
            &["step", "SPIN = 0"],
        ),
    ];
    for (bad, words) in cases {
        package.edit("src/main.rs", space, bad);
        let mut said = package.build("auto").fails().says("src/main.rs:5:");
        for word in words {
            said = said.says(word);
        }
        said.says_nothing_of("panicked");
        assert!(!package.measured());
        assert!(!package.has_lock());
        package.edit("src/main.rs", bad, space);
    }

    // Without an error there may still be nothing left.
    package.edit(
        "src/main.rs",
        space,
        "space(SPIN in [400000, 0]), require(SPIN > 500000, n > 1)",
    );
    package
        .build("auto")
        .fails()
        .says("src/main.rs:11:8")
        .says("empty")
        .says("SPIN > 500000");
}

//! Parameters that don't reach the kernel, or reach more than it, and what compilers say.

use crate::harness::{Package, tunable};

/// A source that defines a parameter's macro itself beats the build: an error also where nothing is compiled.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn a_define_that_beats_the_parameter() {
    let package = Package::work("beaten");
    package.edit(
        "kernels/work.c",
        "#include <stdio.h>",
        "#include <stdio.h>\n#include \"own.h\"",
    );
    package.file("kernels/own.h", "#pragma once\n#define SPIN 0\n");
    let said = package.build("locked").fails();
    let said = said
        .says("`kernels/own.h` defines `SPIN` itself, in line 2")
        .says("write `#ifndef SPIN` before it and `#endif` behind it");
    assert_eq!(said.count("space(SPIN in"), 1, "{said}");
    // A default is none of that, and what compilers warn of is said once, though two winners share it.
    package.file(
        "kernels/own.h",
        "#ifndef SPIN\n#define SPIN 0\n#endif\nstatic inline char narrow(void) { return 300; }\n\
         #ifndef EXTRA\n#define EXTRA 0\n#endif\n",
    );
    // Parameters of which one counts for nothing, and one only with the last SPIN.
    package.edit(
        "kernels/work.c",
        "spin < SPIN;",
        "spin < SPIN + (SPIN == 20000 ? EXTRA : 0);",
    );
    let other = tunable("other", "");
    let more = "space(UNROLL in [1, 2], SPIN in [0, 20000], EXTRA in [1, 2])";
    let other = other.replace("space(SPIN in [400000, 0, 20000])", more);
    // One that the source does not have, where two trials differ in more.
    let third = tunable("third", "").replace("evaluations = 8", "evaluations = 2");
    let more = "space(SPIN in 0..=40, ABSENT in [1, 2])";
    let third = third.replace("space(SPIN in [400000, 0, 20000])", more);
    package.edit(
        "src/main.rs",
        "fn main()",
        &format!("{other}{third}\nfn main()"),
    );
    let said = package.build("auto").ok();
    assert_eq!(said.count("kernels/own.h:4:"), 1, "{said}");
    assert_eq!(said.count("changes nothing"), 2, "{said}");
    let said = said.says("`ABSENT` of `third` changes nothing");
    let said = said.says(
        "`UNROLL` of `other` changes nothing: configs that differ only there, as by UNROLL = 1 and UNROLL = 2,",
    );
    said.says("the code of a winner: kernels/own.h:4:")
        .says("overflow in conversion");
}

/// A reference that uses a parameter's macro would be one config's.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn a_reference_that_depends_on_a_parameter() {
    let package = Package::work("depends");
    package.edit(
        "kernels/work.c",
        "void work_reference(",
        "#define BUSY (SPIN + 1)\n\
         static void idle(void)\n{\n    for (volatile int i = 0; i < BUSY; i++) {\n    }\n}\n\n\
         void work_reference(",
    );
    // As long as nobody calls it, the reference does not depend on it.
    package.build("auto").ok();
    package.edit(
        "kernels/work.c",
        "uint32_t n)\n{\n    for (uint32_t i",
        "uint32_t n)\n{\n    idle();\n    for (uint32_t i",
    );
    let said = package.build("auto").fails();
    let said = said
        .says("the reference `work_reference` is not the same for all configs: its code depends on `SPIN`")
        .says("fix what it is compiled and launched with by `verify(reference = \"work_reference\", .., with(SPIN = ");
    assert_eq!(
        said.count("verify(reference = \"work_reference\"),"),
        1,
        "{said}"
    );
    package.edit(
        "src/main.rs",
        "\"work_reference\"",
        "\"work_reference\", with(SPIN = 3)",
    );
    package.build("auto").ok();
    assert_eq!(package.winner("work")["SPIN"], 0);
}

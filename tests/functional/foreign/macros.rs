//! Parameters that don't reach the kernel, or reach more than it, and what compilers say.

use crate::harness::{Package, tunable};

/// A source that defines a parameter's macro itself beats the build: an error also where nothing is compiled.
#[test]
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
    package.edit("src/main.rs", "fn main()", &format!("{other}\nfn main()"));
    let said = package.build("auto").ok();
    assert_eq!(said.count("kernels/own.h:4:"), 1, "{said}");
    assert_eq!(said.count("changes nothing"), 1, "{said}");
    let said = said.says(
        "`UNROLL` of `other` changes nothing: configs that differ only there, as by UNROLL = 1 and UNROLL = 2,",
    );
    said.says("the code of a winner: kernels/own.h:4:")
        .says("overflow in conversion");
}

//! One unit of several files, and headers wherever they lie: what counts, and what is said of them.

use crate::harness::{KERNEL, MAIN, Package, tunable};
use std::fs;

#[test]
fn several_files_and_headers_elsewhere() {
    let package = Package::nested("sources", "around/package");
    package.file("include/deep/given.h", "#define GIVEN 2\n");
    package.file("../lib/outer.h", "#include \"more.h\"\n");
    package.file("../lib/more.h", "#define OUTER 1\n");
    package.file(
        "kernels/parts/first.h",
        "#pragma once\n#include \"beside.h\"\n#include <deep/given.h>\n\
         #if __has_include(<outer.h>)\n#include <outer.h>\n#else\n#define OUTER 1\n#endif\n",
    );
    package.file(
        "kernels/parts/beside.h",
        "static float scaled(float x) { return FACTOR * x; }\n#define FACTOR GIVEN\n",
    );
    package.file("kernels/early.h", "static const float FACTOR = 2;\n");
    let kernel = KERNEL.replace("y[i] = 2 * x[i] + 1", "y[i] = scaled(x[i]) + OUTER");
    package.file("kernels/work.c", &kernel);
    let files = "[\"kernels/early.h\", \"kernels/parts/first.h\", \"kernels/work.c\"]";
    let more = "include = [\"include\"], flags = [\"-I\", \"../lib\"]";
    let item = tunable("work", more).replace("\"kernels/work.c\"", files);
    package.file("src/main.rs", &format!("{item}{MAIN}"));
    package.build("auto").ok();
    assert!(package.run().contains("y[3] = 7"));
    let entries = package.entries("work");
    let headers = &entries["n=256"]["hashes"]["headers"];
    let names: Vec<&String> = headers.as_object().unwrap().keys().collect();
    assert_eq!(names, ["outer.h"], "by the name in `#include`, no path");

    // Whatever a kernel reads makes its result stale, without a compiler's help.
    let lock = package.read("bico.lock");
    for (file, from, to, changed) in [
        ("kernels/early.h", "= 2", "= 2.0f", "source changed"),
        ("include/deep/given.h", "2", "(2)", "source changed"),
        ("../lib/more.h", "1", "(1)", "headers changed"),
    ] {
        let before = package.read(file);
        package.edit(file, from, to);
        let stale = "bico.lock is stale for `work` (n=256): ";
        package.build("locked").fails().says(stale).says(changed);
        package.file(file, &before);
    }
    // A machine without the header knows nothing of it.
    fs::rename(
        package.root().join("../lib"),
        package.root().join("../gone"),
    )
    .unwrap();
    package.build("locked").ok().says_nothing_of("warning");
    assert_eq!(package.read("bico.lock"), lock);

    // Each file by its own name and line.
    package.edit("kernels/parts/beside.h", "return FACTOR", "return NONE");
    package
        .build("auto")
        .fails()
        .says("kernels/parts/beside.h:1:");
    package.edit("src/main.rs", "early.h", "earlier.h");
    package
        .build("off")
        .fails()
        .says("cannot read `kernels/earlier.h`")
        .says("src/main.rs:3:15");
}

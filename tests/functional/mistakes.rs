//! Mistakes that only the build can see, on their place and in the user's words.

use crate::harness::Package;

#[test]
fn nothing_to_time() {
    let package = Package::work("nothing");
    package.edit(
        "src/main.rs",
        "problem(n = 256)",
        "problem(n = 256), problem(n = 0)",
    );
    for mode in ["auto", "off"] {
        package
            .build(mode)
            .fails()
            .says("buffer `y` has no elements at (n=0)")
            .says("src/main.rs:");
    }
    assert!(!package.measured());
}

#[test]
fn a_feature_that_no_cpu_has() {
    let package = Package::work("feature");
    package.edit(
        "src/main.rs",
        "problem(",
        "require(device.has(\"avx3\") || SPIN >= 0), problem(",
    );
    package
        .build("off")
        .fails()
        .says("`device.has` knows no `avx3`; did you mean `avx`?")
        .says("src/main.rs:")
        .says("x86-64-v3");
    package.edit("src/main.rs", "avx3", "avx2");
    package.build("off").ok();
}

/// The reference is not the kernel, and its name stands elsewhere.
#[test]
fn a_missing_reference() {
    let package = Package::work("reference");
    package.edit(
        "src/main.rs",
        "reference = \"work_reference\"",
        "reference = \"nope\"",
    );
    let said = package
        .build("auto")
        .fails()
        .says("has no function `nope`")
        .says("name the reference's function by `verify(reference = \"..\")`");
    assert_eq!(said.count("verify(reference = \"nope\")"), 1, "{said}");
    assert_eq!(said.count("source = \"kernels"), 0, "{said}");
}

/// Sizes are said in the order of the arguments, whatever their names.
#[test]
fn sizes_are_said_in_order() {
    let package = Package::work("order");
    package.edit("src/main.rs", "problem(n = 256)", "problem(n = 256, a = 3)");
    package.edit("src/main.rs", "n: u32) -> bico", "n: u32, a: u32) -> bico");
    package.edit(
        "src/main.rs",
        "work(&mut y, &x, 256)",
        "work(&mut y, &x, 256, 3)",
    );
    package.build("locked").fails().says("`work` (n=256, a=3)");
}

/// What does not compile is told with the tunable's name, also where nothing is measured.
#[test]
fn a_kernel_that_does_not_compile() {
    let package = Package::work("broken");
    package.edit(
        "kernels/work.c",
        "void work(float",
        "nonsense\nvoid work(float",
    );
    package
        .build("off")
        .fails()
        .says("compiling a candidate of `work` failed")
        .says("kernels/work.c:");
    package.edit(
        "kernels/work.c",
        "nonsense\nvoid work(float",
        "static void work(float",
    );
    package
        .build("auto")
        .fails()
        .says("`work` in")
        .says("cannot be called from outside")
        .says("remove `static`")
        .says("`flags = [\"-Dstatic=\"]`");
    package.build("off").fails().says("must not be `static`");
}

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

/// The reference stands in the same file, and is not to blame.
#[test]
fn a_parameter_that_is_misspelled_in_the_kernel() {
    let package = Package::work("misspelled");
    package.edit("kernels/work.c", "spin < SPIN", "spin < SPINS");
    let said = package
        .build("auto")
        .fails()
        .says("the kernel in `kernels/work.c` does not compile")
        .says("SPINS")
        .says_nothing_of("the reference");
    assert_eq!(said.count("source = \"kernels"), 1, "{said}");
}

/// Lets the kernel begin with that.
fn at_the_start(package: &Package, text: &str) {
    let start = "    for (volatile int spin = 0;";
    package.edit("kernels/work.c", start, &format!("    {text}\n{start}"));
}

/// What is right at the problem's sizes alone is told with what to do about it.
#[test]
fn sizes_that_the_kernel_is_not_made_for() {
    let package = Package::work("even");
    at_the_start(&package, "if (n % 2) return;");
    package
        .build("auto")
        .fails()
        .says("no config of `work` (n=256) ran and was right")
        .says("= help: sizes that the kernel is not made for are excluded by a `require(..)` that names them; `cargo bico check` looks at")
        .says_nothing_of("its seconds were over");
}

/// What no look at the source shows: the results tell that configs are held against something else.
#[test]
fn a_reference_that_hides_a_parameter() {
    let package = Package::work("hidden");
    let text = package.read("kernels/work.c");
    let (kernel, reference) = text.split_once("void work_reference").unwrap();
    let reference = reference.replace("y[i] = 2 *", "y[i] = by *").replace(
        "{\n    for",
        "{\n    float by = PASTED(SP, IN) == 400000 ? 3 : 2;\n    for",
    );
    let text = format!("#define PASTED(a, b) a##b\n{kernel}void work_reference{reference}");
    package.file("kernels/work.c", &text);
    package
        .build("auto")
        .fails()
        .says("no config of `work` (n=256) ran and was right")
        .says("= note: the reference `work_reference` is not the same for all configs: with the parameters of one that is not right it gives something else (wrong: ")
        .says("= help: fix what it is compiled with by `verify(reference = \"work_reference\", .., with(..))`");
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn seconds_that_a_hanging_config_takes() {
    let package = Package::work("hanging");
    at_the_start(&package, "for (volatile int on = 1; on;) {}");
    package.edit("src/main.rs", "seconds = 20", "seconds = 1");
    package
        .build("auto")
        .fails()
        .says("no config of `work` (n=256) ran and was right")
        .says("= help: its seconds were over before more were tried: `budget(seconds = ..)`")
        .says_nothing_of("excluded by a `require(..)`");
}

#[test]
fn a_tolerance_that_lets_anything_pass() {
    let package = Package::work("wide");
    let said = "`work`: `rtol = 0.5` lets results in `y` pass that are off by 50 %";
    let reference = "reference = \"work_reference\"";
    package.build("auto").ok().says_nothing_of("lets results");
    package.edit(
        "src/main.rs",
        reference,
        &format!("{reference}, rtol = 0.5"),
    );
    package.build("auto").ok().says(said);
}

/// The product of all sizes says nothing of what a reference takes where they add up.
#[test]
fn wrong_at_twice_sizes_whose_product_is_large() {
    let package = Package::work("added");
    package.edit_all(&[
        (
            "kernels/work.c",
            "*x, uint32_t n)",
            "*x, const float *z, uint32_t n, uint32_t m)",
        ),
        (
            "kernels/work.c",
            "2 * x[i] + 1;\n}\n\nvoid work_ref",
            "2 * x[i] + 1 + (SPIN == 0 && n > 20000 && m > 20000 && z[0] < 9);\n}\n\nvoid work_ref",
        ),
        (
            "src/main.rs",
            "n: u32",
            "#[len(m)] z: &[f32], n: u32, m: u32",
        ),
        (
            "src/main.rs",
            "problem(n = 256)",
            "problem(n = 20000, m = 20000)",
        ),
        ("src/main.rs", "&x, 256)", "&x, &x, 256, 256)"),
        ("src/main.rs", "&[256]", "&[256, 256]"),
    ]);
    package.build("auto").ok();
    assert_eq!(package.winner("work")["SPIN"], 20_000);
}

/// The reference has them in the same order, so results are equal, and wrong.
#[test]
fn arguments_in_each_others_place() {
    let package = Package::work("misplaced");
    let ours = "#[len(n)] x: &[f32], #[len(n)] b: &[f32], n: u32";
    package.edit_all(&[
        (
            "kernels/work.c",
            "*x, uint32_t n",
            "*b, const float *x, uint32_t n",
        ),
        ("kernels/work.c", "2 * x[i] + 1", "2 * x[i] - b[i]"),
        ("src/main.rs", "#[len(n)] x: &[f32], n: u32", ours),
        ("src/main.rs", "&x, 256)", "&x, &x, 256)"),
    ]);
    package
        .build("auto")
        .ok()
        .says("`work`: the kernel has `b` where the wrapper passes `x`, and the wrapper passes its `b` elsewhere. A reference with the same order cannot tell whether that is right; `args(..)` says that it is");
    let kernel = package.read("kernels/work.c");
    let (config, reference) = kernel.split_at(kernel.find("void work_reference").unwrap());
    // It has them as the wrapper does, and gives the same: names are all that differs.
    let as_ours = reference
        .replace("*b, const float *x", "*x, const float *b")
        .replace("2 * x[i] - b[i]", "2 * b[i] - x[i]");
    package.file("kernels/work.c", &format!("{config}{as_ours}"));
    package.build("auto").ok().says_nothing_of("the same order");
    package.file("kernels/work.c", &kernel);
    let theirs = "#[len(n)] b: &[f32], #[len(n)] x: &[f32], n: u32";
    package.edit("src/main.rs", ours, theirs);
    package.build("auto").ok().says_nothing_of("the same order");
}

/// Small numbers are no places in a matrix.
#[test]
fn places_that_nobody_filled() {
    let package = Package::work("places");
    package.edit_all(&[
        (
            "kernels/work.c",
            "*x, uint32_t n",
            "*x, const uint32_t *at, uint32_t n, uint32_t m",
        ),
        ("kernels/work.c", "2 * x[i] + 1", "x[at[i]]"),
        (
            "src/main.rs",
            "#[len(n)] x: &[f32], n: u32",
            "#[len(m)] x: &[f32], #[len(n)] at: &[u32], n: u32, m: u32",
        ),
        ("src/main.rs", "problem(n = 256)", "problem(n = 256, m = 4)"),
        (
            "src/main.rs",
            "work(&mut y, &x, 256)",
            "work(&mut y, &x[..4], &[0; 256], 256, 4)",
        ),
    ]);
    package
        .build("auto")
        .fails()
        .says("the reference `work_reference` is wrong: it reads or writes behind `x`")
        .says("needs what stands in such a one: `inputs(..)`, or `#[init(uniform(0, n))]`");
}

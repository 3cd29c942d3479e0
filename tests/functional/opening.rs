//! What is compiled before the first config is measured.

use crate::harness::Package;

/// Where nothing ranks configs, the first of their list are as good as any: nobody waits for their compiler.
#[test]
fn what_nothing_ranks_is_not_compiled_ahead() {
    let package = Package::work("unranked");
    let list: Vec<String> = (0..257).rev().map(|of| (10 * of).to_string()).collect();
    package.edit_all(&[
        ("src/main.rs", "400000, 0, 20000", &list.join(", ")),
        ("src/main.rs", "evaluations = 8", "evaluations = 6"),
        // While it runs, compilers have time.
        (
            "kernels/work.c",
            "void work_reference(float *y, const float *x, uint32_t n)\n{",
            "void work_reference(float *y, const float *x, uint32_t n)\n{\n\
             for (volatile long wait = 0; n == 256 && wait < 200000000; wait++) {\n}",
        ),
    ]);
    let compiler = package.compiler();
    let build = package.cargo(&["build"]).env("BICO", "tune");
    build.env("CC", &compiler.script).run().ok();
    let calls = compiler.calls();
    let is_compiled = |spin: &str| calls.contains(&format!("-DSPIN={spin} "));
    let rows = package.trail("work").into_iter();
    let measured: Vec<String> = rows.map(|row| row["values"]["SPIN"].to_string()).collect();
    assert!(measured.iter().all(|spin| is_compiled(spin)), "{calls}");
    for spin in list[..8].iter().filter(|spin| !measured.contains(spin)) {
        assert!(!is_compiled(spin), "{spin}: {calls}");
    }
}

//! Mistakes in CUDA kernels and wrappers: found wherever they can be, with a GPU and without.

use super::kernel::{A100, work};
use crate::harness::{Call, Package};

/// A build on a machine with NVRTC, and a driver that finds no GPU.
fn without_gpu(package: &Package, mode: &str) -> Call {
    let call = package.cargo(&["build"]).env("BICO", mode);
    call.gpus("", "")
}

/// A grid that is empty at small sizes leaves outputs unwritten there, however right it is elsewhere.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn a_grid_that_was_rounded_down() {
    let package = work("rounded");
    package.edit("src/main.rs", "n.div_ceil(BLOCK)", "n / BLOCK");
    package
        .build("auto")
        .fails()
        .says("no config of `work` (n=256) ran and was right")
        .says("unwritten: it leaves 1 of 1 element of `y` unwritten");
    assert!(!package.has_lock());
}

/// What the compiler refuses is told where nothing is measured too.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn a_kernel_that_does_not_compile() {
    let package = work("broken");
    package.edit("kernels/work.cu", "if (i < n)", "if (i < m)");
    without_gpu(&package, "auto")
        .run()
        .fails()
        .says("no config of `work` compiles that the program would carry")
        .says("kernels/work.cu(");
    package
        .build("auto")
        .fails()
        .says("the kernel in `kernels/work.cu` does not compile")
        .says("--> src/main.rs:")
        .says("source = \"kernels/work.cu\"");
    // A program without images is no mistake where there is no compiler.
    let said = package.cargo(&["build"]).without_cuda().run().ok();
    said.says("source only");
}

#[test]
fn arguments_that_differ() {
    let package = work("widths");
    package.edit("src/main.rs", "    n: u32,\n", "    n: u64,\n");
    for build in [without_gpu(&package, "auto").run(), package.build("auto")] {
        build
            .fails()
            .says("the arguments of the wrapper differ from those of the kernel `work`")
            .says("the wrapper passes: 8 bytes (`f32` buffer), 8 bytes (`f32` buffer), 8 bytes (`u64`)")
            .says("the kernel takes:   8 bytes, 8 bytes, 4 bytes");
    }
}

/// Who asks to tune and has no GPU hears of it, and gets it once there is one.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn tune_without_a_gpu() {
    let package = work("later");
    let said = without_gpu(&package, "tune").run().ok();
    said.says("did not measure, predicted configs for work");
    assert!(!package.has_lock());
    package.build("tune").ok();
    assert_eq!(package.winner("work")["SPIN"], 0);
    let lock = package.read("bico.lock");
    let said = without_gpu(&package, "tune").run().ok();
    said.says("did not measure, left the lock as it is for work");
    assert_eq!(package.read("bico.lock"), lock);
    assert!(lock.contains(A100));
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn a_launch_of_the_reference() {
    let package = work("reference");
    let own = ", launch(grid = n.div_ceil(32), block = 32)";
    let tall = ", launch(grid = (1, 70000), block = 32)";
    package.edit("src/main.rs", own, tall);
    package
        .build("auto")
        .fails()
        .says("the reference `work_reference` cannot be launched at n = 256: the grid has 70000 blocks in y");
    // The kernel's own serves where there is none, once it is the same for all configs.
    package.edit("src/main.rs", tall, "");
    package
        .build("auto")
        .fails()
        .says("the reference `work_reference` is not the same for all configs: its launch depends on `BLOCK`")
        .says("or give it a `launch(..)` of its own");
    package.edit(
        "src/main.rs",
        "\"work_reference\"",
        "\"work_reference\", with(BLOCK = 64)",
    );
    package.build("auto").ok();
    assert_eq!(package.winner("work")["SPIN"], 0);
}

//! When CUDA kernels are tuned, and what comes of it where there is no GPU.

use super::kernel::{A100, searched, work};
use crate::harness::{Call, Package, Tree};

/// A machine with neither driver nor compiler uses what the lock says.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn locked_without_cuda() {
    let mut package = work("locked");
    let build = |package: &Package, mode: &str| {
        let call = package.cargo(&["build"]).env("BICO", mode);
        call.without_cuda().run()
    };
    build(&package, "locked")
        .fails()
        .says("bico.lock does not know `work` (n=256) on any device")
        .says("BICO=tune cargo build");
    package.build("auto").ok();
    package.clean();
    let before = Tree::of(package.root());
    build(&package, "locked")
        .ok()
        .says("carries CUDA kernels as source only")
        .says("/nowhere");
    assert!(before == Tree::of(package.root()));
    // With a GPU, NVRTC compiles the winner when the program runs.
    let printed = package.run();
    assert!(printed.contains("SPIN=0"), "{printed}");
    assert!(printed.contains(&format!("(tuned on {A100})")), "{printed}");
    assert!(printed.ends_with("all right\n"), "{printed}");
    let refused = package.start().env("BICO_NVRTC", "/nowhere").run().fails();
    refused
        .says("error: work: no config of this program can run here at n=1")
        .says("no compiled code")
        .says("/nowhere")
        .says_nothing_of("panicked");
    let none = package.start().without_cuda().run().fails();
    none.says("error: no GPU for CUDA kernels: the NVIDIA driver is not there")
        .says("libcuda.so.1")
        .says_nothing_of("panicked");

    // A kernel that changed since.
    package.edit(
        "kernels/work.cu",
        "y[i] = 2 * x[i] + 1",
        "y[i] = 1 + 2 * x[i]",
    );
    build(&package, "locked")
        .fails()
        .says("bico.lock is stale for `work` (n=256)")
        .says("its source")
        .says("BICO=tune cargo build");
    // `auto` builds with what it has, and says so.
    let said = build(&package, "auto").ok();
    assert_eq!(said.count("did not measure"), 1, "{said}");
    said.says("stale").says("work");
    assert!(package.run().contains("SPIN=0"));
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn a_stale_entry() {
    let package = work("stale");
    package.build("auto").ok();
    assert!(searched(&package, "work"));
    let lock = package.read("bico.lock");
    package.edit(
        "kernels/work.cu",
        "y[i] = 2 * x[i] + 1",
        "y[i] = 1 + 2 * x[i]",
    );
    // Checked again, which makes it fresh.
    package
        .build("auto")
        .ok()
        .says("checked stale winners again")
        .says("BICO=tune");
    assert!(searched(&package, "work"));
    assert_ne!(package.read("bico.lock"), lock);
    assert_eq!(package.winner("work")["SPIN"], 0);
    package.build("locked").ok();
    assert!(package.run().contains(&format!("(tuned on {A100})")));
    // A winner that became wrong loses.
    package.edit(
        "kernels/work.cu",
        "y[i] = 1 + 2 * x[i];\n}\n\n__global__ void work_ref",
        "y[i] = 1 + (SPIN ? 2 : 3) * x[i];\n}\n\n__global__ void work_ref",
    );
    package.build("auto").ok();
    assert_eq!(package.winner("work")["SPIN"], 1_000_000);
    // What else is part of it.
    for (from, to, what) in [
        ("block = BLOCK", "block = (BLOCK, 1)", "launch"),
        ("[4000000, 0,", "[4000000, 0, 1,", "space"),
    ] {
        package.edit("src/main.rs", from, to);
        package
            .build("locked")
            .fails()
            .says(&format!("its {what}"))
            .says("changed");
        package.edit("src/main.rs", to, from);
    }
    // `tune` searches anew.
    assert!(searched(&package, "work"));
    package.edit("src/main.rs", "[4000000, 0,", "[4000000, 0, 1,");
    package.edit(
        "src/main.rs",
        "evaluations = 6",
        "evaluations = 8, strategy = \"sequential\"",
    );
    package.build("tune").ok();
    assert!(searched(&package, "work"));
    assert_eq!(package.winner("work")["SPIN"], 1);
}

/// Without a GPU `auto` predicts, and says once what it looked for; the program says it too.
#[test]
fn no_gpu() {
    let package = work("none");
    let builds = |label: &str, call: fn(Call) -> Call, said: &[&str]| {
        // Or cargo would not run the script again.
        package.edit("build.rs", "}", " }");
        let built = call(package.cargo(&["build"])).run().ok();
        assert_eq!(built.count("did not measure"), 1, "{label}: {built}");
        assert!(!package.has_lock(), "{label}");
        let ran = call(package.start()).run().fails();
        for said in said {
            assert!(built.stderr.contains(said), "{label}: `{said}`: {built}");
            assert!(ran.stdout.contains(said), "{label}: `{said}`: {ran}");
        }
        ran.says("error: no GPU for CUDA kernels")
            .says_nothing_of("panicked");
    };
    builds(
        "no driver",
        |call| call.without_cuda(),
        &["the NVIDIA driver is not there", "libcuda.so.1"],
    );
    builds("no GPU", |call| call.gpus("", ""), &["GPU"]);
    builds(
        "old",
        |call| call.gpus("A100", "driver-too-old"),
        &["the NVIDIA driver"],
    );
}

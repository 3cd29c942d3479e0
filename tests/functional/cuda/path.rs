//! From the attribute to a winner that runs.

use super::kernel::{A100, KERNEL, TYPES, searched, tunable, work};
use crate::harness::{self, Package, Tree};
use std::fs;

#[test]
fn from_the_attribute_to_the_winner() {
    let package = work("whole");
    let sources = ["src", "kernels"].map(|folder| package.root().join(folder));
    let before = sources.each_ref().map(|folder| Tree::of(folder));
    package.build("auto").ok();

    // The lock says what was found, on what, with what.
    let lock = package.lock();
    let facts = &lock["devices"][A100];
    assert_eq!(facts["kind"], "cuda", "{lock:#}");
    assert_eq!(facts["compute_capability"], 80, "{lock:#}");
    assert_eq!(facts["multiprocessors"], 108, "{lock:#}");
    assert_eq!(facts["shared_memory_per_block_optin"], 166_912, "{lock:#}");
    let entry = &lock["kernels"]["work"][A100]["n=256"];
    assert_eq!(entry["winner"]["config"]["SPIN"], 0, "{lock:#}");
    assert_eq!(entry["verified"], "reference, rules 2", "{lock:#}");
    assert_eq!(entry["resources"]["registers"], 32, "{lock:#}");
    assert_eq!(entry["evaluations"], 6, "{lock:#}");
    let toolchain = entry["toolchain"].as_str().unwrap();
    assert!(toolchain.starts_with("NVRTC "), "{lock:#}");

    // Nothing else changed.
    let mut files: Vec<_> = fs::read_dir(package.root())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    let expected = [
        "Cargo.lock",
        "Cargo.toml",
        "bico.lock",
        "build.rs",
        "kernels",
        "src",
    ];
    assert_eq!(files, expected);
    assert!(before == sources.each_ref().map(|folder| Tree::of(folder)));

    // The program holds machine code, PTX and the source.
    let folder = package.out_dir("work");
    let data = fs::read_to_string(folder.join("work.rs")).unwrap();
    for part in ["ImageKind::Cubin, compute_capability: 80", "ImageKind::Ptx"] {
        assert!(data.contains(part), "{data}");
    }
    let source = fs::read_to_string(folder.join("work.gpu/0.txt")).unwrap();
    assert_eq!(source, KERNEL);

    let printed = package.run();
    assert!(printed.contains("SPIN=0"), "{printed}");
    assert!(printed.contains(&format!("(tuned on {A100})")), "{printed}");
    assert!(printed.ends_with("all right\n"), "{printed}");

    // What the driver says of a launch, or of a kernel before, is an error and no panic.
    for (faults, said) in [
        ("out-of-resources:BLOCK", "error: work: "),
        ("illegal-address:BLOCK", "CUDA_ERROR_ILLEGAL_ADDRESS"),
    ] {
        let broken = package.start().gpus("A100", faults).run().fails();
        broken.says(said).says_nothing_of("panicked");
    }

    // The second build has nothing to do.
    assert!(searched(&package, "work"));
    let before = Tree::of(package.root());
    package.build("auto").ok().says_nothing_of("Compiling");
    assert!(!searched(&package, "work"));
    assert!(before == Tree::of(package.root()));
}

/// Kernels for the CPU and for the GPU in one package.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn beside_a_kernel_of_the_cpu() {
    let package = Package::cuda("mixed");
    package.file("kernels/work.cu", KERNEL);
    package.file("kernels/work.c", harness::KERNEL);
    let program = super::kernel::MAIN.replace("println!(\"all right\");", "let mut y = [0.0; 256];\n    on_cpu(&mut y, &[3.0; 256], 256)?;\n    println!(\"{} {}\", y[255], bico::config_of(on_cpu_tunable(), &[256])?);");
    let text = format!(
        "{TYPES}{}{}{program}",
        tunable("work", ""),
        harness::tunable("on_cpu", "")
    );
    package.file("src/main.rs", &text);
    package.build("auto").ok();
    assert!(package.measured());
    assert_eq!(package.winner("work")["SPIN"], 0);
    assert_eq!(package.winner("on_cpu")["SPIN"], 0);
    let printed = package.run();
    assert_eq!(printed.matches("(tuned on").count(), 2, "{printed}");
    assert!(printed.contains("7 on_cpu (n=256): SPIN=0"), "{printed}");
    // Without any CUDA the CPU's kernel is tuned all the same.
    std::fs::remove_file(package.root().join("bico.lock")).unwrap();
    let without = package.cargo(&["build"]).env("BICO", "tune").without_cuda();
    let said = without.run().ok();
    assert_eq!(said.count("did not measure"), 1, "{said}");
    assert!(package.measured());
    let lock = package.lock();
    assert!(lock["kernels"]["work"].is_null(), "{lock:#}");
    assert!(lock["kernels"]["on_cpu"].is_object(), "{lock:#}");
}

/// To have a worker with a GPU takes longer than several trials: one serves all searches.
#[test]
fn a_worker_goes_on_from_search_to_search() {
    let package = work("goes_on");
    package.edit(
        "src/main.rs",
        "problem(n = 256)",
        "problem(n = 256),\n    problem(n = 100)",
    );
    let (script, log) = ["run", "log"]
        .map(|name| package.folder().join(name))
        .into();
    let text = format!("echo started >> '{}'\nexec \"$@\"\n", log.display());
    fs::write(&script, text).unwrap();
    let runner = format!("sh '{}'", script.display());
    let build = package.cargo(&["build"]).env("BICO", "tune");
    build.env("BICO_RUNNER", runner).run().ok();
    let lock = package.lock();
    for problem in ["n=256", "n=100"] {
        let entry = &lock["kernels"]["work"][A100][problem];
        assert_eq!(entry["evaluations"], 6, "{lock:#}");
    }
    // Another one looked for GPUs.
    let started = fs::read_to_string(log).unwrap();
    assert_eq!(started.lines().count(), 2, "{started}");
}

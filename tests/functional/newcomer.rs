//! The first day with bico.

use crate::book::block::blocks;
use crate::harness::{Package, Tree, WORKSPACE};
use std::path::Path;

/// Writes the files of one section of a page, whose blocks begin with their names. Gives those.
fn files_of(page: &str, section: &str, package: &Package) -> Vec<String> {
    let text = std::fs::read_to_string(Path::new(WORKSPACE).join(page)).unwrap();
    let (_, section) = text.split_once(&format!("\n## {section}\n")).unwrap();
    let section = section.split("\n## ").next().unwrap_or_default();
    let mut found = Vec::new();
    for block in blocks(section) {
        let Some(file) = block.file() else {
            continue;
        };
        let text = match &*file {
            "Cargo.toml" => {
                let head =
                    "[package]\nname = \"readme\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n";
                let text = block.text.replace("../bico/", &format!("{WORKSPACE}/"));
                format!("{head}{text}")
            }
            _ => block.text,
        };
        package.file(&file, &text);
        found.push(file);
    }
    found
}

/// A package of one's own, made from the README and nothing else.
#[test]
fn the_readme_is_enough() {
    let package = Package::new("readme");
    assert_eq!(
        files_of("README.md", "The smallest user", &package),
        ["Cargo.toml", "build.rs", "kernels/dot.c", "src/main.rs"]
    );
    let said = package.cargo(&["run"]).run().ok();
    assert!(said.stdout.contains("x . y = 2048"), "{said}");
    assert!(said.stdout.contains("dot (n=4096): ISA=x86-64-v"), "{said}");
    assert!(said.stdout.contains("(tuned on "), "{said}");
    assert_eq!(
        package.entries("dot")["n=4096"]["verified"],
        "reference, rules 2"
    );
}

/// The same without a kernel.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn the_readme_is_enough_for_an_einsum() {
    let package = Package::new("readme");
    files_of("README.md", "The smallest user", &package);
    assert_eq!(
        files_of("docs/contractions.md", "The smallest one", &package),
        ["Cargo.toml", "src/main.rs"]
    );
    // A whole search takes long in debug builds of everything.
    package.edit("src/main.rs", "evaluations = 32", "evaluations = 4");
    let said = package.cargo(&["run"]).run().ok();
    assert!(said.stdout.contains("o[0] = 100"), "{said}");
    assert!(said.stdout.contains("(tuned on "), "{said}");
    assert_eq!(
        package.entries("contract")["c=4, k=256, m=256, n=256"]["verified"],
        "reference, rules 2"
    );
}

/// The same with a function in Rust.
#[test]
fn the_readme_is_enough_for_a_function() {
    let package = Package::new("readme");
    files_of("README.md", "The smallest user", &package);
    assert_eq!(
        files_of("docs/functions.md", "The smallest one", &package),
        ["Cargo.toml", "src/main.rs"]
    );
    // What no compiler of C is needed for.
    let said = package.cargo(&["run"]).env("CC", "/nowhere").run().ok();
    assert!(said.stdout.contains("(tuned on "), "{said}");
    assert!(said.stdout.ends_with(": 6\n"), "{said}");
    assert_eq!(
        package.entries("sums")["n=65536"]["verified"],
        "reference, rules 2"
    );
}

/// The same with a CUDA kernel, on the host driver, which is too slow for its sizes.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
#[ignore = "slow: .ci/run runs it"]
fn the_readme_is_enough_for_cuda() {
    let package = Package::cuda("readme");
    assert_eq!(
        files_of("README.md", "A CUDA kernel", &package),
        ["Cargo.toml", "kernels/axpy.cu", "src/main.rs"]
    );
    // Without a GPU first, as most newcomers.
    let said = package.cargo(&["run"]).without_cuda().run().fails();
    said.says("Error: no GPU for CUDA kernels: the NVIDIA driver is not there");
    package.edit(
        "src/main.rs",
        "problem(n = 16_777_216, a = 2.0)",
        "problem(n = 4096, a = 2.0), budget(evaluations = 20, seconds = 30)",
    );
    package.edit("src/main.rs", "let n = 1_000_000", "let n = 1000");
    let said = package.cargo(&["run"]).gpus("A100", "").run().ok();
    assert!(said.stdout.contains("y[0] = 2"), "{said}");
    assert!(said.stdout.contains("axpy (n=1000): BLOCK="), "{said}");
    assert!(said.stdout.contains("on NVIDIA A100"), "{said}");
    assert_eq!(
        package.entries("axpy")["a=2.0, n=4096"]["verified"],
        "reference, rules 2"
    );
}

/// The tutorial, with what it says to try.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn the_tutorial_is_enough() {
    let page = "docs/tutorial.md";
    let package = Package::new("matmul");
    assert_eq!(
        files_of(page, "A kernel with numbers in it", &package),
        ["kernels/matmul.c"]
    );
    assert_eq!(
        files_of(page, "A package around it", &package),
        ["Cargo.toml", "build.rs", "src/main.rs"]
    );
    package.edit("src/main.rs", "evaluations = 40", "evaluations = 4");
    let said = package.cargo(&["run"]).run().ok();
    assert!(said.stdout.contains("c[0] = 256"), "{said}");
    assert!(said.stdout.contains("(tuned on "), "{said}");

    let rows = "ROWS in powers_of_two(4..=128)";
    package.edit("src/main.rs", rows, "ROWS in powers_of_two(4..=256)");
    let refused = package.build("locked").fails();
    refused.says("bico.lock is stale for `matmul` (n=512): its space changed since it was tuned");

    package.edit(
        "kernels/matmul.c",
        "i < smaller(i0 + ROWS, n)",
        "i < i0 + ROWS",
    );
    package
        .build("tune")
        .fails()
        .says("no config of `matmul` (n=512) ran and was right");
}

#[test]
fn tunes_once() {
    let package = Package::work("once");
    // With its output shown, the build script says what was chosen.
    package
        .cargo(&["build", "-vv"])
        .run()
        .ok()
        .says("work (n=256): SPIN=0, ")
        .says("3 of 3 configs measured");
    assert!(package.measured());
    assert_eq!(package.winner("work")["SPIN"], 0);
    let printed = package.run();
    assert!(printed.contains("y[3] = 7"), "{printed}");
    assert!(
        printed.contains("work (n=256): SPIN=0 (tuned on "),
        "{printed}"
    );

    // Each config has a row, and the finals have theirs.
    let trail = package.trail("work");
    let mut spins: Vec<i64> = trail
        .iter()
        .filter(|row| row["kind"] != "final")
        .map(|row| row["values"]["SPIN"].as_i64().unwrap())
        .collect();
    spins.sort_unstable();
    assert_eq!(spins, [0, 20000, 400000], "{trail:#?}");

    // A second build runs nothing, and neither changes a file of the package.
    let tree = Tree::of(package.root());
    package
        .cargo(&["build", "-v"])
        .run()
        .ok()
        .says("Fresh once v0.1.0")
        .says_nothing_of("Running");
    assert!(!package.measured());
    assert_eq!(Tree::of(package.root()), tree);

    std::fs::remove_file(package.root().join("bico.lock")).unwrap();
    package.build("auto").ok();
    assert!(package.measured());
    assert_eq!(package.winner("work")["SPIN"], 0);
}

/// What stands beside the wrapper.
#[test]
fn the_functions_beside_the_wrapper() {
    let package = Package::work("beside");
    package.edit(
        "src/main.rs",
        "println!(\"y[3]",
        r#"
    let tunable = work_tunable();
    println!("name {}", tunable.name());
    println!("first {}", tunable.first_valid(&[256])?);
    println!("settled {}", work_warm_up(256)?.config);
    let mut right = 0;
    for config in tunable.candidates() {
        y.fill(0.0);
        work_with(&config, &mut y, &x, 256)?;
        right += i32::from(y[3] == 7.0);
    }
    println!("{right} of {} candidates", tunable.candidates().count());
    println!("{}", work(&mut y[..255], &x, 256).unwrap_err());
    println!("{}", work(&mut y, &x[..9], 256).unwrap_err());
    println!("{}", bico::config_of(tunable, &[1, 2]).unwrap_err());
    println!("y[3]"#,
    );
    package.build("auto").ok();
    let printed = package.run();
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines[0], "name work");
    assert_eq!(lines[1], "first SPIN=400000");
    assert_eq!(lines[2], "settled SPIN=0");
    let (right, all) = lines[3].split_once(" of ").unwrap();
    assert_eq!(format!("{right} candidates"), all, "{printed}");
    assert_ne!(right, "0", "{printed}");
    assert!(
        lines[4].contains("`y`") && lines[4].contains("256") && lines[4].contains("255"),
        "{printed}"
    );
    assert!(
        lines[5].contains("`x`") && lines[5].contains("9"),
        "{printed}"
    );
    assert!(lines[6].contains("2 sizes"), "{printed}");
}

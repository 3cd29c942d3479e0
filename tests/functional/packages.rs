//! Packages that travel: as dependencies, and as cargo packs them.

use crate::harness::{MAIN, Package, Tree, WORKSPACE, tunable};
use std::path::{Path, PathBuf};

/// An application that uses a library of kernels from elsewhere.
fn application(library: &Package) -> PathBuf {
    let application = library.folder().join("application");
    std::fs::create_dir_all(application.join("src")).unwrap();
    let write = |path: &str, text: &str| std::fs::write(application.join(path), text).unwrap();
    write(
        "Cargo.toml",
        &format!(
            "[package]\nname = \"application\"\nedition = \"2024\"\n\n[dependencies]\n\
             library = {{ path = \"{}\" }}\nbico-runtime = {{ path = \"{WORKSPACE}/bico-runtime\" }}\n",
            library.root().display()
        ),
    );
    write("Cargo.lock", &library.read("Cargo.lock"));
    write("src/main.rs", &format!("use library::*;\n{MAIN}"));
    application
}

fn library() -> Package {
    let library = Package::nested("library", "elsewhere/library");
    library.file("kernels/work.c", crate::harness::KERNEL);
    library.file("src/lib.rs", &tunable("work", ""));
    library
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn a_dependency_from_another_place() {
    let mut library = library();
    let application = application(&library);
    let build = |library: &Package, mode: &str| {
        let before = Tree::of(library.root());
        let said = library
            .cargo_in(&application, &["build"])
            .env("BICO", mode)
            .run()
            .ok();
        assert_eq!(
            Tree::of(library.root()),
            before,
            "{mode}: the sources were written to"
        );
        assert!(!library.measured(), "{mode}");
        (said, library.run_binary("application"))
    };
    // Every mode is lenient with what is not ours.
    for mode in ["auto", "tune", "locked", "off"] {
        let (_, printed) = build(&library, mode);
        assert!(
            printed.contains("SPIN=400000 (predicted"),
            "{mode}: {printed}"
        );
    }
    // Tuned where it is developed, and shipped with its lock.
    library.build("tune").ok();
    assert!(library.measured());
    for mode in ["auto", "tune", "locked", "off"] {
        library.clean();
        let (said, printed) = build(&library, mode);
        assert!(printed.contains("SPIN=0 (tuned on"), "{mode}: {printed}");
        said.says_nothing_of("warning");
    }
    // Even a stale lock is better than none.
    library.edit("kernels/work.c", "2 * x[i] + 1", "1 + 2 * x[i]");
    for mode in ["auto", "tune", "locked", "off"] {
        let (_, printed) = build(&library, mode);
        assert!(printed.contains("SPIN=0"), "{mode}: {printed}");
    }
    // With its folder as cargo's own, it is somebody's all the same.
    let manifest = application.join("Cargo.toml");
    let before = Tree::of(library.root());
    let args = ["build", "--manifest-path", manifest.to_str().unwrap()];
    let call = library.cargo_in(library.root(), &args);
    call.env("BICO", "tune").env("BICO_CACHE", "off").run().ok();
    assert!(!library.measured());
    assert_eq!(Tree::of(library.root()), before);
}

/// A library with kernels that is a member of the workspace is ours. Its build script and that of
/// the application run at the same time, and wait for each other to measure.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn members_of_a_workspace() {
    let library = library();
    let application = application(&library);
    let root = library.folder();
    let write = |path: &Path, text: &str| std::fs::write(path, text).unwrap();
    write(
        &root.join("Cargo.toml"),
        "[workspace]\nresolver = \"3\"\nmembers = [\"application\", \"elsewhere/library\"]\n",
    );
    write(&root.join("Cargo.lock"), &library.read("Cargo.lock"));
    let manifest = application.join("Cargo.toml");
    let text = std::fs::read_to_string(&manifest).unwrap();
    let builder =
        format!("\n[build-dependencies]\nbico-build = {{ path = \"{WORKSPACE}/bico-build\" }}\n");
    write(&manifest, &format!("{text}{builder}"));
    write(&application.join("build.rs"), &library.read("build.rs"));
    std::fs::create_dir(application.join("kernels")).unwrap();
    write(&application.join("kernels/work.c"), crate::harness::KERNEL);
    // The same key in two packages, and in one program.
    let text = std::fs::read_to_string(application.join("src/main.rs")).unwrap();
    let own = format!("mod own {{ {} }}\n", tunable("work", ""));
    let both = "own::work(&mut y, &x, 256)?;\n    work(&mut y, &x, 256)?;";
    let text = text.replace("work(&mut y, &x, 256)?;", both);
    write(&application.join("src/main.rs"), &format!("{own}{text}"));
    for jobs in ["-j2", "-j1"] {
        library
            .cargo_in(&root, &["build", jobs])
            .env("BICO", "tune")
            .run()
            .ok();
        assert!(library.measured());
        assert_eq!(library.winner("work")["SPIN"], 0);
        let lock = std::fs::read_to_string(application.join("bico.lock")).unwrap();
        assert!(lock.contains("\"work\": {"), "{lock}");
        // The trail of one does not replace the other's.
        for member in ["library", "application"] {
            let trail = library
                .target()
                .join("bico")
                .join(member)
                .join("work.jsonl");
            assert!(trail.is_file(), "{}", trail.display());
            std::fs::remove_file(trail).unwrap();
        }
        std::fs::remove_file(application.join("bico.lock")).unwrap();
        let printed = library.run_binary("application");
        assert!(printed.contains("SPIN=0 (tuned on"), "{printed}");
    }
}

/// `cargo package` refuses a build script that writes into the sources, and users of the package
/// get the kernel that its author tuned.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn cargo_package_verifies() {
    let package = Package::work("packed");
    let manifest = package.read("Cargo.toml");
    package.file(
        "Cargo.toml",
        &manifest.replace("{ path = ", "{ version = \"0.1.0\", path = "),
    );
    let inner = std::fs::read_dir(Path::new(WORKSPACE).join("crates")).unwrap();
    let inner = inner.map(|folder| folder.unwrap().path());
    let ours = ["bico-build", "bico-runtime", "bico-macros"];
    let ours = ours.map(|name| Path::new(WORKSPACE).join(name));
    let config = ours.into_iter().chain(inner).map(|folder| {
        let name = folder.file_name().unwrap().display();
        format!("patch.crates-io.{name}.path=\"{}\"", folder.display())
    });
    let config: Vec<String> = config.collect();
    let mut args = vec!["package", "--allow-dirty"];
    for patch in &config {
        args.extend(["--config", patch]);
    }
    // Without a lock: a build script that writes one fails the verification.
    package.cargo(&args).env("BICO", "tune").run().ok();
    assert!(!package.measured());
    assert!(!package.has_lock());
    package.build("auto").ok();
    assert!(package.measured());
    for mode in ["auto", "tune", "locked"] {
        // Cargo leaves the program of the verification where it leaves all others.
        std::fs::remove_file(package.target().join("debug/packed")).unwrap();
        package.cargo(&args).env("BICO", mode).run().ok();
        assert!(!package.measured(), "{mode}");
        assert!(package.run().contains("SPIN=0 (tuned on"), "{mode}");
    }
    let unpacked = package.target().join("package/packed-0.1.0");
    assert_eq!(
        std::fs::read_to_string(unpacked.join("bico.lock")).unwrap(),
        package.read("bico.lock")
    );
}

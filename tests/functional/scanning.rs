//! Where tunables may stand.

use crate::harness::{KERNEL, MAIN, Package, copy, tunable};

/// What each program prints: the config of a tunable at 256.
fn show(path: &str) -> String {
    format!(
        "println!(\"{path} {{}}\", bico::config_of({path}_tunable(), &[256]).unwrap().config);\n"
    )
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn modules_paths_features_and_programs() {
    let package = Package::new("places");
    package.manifest("[features]\nextra = []\n\n[lib]\nname = \"places_lib\"\n");
    package.file("kernels/work.c", KERNEL);
    package.file(
        "src/lib.rs",
        &format!(
            "#![deny(missing_docs)]\n//! Docs.\n/// Docs.\npub mod nested;\n\n#[path = \"elsewhere/odd.rs\"]\n/// Docs.\npub mod renamed;\n\n\
             /// Docs.\npub mod inner {{\n/// Docs.\n{}}}\n\n/// Docs.\n#[cfg(feature = \"extra\")]\n#[doc = \"More.\"]{}",
            tunable("inside", ""),
            tunable("extra", "").trim_start(),
        ),
    );
    package.file("src/nested/mod.rs", "//! Docs.\n/// Docs.\npub mod deep;\n");
    package.file(
        "src/nested/deep.rs",
        &format!(
            "//! Docs.\n/// Docs.{}",
            tunable("deep", "name = \"deep-one\",")
        ),
    );
    package.file(
        "src/elsewhere/odd.rs",
        &format!(
            "//! Docs.\n/// Docs.{}",
            tunable("odd", "name = \"odd::one\",")
        ),
    );
    // A file that nobody includes may hold anything.
    package.file(
        "src/unused.rs",
        &tunable("inside", "").replace("work.c", "none.c"),
    );
    package.file(
        "src/main.rs",
        &format!(
            "use places_lib::{{inner::*, nested::deep::*, renamed::*}};\n{}fn main() {{\n{}{}{}{}\
             #[cfg(feature = \"extra\")]\n{{ use places_lib::*; {} }}\n}}\n",
            tunable("program", ""),
            show("program"),
            show("inside"),
            show("deep"),
            show("odd"),
            show("extra"),
        ),
    );
    package.file(
        "src/bin/second.rs",
        &format!(
            "{}fn main() {{ {} }}\n",
            tunable("second", ""),
            show("second")
        ),
    );
    package.build("auto").ok();
    let four = "program SPIN=0\ninside SPIN=0\ndeep SPIN=0\nodd SPIN=0\n";
    assert_eq!(package.run(), four);
    assert_eq!(package.run_binary("second"), "second SPIN=0\n");
    let lock = package.lock();
    let keys: Vec<&String> = lock["kernels"].as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        ["deep-one", "inside", "odd::one", "program", "second"]
    );

    package.cargo(&["build", "--features", "extra"]).run().ok();
    assert_eq!(package.run(), format!("{four}extra SPIN=0\n"));
    assert_eq!(package.winner("extra")["SPIN"], 0);
    // What is behind a feature that is off stays in the lock.
    let lock = package.read("bico.lock");
    package.build("auto").ok();
    assert_eq!(package.read("bico.lock"), lock);
}

#[test]
fn two_tunables_of_one_key() {
    let package = Package::new("twice");
    package.file("kernels/work.c", KERNEL);
    package.file(
        "src/lib.rs",
        &format!("mod a;\nmod b;{}", tunable("other", "")),
    );
    package.file("src/a.rs", &tunable("work", ""));
    package.file("src/b.rs", &tunable("work", ""));
    package
        .build("auto")
        .fails()
        .says("`work`")
        .says("src/a.rs:11:8")
        .says("src/b.rs:11:8")
        .says("name = \"work_2\"");
    assert!(!package.has_lock());
    package.file("src/b.rs", &tunable("work", "name = \"work_2\","));
    package.build("auto").ok();
    assert_eq!(package.winner("work_2")["SPIN"], 0);
}

/// Mistakes in Rust and in the attribute are rustc's to show, on the user's tokens.
#[test]
fn mistakes_in_the_source() {
    let package = Package::work("mistakes");
    package.edit("src/main.rs", "[400000, 0, 20000]", "[400000, 0, 20000");
    package
        .build("auto")
        .fails()
        .says("src/main.rs")
        .says_nothing_of("custom build command");
    package.edit("src/main.rs", "[400000, 0, 20000", "[400000, 0, 20000]");
    package.edit("src/main.rs", "problem(n = 256)", "problem(m = 256)");
    package
        .build("auto")
        .fails()
        .says("--> src/main.rs:6:13")
        .says_nothing_of("custom build command");
    package.edit("src/main.rs", "problem(m = 256)", "problem(n = 256)");
    package.build("auto").ok();
    assert!(package.run().contains("SPIN=0"));
}

/// Without a build script there is nothing to include.
#[test]
fn the_build_script_is_missing() {
    let package = Package::work("scriptless");
    std::fs::remove_file(package.root().join("build.rs")).unwrap();
    package
        .build("auto")
        .fails()
        .says("bico_build::tune()")
        .says("[build-dependencies]");
}

/// A library's tunable serves its tests, examples and documentation, under whatever name the
/// library of bico has.
#[test]
fn users_of_a_library_and_another_name_for_bico() {
    let package = Package::new("users");
    let manifest = package.read("Cargo.toml");
    let renamed = "tuned = { package = \"bico-runtime\", path";
    package.file(
        "Cargo.toml",
        &manifest.replace("bico-runtime = { path", renamed),
    );
    package.file("kernels/work.c", KERNEL);
    let wrapper = tunable("work", "crate = tuned,")
        .replace("bico::", "tuned::")
        .replace("pub fn", "pub unsafe fn");
    let call = "let mut y = [0.0; 9];
        unsafe { users::work(&mut y, &[3.0; 9], 9).unwrap() };
        assert_eq!(y, [7.0; 9]);";
    package.file(
        "src/lib.rs",
        &format!(
            "/// ```\n/// {}\n/// ```{wrapper}",
            call.replace('\n', "\n///")
        ),
    );
    package.file("examples/shown.rs", &format!("fn main() {{ {call} }}\n"));
    package.file(
        "tests/tested.rs",
        &format!("#[test]\nfn tested() {{ {call} }}\n"),
    );
    let said = package.cargo(&["test"]).run().ok();
    assert_eq!(said.count("test result: ok. 1 passed"), 2, "{said}");
    assert_eq!(package.winner("work")["SPIN"], 0);
}

/// What the macro writes passes the strictest of users.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn strict_lints() {
    let package = Package::new("strict");
    package.file("kernels/work.c", KERNEL);
    package.edit(
        "kernels/work.c",
        "void work(float *y, const float *x, uint32_t n)",
        "void work(float *y, const float *x, uint32_t n, float *buffer)",
    );
    let options = "work(flops = 2 * n), require(n + SPIN > 0), scratch(BUFFER: f32, len = n),";
    let wrapper = tunable("work", options);
    let lints = "#![forbid(unsafe_code)]
        #![deny(warnings, missing_docs, rust_2018_idioms, unreachable_pub, unused_qualifications)]
        #![deny(unused_results, trivial_casts, missing_debug_implementations)]
        #![deny(clippy::all, clippy::pedantic, clippy::nursery, clippy::unwrap_used)]
        #![deny(clippy::panic, clippy::indexing_slicing, clippy::undocumented_unsafe_blocks)]\n";
    package.file(
        "src/lib.rs",
        &format!("//! Docs.\n{lints}/// Docs.{wrapper}"),
    );
    // Clippy is not part of every toolchain.
    let has_clippy = package.cargo(&["clippy", "--version"]).run().success;
    let command = if has_clippy { "clippy" } else { "check" };
    let said = package.cargo(&[command]).run().ok();
    // What was tuned may be said, but not of the code.
    said.says_nothing_of("src/lib.rs")
        .says_nothing_of("OUT_DIR");
}

/// Names of folders that make trouble in shells, in makefiles and in C strings.
#[test]
fn odd_folders() {
    let package = Package::nested("odd", "it's \"a\" $HOME #1 (ü) & 50%/package");
    package.file("kernels/in ner/work.c", "#include \"bo dy.h\"\n");
    package.file("kernels/in ner/bo dy.h", KERNEL);
    let wrapper = tunable("work", "").replace("kernels/", "kernels/in ner/");
    package.file("src/main.rs", &format!("{wrapper}{MAIN}"));
    let target = package.folder().join("ta 'r' $get");
    copy(package.target(), &target);
    let run = |mode: &str| {
        let call = package.cargo(&["run"]).env("CARGO_TARGET_DIR", &target);
        call.env("BICO", mode).run()
    };
    run("auto").ok().says("SPIN=0 (tuned on");
    run("locked").ok().says("SPIN=0 (tuned on");
    // A change of the header is noticed.
    package.edit("kernels/in ner/bo dy.h", "2 * x[i] + 1", "1 + 2 * x[i]");
    run("locked").fails().says("source");
}

//! `cargo bico tune`, on a machine with a GPU and without Rust.

use super::kernel::{A100, MAIN, TYPES, tunable, work};
use crate::harness::{Call, Output, Package, copy};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder for PATH with what the host driver's NVRTC starts, and nothing of Rust's.
fn tools(folder: &Path) -> PathBuf {
    let tools = folder.join("tools");
    std::fs::create_dir(&tools).unwrap();
    for tool in ["g++", "as", "ld"] {
        let asked = Command::new("sh")
            .args(["-c", &format!("command -v {tool}")])
            .output()
            .unwrap();
        let found = String::from_utf8(asked.stdout).unwrap();
        symlink(found.trim(), tools.join(tool)).unwrap_or_else(|error| panic!("{tool}: {error}"));
    }
    tools
}

/// A copy of the package in another place, and how the command is called for it.
struct Copy {
    root: PathBuf,
    tools: PathBuf,
    cache: PathBuf,
}

impl Copy {
    fn of(package: &Package) -> Copy {
        let root = package.folder().join("carried");
        copy(package.root(), &root);
        // Nothing there builds.
        std::fs::remove_file(root.join("build.rs")).unwrap();
        Copy {
            root,
            tools: tools(&package.folder()),
            cache: package.folder().join("cache-there"),
        }
    }

    fn tune(&self, more: &[&str]) -> Output {
        self.tune_on("A100", more)
    }

    fn tune_on(&self, gpus: &str, more: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_command"));
        command
            .args(["bico", "tune"])
            .args(more)
            .current_dir(&self.root);
        Call::new(command)
            .gpus(gpus, "")
            .env("PATH", &self.tools)
            .env("BICO_CACHE", &self.cache)
            .run()
    }
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn tuned_elsewhere_and_brought_back() {
    let package = work("brought");
    let text = format!(
        "#![allow(dead_code)]\n{TYPES}{}{}{MAIN}",
        tunable("work", ""),
        tunable("other", "")
    );
    package.file("src/main.rs", &text);
    let there = Copy::of(&package);
    let lock = || std::fs::read_to_string(there.root.join("bico.lock")).unwrap_or_default();

    // Mistakes.
    there
        .tune(&["--only", "wrok"])
        .fails()
        .says("no tunable `wrok`; did you mean `work`?");
    there
        .tune(&["--manifest-path", "nowhere/Cargo.toml"])
        .fails()
        .says("nowhere/Cargo.toml");
    // In a build the macro would say it.
    let main = there.root.join("src/main.rs");
    std::fs::write(&main, text.replacen("space(", "spaec(", 1)).unwrap();
    there.tune(&[]).fails().says("`spaec`").says("src/main.rs:");
    std::fs::write(&main, &text).unwrap();
    assert_eq!(lock(), "");

    there.tune(&["--only", "work"]).ok().says("work");
    assert!(there.root.join("target/bico/brought/work.jsonl").is_file());
    assert!(
        lock().contains("\"work\": {") && !lock().contains("\"other\": {"),
        "{}",
        lock()
    );
    // The rest, and only that.
    let trail = there.root.join("target/bico/brought/work.jsonl");
    std::fs::remove_file(&trail).unwrap();
    there.tune(&["--missing"]).ok();
    assert!(lock().contains("\"other\": {"), "{}", lock());
    assert!(!trail.is_file());
    there.tune(&["--missing"]).ok();
    assert!(!trail.is_file());
    // Without a GPU it has failed, unless nothing is missing.
    let kept = lock();
    let refused = there.tune_on("", &[]).fails();
    refused
        .says("error: no GPU can be measured on here")
        .says("work, other");
    there.tune_on("", &["--missing"]).ok();
    assert_eq!(lock(), kept);

    // Brought back, the lock is what a build without a GPU needs.
    package.file("bico.lock", &lock());
    let locked = package.cargo(&["build"]).env("BICO", "locked");
    locked.without_cuda().run().ok();
    let printed = package.run();
    assert!(printed.contains("SPIN=0"), "{printed}");
    assert!(printed.contains(&format!("(tuned on {A100})")), "{printed}");
    // And a build with one finds nothing to do.
    package.build("auto").ok().says_nothing_of("tuned");
    assert_eq!(package.read("bico.lock"), lock());
}

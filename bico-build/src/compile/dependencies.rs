//! The crates that a Rust function uses, made for it by cargo in a package of their own.
//!
//! ```text
//! objects/dependencies/<key>/Cargo.toml   what the source says of them, and a copy of the lock file
//!                            src/lib.rs   `bico_dependencies`, a library that holds them all
//!                            target/      cargo's, apart from that of the build, which is locked
//!                            done         all of it is there
//! ```

use super::rust::Compiler;
use super::shared::Shared;
use super::{CompileError, Hasher};
use crate::env;
use crate::files::written;
use crate::scan::{DEPENDENCY, MARK, lock_file};
use bico_core::Lists;
use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// For how long cargo may compile them.
const PATIENCE: Duration = Duration::from_secs(600);

/// How the source takes them from that library.
const USE: &str = "use bico_dependencies::";

/// The flags by which rustc finds what a source uses. Compiles it if need be.
pub(super) fn flags(
    source: &str,
    compiler: &Compiler,
    shared: &Shared,
) -> Result<Vec<String>, CompileError> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let marks = source.lines().filter_map(|line| line.strip_prefix(MARK));
    let lines = marks.filter_map(|mark| mark.strip_prefix(DEPENDENCY));
    let lines: Vec<&str> = lines.collect_vec();
    if lines.is_empty() {
        return Ok(Vec::new());
    }
    let names = source.lines().filter_map(|line| line.strip_prefix(USE));
    let library: String = names.map(|name| format!("pub use {name}\n")).collect();
    let options = &shared.options;
    let lock = lock_file(&options.root).and_then(|path| std::fs::read_to_string(path).ok());
    let lock = lock.unwrap_or_default();
    let mut hasher = Hasher::new();
    hasher
        .field("dependencies 1")
        .field(compiler.id.to_string())
        .field(&library)
        .field(&lock)
        .fields(lines.iter());
    let key = hasher.finish().to_string();
    let folder = options.cache.join("dependencies").join(key);
    let target = (options.target != options.host).then_some(&*options.target);
    let built = folder
        .join("target")
        .join(target.unwrap_or(""))
        .join("release");
    let rlib = built.join("libbico_dependencies.rlib");
    let flags = vec![
        format!("--extern=bico_dependencies={}", rlib.display()),
        format!("-Ldependency={}", built.join("deps").display()),
    ];
    let _one = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    if folder.join("done").is_file() && rlib.is_file() {
        return Ok(flags);
    }
    let manifest = format!(
        "[package]\nname = \"bico_dependencies\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n[workspace]\n\n\
         [profile.release]\npanic = \"abort\"\n\n[dependencies]\n{}\n",
        lines.join("\n")
    );
    let files = [
        ("Cargo.toml", &manifest),
        ("Cargo.lock", &lock),
        ("src/lib.rs", &library),
    ];
    for (name, text) in files {
        written(&folder.join(name), text.as_bytes())?;
    }
    let run = shared.run_for(cargo(&folder, target, compiler), PATIENCE);
    run.map_err(|error| {
        let (lines, why) = (lines.join("`, `"), error.summary);
        CompileError::new(format!(
            "the crates that the function uses cannot be compiled for it (`{lines}`): {why}\n  = help: `cargo fetch` brings what is missing; else move what the function needs of them into its file"
        ))
    })?;
    written(&folder.join("done"), &[])?;
    Ok(flags)
}

/// Cargo, which is not to take the package in `folder` for that of this build script.
fn cargo(folder: &Path, target: Option<&str>, compiler: &Compiler) -> Command {
    let mut command = Command::new(env::get("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(["build", "--release", "--offline", "--quiet"]);
    if let Some(target) = target {
        command.arg(format!("--target={target}"));
    }
    command.current_dir(folder);
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        let of_cargo = text.starts_with("CARGO_") || text.starts_with("RUSTC_W");
        if of_cargo && !["CARGO_HOME", "CARGO_NET_OFFLINE"].contains(&&*text) {
            command.env_remove(&name);
        }
    }
    command.env("CARGO_TARGET_DIR", folder.join("target"));
    command.env("CARGO_ENCODED_RUSTFLAGS", compiler.own.join("\u{1f}"));
    command.env("RUSTC", &compiler.program);
    command
}

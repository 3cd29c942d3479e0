//! A package outside of a build: its manifest in place of what cargo tells.

mod manifest;
mod members;

pub use manifest::Features;

use crate::{Error, names};
use bico_build::env::{self, Env, Mode};
use bico_build::scan::{Found, scan};
use bico_build::tuner::retain;
use manifest::Manifest;
use std::path::{Path, PathBuf};

/// What to do where there is no tunable.
pub(crate) const NO_TUNABLE: &str = "mark a wrapper with `#[bico::tunable(..)]`, turn its feature on by `--features`, or name another package by `--manifest-path`";

/// The file that a manifest's path means: itself, or that of a folder.
///
/// # Errors
///
/// It is not there.
pub(crate) fn file(manifest: &Path) -> Result<PathBuf, Error> {
    let file = match manifest.is_dir() {
        true => manifest.join("Cargo.toml"),
        false => manifest.to_path_buf(),
    };
    file.canonicalize().map_err(|error| {
        Error::Work(format!(
            "cannot read {}: {error}\n  = help: run it in the package's folder, or name its manifest by `--manifest-path`",
            file.display()
        ))
    })
}

/// What a build of the package would know.
///
/// # Errors
///
/// The manifest cannot be read, is no package's or has not these features.
pub(crate) fn env(manifest: &Path, features: &Features, mode: Mode) -> Result<Env, Error> {
    let path = file(manifest)?;
    let manifest = Manifest::read(&path)?;
    env_of(&path, manifest, features, mode)
}

/// What builds of all packages of a workspace would know whose build scripts tune. A feature is turned on in those that
/// have it.
///
/// # Errors
///
/// A manifest cannot be read, no package tunes, or none has one of the features.
pub(crate) fn envs(manifest: &Path, features: &Features, mode: Mode) -> Result<Vec<Env>, Error> {
    let path = file(manifest)?;
    let folder = path.parent().unwrap_or(Path::new("/"));
    let root = env::workspace_root(folder).unwrap_or_else(|| folder.to_path_buf());
    let (mut envs, mut unknown) = (Vec::new(), features.names().to_vec());
    for member in members::tuning(&root)? {
        let path = member.join("Cargo.toml");
        let manifest = Manifest::read(&path)?;
        unknown.retain(|name| !manifest.has(name));
        let own = features.of(&manifest);
        envs.push(env_of(&path, manifest, &own, mode)?);
    }
    if envs.is_empty() {
        let root = root.display();
        let error = Error::Work(format!("no package of the workspace at {root} tunes"));
        return Err(error.help("a package does whose [build-dependencies] have `bico-build`, and whose build script calls `bico_build::tune()`"));
    }
    match unknown.first() {
        Some(name) => {
            let message = format!("no package of the workspace that tunes has a feature `{name}`");
            Err(Error::Work(message)
                .help("leave it out, or name the package that has it by `--manifest-path`"))
        }
        None => Ok(envs),
    }
}

fn env_of(path: &Path, manifest: Manifest, features: &Features, mode: Mode) -> Result<Env, Error> {
    let manifest_dir = path.parent().unwrap_or(Path::new("/")).to_path_buf();
    let root = env::workspace_root(&manifest_dir);
    let root = root.as_ref().unwrap_or(&manifest_dir);
    let set = env::get("CARGO_TARGET_DIR").filter(|dir| !dir.is_empty());
    let target_dir = set.map_or_else(|| root.join("target"), PathBuf::from);
    let (workers, refused) = env::workers(false)?;
    Ok(Env {
        macro_follows: false,
        // Nothing is emitted here; what is kept beside a build is below `target/bico`, whoever makes that.
        out_dir: target_dir,
        features: manifest.enabled(features)?,
        package: manifest.name,
        version: manifest.version,
        target: host(),
        host: host(),
        mode,
        runner: env::runner()?,
        workers,
        refused,
        shard: env::shard()?,
        skip: None,
        cfg: cfg(),
        jobs: std::thread::available_parallelism().map_or(1, usize::from),
        cache_dir: env::cache_dir(),
        nvrtc: env::nvrtc(),
        manifest_dir,
    })
}

/// The package's tunables in the order of files and lines, `only` those of these keys, if there are any.
///
/// # Errors
///
/// A mistake in the sources that the macro cannot see, in rustc's manner, or no tunable has such a key.
pub(crate) fn tunables(env: &Env, only: &[String]) -> Result<Vec<Found>, Error> {
    let scan = scan(env);
    if !scan.errors.is_empty() {
        return Err(Error::Work(scan.errors.join("\n")));
    }
    let mut found = scan.tunables;
    let keys = found.iter().map(|found| found.spec.key.text.as_str());
    names::known("the package has", "tunable", only, keys)?;
    retain(&mut found, only);
    Ok(found)
}

/// Makes cargo's target folder as cargo would, with the mark by which [`Env::state_dir`] knows it: for whoever keeps something
/// there. Who only looks writes nothing, so that a folder that cannot be written to will do.
///
/// # Errors
///
/// It cannot be written.
pub(crate) fn make_target(env: &Env) -> Result<(), Error> {
    let target = &env.out_dir;
    let mark = || {
        let tag = target.join("CACHEDIR.TAG");
        std::fs::create_dir_all(target)?;
        if tag.is_file() {
            return Ok(());
        }
        // The signature of the Cache Directory Tagging Specification (bford.info/cachedir).
        std::fs::write(tag, "Signature: 8a477f597d28d172789f06886806bc55\n")
    };
    mark().map_err(|error: std::io::Error| {
        let error = Error::Work(format!("cannot write to {}: {error}", target.display()));
        error.help("name a folder that can be written to by CARGO_TARGET_DIR")
    })
}

/// The triple of the machine that the command was built for.
fn host() -> String {
    let arch = std::env::consts::ARCH;
    match std::env::consts::OS {
        "macos" => format!("{arch}-apple-darwin"),
        "windows" => format!("{arch}-pc-windows-msvc"),
        os => format!("{arch}-unknown-{os}-gnu"),
    }
}

/// What cargo would say of that machine in `CARGO_CFG_*`.
fn cfg() -> Vec<(String, Vec<String>)> {
    use std::env::consts::{ARCH, FAMILY, OS};
    let endian = match cfg!(target_endian = "big") {
        true => "big",
        false => "little",
    };
    let width = usize::BITS.to_string();
    let known = [
        (FAMILY, ""),
        ("target_arch", ARCH),
        ("target_family", FAMILY),
        ("target_os", OS),
        ("target_pointer_width", width.as_str()),
        ("target_endian", endian),
    ];
    known
        .map(|(name, value)| (name.to_string(), vec![value.to_string()]))
        .to_vec()
}

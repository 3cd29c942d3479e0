//! Rust functions that are tuned themselves: many configs in one call of the user's own rustc.
//!
//! A call costs as much as a dozen configs do, whatever it compiles; so units that are announced go along with the one that
//! is wanted. What comes out is one shared library with a function per config, under as many names in the cache as there are
//! configs. A batch that does not compile is tried again one by one: the others are not to suffer.

use super::cache::{self, Object, Temporary};
use super::shared::Shared;
use super::{CompileError, Hash, Hasher, Options, Unit, dependencies, process};
use crate::env;
use crate::files::could_not;
use crate::scan::MARK;
use bico_core::Lists;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Configs of one call.
pub(super) const BATCH: usize = 16;

/// How functions are compiled to be measured.
const PROFILE: [&str; 2] = ["-Copt-level=3", "-Cpanic=abort"];

/// The compiler of the package.
pub(super) struct Compiler {
    pub(super) program: String,
    /// What cargo gives it, too: to all crates, and to this one.
    pub(super) own: Vec<String>,
    flags: Vec<String>,
    pub(super) version: String,
    pub(super) id: Hash,
}

impl Compiler {
    pub(super) fn find(options: &Options) -> Result<Compiler, CompileError> {
        let program = env::get("RUSTC").unwrap_or_else(|| "rustc".into());
        let mut command = Command::new(&program);
        command.arg("--version").current_dir(&options.root);
        let version = process::first_line(command)
            .map_err(|error| format!("no compiler for Rust: {error}"))?;
        let mut flags = env::rust_flags();
        let own = flags.clone();
        let told = [&PROFILE.map(String::from)[..], &env::cpu_flags(&flags)].concat();
        if let Some(linker) = env::get("RUSTC_LINKER") {
            flags.push(format!("-Clinker={linker}"));
        }
        if options.target != options.host {
            flags.push(format!("--target={}", options.target));
        }
        let mut hasher = Hasher::new();
        hasher.field(&version).fields(flags.iter());
        Ok(Compiler {
            id: hasher.fields(PROFILE.iter()).finish(),
            program,
            own,
            flags,
            // The lock keeps it.
            version: format!("{version}, {}", told.join(" ")),
        })
    }
}

impl Unit {
    /// The name of its function in what is made of it.
    pub(crate) fn rust_symbol(&self) -> String {
        let mut hasher = Hasher::new();
        self.hash_options(&mut hasher);
        format!("bico_{}", hasher.finish())
    }

    /// The line of the source that makes that function.
    fn instance(&self, symbol: &str) -> String {
        let arguments = self.defines.iter().map(|(_, value)| value.as_str());
        let arguments: Vec<&str> = arguments.collect_vec();
        match arguments.as_slice() {
            [] => format!("__bico_reference!({symbol});\n"),
            arguments => format!("__bico_kernel!({symbol} {});\n", arguments.join(", ")),
        }
    }
}

/// Finds or makes what units of one source are compiled to.
pub(super) fn objects(units: &[Unit], shared: &Shared) -> Vec<Result<Object, CompileError>> {
    let failed = |error: CompileError| units.iter().map(|_| Err(error.clone())).collect_vec();
    let source = match units.first().map(|unit| cache::text(&unit.source)) {
        Some(Ok(source)) => source,
        Some(Err(error)) => return failed(error),
        None => return Vec::new(),
    };
    let compiler = match shared.rust() {
        Ok(compiler) => compiler,
        Err(error) => return failed(error),
    };
    let path = |unit: &Unit| {
        let mut hasher = Hasher::new();
        hasher
            .field("rust 1")
            .field(compiler.id.to_string())
            .field(&source);
        unit.hash_options(&mut hasher);
        let key = hasher.finish();
        shared.options.cache.join(format!("{key}.rs.so"))
    };
    let paths = units.iter().map(path).collect_vec();
    let missing = (0..units.len()).filter(|at| !paths[*at].is_file());
    let missing: Vec<usize> = missing.collect_vec();
    let make = |chosen: &[usize]| {
        let chosen = chosen.iter().map(|at| (&units[*at], paths[*at].as_path()));
        made(&source, &chosen.collect_vec(), compiler, shared)
    };
    let mut results = paths
        .iter()
        .map(|path| Ok(object(path.clone())))
        .collect_vec();
    for missing in alike(units, missing) {
        let Err(error) = make(&missing) else { continue };
        for at in &missing {
            let alone = match missing.len() {
                1 => Err(error.clone()),
                _ => make(&[*at]),
            };
            if let Err(error) = alone {
                results[*at] = Err(error);
            }
        }
    }
    results
}

/// Those that are compiled with the same flags.
fn alike(units: &[Unit], mut rest: Vec<usize>) -> Vec<Vec<usize>> {
    let mut all = Vec::new();
    while let Some(first) = rest.first() {
        let flags = &units[*first].flags;
        let same = rest.iter().copied();
        all.push(same.filter(|at| units[*at].flags == *flags).collect_vec());
        rest.retain(|at| units[*at].flags != *flags);
    }
    all
}

/// Compiles what a program is linked with: units of one source under these names, as they were compiled to be measured. Gives
/// the objects, in `folder`.
pub(super) fn shipped(
    units: &[(Unit, String)],
    name: &str,
    folder: &Path,
    shared: &Shared,
) -> Result<Vec<PathBuf>, CompileError> {
    let compiler = shared.rust()?;
    let Some((first, _)) = units.first() else {
        return Ok(Vec::new());
    };
    let source = cache::text(&first.source)?;
    let plain = units.iter().map(|(unit, _)| unit.clone()).collect_vec();
    let mut objects = Vec::new();
    for (number, group) in alike(&plain, (0..units.len()).collect_vec())
        .iter()
        .enumerate()
    {
        // Its name is in the names of all that it holds.
        let name = format!("{name}_{number}");
        let file = folder.join(format!("{name}.rs"));
        let mut text = source.clone();
        for at in group {
            let (unit, symbol) = &units[*at];
            text.push_str(&unit.instance(symbol));
        }
        std::fs::write(&file, text).map_err(could_not("write", &file))?;
        let object = folder.join(format!("{name}.o"));
        let mut command = command(&source, &file, &plain[group[0]].flags, compiler);
        command.args(["--crate-type=lib", "--emit=obj"]);
        command.arg(format!("--crate-name={name}"));
        command.arg("-o").arg(&object).arg(&file);
        command.current_dir(&shared.options.root);
        shared.run(command)?;
        objects.push(object);
    }
    Ok(objects)
}

/// The compiler with all that says what code comes out.
fn command(source: &str, file: &Path, own: &[String], compiler: &Compiler) -> Command {
    let marks = source.lines().filter_map(|line| line.strip_prefix(MARK));
    let (flags, shown): (Vec<&str>, Vec<&str>) = marks.partition(|mark| mark.starts_with("--"));
    let mut command = Command::new(&compiler.program);
    command.args(&compiler.flags).args(flags).args(PROFILE);
    command.args(own);
    command.args(["--error-format=short", "--cap-lints=allow"]);
    command.args(["-Cdebuginfo=0", "-Cstrip=debuginfo"]);
    let (own, shown) = (file.display(), shown.last().unwrap_or(&""));
    // In errors, and where a function panics, stands the user's own file.
    command.arg(format!("--remap-path-prefix={own}={shown}"));
    command
}

fn object(path: PathBuf) -> Object {
    Object {
        path,
        dependencies: Vec::new(),
        kernel: None,
        warnings: Vec::new(),
        taken: None,
    }
}

/// Compiles units, each to its path.
fn made(
    source: &str,
    units: &[(&Unit, &Path)],
    compiler: &Compiler,
    shared: &Shared,
) -> Result<(), CompileError> {
    if units.is_empty() {
        return Ok(());
    }
    let options = &shared.options;
    let temporary = Temporary::new(&options.cache)?;
    let mut text = source.to_string();
    for (unit, _) in units {
        text.push_str(&unit.instance(&unit.rust_symbol()));
    }
    // Next to what it becomes, and removed with it.
    let file = &temporary.list;
    std::fs::write(file, text).map_err(could_not("write", file))?;
    let flags = units.first().map_or(&[][..], |(unit, _)| &unit.flags);
    let mut command = command(source, file, flags, compiler);
    command.args(dependencies::flags(source, compiler, shared)?);
    command.args(["--crate-type=cdylib", "--crate-name=bico_function"]);
    command.arg("-o").arg(&temporary.object).arg(file);
    command.current_dir(&options.root);
    shared.run(command)?;
    for (_, path) in units {
        // Another build may have been faster.
        let linked = std::fs::hard_link(&temporary.object, path);
        if linked.is_err() && !path.is_file() {
            let copied = std::fs::copy(&temporary.object, path);
            copied.map_err(could_not("write", path))?;
        }
    }
    Ok(())
}

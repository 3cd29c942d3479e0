//! Objects kept by content.
//!
//! ```text
//! <key>.c.o   the object; .cpp.o for C++
//! <key>.d     what the compiler read for it: a hash and a path per line; before them its warnings
//! ```
//!
//! The key holds what is known before compiling: compiler, flags, defines and the source with its
//! includes. What else the compiler read (named by a macro of the source, say) stands in the
//! second file, and is compared before the object is used again. Everything is written under
//! another name first, so several builds may share the folder.

use super::hash::{Hash, Hasher};
use super::source::{file_hash, normal, relative};
use super::tool::{Compiler, is_identifier, spelled};
use super::{CompileError, Unit, depfile, shared::Shared};
use crate::files::could_not;
use bico_core::Lists;
use bico_host::said;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A compiled unit.
#[derive(Clone)]
pub(super) struct Object {
    pub(super) path: PathBuf,
    /// Files below the package root that went into it.
    pub(super) dependencies: Vec<PathBuf>,
    /// What a unit for GPUs was compiled to.
    pub(super) kernel: Option<super::GpuKernel>,
    /// What the compiler warned of when it was compiled.
    pub(super) warnings: Vec<String>,
    /// What its compiler took, pauses left out; `None` where it was kept from before, or compiled with others.
    pub(super) taken: Option<Duration>,
}

/// Finds or makes the object of a unit.
pub(super) fn object(unit: &Unit, shared: &Shared) -> Result<Object, CompileError> {
    check(unit)?;
    if let Some(gpu) = &unit.gpu {
        return super::cuda::object(unit, gpu, shared);
    }
    let cache = &shared.options.cache;
    let root = normal(&shared.options.root);
    let source = normal(&root.join(&unit.source));
    let content = shared.source(unit);
    let content = content.map_err(could_not("read", &unit.source))?;
    let compiler = shared.compiler(unit.language)?;
    let key = key(unit, &relative(&source, &root), content.whole(), compiler);
    let ending = spelled(unit.language, "c.o", "cpp.o");
    let path = cache.join(format!("{key}.{ending}"));
    let list = cache.join(format!("{key}.d"));
    let mut kept = fresh(&path, &list, &root);
    if kept.is_none() {
        let temporary = Temporary::new(cache)?;
        // Below the root, the path as seen from there: it stands in `__FILE__`, and objects shall not
        // depend on where the package lies.
        let given = source.strip_prefix(&root).unwrap_or(&source);
        let mut command = compiler.compile(unit, given, &temporary);
        command.current_dir(&root);
        let warnings = said::warnings(&shared.run(command)?);
        let read = std::fs::read_to_string(&temporary.list).unwrap_or_default();
        let files = depfile::parse(&read).into_iter();
        let mut files: Vec<PathBuf> = files.map(|file| normal(&root.join(file))).collect_vec();
        let told = warnings.iter().map(|line| format!("{WARNING}{line}\n"));
        let text = told.collect::<String>() + &lines(&files, &root);
        let written = std::fs::write(&temporary.list, text);
        written.map_err(could_not("write to", cache))?;
        temporary.keep(&path, &list, cache)?;
        files.retain(|file| file.starts_with(&root));
        kept = Some((files, warnings));
    }
    let (dependencies, warnings) = kept.unwrap_or_default();
    Ok(Object {
        path,
        dependencies,
        kernel: None,
        warnings,
        taken: None,
    })
}

/// The preprocessed source of a unit.
#[cfg(feature = "tune")]
pub(super) fn preprocessed(unit: &Unit, shared: &Shared) -> Result<String, CompileError> {
    check(unit)?;
    let compiler = shared.compiler(unit.language)?;
    let made = Temporary::new(&shared.options.cache)?;
    let mut command = compiler.preprocess(unit, &made.object);
    command.current_dir(&shared.options.root);
    shared.run(command)?;
    text(&made.object)
}

/// The content of a file, however it is encoded.
#[cfg(any(feature = "tune", feature = "rust"))]
pub(super) fn text(path: &Path) -> Result<String, CompileError> {
    let content = std::fs::read(path).map_err(could_not("read", path))?;
    Ok(String::from_utf8_lossy(&content).into_owned())
}

/// Whether an object of the cache was made of C++.
pub(crate) fn is_of_cpp(object: &Path) -> bool {
    object.to_string_lossy().ends_with(".cpp.o")
}

/// Refuses what must not reach a command line. Values come from a checked space, but a mistake
/// there must not become a compiler's argument.
fn check(unit: &Unit) -> Result<(), String> {
    let holds_control = |text: &str| text.chars().any(char::is_control);
    for (name, value) in &unit.defines {
        if !is_identifier(name) {
            let name = name.escape_debug();
            return Err(format!("`{name}` cannot be the name of a macro"));
        }
        if holds_control(value) {
            let value = value.escape_debug();
            let text = format!("the value of {name} holds a control character: \"{value}\"");
            return Err(text);
        }
    }
    for flag in &unit.flags {
        if holds_control(flag) {
            let flag = flag.escape_debug();
            return Err(format!("the flag \"{flag}\" holds a control character"));
        }
        if flag.starts_with('@') {
            return Err(format!(
                "the flag `{flag}` would read flags from a file; write them in `flags`"
            ));
        }
    }
    Ok(())
}

fn key(unit: &Unit, source: &str, content: Hash, compiler: &Compiler) -> Hash {
    let mut hasher = Hasher::new();
    hasher
        .field("object 1")
        .field(compiler.id.to_string())
        .field(source)
        .field(content.to_string())
        .field(spelled(unit.language, "c", "c++"));
    unit.hash_options(&mut hasher);
    hasher.finish()
}

/// Begins a line of an object's second file that is a warning.
const WARNING: &str = "warning ";

/// The dependencies of a kept object, if they are what they were, and what the compiler warned of.
fn fresh(object: &Path, list: &Path, root: &Path) -> Option<(Vec<PathBuf>, Vec<String>)> {
    let text = std::fs::read_to_string(list).ok()?;
    let (warnings, files): (Vec<_>, Vec<_>) =
        text.lines().partition(|line| line.starts_with(WARNING));
    let files = object.is_file().then(|| unchanged(files, root))??;
    let warnings = warnings
        .iter()
        .map(|line| line[WARNING.len()..].to_string());
    Some((files, warnings.collect_vec()))
}

/// The files of such lines below the root, if all are what they were.
pub(crate) fn unchanged<'a>(
    lines: impl IntoIterator<Item = &'a str>,
    root: &Path,
) -> Option<Vec<PathBuf>> {
    let mut files = Vec::new();
    for line in lines {
        let (hash, path) = line.split_once(' ')?;
        let file = root.join(path);
        if hash != OUTSIDE {
            if file_hash(&file).ok()?.to_string() != hash {
                return None;
            }
            files.push(file);
        } else if !file.is_file() {
            return None;
        }
    }
    Some(files)
}

/// Stands for the hash of a file outside the package: only its path counts.
const OUTSIDE: &str = "-";

/// One line per file. A file that cannot be read gives a line that is never fresh.
pub(crate) fn lines(files: &[PathBuf], root: &Path) -> String {
    let mut text = String::new();
    for file in files {
        let (hash, place) = match file.strip_prefix(root) {
            Ok(place) => (
                file_hash(file).map_or_else(|_| "unreadable".to_string(), |hash| hash.to_string()),
                place,
            ),
            Err(_) => (OUTSIDE.to_string(), file.as_path()),
        };
        text.push_str(&format!("{hash} {}\n", place.display()));
    }
    text
}

/// Names that no other process or thread uses; the files are removed unless they were renamed.
pub(super) struct Temporary {
    pub(super) object: PathBuf,
    pub(super) list: PathBuf,
}

impl Temporary {
    /// Below a folder, which is made where there is none.
    pub(super) fn new(folder: &Path) -> Result<Temporary, CompileError> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        std::fs::create_dir_all(folder).map_err(could_not("create", folder))?;
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let stem = format!("{}.{number}", std::process::id());
        Ok(Temporary {
            object: folder.join(format!("{stem}.tmp.o")),
            list: folder.join(format!("{stem}.tmp.d")),
        })
    }

    /// Gives both files their names in the cache. The object first: with an older list beside it, or none,
    /// it is merely made again.
    pub(super) fn keep(&self, path: &Path, list: &Path, cache: &Path) -> Result<(), CompileError> {
        let renamed = std::fs::rename(&self.object, path);
        let renamed = renamed.and_then(|()| std::fs::rename(&self.list, list));
        Ok(renamed.map_err(could_not("write to", cache))?)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.object);
        let _ = std::fs::remove_file(&self.list);
    }
}

//! Objects kept by content.
//!
//! ```text
//! <key>.c.o   the object; .cpp.o for C++
//! <key>.d     what the compiler read for it: a hash and a path per line
//! ```
//!
//! The key holds what is known before compiling: compiler, flags, defines and the source with its
//! plain includes. What else the compiler read (found by `-I`, or named by a macro) stands in the
//! second file, and is compared before the object is used again. Everything is written under
//! another name first, so several builds may share the folder.

use super::hash::{Hash, Hasher};
use super::source::{normal, relative};
use super::tool::Compiler;
use super::{CompileError, Unit, depfile, process, queue::Shared, source};
use bico_syntax::Language;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A compiled unit.
#[derive(Debug, Clone)]
pub(super) struct Object {
    pub(super) path: PathBuf,
    /// Files below the package root that went into it.
    pub(super) dependencies: Vec<PathBuf>,
    /// What a unit for GPUs was compiled to.
    pub(super) kernel: Option<super::GpuKernel>,
}

/// Finds or makes the object of a unit.
pub(super) fn object(unit: &Unit, shared: &Shared) -> Result<Object, CompileError> {
    if let Some(gpu) = &unit.gpu {
        return super::cuda::object(unit, gpu, shared);
    }
    check(unit)?;
    let options = &shared.options;
    let root = normal(&options.root);
    let source = normal(&root.join(&unit.source));
    let content = shared.source(&unit.source).map_err(|error| {
        CompileError::new(format!(
            "could not read `{}`: {error}",
            unit.source.display()
        ))
    })?;
    let compiler = shared.compiler(unit.language)?;
    // Below the root, the path as seen from there: it stands in `__FILE__`, and objects shall not
    // depend on where the package lies.
    let given = source.strip_prefix(&root).unwrap_or(&source);
    let key = key(unit, &relative(&source, &root), content.hash, &compiler);
    let ending = if unit.language == Language::Cpp {
        "cpp.o"
    } else {
        "c.o"
    };
    let path = options.cache.join(format!("{key}.{ending}"));
    let list = options.cache.join(format!("{key}.d"));
    if let Some(dependencies) = fresh(&path, &list, &root) {
        return Ok(Object {
            path,
            dependencies,
            kernel: None,
        });
    }
    std::fs::create_dir_all(&options.cache).map_err(|error| {
        CompileError::new(format!(
            "could not create `{}`: {error}",
            options.cache.display()
        ))
    })?;
    let temporary = Temporary::new(&options.cache);
    let mut command = compiler.compile(unit, given, &temporary.object, &temporary.list);
    command.current_dir(&root);
    process::run(command, options.timeout, &shared.stop)?;
    let read = std::fs::read_to_string(&temporary.list).unwrap_or_default();
    let files: Vec<PathBuf> = depfile::parse(&read)
        .into_iter()
        .map(|file| normal(&root.join(file)))
        .collect();
    let kept = |error| {
        CompileError::new(format!(
            "could not write to `{}`: {error}",
            options.cache.display()
        ))
    };
    std::fs::write(&temporary.list, lines(&files, &root)).map_err(kept)?;
    // The object first: with an older list beside it, it is merely made again.
    std::fs::rename(&temporary.object, &path).map_err(kept)?;
    std::fs::rename(&temporary.list, &list).map_err(kept)?;
    Ok(Object {
        path,
        dependencies: files
            .into_iter()
            .filter(|file| file.starts_with(&root))
            .collect(),
        kernel: None,
    })
}

/// Refuses what must not reach a command line. Values come from a checked space, but a mistake
/// there must not become a compiler's argument.
pub(super) fn check(unit: &Unit) -> Result<(), CompileError> {
    for (name, value) in &unit.defines {
        let mut letters = name.chars();
        let starts = letters
            .next()
            .is_some_and(|c| c == '_' || c.is_ascii_alphabetic());
        if !starts || !letters.all(|c| c == '_' || c.is_ascii_alphanumeric()) {
            return Err(CompileError::new(format!(
                "`{}` cannot be the name of a macro",
                name.escape_debug()
            )));
        }
        if value.chars().any(char::is_control) {
            return Err(CompileError::new(format!(
                "the value of {name} holds a control character: \"{}\"",
                value.escape_debug()
            )));
        }
    }
    for flag in &unit.flags {
        if flag.chars().any(char::is_control) {
            return Err(CompileError::new(format!(
                "the flag \"{}\" holds a control character",
                flag.escape_debug()
            )));
        }
        if flag.starts_with('@') {
            return Err(CompileError::new(format!(
                "the flag `{flag}` would read flags from a file; write them in `flags`"
            )));
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
        .field(content.to_string());
    hasher.field(if unit.language == Language::Cpp {
        "c++"
    } else {
        "c"
    });
    hasher.fields(
        unit.defines
            .iter()
            .map(|(name, value)| format!("{name}={value}")),
    );
    hasher.fields(unit.flags.iter());
    hasher.finish()
}

/// The dependencies of a kept object, if they are what they were.
fn fresh(object: &Path, list: &Path, root: &Path) -> Option<Vec<PathBuf>> {
    let text = std::fs::read_to_string(list).ok()?;
    if !object.is_file() {
        return None;
    }
    let mut dependencies = Vec::new();
    for line in text.lines() {
        let (hash, path) = line.split_once(' ')?;
        let path = Path::new(path);
        if hash == OUTSIDE {
            if !path.is_file() {
                return None;
            }
            continue;
        }
        let file = root.join(path);
        if source::file_hash(&file).ok()?.to_string() != hash {
            return None;
        }
        dependencies.push(file);
    }
    Some(dependencies)
}

/// Stands for the hash of a file outside the package: only its path counts.
const OUTSIDE: &str = "-";

/// One line per file. A file that cannot be read gives a line that is never fresh.
fn lines(files: &[PathBuf], root: &Path) -> String {
    let mut text = String::new();
    for file in files {
        let line = if file.starts_with(root) {
            let hash = source::file_hash(file)
                .map_or_else(|_| "unreadable".to_string(), |hash| hash.to_string());
            format!("{hash} {}\n", relative(file, root))
        } else {
            format!("{OUTSIDE} {}\n", file.display())
        };
        text.push_str(&line);
    }
    text
}

/// Names that no other process or thread uses; the files are removed unless they were renamed.
pub(super) struct Temporary {
    pub(super) object: PathBuf,
    pub(super) list: PathBuf,
}

impl Temporary {
    pub(super) fn new(folder: &Path) -> Temporary {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let stem = format!("{}.{number}", std::process::id());
        Temporary {
            object: folder.join(format!("{stem}.tmp.o")),
            list: folder.join(format!("{stem}.tmp.d")),
        }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.object);
        let _ = std::fs::remove_file(&self.list);
    }
}

//! The content of a kernel's source, without a compiler: what a result depends on.
//!
//! A build under `BICO=locked` must tell fresh from stale on a machine without one. So includes are
//! followed as by a preprocessor that does not look at `#if`: names in quotes from the including file's
//! folder and then those of the flags ([`Search`]), names in angles from the latter only. Whatever is not found
//! there, such as a system's header, is unknown. A header outside of the package may be missing on another machine, where
//! that says nothing of the kernel: each has a hash of its own, under the name by which the package includes it.

use super::hash::{Hash, Hasher};
use super::includes::search;
use bico_core::{Lists, Map, Set};
use std::io;
use std::path::{Component, MAIN_SEPARATOR, Path, PathBuf};

/// The content of a source file and of what it includes.
#[derive(Clone)]
pub struct SourceHash {
    /// A hash of the contents, line endings normalised, and of the paths relative to the package root.
    pub hash: Hash,
    /// What the package's files include from outside, by the name in `#include`: hashes of the contents, with all
    /// that these include in turn.
    pub headers: Map<String, Hash>,
    /// The files that were read; the source itself first.
    pub files: Vec<PathBuf>,
}

impl SourceHash {
    /// One hash for all of it, on this machine.
    pub(crate) fn whole(&self) -> Hash {
        let mut hasher = Hasher::new();
        hasher.field(self.hash.to_string());
        for (name, hash) in self.headers.iter() {
            hasher.field(name).field(hash.to_string());
        }
        hasher.finish()
    }
}

/// Where includes are looked for, beside the folder of the file that includes by a name in quotes.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Search {
    /// As the package root sees them.
    pub(super) folders: Vec<PathBuf>,
    /// How many of them, from the first, are for names in quotes only.
    pub(super) quoted: usize,
    /// Files that the flags include, in order.
    pub(super) before: Vec<String>,
    /// Macros that stand for a header.
    pub(super) macros: Vec<(String, String)>,
}

/// Reads a source file, relative to `root` or absolute, and all that it includes where it is compiled with these flags.
///
/// # Errors
///
/// The source itself, or an included file that exists, cannot be read.
pub fn source_hash(path: &Path, root: &Path, flags: &[String]) -> io::Result<SourceHash> {
    follow(path, root, &search(path, flags, &[]))
}

/// Reads a source file, relative to `root` or absolute, and all that it includes.
pub(super) fn follow(path: &Path, root: &Path, search: &Search) -> io::Result<SourceHash> {
    let root = normal(root);
    let first = normal(&root.join(path));
    let folders = search.folders.iter();
    let folders = folders
        .map(|folder| normal(&root.join(folder)))
        .collect_vec();
    let mut walk = Walk {
        root: &root,
        folders,
        quoted: search.quoted,
        macros: &search.macros,
        seen: Set::from_iter([first.clone()]),
        files: Vec::new(),
        outside: Vec::new(),
    };
    // Outside of the package as the author names it, which is the same on every machine.
    let place = match first.starts_with(&root) {
        true => relative(&first, &root),
        false => relative(path, &root),
    };
    let mut waiting = vec![(first.clone(), place)];
    for name in search.before.iter().rev() {
        let found = walk.find(Some(&root), name);
        walk.add(found, true, &mut waiting);
    }
    let hash = walk.all(waiting, true)?;
    let mut headers: Map<String, Hash> = Map::default();
    for (name, file) in std::mem::take(&mut walk.outside) {
        // Each by itself: on another machine some may be missing.
        walk.seen = Set::from_iter([file.clone()]);
        let own = walk.all(vec![(file, name.clone())], false)?;
        // Files of two folders may be included by one name.
        let known = headers.get(&name).map(Hash::to_string);
        let both = |known| Hasher::new().field(known).field(own.to_string()).finish();
        headers.insert(name, known.map_or(own, both));
    }
    let is_main = |file: &PathBuf| *file == first;
    if let Some(at) = walk.files.iter().position(is_main) {
        walk.files[..=at].rotate_right(1);
    }
    Ok(SourceHash {
        hash,
        headers,
        files: walk.files,
    })
}

/// Files to be read, with what stands for them in the hash: the last one is next.
type Waiting = Vec<(PathBuf, String)>;

/// Follows includes.
struct Walk<'a> {
    root: &'a Path,
    folders: Vec<PathBuf>,
    quoted: usize,
    macros: &'a [(String, String)],
    /// Those that wait or were read.
    seen: Set<PathBuf>,
    files: Vec<PathBuf>,
    /// Headers outside of the package, by the names that lead to them from within.
    outside: Vec<(String, PathBuf)>,
}

impl Walk<'_> {
    /// The file that `name` means, and that name.
    fn find(&self, from: Option<&Path>, name: &str) -> Option<(PathBuf, String)> {
        let known = &self.folders[from.map_or(self.quoted, |_| 0)..];
        let folders = from.into_iter();
        let folders = folders.chain(known.iter().map(PathBuf::as_path));
        let mut files = folders.map(|folder| normal(&folder.join(name)));
        Some((files.find(|file| file.is_file())?, name.to_string()))
    }

    /// Lets a file wait that was found, unless it did before.
    fn add(&mut self, found: Option<(PathBuf, String)>, inside: bool, waiting: &mut Waiting) {
        let Some((file, name)) = found else { return };
        let is_own = file.starts_with(self.root);
        if inside && !is_own {
            let found = (name, file);
            if !self.outside.contains(&found) {
                self.outside.push(found);
            }
        } else if self.seen.insert(file.clone()) {
            // Files of the package by their place; others only by the name that leads to them.
            let place = match is_own {
                true => relative(&file, self.root),
                false => name,
            };
            waiting.push((file, place));
        }
    }

    /// Reads all that waits, and what it includes: of the package only, where it begins `inside`.
    fn all(&mut self, mut waiting: Waiting, inside: bool) -> io::Result<Hash> {
        let mut hasher = Hasher::new();
        while let Some((file, place)) = waiting.pop() {
            let content = read(&file)?;
            hasher.field(place).field(&content);
            // The stack turns the order around; going backwards reads the files as they are included.
            for (name, quoted) in includes(&content, self.macros).into_iter().rev() {
                let found = self.find(file.parent().filter(|_| quoted), &name);
                self.add(found, inside, &mut waiting);
            }
            if !self.files.contains(&file) {
                self.files.push(file);
            }
        }
        Ok(hasher.finish())
    }
}

/// The hash of one file's content, line endings normalised.
pub(crate) fn file_hash(path: &Path) -> io::Result<Hash> {
    read(path).map(Hash::of)
}

/// The content with `\r\n` as `\n`: git may check out either.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    let content = std::fs::read(path)?;
    if !content.contains(&b'\r') {
        return Ok(content);
    }
    let mut normalised = Vec::with_capacity(content.len());
    for (at, byte) in content.iter().enumerate() {
        if *byte != b'\r' || content.get(at + 1) != Some(&b'\n') {
            normalised.push(*byte);
        }
    }
    Ok(normalised)
}

/// The names that `#include` lines hold (and `#embed`), in order, and whether they stand in quotes.
fn includes(content: &[u8], macros: &[(String, String)]) -> Vec<(String, bool)> {
    let named = |line: &str| {
        let directive = line.trim_start().strip_prefix('#')?.trim_start();
        let mut words = ["include", "embed", "import"].iter();
        let name = words.find_map(|word| directive.strip_prefix(word))?.trim();
        header(name).or_else(|| {
            let word = name.split_whitespace().next()?;
            let (_, value) = macros.iter().find(|(name, _)| name == word)?;
            header(value)
        })
    };
    let text = String::from_utf8_lossy(content);
    text.lines().filter_map(named).collect_vec()
}

fn header(text: &str) -> Option<(String, bool)> {
    let (rest, end) = match text.strip_prefix('"') {
        Some(rest) => (rest, '"'),
        None => (text.strip_prefix('<')?, '>'),
    };
    let (name, _) = rest.split_once(end)?;
    Some((name.to_string(), end == '"'))
}

/// The path without `.` and `..`, without asking the file system: symbolic links inside a package
/// count as what they are called.
pub(super) fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir
                if matches!(out.components().next_back(), Some(Component::Normal(_))) =>
            {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

/// The path as seen from the root, with `/` on every system.
pub(crate) fn relative(path: &Path, root: &Path) -> String {
    let path = path.strip_prefix(root).unwrap_or(path);
    let path: PathBuf = path.components().collect();
    path.to_string_lossy().replace(MAIN_SEPARATOR, "/")
}

#[cfg(test)]
pub(super) mod tests;

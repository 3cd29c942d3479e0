//! The content of a kernel's source, without a compiler: what a result depends on.
//!
//! A build under `BICO=locked` must tell fresh from stale on a machine without one. So includes in
//! quotes are followed as a compiler would that knows no further folders: relative to the
//! including file, whatever `#if` stands around them. What lies outside the package is not read.
//! A CUDA source also finds headers in its own folder, by names in quotes or angles: its compilers
//! are told of that folder.

use super::hash::{Hash, Hasher};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io;
use std::path::{Component, Path, PathBuf};

/// The content of a source file and of what it includes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceHash {
    /// A hash of the contents, line endings normalised, and of the paths relative to the package root.
    pub hash: Hash,
    /// The files that were read, each once; the source itself first.
    pub files: Vec<PathBuf>,
}

/// Reads a source file, relative to `root` or absolute, and all that it includes below `root`.
///
/// # Errors
///
/// The source itself, or an included file that exists, cannot be read.
pub fn source_hash(path: &Path, root: &Path) -> io::Result<SourceHash> {
    let first = normal(&root.join(path));
    let own_folder = first
        .parent()
        .filter(|_| first.extension().is_some_and(|ending| ending == "cu"))
        .map(Path::to_path_buf);
    let root = normal(root);
    let mut seen = BTreeSet::from([first.clone()]);
    let mut waiting = vec![first];
    let mut files = Vec::new();
    let mut hasher = Hasher::new();
    while let Some(file) = waiting.pop() {
        let content = read(&file)?;
        hasher.field(relative(&file, &root)).field(&content);
        let folder = file.parent().unwrap_or(&root);
        // The stack turns the order around; going backwards reads the files as they are included.
        for (name, quoted) in includes(&content).into_iter().rev() {
            let folders = [quoted.then_some(folder), own_folder.as_deref()];
            let included = folders
                .into_iter()
                .flatten()
                .map(|folder| normal(&folder.join(&name)))
                .find(|file| file.starts_with(&root) && file.is_file());
            waiting.extend(included.filter(|file| seen.insert(file.clone())));
        }
        files.push(file);
    }
    Ok(SourceHash {
        hash: hasher.finish(),
        files,
    })
}

/// The hash of one file's content, line endings normalised.
pub(crate) fn file_hash(path: &Path) -> io::Result<Hash> {
    read(path).map(Hash::of)
}

pub(super) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let content = std::fs::read(path)?;
    Ok(match unix_lines(&content) {
        Cow::Borrowed(_) => content,
        Cow::Owned(normalised) => normalised,
    })
}

/// The content with `\r\n` as `\n`: git may check out either.
fn unix_lines(content: &[u8]) -> Cow<'_, [u8]> {
    if !content.contains(&b'\r') {
        return Cow::Borrowed(content);
    }
    let mut out = Vec::with_capacity(content.len());
    for (index, byte) in content.iter().enumerate() {
        if *byte != b'\r' || content.get(index + 1) != Some(&b'\n') {
            out.push(*byte);
        }
    }
    Cow::Owned(out)
}

/// The names of `#include "name"` and `#include <name>` lines (and of `#embed`), in order, and
/// whether they stand in quotes.
fn includes(content: &[u8]) -> Vec<(PathBuf, bool)> {
    let mut names = Vec::new();
    for line in content.split(|byte| *byte == b'\n') {
        let Some(directive) = line.trim_ascii_start().strip_prefix(b"#") else {
            continue;
        };
        let directive = directive.trim_ascii_start();
        let Some(rest) = [b"include".as_slice(), b"embed", b"import"]
            .iter()
            .find_map(|word| directive.strip_prefix(*word))
        else {
            continue;
        };
        let (end, quoted) = match rest.trim_ascii_start() {
            [b'"', ..] => (b'"', true),
            [b'<', ..] => (b'>', false),
            _ => continue,
        };
        let name = &rest.trim_ascii_start()[1..];
        if let Some(length) = name.iter().position(|byte| *byte == end) {
            let name = String::from_utf8_lossy(&name[..length]).into_owned();
            names.push((PathBuf::from(name), quoted));
        }
    }
    names
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
    let parts: Vec<_> = path
        .components()
        .map(|part| part.as_os_str().to_string_lossy())
        .collect();
    parts.join("/")
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A folder with these files.
    pub(in crate::compile) fn package(files: &[(&str, &str)]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (name, content) in files {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, content).unwrap();
        }
        dir
    }

    fn hash_of(files: &[(&str, &str)]) -> Hash {
        let dir = package(files);
        source_hash(Path::new("k/a.c"), dir.path()).unwrap().hash
    }

    #[test]
    fn includes_are_followed_from_the_file_that_includes() {
        let dir = package(&[
            (
                "k/a.c",
                "#include \"sub/b.h\"\n  #  include <stdio.h>\n#include \"missing.h\"\n",
            ),
            ("k/sub/b.h", "#include \"../c.h\"\n#include \"b.h\"\n"),
            ("k/c.h", "#include \"../../outside.h\"\n"),
        ]);
        let found = source_hash(Path::new("k/a.c"), dir.path()).unwrap();
        let names: Vec<String> = found
            .files
            .iter()
            .map(|f| relative(f, &normal(dir.path())))
            .collect();
        assert_eq!(names, ["k/a.c", "k/sub/b.h", "k/c.h"]);
    }

    #[test]
    fn the_place_and_the_line_endings_do_not_count_but_content_does() {
        let original = hash_of(&[
            ("k/a.c", "#include \"b.h\"\nint x;\n"),
            ("k/b.h", "int b;\n"),
        ]);
        assert_eq!(
            original,
            hash_of(&[
                ("k/a.c", "#include \"b.h\"\r\nint x;\r\n"),
                ("k/b.h", "int b;\r\n")
            ])
        );
        assert_ne!(
            original,
            hash_of(&[
                ("k/a.c", "#include \"b.h\"\nint x;\n"),
                ("k/b.h", "int c;\n")
            ])
        );
        assert_ne!(
            original,
            hash_of(&[("k/a.c", "#include \"b.h\"\nint x;\n")])
        );
    }

    #[test]
    fn cuda_sources_find_headers_in_their_own_folder() {
        let dir = package(&[
            (
                "k/a.cu",
                "#include <b.h>\n#include <sub/c.h>\n#include <cuda_fp16.h>\n",
            ),
            ("k/a.c", "#include <b.h>\n"),
            ("k/b.h", ""),
            ("k/sub/c.h", "#include \"b.h\"\n#include \"d.h\"\n"),
            ("k/sub/d.h", ""),
            ("k/d.h", ""),
        ]);
        let names = |source: &str| {
            let found = source_hash(Path::new(source), dir.path()).unwrap();
            let root = normal(dir.path());
            found
                .files
                .iter()
                .map(|f| relative(f, &root))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            names("k/a.cu"),
            ["k/a.cu", "k/b.h", "k/sub/c.h", "k/sub/d.h"]
        );
        assert_eq!(names("k/a.c"), ["k/a.c"]);
    }

    #[test]
    fn a_missing_source_is_an_error() {
        let dir = package(&[]);
        assert!(source_hash(Path::new("k/a.c"), dir.path()).is_err());
    }

    #[test]
    fn only_whole_directives_count() {
        let text = b"#include \"a\"\n// #include \"b\"\n#include \"c\n # embed \"d\"\nx #include \"e\"\n#include<s>\n#include <t\n#include MACRO(\"f\")\n";
        let expected = [("a", true), ("d", true), ("s", false)];
        assert_eq!(
            includes(text),
            expected.map(|(name, quoted)| (PathBuf::from(name), quoted))
        );
    }
}

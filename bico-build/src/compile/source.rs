//! The content of a kernel's source, without a compiler: what a result depends on.
//!
//! A build under `BICO=locked` must tell fresh from stale on a machine without one. So includes in
//! quotes are followed as a compiler would that knows no further folders: relative to the
//! including file, whatever `#if` stands around them. What lies outside the package is not read.
//! A CUDA source also finds headers in its own folder, by names in quotes or angles: its compilers
//! are told of that folder. What its compilers read is followed in the same way, with the folders of
//! the flags ([`Search`]).

use super::hash::{Hash, Hasher};
use std::collections::BTreeSet;
use std::io;
use std::path::{Component, Path, PathBuf};

/// The content of a source file and of what it includes.
#[derive(Clone)]
pub struct SourceHash {
    /// A hash of the contents, line endings normalised, and of the paths relative to the package root.
    pub hash: Hash,
    /// The files that were read, each once; the source itself first.
    pub files: Vec<PathBuf>,
}

/// Where includes are looked for, beside the folder of the file that includes by a name in quotes.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub(super) struct Search {
    /// As the package root sees them.
    pub(super) folders: Vec<PathBuf>,
    /// Whether files outside the package are read.
    pub(super) outside: bool,
    /// Files that the author's flags include.
    pub(super) before: Vec<String>,
    /// Macros that stand for a header.
    pub(super) macros: Vec<(String, String)>,
}

impl Search {
    /// Without a compiler's flags.
    pub(super) fn plain(source: &Path) -> Search {
        let is_cuda = source.extension().is_some_and(|ending| ending == "cu");
        let own_folder = source.parent().filter(|_| is_cuda).map(Path::to_path_buf);
        Search {
            folders: own_folder.into_iter().collect(),
            ..Search::default()
        }
    }
}

/// Reads a source file, relative to `root` or absolute, and all that it includes below `root`.
///
/// # Errors
///
/// The source itself, or an included file that exists, cannot be read.
pub fn source_hash(path: &Path, root: &Path) -> io::Result<SourceHash> {
    follow(path, root, &Search::plain(path))
}

/// Reads a source file, relative to `root` or absolute, and all that it includes.
pub(super) fn follow(path: &Path, root: &Path, search: &Search) -> io::Result<SourceHash> {
    let root = normal(root);
    let first = normal(&root.join(path));
    let folders = search.folders.iter();
    let folders: Vec<PathBuf> = folders.map(|folder| normal(&root.join(folder))).collect();
    let mut seen = BTreeSet::from([first.clone()]);
    let mut found = |from: Option<&Path>, name: &str| {
        for folder in from.into_iter().chain(folders.iter().map(PathBuf::as_path)) {
            let path = normal(&folder.join(name));
            let is_inside = path.starts_with(&root);
            if (is_inside || search.outside) && path.is_file() {
                // Files of the package by their place; others only by the name that leads to them.
                let place = match is_inside {
                    true => relative(&path, &root),
                    false => name.to_string(),
                };
                return seen.insert(path.clone()).then_some((path, place));
            }
        }
        None
    };
    let place = relative(&first, &root);
    let mut waiting = vec![(first.clone(), place)];
    for name in &search.before {
        waiting.extend(found(Some(&root), name));
    }
    let mut files = vec![first.clone()];
    let mut hasher = Hasher::new();
    while let Some((file, place)) = waiting.pop() {
        let content = read(&file)?;
        hasher.field(place).field(&content);
        // The stack turns the order around; going backwards reads the files as they are included.
        for (name, quoted) in includes(&content, &search.macros).into_iter().rev() {
            waiting.extend(found(file.parent().filter(|_| quoted), &name));
        }
        if file != first {
            files.push(file);
        }
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
    text.lines().filter_map(named).collect()
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
            includes(text, &[]),
            expected.map(|(name, quoted)| (name.to_string(), quoted))
        );
    }
}

//! What a CUDA source reads: NVRTC writes no list of it, so includes are followed here.
//!
//! It is done as by a preprocessor that does not look at `#if`: names in quotes from the including file's
//! folder and then the folders of the options, names in angles from those folders only. CUDA's own
//! headers count with the compiler. A name that a macro of the source makes up is not seen.

use crate::compile::Unit;
use crate::compile::hash::{Hash, Hasher};
use crate::compile::source::{self, normal, relative};
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

/// Where includes are looked for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(in crate::compile) struct Search {
    /// The source's own folder, as the package root sees it.
    pub(super) folder: PathBuf,
    /// Those that the author's flags name.
    folders: Vec<PathBuf>,
    /// Files that the author's flags include.
    before: Vec<String>,
    /// Macros that stand for a header.
    macros: Vec<(String, String)>,
}

/// What was read.
#[derive(Debug, Clone)]
pub(in crate::compile) struct Read {
    pub(super) hash: Hash,
    /// The source first.
    pub(super) files: Vec<PathBuf>,
}

impl Search {
    /// The folders for a unit whose source is `given`, seen from the package root.
    pub(super) fn of(unit: &Unit, given: &Path) -> Search {
        let folder = given
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        let is_header = |value: &str| value.starts_with(['"', '<']);
        let values = |options: &[&str]| values(&unit.flags, options);
        Search {
            folder: folder.unwrap_or(Path::new(".")).to_path_buf(),
            folders: values(&["-I", "--include-path", "-isystem"])
                .into_iter()
                .map(PathBuf::from)
                .collect(),
            before: values(&["-include", "--pre-include"]),
            macros: unit
                .defines
                .iter()
                .filter(|(_, value)| is_header(value))
                .cloned()
                .collect(),
        }
    }
}

/// The values of options, written as `-Ix`, `-I x` or `--include-path=x`.
fn values(flags: &[String], options: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    let mut flags = flags.iter();
    while let Some(flag) = flags.next() {
        let Some(rest) = options.iter().find_map(|option| flag.strip_prefix(option)) else {
            continue;
        };
        match rest.strip_prefix('=').unwrap_or(rest) {
            "" => found.extend(flags.next().cloned()),
            value => found.push(value.to_string()),
        }
    }
    found
}

/// Reads the source and all that it includes.
///
/// # Errors
///
/// The source, or an included file that exists, cannot be read.
pub(in crate::compile) fn read(source: &Path, root: &Path, search: &Search) -> io::Result<Read> {
    let folders: Vec<PathBuf> = std::iter::once(&search.folder)
        .chain(&search.folders)
        .map(|folder| normal(&root.join(folder)))
        .collect();
    let resolve = |from: Option<&Path>, name: &str| {
        from.into_iter()
            .chain(folders.iter().map(PathBuf::as_path))
            .map(|folder| normal(&folder.join(name)))
            .find(|path| path.is_file())
    };
    let mut hasher = Hasher::new();
    let mut files = Vec::new();
    let mut seen = BTreeSet::from([source.to_path_buf()]);
    let mut waiting = vec![(source.to_path_buf(), String::new())];
    for name in &search.before {
        let found = resolve(Some(root), name).filter(|path| seen.insert(path.clone()));
        waiting.extend(found.map(|path| (path, name.clone())));
    }
    while let Some((file, name)) = waiting.pop() {
        let content = source::read(&file)?;
        // Files of the package by their place; others only by the name that leads to them.
        let place = if file.starts_with(root) {
            relative(&file, root)
        } else {
            name
        };
        hasher.field(place).field(&content);
        for (name, quoted) in included(&content, &search.macros).into_iter().rev() {
            let from = quoted.then(|| file.parent()).flatten();
            let found = resolve(from, &name).filter(|path| seen.insert(path.clone()));
            waiting.extend(found.map(|path| (path, name)));
        }
        if file == source {
            files.insert(0, file);
        } else {
            files.push(file);
        }
    }
    Ok(Read {
        hash: hasher.finish(),
        files,
    })
}

/// The names that `#include` lines hold, and whether they stand in quotes.
fn included(content: &[u8], macros: &[(String, String)]) -> Vec<(String, bool)> {
    let text = String::from_utf8_lossy(content);
    text.lines()
        .filter_map(|line| {
            let directive = line.trim_start().strip_prefix('#')?.trim_start();
            let name = directive.strip_prefix("include")?.trim();
            header(name).or_else(|| {
                let word = name.split_whitespace().next()?;
                let (_, value) = macros.iter().find(|(name, _)| name == word)?;
                header(value)
            })
        })
        .collect()
}

fn header(text: &str) -> Option<(String, bool)> {
    for (start, end) in [('"', '"'), ('<', '>')] {
        if let Some((name, _)) = text
            .strip_prefix(start)
            .and_then(|rest| rest.split_once(end))
        {
            return Some((name.to_string(), start == '"'));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::source::tests::package;
    use bico_syntax::Language;

    fn unit(defines: &[(&str, &str)], flags: &[&str]) -> Unit {
        Unit {
            source: "p/k/a.cu".into(),
            language: Language::Cuda,
            defines: (defines.iter())
                .map(|(name, value)| (name.to_string(), value.to_string()))
                .collect(),
            flags: flags.iter().map(|flag| flag.to_string()).collect(),
            gpu: None,
        }
    }

    /// What `p/k/a.cu` reads in the package `p`; names relative to the folder around it.
    fn reads(dir: &tempfile::TempDir, unit: &Unit) -> (Hash, Vec<String>) {
        let root = normal(&dir.path().join("p"));
        let search = Search::of(unit, Path::new("k/a.cu"));
        let found = read(&root.join("k/a.cu"), &root, &search).unwrap();
        let around = normal(dir.path());
        let names = found.files.iter().map(|file| relative(file, &around));
        (found.hash, names.collect())
    }

    #[test]
    fn each_spelling_is_followed() {
        let dir = package(&[
            (
                "p/k/a.cu",
                "#include <b.h>\n # include \"c.h\"\n#include CONFIG\n#include <cuda_fp16.h>\n",
            ),
            ("p/k/b.h", "#include \"sub/d.h\"\n"),
            ("p/k/sub/d.h", "#include \"../b.h\"\n#include \"e.h\"\n"),
            ("p/k/sub/e.h", ""),
            ("p/k/e.h", ""),
            ("p/k/c.h", ""),
            ("p/include/config.h", ""),
            ("outside/pre.h", "#include <deep.h>\n"),
            ("outside/deep.h", ""),
        ]);
        let unit = unit(
            &[("CONFIG", "<config.h>"), ("TILE", "4")],
            &[
                "-Iinclude",
                "--include-path=../outside",
                "-include",
                "pre.h",
                "-lineinfo",
            ],
        );
        let (_, mut names) = reads(&dir, &unit);
        assert_eq!(names[0], "p/k/a.cu");
        names.sort_unstable();
        let expected = [
            "outside/deep.h",
            "outside/pre.h",
            "p/include/config.h",
            "p/k/a.cu",
            "p/k/b.h",
            "p/k/c.h",
            "p/k/sub/d.h",
            "p/k/sub/e.h",
        ];
        assert_eq!(names, expected);
    }

    #[test]
    fn content_counts_wherever_it_lies_but_not_the_place() {
        let flags = ["-I", "../outside"];
        let hash = |files: &[(&str, &str)]| reads(&package(files), &unit(&[], &flags)).0;
        let with = |text: &'static str| [("p/k/a.cu", "#include <x.h>\r\n"), ("outside/x.h", text)];
        let first = hash(&with("1"));
        assert_eq!(first, hash(&with("1")));
        assert_ne!(first, hash(&with("2")));
        assert_eq!(
            first,
            hash(&[("p/k/a.cu", "#include <x.h>\n"), ("outside/x.h", "1")])
        );
        assert_ne!(first, hash(&[("p/k/a.cu", "#include <x.h>\n")]));
        // A nearer file of that name takes its place.
        assert_ne!(
            first,
            hash(&[
                ("p/k/a.cu", "#include <x.h>\n"),
                ("outside/x.h", "1"),
                ("p/k/x.h", "1")
            ])
        );
    }
}

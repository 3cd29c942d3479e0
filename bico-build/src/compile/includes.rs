//! Where a compiler looks for what a source includes, by the flags that it is given.
//!
//! A CUDA source also finds headers in its own folder, by names in quotes or angles: its compilers are told of
//! that folder. CUDA's own headers count with the compiler. A name that a macro of the source makes up is not seen.

use super::source::Search;
use bico_core::Lists;
use std::path::{Path, PathBuf};

/// The folders that `flags` and the place of the source name, and the macros that stand for a header.
pub(super) fn search(source: &Path, flags: &[String], defines: &[(String, String)]) -> Search {
    let is_cuda = source
        .extension()
        .is_some_and(|ending| ending == "cu" || ending == "cuh");
    let own = source.parent().filter(|_| is_cuda);
    // In the order in which they are searched, whatever the flags' order is.
    let quoted = values(flags, &["-iquote"]).into_iter().map(PathBuf::from);
    let mut folders: Vec<PathBuf> = quoted.collect_vec();
    let quoted = folders.len();
    folders.extend(own.map(Path::to_path_buf));
    for options in [
        &["-I", "--include-path"][..],
        &["-isystem"],
        &["-idirafter"],
    ] {
        folders.extend(values(flags, options).into_iter().map(PathBuf::from));
    }
    let mut macros = defines.to_vec();
    for define in values(flags, &["-D", "--define-macro"]) {
        let define = define.split_once('=');
        macros.extend(define.map(|(name, value)| (name.to_string(), value.to_string())));
    }
    macros.retain(|(_, value)| value.starts_with(['"', '<']));
    Search {
        folders,
        quoted,
        before: values(flags, &["-include", "--pre-include"]),
        macros,
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
    // One that only a config knows is left out.
    found.retain(|value| !value.is_empty());
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::hash::Hash;
    use crate::compile::source::tests::package;
    use crate::compile::source::{follow, normal, relative};
    use crate::compile::{Language, Unit};

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
        let search = search(Path::new("k/a.cu"), &unit.flags, &unit.defines);
        let found = follow(Path::new("k/a.cu"), &root, &search).unwrap();
        let around = normal(dir.path());
        let names = found.files.iter().map(|file| relative(file, &around));
        (found.whole(), names.collect())
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

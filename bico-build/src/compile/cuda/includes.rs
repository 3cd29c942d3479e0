//! What a CUDA source reads: NVRTC writes no list of it, so includes are followed here.
//!
//! It is done as by a preprocessor that does not look at `#if`: names in quotes from the including file's
//! folder and then the folders of the options, names in angles from those folders only. CUDA's own
//! headers count with the compiler. A name that a macro of the source makes up is not seen.

use crate::compile::Unit;
use crate::compile::source::Search;
use std::path::Path;

/// Where the includes of a unit are looked for, whose source lies in `folder`, seen from the package root.
pub(super) fn search(unit: &Unit, folder: &Path) -> Search {
    let named = values(&unit.flags, &["-I", "--include-path", "-isystem"]);
    let mut folders = vec![folder.to_path_buf()];
    folders.extend(named.into_iter().map(Into::into));
    let mut macros = unit.defines.clone();
    macros.retain(|(_, value)| value.starts_with(['"', '<']));
    Search {
        folders,
        outside: true,
        before: values(&unit.flags, &["-include", "--pre-include"]),
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
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::hash::Hash;
    use crate::compile::source::tests::package;
    use crate::compile::source::{follow, normal, relative};
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
        let search = search(unit, Path::new("k"));
        let found = follow(Path::new("k/a.cu"), &root, &search).unwrap();
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

use super::*;

#[test]
fn what_lies_elsewhere_keeps_its_whole_name() {
    let seen = |path: &str| relative(Path::new(path), Path::new("/home/package"));
    assert_eq!(seen("/home/package/kernels/a.c"), "kernels/a.c");
    assert_eq!(seen("/target/probes/a.c"), "/target/probes/a.c");
}

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
    source_hash(Path::new("k/a.c"), dir.path(), &[])
        .unwrap()
        .hash
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
    let found = source_hash(Path::new("k/a.c"), dir.path(), &[]).unwrap();
    let names: Vec<String> = found
        .files
        .iter()
        .map(|f| relative(f, &normal(dir.path())))
        .collect_vec();
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
fn the_place_does_not_count_of_a_source_beside_the_package() {
    let hash = || {
        let dir = package(&[("k/a.c", "int x;\n"), ("p/Cargo.toml", "")]);
        let found = source_hash(Path::new("../k/a.c"), &dir.path().join("p"), &[]);
        found.unwrap().hash
    };
    assert_eq!(hash(), hash());
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
        let found = source_hash(Path::new(source), dir.path(), &[]).unwrap();
        let root = normal(dir.path());
        found.files.iter().map(|f| relative(f, &root)).collect_vec()
    };
    assert_eq!(
        names("k/a.cu"),
        ["k/a.cu", "k/b.h", "k/sub/c.h", "k/sub/d.h"]
    );
    assert_eq!(names("k/a.c"), ["k/a.c"]);
}

/// The names of the headers outside, and whether these contents give the first hashes.
#[test]
fn what_lies_outside_counts_by_its_name_and_where_it_is_there() {
    let read = |files: &[(&str, &str)]| {
        let dir = package(files);
        let flags = ["-Iinclude", "-I", "../lib", "-isystem../more"].map(String::from);
        source_hash(Path::new("k/a.c"), &dir.path().join("p"), &flags).unwrap()
    };
    let with = |inside, lib, deep, more| {
        let files = [
            (
                "p/k/a.c",
                "#include <in.h>\n#include \"lib.h\"\n#include <stdio.h>\n",
            ),
            ("p/include/in.h", inside),
            ("lib/lib.h", lib),
            ("lib/deep.h", deep),
            ("more/more.h", more),
        ];
        read(&files)
    };
    let (inside, lib) = ("#include <more.h>", "#include \"deep.h\"");
    let first = with(inside, lib, "1", "2");
    let names: Vec<_> = first.headers.keys().cloned().collect_vec();
    assert_eq!(names, ["lib.h", "more.h"]);
    assert_eq!(first.files.len(), 5);
    let changed = |other: &SourceHash| {
        let same = |name| other.headers.get(name) == first.headers.get(name);
        [other.hash == first.hash, same("lib.h"), same("more.h")].map(|same| !same)
    };
    assert_eq!(changed(&with(inside, lib, "1", "2")), [false; 3]);
    assert_eq!(changed(&with(inside, lib, "0", "2")), [false, true, false]);
    assert_eq!(changed(&with(inside, lib, "1", "0")), [false, false, true]);
    assert!(changed(&with("#include <more.h>\n", lib, "1", "2"))[0]);
    // Where they are not there, the rest is as it was.
    let without = read(&[
        (
            "p/k/a.c",
            "#include <in.h>\n#include \"lib.h\"\n#include <stdio.h>\n",
        ),
        ("p/include/in.h", inside),
    ]);
    assert!(without.hash == first.hash && without.headers.keys().next().is_none());
    assert_ne!(without.whole(), first.whole());
}

#[test]
fn a_missing_source_is_an_error() {
    let dir = package(&[]);
    assert!(source_hash(Path::new("k/a.c"), dir.path(), &[]).is_err());
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

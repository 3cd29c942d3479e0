//! What the documents show: their code compiles, their links lead somewhere, the short ones stay short.
//!
//! A document is Markdown, or the documentation at the head of a Rust file. A code block says by its language what it is:
//!
//! - `rust` blocks go into one package. A tunable, with all blocks up to the next one, is a module; statements become a
//!   function's body.
//! - `c` and `cuda` blocks begin with a comment that names their file, which is where a tunable looks for it.
//! - `toml` and `json` blocks are parsed. The commands in `sh` and `yaml` blocks are read by the
//!   command's own parser (cargo-bico, `documents_show_commands`); `text` is what was printed.

pub(crate) mod block;
mod links;

use crate::harness::{Package, Tree, WORKSPACE};
use block::Block;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Whoever comes first reads these; longer ones they would not.
const WORDS: [(&str, usize); 2] = [("README.md", 900), ("ARCHITECTURE.md", 1300)];

/// The messages of the grammar, as its tests expect them.
const MESSAGES: &str = "crates/bico-syntax/tests/messages";

/// The documents whose code is compiled here: `docs/reference.md` is that of the macro. That of README.md is run, in `newcomer`.
fn pages() -> Vec<PathBuf> {
    chapters()
}

/// `docs/*.md`, in order.
fn chapters() -> Vec<PathBuf> {
    let folder = std::fs::read_dir(Path::new(WORKSPACE).join("docs")).unwrap();
    let names = folder.map(|entry| Path::new("docs").join(entry.unwrap().file_name()));
    let mut pages: Vec<PathBuf> = names.collect();
    pages.retain(|page| page.extension().is_some_and(|of| of == "md"));
    pages.sort();
    assert!(pages.len() >= 8, "{pages:?}");
    pages
}

fn read(page: &Path) -> String {
    let path = Path::new(WORKSPACE).join(page);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Writes the kernels of a page into the package, and gives its modules of Rust.
fn modules(page: &Path, kernels: &mut BTreeMap<String, String>) -> Vec<String> {
    let mut modules: Vec<String> = Vec::new();
    for block in block::blocks(&read(page)) {
        let place = format!("{}:{}", page.display(), block.line);
        match block.language.as_str() {
            "rust" if block.is_build_script() => {}
            "rust" if block.is_tunable() || modules.is_empty() => {
                modules.push(rust(&block, modules.len()));
            }
            "rust" => {
                let number = modules.len();
                modules.last_mut().unwrap().push_str(&rust(&block, number));
            }
            "c" | "cuda" => {
                let file = block.file().unwrap_or_else(|| {
                    panic!("{place}: the block does not begin with its file's name")
                });
                let known = kernels.insert(file.clone(), block.text.clone());
                assert!(
                    known.is_none_or(|known| known == block.text),
                    "{place}: two files `{file}`"
                );
            }
            "toml" => {
                let parsed = block.text.parse::<toml::Table>();
                assert!(parsed.is_ok(), "{place}: {}", parsed.unwrap_err());
            }
            "json" => {
                let parsed = serde_json::from_str::<serde_json::Value>(&block.text);
                assert!(parsed.is_ok(), "{place}: {}", parsed.unwrap_err());
            }
            "sh" | "text" | "yaml" => {}
            other => panic!("{place}: no language that this test knows: `{other}`"),
        }
    }
    modules
}

/// A block as a part of a module. Keys are unique in a package, so a tunable without one gets a name.
fn rust(block: &Block, number: usize) -> String {
    let mut text = block.text.clone();
    if !text.contains("name = \"") {
        let key = format!("#[bico::tunable(\n    name = \"key_KEY_{number}\",");
        text = text.replace("#[bico::tunable(", &key);
    }
    if block.is_items() {
        return text;
    }
    format!(
        "fn line_{}() -> Result<(), Box<dyn std::error::Error>> {{\n{text}\nOk(())\n}}\n",
        block.line
    )
}

/// Every example of the manual is taken by the macro, the build script and both compilers.
#[cfg(target_arch = "x86_64")]
#[test]
#[ignore = "slow: .ci/run runs it"]
fn the_code_compiles() {
    let package = Package::cuda("book");
    let mut main = "#![allow(unused)]\n".to_string();
    let mut kernels = BTreeMap::new();
    for page in pages() {
        let stem = page.file_stem().unwrap().to_string_lossy();
        let stem = stem.replace('-', "_");
        for (number, text) in modules(&page, &mut kernels).iter().enumerate() {
            let name = format!("{stem}_{number}");
            package.file(
                &format!("src/{name}.rs"),
                &text.replace("key_KEY", &format!("key_{stem}")),
            );
            writeln!(main, "mod {name};").unwrap();
        }
    }
    main.push_str("fn main() {}\n");
    package.file("src/main.rs", &main);
    for (file, text) in &kernels {
        package.file(file, text);
    }
    package.build("off").ok().says_nothing_of("error");
}

/// The crates' own documentation begins with the user of the README, word for word.
#[test]
fn the_crates_show_the_smallest_user() {
    let readme = read(Path::new("README.md"));
    for (crate_root, languages) in [
        ("bico-runtime/src/lib.rs", &["c", "rust"][..]),
        ("bico-build/src/lib.rs", &["toml", "rust"][..]),
    ] {
        let head: String = read(Path::new(crate_root))
            .lines()
            .map_while(|line| line.strip_prefix("//!"))
            .map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line)))
            .collect();
        let shown = block::blocks(&head);
        assert!(shown.len() >= languages.len(), "{crate_root}");
        for (block, language) in shown.iter().zip(languages) {
            assert_eq!(block.language, *language, "{crate_root}");
            assert!(
                readme.contains(&block.text),
                "{crate_root} shows what the README does not:\n{}",
                block.text
            );
        }
    }
}

/// What the grammar's messages list, the attribute's manual explains.
#[test]
fn the_manual_names_every_option() {
    let manual = read(Path::new("bico-macros/src/tunable.md"));
    let manual: Vec<&str> = manual
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .collect();
    let mut lists = 0;
    let folder = std::fs::read_dir(Path::new(WORKSPACE).join(MESSAGES)).unwrap();
    for file in folder {
        let messages = std::fs::read_to_string(file.unwrap().path()).unwrap();
        for line in messages.lines() {
            let listed = ["options: ", "strategies: ", "fields: ", "methods: "]
                .iter()
                .find_map(|kind| {
                    line.trim_start()
                        .strip_prefix("= help: ")?
                        .strip_prefix(kind)
                });
            for name in listed
                .unwrap_or_default()
                .split(", ")
                .filter(|name| !name.is_empty())
            {
                assert!(manual.contains(&name), "the manual does not name `{name}`");
            }
            lists += usize::from(listed.is_some());
        }
    }
    assert!(lists >= 5, "{lists} lists of names in {MESSAGES}");
}

#[test]
fn links_lead_somewhere() {
    let mut pages = chapters();
    for page in [
        "README.md",
        "ARCHITECTURE.md",
        "kernels/README.md",
        "benches/README.md",
        "tests/host-driver/README.md",
        "bico-macros/src/tunable.md",
    ] {
        pages.push(PathBuf::from(page));
    }
    let broken: Vec<String> = pages.iter().flat_map(|page| links::broken(page)).collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// What the book's table of contents leaves out is no chapter.
#[test]
fn the_summary_lists_every_chapter() {
    let summary = read(Path::new("docs/SUMMARY.md"));
    for chapter in chapters() {
        let name = chapter.file_name().unwrap().to_string_lossy().into_owned();
        assert!(
            name == "SUMMARY.md" || summary.contains(&format!("]({name})")),
            "docs/SUMMARY.md does not list {name}"
        );
    }
}

/// A message that troubleshooting explains is one that something says: its parts between `..` stand in the sources.
#[test]
fn messages_are_explained_that_there_are() {
    let page = read(Path::new("docs/troubleshooting.md"));
    let (_, rows) = page.split_once("## By message\n").unwrap();
    let rows = rows.split("\n## ").next().unwrap_or_default().lines();
    let mut sources = String::new();
    for folder in ["bico-build/src", "bico-runtime/src", "crates"] {
        sources += &Tree::of(&Path::new(WORKSPACE).join(folder)).text(".rs");
    }
    let mut seen = 0;
    for row in rows.filter(|row| row.starts_with("| `")) {
        let cell = row.split(" | ").next().unwrap_or_default();
        for message in cell.split('`').skip(1).step_by(2) {
            seen += 1;
            for part in message
                .split("..")
                .map(|part| part.trim_matches([' ', ':', ',']))
            {
                assert!(
                    sources.contains(part),
                    "nothing says `{part}` of `{message}`"
                );
            }
        }
    }
    assert!(seen >= 15, "{seen}");
}

#[test]
fn short_pages_are_short() {
    for (page, most) in WORDS {
        let words = read(Path::new(page)).split_whitespace().count();
        assert!(words <= most, "{page} has {words} words, at most {most}");
    }
}

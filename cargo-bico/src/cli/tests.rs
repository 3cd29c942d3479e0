//! The commands that help and documents show are commands.

use super::Arguments;
use clap::CommandFactory;
use std::path::{Path, PathBuf};

/// Whether the arguments of a line are taken. What stands behind a comment, a pipe or another command is not its own.
fn taken(line: &str) -> Result<(), String> {
    let line = line.split(" #").next().unwrap_or(line);
    let own = line.split(['|', ';', '>']).next().unwrap_or(line);
    // What a pipeline's own braces stand for is one word.
    let own = &own.replace("${{ ", "").replace(" }}", "");
    let own = own.split("&&").next().unwrap_or(own);
    let words = shlex::split(own).ok_or_else(|| format!("`{line}`: an open quote"))?;
    // A name in capitals stands for what a reader has.
    let words = words.iter().filter(|word| !word.contains(".."));
    let words = words.map(|word| word.replace(['[', ']'], ""));
    let taken = Arguments::command().try_get_matches_from(words.skip(1));
    match taken {
        Ok(_) => Ok(()),
        Err(error) if !error.use_stderr() => Ok(()),
        Err(error) => Err(format!("`{line}`: {error}")),
    }
}

/// What of a text's lines calls the command: alone, behind variables, in `$(..)` or brackets, as a step of a pipeline.
fn calls(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(|line| {
        let line = line.split(" # ").next().unwrap_or(line);
        let starts = line.match_indices("cargo bico ").map(|(at, _)| at);
        starts.map(|at| {
            let rest = &line[at..];
            let is_inside = line[..at].ends_with('(');
            let end = rest.find(')').filter(|_| is_inside);
            &rest[..end.unwrap_or(rest.len())]
        })
    })
}

#[test]
fn examples_are_commands() {
    let command = Arguments::command();
    for sub in command.get_subcommands() {
        let help = sub.get_after_help().map(ToString::to_string);
        let help = help.unwrap_or_default();
        let examples = help.split("\n\n").next().unwrap_or_default();
        let all: Vec<&str> = examples.lines().skip(1).collect();
        assert!(
            examples.starts_with("Examples:\n") && !all.is_empty(),
            "{} has no examples",
            sub.get_name()
        );
        for line in all {
            let own = line.trim().split("   ").next().unwrap_or_default();
            assert!(own.starts_with("cargo bico "), "{own}");
            taken(own).unwrap();
        }
    }
}

#[test]
fn documents_show_commands() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let docs = std::fs::read_dir(root.join("docs")).unwrap();
    let mut pages: Vec<PathBuf> = docs.map(|entry| entry.unwrap().path()).collect();
    pages.retain(|page| page.extension().is_some_and(|of| of == "md"));
    pages.push(root.join("README.md"));
    let mut seen = 0;
    for page in pages {
        let text = std::fs::read_to_string(&page).unwrap();
        let mut blocks = text.split("```");
        // Every other part is a block.
        blocks.next();
        let is_read = |block: &&str| block.starts_with("sh\n") || block.starts_with("yaml\n");
        for block in blocks.step_by(2).filter(is_read) {
            for line in calls(block) {
                taken(line).unwrap_or_else(|error| panic!("{}: {error}", page.display()));
                seen += 1;
            }
        }
    }
    assert!(seen >= 36, "{seen}");
}

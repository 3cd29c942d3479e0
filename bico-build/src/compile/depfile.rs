//! The dependency files that compilers write: one make rule.

use bico_core::Lists;
use std::path::PathBuf;

/// The files that a rule `object: source header ..` names after its target.
pub(super) fn parse(text: &str) -> Vec<PathBuf> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    // The end ends a word, too.
    let text = format!("{text} ");
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            // Make's escapes: a space or hash by a backslash, a dollar by itself.
            '\\' if matches!(chars.peek(), Some(' ' | '#' | '\\')) => word.extend(chars.next()),
            '\\' if matches!(chars.peek(), Some('\n' | '\r')) => {}
            '$' if chars.peek() == Some(&'$') => word.extend(chars.next()),
            c if c.is_whitespace() => {
                if !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
            }
            c => word.push(c),
        }
    }
    let target = words.iter().position(|word| word.ends_with(':'));
    words.drain(..target.map_or(0, |at| at + 1));
    words.into_iter().map(PathBuf::from).collect_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_over_several_lines_with_odd_names() {
        let files = parse("/t/a\\ b.o: k/a.c \\\n k/my\\ file.h k/$$x.h \\\r\n k/c\\#.h\n");
        let expected = ["k/a.c", "k/my file.h", "k/$x.h", "k/c#.h"].map(PathBuf::from);
        assert_eq!(files, expected);
    }

    #[test]
    fn nothing_gives_nothing() {
        assert!(parse("").is_empty());
        assert!(parse("a.o:\n").is_empty());
    }
}

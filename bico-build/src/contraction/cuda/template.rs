//! Texts with places to fill in and parts that are not always wanted.
//!
//! A line `//? if NAME` begins a part that is there only if NAME is set, `//? else` what is there in its
//! place, `//? end` ends both. `@NAME@` is replaced by a word; where it stands alone in a line and has
//! several lines, each of them gets the indentation, and none leaves no line.

/// What a template is filled in with.
#[derive(Debug, Default)]
pub(super) struct Words {
    flags: Vec<(&'static str, bool)>,
    words: Vec<(&'static str, String)>,
}

impl Words {
    pub(super) fn flag(&mut self, name: &'static str, set: bool) {
        self.flags.push((name, set));
    }

    pub(super) fn word(&mut self, name: &'static str, text: impl Into<String>) {
        self.words.push((name, text.into()));
    }

    /// The template filled in.
    ///
    /// # Panics
    ///
    /// If it names what is not there: templates are part of the program.
    pub(super) fn fill(&self, template: &str) -> String {
        let mut out = String::new();
        // Whether each open part is wanted.
        let mut open: Vec<bool> = Vec::new();
        for line in template.lines() {
            match line.strip_prefix("//? ") {
                Some("else") => {
                    let wanted = open.pop().expect("`else` follows `if`");
                    open.push(!wanted);
                }
                Some("end") => {
                    open.pop().expect("`end` follows `if`");
                }
                Some(condition) => {
                    let name = condition.strip_prefix("if ").expect("if, else or end");
                    open.push(self.is_set(name));
                }
                None if open.iter().all(|wanted| *wanted) => self.line(line, &mut out),
                None => {}
            }
        }
        assert!(open.is_empty(), "every `if` has its `end`");
        out
    }

    fn line(&self, line: &str, out: &mut String) {
        let bare = line.trim();
        if let Some(name) = bare
            .strip_prefix('@')
            .and_then(|rest| rest.strip_suffix('@'))
            && !name.contains('@')
        {
            let indent = &line[..line.len() - line.trim_start().len()];
            for part in self.get(name).lines() {
                out.push_str(if part.is_empty() { "" } else { indent });
                out.push_str(part);
                out.push('\n');
            }
            return;
        }
        // Every second piece is a name: no text of ours has an `@` of its own.
        for (index, piece) in line.split('@').enumerate() {
            out.push_str(if index % 2 == 1 {
                self.get(piece)
            } else {
                piece
            });
        }
        out.push('\n');
    }

    fn is_set(&self, name: &str) -> bool {
        let found = self.flags.iter().find(|(known, _)| *known == name);
        found.unwrap_or_else(|| panic!("no flag `{name}`")).1
    }

    fn get(&self, name: &str) -> &str {
        let found = self.words.iter().find(|(known, _)| *known == name);
        &found.unwrap_or_else(|| panic!("no word `{name}`")).1
    }
}

#[cfg(test)]
mod tests {
    use super::Words;

    #[test]
    fn parts_and_words() {
        let mut words = Words::default();
        words.flag("yes", true);
        words.flag("no", false);
        words.word("x", "1");
        words.word("lines", "a\nb");
        words.word("nothing", "");
        let text = "//? if yes\n+@x@ + @x@;\n//? if no\n-\n//? else\n+\n//? end\n//? else\n-\n//? end\n  @lines@\n@nothing@\n.\n";
        assert_eq!(words.fill(text), "+1 + 1;\n+\n  a\n  b\n.\n");
    }
}

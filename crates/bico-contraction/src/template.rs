//! Texts with places to fill in and parts to leave out.

/// What texts are filled in with: flags and words, by the names that the texts have for them.
#[derive(Default)]
pub(crate) struct Words {
    flags: Vec<(String, bool)>,
    words: Vec<(String, String)>,
}

impl Words {
    pub(crate) fn flag(&mut self, name: &str, set: bool) {
        self.flags.push((name.into(), set));
    }

    pub(crate) fn word(&mut self, name: &str, text: impl Into<String>) {
        self.words.push((name.into(), text.into()));
    }

    /// All words, for those who ask what is named in them.
    pub(crate) fn all(&self) -> String {
        let words: Vec<&str> = self.words.iter().map(|(_, text)| text.as_str()).collect();
        words.join(" ")
    }

    /// Fills a template in.
    ///
    /// A line `//? if name`, `//? if !name`, `//? else` or `//? end` is no part of the text: it says whether the lines up
    /// to the next one are, by `flags`. `@name@` becomes what `values` has for it. A value that stands alone on its line
    /// may have several lines, which are all indented like the place; without any, the line vanishes.
    ///
    /// Names that nobody defined are mistakes of the template; they stay as they are, so that no compiler takes the text.
    pub(crate) fn fill(&self, template: &str) -> String {
        let mut out = String::new();
        // For each part that is open: whether it is written, and whether what surrounds it is.
        let mut open: Vec<(bool, bool)> = Vec::new();
        for line in template.lines() {
            let written = open.last().is_none_or(|(written, _)| *written);
            match line.trim_start().strip_prefix("//? ") {
                Some("else") => {
                    if let Some((own, around)) = open.last_mut() {
                        *own = *around && !*own;
                    }
                }
                Some("end") => {
                    open.pop();
                }
                Some(command) => match self.condition(command) {
                    Some(holds) => open.push((written && holds, written)),
                    None => out += &format!("{line}\n"),
                },
                None if written => self.write(line, &mut out),
                None => {}
            }
        }
        out
    }

    /// Whether the part below `if name` or `if !name` is written; `None`: nobody knows the name.
    fn condition(&self, command: &str) -> Option<bool> {
        let name = command.strip_prefix("if ")?.trim();
        let plain = name.strip_prefix('!');
        let flag = self
            .flags
            .iter()
            .find(|(known, _)| known == plain.unwrap_or(name))?;
        Some(flag.1 == plain.is_none())
    }

    fn write(&self, line: &str, out: &mut String) {
        let place = line.trim();
        let alone = place.strip_prefix('@').and_then(|p| p.strip_suffix('@'));
        let alone = self.words.iter().find(|(name, _)| alone == Some(name));
        if let Some((_, text)) = alone {
            let indent = &line[..line.len() - line.trim_start().len()];
            for part in text.lines() {
                // The preprocessor's lines begin at the margin.
                let at_margin = part.is_empty() || part.starts_with('#');
                let indent = if at_margin { "" } else { indent };
                *out += &format!("{indent}{part}\n");
            }
            return;
        }
        let mut filled = line.to_string();
        if line.contains('@') {
            for (name, text) in &self.words {
                filled = filled.replace(&format!("@{name}@"), text);
            }
        }
        *out += &filled;
        out.push('\n');
    }
}

/// Comment lines; what would end or join them is taken out.
pub(crate) fn comment(lines: &[String]) -> String {
    let mut out = String::new();
    // An empty one stays.
    for line in lines.iter().flat_map(|line| line.split('\n')) {
        let plain = line.replace(char::is_control, " ");
        // A backslash at the end would make a comment of the next line.
        let plain = plain.trim_end_matches(['\\', ' ']);
        out += format!("// {plain}").trim_end();
        out.push('\n');
    }
    out
}

/// Whether an identifier stands in a text.
pub(crate) fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part)
    })
}

#[cfg(test)]
mod tests {
    use super::{Words, comment};

    fn fill(template: &str, flags: &[(&str, bool)], values: &[(&str, String)]) -> String {
        let mut words = Words::default();
        flags.iter().for_each(|(name, set)| words.flag(name, *set));
        values
            .iter()
            .for_each(|(name, text)| words.word(name, text));
        words.fill(template)
    }

    #[test]
    fn parts_are_left_out_and_places_filled_in() {
        let template = "//? if a\none @x@\n//? if b\ntwo\n//? else\nthree\n//? end\n//? else\nfour\n//? end\n  @x@\nend\n";
        let values = [("x", "p\n#q\nr".to_string())];
        let filled = |a, b| fill(template, &[("a", a), ("b", b)], &values);
        assert_eq!(filled(true, true), "one p\n#q\nr\ntwo\n  p\n#q\n  r\nend\n");
        assert_eq!(
            filled(true, false),
            "one p\n#q\nr\nthree\n  p\n#q\n  r\nend\n"
        );
        // What is within a part that is left out is left out.
        for b in [true, false] {
            assert_eq!(filled(false, b), "four\n  p\n#q\n  r\nend\n");
        }
    }

    #[test]
    fn a_value_of_no_lines_takes_its_line_along() {
        let values = [("x", String::new())];
        assert_eq!(
            fill(
                "a\n  @x@\n//? if !b\nc\n//? end\n",
                &[("b", false)],
                &values
            ),
            "a\nc\n"
        );
    }

    #[test]
    fn unknown_names_stay_to_be_seen() {
        assert_eq!(
            fill("//? if nobody\n@x@\n//? end\n", &[], &[]),
            "//? if nobody\n@x@\n"
        );
    }

    #[test]
    fn comments_cannot_be_left() {
        assert_eq!(
            comment(&["a\\".into(), String::new(), "b\r\nc \\ \\".into()]),
            "// a\n//\n// b\n// c\n"
        );
    }
}

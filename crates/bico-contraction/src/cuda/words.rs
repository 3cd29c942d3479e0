//! What the texts in `text/` are filled in with.

use crate::template;

/// Flags and words, by the names that the texts have for them.
#[derive(Debug, Default)]
pub(super) struct Words {
    flags: Vec<(String, bool)>,
    words: Vec<(String, String)>,
}

impl Words {
    pub(super) fn flag(&mut self, name: impl Into<String>, set: bool) {
        self.flags.push((name.into(), set));
    }

    pub(super) fn word(&mut self, name: impl Into<String>, text: impl Into<String>) {
        self.words.push((name.into(), text.into()));
    }

    /// All words, for those who ask what is named in them.
    pub(super) fn all(&self) -> String {
        let words: Vec<&str> = self.words.iter().map(|(_, text)| text.as_str()).collect();
        words.join(" ")
    }

    pub(super) fn fill(&self, text: &str) -> String {
        template::fill(text, &self.flags, &self.words)
    }
}

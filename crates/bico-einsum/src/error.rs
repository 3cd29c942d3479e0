//! What is wrong with an einsum, and where.

use std::ops::Range;

/// One mistake in an einsum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EinsumError {
    /// Its place: bytes of the text. Empty at the end of the text if something is missing there.
    pub range: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub notes: Vec<String>,
}

impl EinsumError {
    pub(crate) fn new(range: Range<usize>, message: impl Into<String>) -> EinsumError {
        EinsumError {
            range,
            message: message.into(),
            notes: Vec::new(),
        }
    }

    pub(crate) fn note(mut self, note: impl Into<String>) -> EinsumError {
        self.notes.push(note.into());
        self
    }

    /// The message, below it the text with carets under the place, then the notes.
    pub fn render(&self, text: &str) -> String {
        let mut out = format!("{}\n{}", self.message, carets(text, &self.range, "  "));
        for note in &self.notes {
            out += &format!("\n  {note}");
        }
        out
    }
}

/// The text with carets below these bytes, both indented.
pub fn carets(text: &str, range: &Range<usize>, indent: &str) -> String {
    let count = |bytes: Range<usize>| text.get(bytes).map_or(0, |part| part.chars().count());
    let before = " ".repeat(count(0..range.start));
    let carets = "^".repeat(count(range.clone()).max(1));
    // What is not visible on one line would tear the carets from their place.
    let line = text.replace(char::is_control, " ");
    format!("{indent}{line}\n{indent}{before}{carets}")
}

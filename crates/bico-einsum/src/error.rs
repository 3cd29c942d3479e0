//! What is wrong with an einsum, and where.

use std::fmt;
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
        let before = text.get(..self.range.start).unwrap_or(text);
        let place = text.get(self.range.clone()).unwrap_or("");
        // What is not visible on one line would tear the carets from their place.
        let line: String = text
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        let mut out = format!(
            "{}\n  {line}\n  {}{}",
            self.message,
            " ".repeat(before.chars().count()),
            "^".repeat(place.chars().count().max(1)),
        );
        for note in &self.notes {
            out += &format!("\n  {note}");
        }
        out
    }
}

impl fmt::Display for EinsumError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for EinsumError {}

//! What can be wrong with a space.

use proc_macro2::Span;
use std::fmt;

/// A mistake in an expression of the attribute, found while evaluating it.
#[derive(Debug, Clone)]
pub struct SpaceError {
    /// What is wrong, with the user's own text and values.
    pub message: String,
    /// The expression's place.
    pub span: Span,
}

impl SpaceError {
    /// A mistake at this place.
    pub fn new(span: Span, message: impl Into<String>) -> SpaceError {
        SpaceError {
            message: message.into(),
            span,
        }
    }
}

impl fmt::Display for SpaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for SpaceError {}

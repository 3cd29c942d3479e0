//! What goes wrong in an expression, and how it is told: the part that failed and the values it saw.

#![allow(missing_docs)] // for our own crates

use crate::bind::SpaceError;
use bico_core::{Lists, Value};
use proc_macro2::Span;

/// A part of an expression, kept for messages.
#[derive(Debug, Clone)]
pub(crate) struct Site {
    pub text: String,
    pub span: Span,
    pub names: Vec<(String, Known)>,
}

/// Where the value of a name comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Known {
    Slot(usize),
    Value(Value),
}

/// What went wrong, and at which site. Holds no span, so that it may cross threads.
pub struct Fault {
    pub site: u32,
    pub message: String,
}

impl Site {
    /// A message about this part, with the values of the names in it.
    pub(crate) fn error(&self, message: &str, values: &[Value]) -> SpaceError {
        let value = |known: &Known| match known {
            Known::Slot(slot) => values.get(*slot).copied(),
            Known::Value(value) => Some(*value),
        };
        let shown = |(name, known): &(String, Known)| Some(format!("{name} = {}", value(known)?));
        let shown: Vec<String> = self.names.iter().filter_map(shown).collect_vec();
        let (text, shown) = (&self.text, shown.join(", "));
        let message = match shown.is_empty() {
            true => format!("in `{text}`: {message}"),
            false => format!("in `{text}`: {message} ({shown})"),
        };
        SpaceError::new(self.span, message)
    }
}

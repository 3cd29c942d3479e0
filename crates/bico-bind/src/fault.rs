//! What goes wrong in an expression, and how it is told: the part that failed and the values it saw.

#![allow(missing_docs)] // for our own crates

use crate::SpaceError;
use bico_core::Value;
use proc_macro2::Span;
use std::fmt::Write;

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
        let mut out = format!("in `{}`: {message}", self.text);
        let mut separator = " (";
        for (name, known) in &self.names {
            let value = match known {
                Known::Slot(slot) => values.get(*slot).copied(),
                Known::Value(value) => Some(*value),
            };
            if let Some(value) = value {
                _ = write!(out, "{separator}{name} = {value}");
                separator = ", ";
            }
        }
        if separator == ", " {
            out.push(')');
        }
        SpaceError::new(self.span, out)
    }
}

//! Every message to the user: what is wrong, the user's own name for it, what to write instead.
//!
//! One function per message. Most are rows of tables: what is wrong, and what to do about it.

/// A function per row: `name(arguments) = "what is wrong", "help", "more help" [NAME in LIST: "what the list holds"];`.
/// Texts name the arguments in braces; what looks like `NAME` in `LIST` is suggested before any help.
macro_rules! messages {
    ($($(#[$doc:meta])* $name:ident($($arg:ident: $type:ty),*) =
        $text:literal $(, $help:literal)* $([$wrong:ident in $known:ident: $what:literal])?;)*) => {
        $($(#[$doc])* pub(crate) fn $name($($arg: $type),*) -> Message {
            Message::of(format_args!($text))
                $(.known($wrong, $known, $what))?
                $(.help(format_args!($help).to_string()))*
        })*
    };
}

mod arguments;
#[cfg(feature = "einsum")]
mod contraction;
mod expressions;
mod features;
mod names;
mod options;

pub(crate) use arguments::*;
#[cfg(feature = "einsum")]
pub(crate) use contraction::*;
pub(crate) use expressions::*;
pub use features::{needs_cuda, needs_einsum};
pub(crate) use names::*;
pub(crate) use options::*;

use crate::suggest::nearest;

/// The wording of one mistake.
#[derive(Debug)]
pub(crate) struct Message {
    pub(crate) text: String,
    pub(crate) notes: Vec<String>,
}

impl Message {
    fn new(text: impl Into<String>) -> Self {
        Message {
            text: text.into(),
            notes: Vec::new(),
        }
    }

    fn of(text: std::fmt::Arguments<'_>) -> Self {
        Message::new(text.to_string())
    }

    fn help(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// "did you mean" and the list of what there is; `what` names the list.
    fn known(self, name: &str, known: &[&str], what: &str) -> Self {
        let message = match nearest(name, known.iter().copied()) {
            Some(near) => self.help(format!("did you mean `{near}`?")),
            None => self,
        };
        if known.is_empty() {
            message
        } else {
            message.help(format!("{what}: {}", known.join(", ")))
        }
    }
}

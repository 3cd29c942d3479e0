//! Every message to the user: what is wrong, the user's own name for it, what to write instead.
//!
//! One function per message. Most are rows of tables: what is wrong, and what to do about it.

/// A function per row: `name(arguments) = "what is wrong", "help", "more help" [NAME in LIST: "what the list holds"];`.
/// Texts name the arguments in braces, and what `{ let .. }` before the `=` makes of them; what looks like `NAME` in
/// `LIST` is suggested before any help. A help without words is left out.
macro_rules! messages {
    ($($(#[$doc:meta])* $name:ident($($arg:ident: $type:ty),*) $({ $(let $own:ident = $value:expr;)* })? =
        $text:literal $(, $help:literal)* $([$wrong:ident in $known:ident: $what:literal])?;)*) => {
        $($(#[$doc])* pub(crate) fn $name($($arg: $type),*) -> Message {
            $($(let $own = $value;)*)?
            Message::of(format_args!($text))
                $(.known($wrong, $known, $what))?
                $(.help(format_args!($help)))*
        })*
    };
}

mod arguments;
#[cfg(feature = "einsum")]
mod contraction;
mod expressions;
mod features;
mod functions;
mod names;
mod options;

pub(crate) use arguments::*;
#[cfg(feature = "einsum")]
pub(crate) use contraction::*;
pub(crate) use expressions::*;
pub use features::{needs_cuda, needs_einsum, needs_rust};
pub(crate) use functions::*;
pub(crate) use names::*;
pub(crate) use options::*;

use crate::suggest::nearest;
use std::fmt::Arguments;

/// The wording of one mistake.
#[derive(Debug)]
pub(crate) struct Message {
    pub(crate) text: String,
    pub(crate) notes: Vec<String>,
}

impl Message {
    fn of(text: Arguments<'_>) -> Self {
        Message {
            text: text.to_string(),
            notes: Vec::new(),
        }
    }

    fn help(mut self, note: Arguments<'_>) -> Self {
        let note = note.to_string();
        if !note.is_empty() {
            self.notes.push(note);
        }
        self
    }

    /// "did you mean" and the list of what there is; `what` names the list.
    fn known(mut self, name: &str, known: &[&str], what: &str) -> Self {
        let near = nearest(name, known);
        self.notes
            .extend(near.map(|near| format!("did you mean `{near}`?")));
        match known.is_empty() {
            true => self,
            false => self.help(format_args!("{what}: {}", known.join(", "))),
        }
    }
}

//! Every message to the user: what is wrong, the user's own name for it, what to write instead.
//!
//! One function per message, so that tests and docs can go through them.

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

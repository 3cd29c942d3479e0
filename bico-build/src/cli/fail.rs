//! How a command ends that could not do its work.

use std::fmt::Display;

/// What to say, and the exit status to end with.
#[derive(Debug)]
pub(super) struct Fail {
    pub(super) message: String,
    pub(super) code: u8,
}

impl Fail {
    /// The arguments make no sense.
    pub(super) fn usage(message: impl Display) -> Fail {
        Fail {
            message: message.to_string(),
            code: 2,
        }
    }

    /// The work could not be done, and the text begins with `error` itself.
    pub(super) fn shown(message: String) -> Fail {
        Fail { message, code: 1 }
    }

    /// The arguments are fine, the work could not be done.
    pub(super) fn work(message: impl Display) -> Fail {
        Fail {
            message: message.to_string(),
            code: 1,
        }
    }
}

impl From<crate::replay::Error> for Fail {
    fn from(error: crate::replay::Error) -> Fail {
        Fail::work(error)
    }
}

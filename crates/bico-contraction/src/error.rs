//! Why a contraction, a step or a kernel was refused.

use std::fmt;

/// What comes of something that may be refused.
pub(crate) type Result<T, E = ContractionError> = std::result::Result<T, E>;

/// All that is wrong, one message each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContractionError {
    /// At least one; each names the dimension or tensor and says what to do.
    pub messages: Vec<String>,
}

impl ContractionError {
    /// One thing is wrong.
    pub fn new(message: impl Into<String>) -> ContractionError {
        ContractionError {
            messages: vec![message.into()],
        }
    }

    /// An error if there are messages.
    ///
    /// # Errors
    ///
    /// With these messages, if there are any.
    pub fn check(messages: Vec<String>) -> Result<()> {
        if messages.is_empty() {
            Ok(())
        } else {
            Err(ContractionError { messages })
        }
    }
}

impl fmt::Display for ContractionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.messages.join("\n"))
    }
}

impl std::error::Error for ContractionError {}

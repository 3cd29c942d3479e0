//! Why a run stops.

use std::fmt;

/// Why a build script stops. Its text is ready to be shown: several lines, in rustc's manner.
#[derive(Debug)]
pub struct TuneError {
    text: String,
    is_of_names: bool,
}

impl TuneError {
    pub fn new(text: impl Into<String>) -> TuneError {
        let (text, is_of_names) = (text.into(), false);
        TuneError { text, is_of_names }
    }

    /// What is named is not here: another package may have it.
    #[cfg(feature = "tune")]
    pub(super) fn of_names(text: impl fmt::Display) -> TuneError {
        TuneError {
            is_of_names: true,
            ..TuneError::plain(text)
        }
    }

    #[doc(hidden)]
    pub fn is_of_names(&self) -> bool {
        self.is_of_names
    }

    pub fn plain(text: impl fmt::Display) -> TuneError {
        TuneError::new(format!("error: {text}"))
    }
}

impl From<crate::lock::Error> for TuneError {
    fn from(error: crate::lock::Error) -> TuneError {
        TuneError::new(error.to_string())
    }
}

impl fmt::Display for TuneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text.trim_end())
    }
}

impl std::error::Error for TuneError {}

/// The first line of a message and what helps, without the lines between: a warning is one line.
pub(super) fn brief(message: &str) -> String {
    let mut lines = message.lines();
    let first = lines.next().unwrap_or_default();
    match lines.find_map(|line| line.trim_start().strip_prefix("= help: ")) {
        Some(help) => format!("{first} ({help})"),
        None => first.to_string(),
    }
}

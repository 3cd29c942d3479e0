//! Why the command, or a part of it, could not do its work.

use bico_build::TuneError;
use std::fmt;

/// An error with a text for people, of several lines where it shows a place in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// The arguments make no sense: the command ends with status 2.
    Usage(String),
    /// The arguments are fine, the work could not be done: status 1.
    Work(String),
    /// Neither yes nor no, as the machine is too noisy to tell: status 3.
    Undecided(String),
}

impl Error {
    pub(crate) fn usage(message: impl fmt::Display) -> Error {
        Error::Usage(message.to_string())
    }

    pub(crate) fn work(message: impl fmt::Display) -> Error {
        Error::Work(message.to_string())
    }

    /// Says what to do: the command that mends it, where there is one.
    pub(crate) fn help(mut self, help: impl fmt::Display) -> Error {
        let (Error::Usage(text) | Error::Work(text) | Error::Undecided(text)) = &mut self;
        *text += &format!("\n  = help: {help}");
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Usage(text) | Error::Work(text) | Error::Undecided(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for Error {}

impl From<String> for Error {
    fn from(text: String) -> Error {
        Error::Work(text)
    }
}

impl From<&str> for Error {
    fn from(text: &str) -> Error {
        Error::Work(text.to_string())
    }
}

impl From<Error> for String {
    fn from(error: Error) -> String {
        error.to_string()
    }
}

impl From<TuneError> for Error {
    fn from(error: TuneError) -> Error {
        Error::work(error)
    }
}

impl From<crate::replay::Error> for Error {
    fn from(error: crate::replay::Error) -> Error {
        Error::work(error)
    }
}

//! What is wrong with a recorded space, and where.

use std::fmt;
use std::path::{Path, PathBuf};

/// A fault of a file that is to be replayed. Shown in rustc's manner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// What is wrong, in one line.
    pub message: String,
    /// The file.
    pub path: PathBuf,
    /// The line, from 1; 0 where the whole file is wrong.
    pub line: u64,
    /// What to do.
    pub help: Option<String>,
}

impl Error {
    /// A fault of the whole file.
    pub fn new(path: &Path, message: impl Into<String>) -> Error {
        Error {
            message: message.into(),
            path: path.into(),
            line: 0,
            help: None,
        }
    }

    /// Says in which line it is.
    pub fn line(mut self, line: u64) -> Error {
        self.line = line;
        self
    }

    /// Says what to do.
    pub fn help(mut self, help: impl Into<String>) -> Error {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n  --> {}", self.message, self.path.display())?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        if let Some(help) = &self.help {
            write!(f, "\n  = help: {help}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

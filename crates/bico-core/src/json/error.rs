//! What is wrong with a text, and where.

use super::Place;
use std::fmt;
use std::path::{Path, PathBuf};

/// A fault of a file. Shown in rustc's manner.
#[derive(Debug, Clone)]
pub struct Error {
    /// What is wrong, in one line.
    pub message: String,
    /// The file, as the user knows it.
    pub path: PathBuf,
    /// Where it is wrong; none where the whole file is.
    pub place: Place,
    /// What to do, one line each.
    pub help: Vec<String>,
}

impl Error {
    /// A fault at a place.
    pub fn at(path: &Path, place: Place, message: impl Into<String>) -> Error {
        Error {
            message: message.into(),
            path: path.to_path_buf(),
            place,
            help: Vec::new(),
        }
    }

    /// A fault of the whole file.
    pub fn of_file(path: &Path, message: impl Into<String>) -> Error {
        Error::at(path, Place::default(), message)
    }

    /// Adds a line that says what to do.
    pub fn help(mut self, help: impl Into<String>) -> Error {
        self.help.push(help.into());
        self
    }

    /// `line 3: what is wrong`, for logs that name the file themselves.
    pub fn in_one_line(&self) -> String {
        match self.place.line {
            0 => self.message.clone(),
            line => format!("line {line}: {}", self.message),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}\n  --> {}", self.message, self.path.display())?;
        if self.place.line > 0 {
            write!(f, ":{}:{}", self.place.line, self.place.column)?;
        }
        for help in &self.help {
            write!(f, "\n  = help: {help}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

//! Tables as files, for whatever reads CSV.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// A CSV file that is written row by row.
#[derive(Debug)]
pub struct Csv {
    file: BufWriter<File>,
    headed: bool,
}

impl Csv {
    /// Starts the file anew, with its folder.
    ///
    /// # Errors
    ///
    /// When the folder or the file cannot be written.
    pub fn create(path: &Path) -> io::Result<Csv> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        Ok(Csv {
            file: BufWriter::new(File::create(path)?),
            headed: false,
        })
    }

    /// Writes the names of the columns, unless they stand there.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn head<T: AsRef<str>>(&mut self, names: impl IntoIterator<Item = T>) -> io::Result<()> {
        match std::mem::replace(&mut self.headed, true) {
            true => Ok(()),
            false => self.row(names),
        }
    }

    /// Adds a row. Fields are quoted where they must be.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn row<T: AsRef<str>>(&mut self, fields: impl IntoIterator<Item = T>) -> io::Result<()> {
        for (at, field) in fields.into_iter().enumerate() {
            if at > 0 {
                self.file.write_all(b",")?;
            }
            match field.as_ref() {
                text if text.contains([',', '"', '\n', '\r']) => {
                    write!(self.file, "\"{}\"", text.replace('"', "\"\""))?;
                }
                text => self.file.write_all(text.as_bytes())?,
            }
        }
        self.file.write_all(b"\n")
    }

    /// Hands everything to the system.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

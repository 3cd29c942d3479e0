//! Tables as files, for whatever reads CSV.

use super::appended::Appended;
use std::io;
use std::path::Path;

/// A CSV file that is written row by row. Others may write rows of theirs into it.
#[derive(Debug)]
pub struct Csv {
    file: Appended,
    head: String,
    /// Those that are not written yet.
    rows: String,
}

impl Csv {
    /// Starts the file, with its folder; what stands there goes where it is to be started `anew`.
    ///
    /// # Errors
    ///
    /// When the folder or the file cannot be written.
    pub fn create(path: &Path, anew: bool) -> io::Result<Csv> {
        Ok(Csv {
            file: Appended::open(path, anew)?,
            head: String::new(),
            rows: String::new(),
        })
    }

    /// The names of the columns, which are written where nothing stands before them.
    pub fn head<T: AsRef<str>>(&mut self, names: impl IntoIterator<Item = T>) {
        self.head = line(names) + "\n";
    }

    /// Adds a row. Fields are quoted where they must be.
    pub fn row<T: AsRef<str>>(&mut self, fields: impl IntoIterator<Item = T>) {
        self.add(&line(fields));
    }

    /// Adds a row that is written already.
    pub(super) fn add(&mut self, line: &str) {
        self.rows += line;
        self.rows.push('\n');
    }

    /// Writes the rows.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn flush(&mut self) -> io::Result<()> {
        let rows = std::mem::take(&mut self.rows);
        self.file.add(&self.head, &rows)
    }
}

/// A line of such fields, each quoted where it must be.
pub(super) fn line<T: AsRef<str>>(fields: impl IntoIterator<Item = T>) -> String {
    let mut line = String::new();
    for (at, field) in fields.into_iter().enumerate() {
        if at > 0 {
            line.push(',');
        }
        match field.as_ref() {
            field if field.contains([',', '"', '\n', '\r']) => {
                line += &format!("\"{}\"", field.replace('"', "\"\""));
            }
            field => line += field,
        }
    }
    line
}

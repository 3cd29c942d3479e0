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
        self.head.clear();
        add(&mut self.head, names);
    }

    /// Adds a row. Fields are quoted where they must be.
    pub fn row<T: AsRef<str>>(&mut self, fields: impl IntoIterator<Item = T>) {
        add(&mut self.rows, fields);
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

fn add<T: AsRef<str>>(text: &mut String, fields: impl IntoIterator<Item = T>) {
    for (at, field) in fields.into_iter().enumerate() {
        if at > 0 {
            text.push(',');
        }
        match field.as_ref() {
            field if field.contains([',', '"', '\n', '\r']) => {
                *text += &format!("\"{}\"", field.replace('"', "\"\""));
            }
            field => text.push_str(field),
        }
    }
    text.push('\n');
}

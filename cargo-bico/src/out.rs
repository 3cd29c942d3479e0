//! What goes to stdout, and notes beside it.

use crate::Error;
use std::io::{self, Write};

/// Writes a text. A reader that has seen enough, such as `head`, is no error.
///
/// # Errors
///
/// It cannot be written.
pub(crate) fn out(text: impl AsRef<[u8]>) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_ref()).and_then(|()| out.flush());
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Error::Work(format!("cannot write to stdout: {error}")))
        }
        _ => Ok(()),
    }
}

/// Writes a line, as [`out`].
///
/// # Errors
///
/// It cannot be written.
pub(crate) fn line(text: &str) -> Result<(), Error> {
    out(format!("{text}\n"))
}

/// Tells notes, on stderr.
pub(crate) fn tell(notes: impl IntoIterator<Item = String>) {
    for note in notes {
        eprintln!("note: {note}");
    }
}

//! Changing the file, so that a reader sees the old content or the new, and two builds at once lose nothing.

use super::file::{Guard, beside, unwritable};
use super::{Error, Lock, load, parse, to_text};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::time::SystemTime;

/// Changes a lock: reads it anew, applies `change`, and writes it if its content is another.
/// Gives the lock as a reader finds it, and whether it was written.
///
/// The new file gets the modification time `modified`, if one is given: a build script that writes
/// what cargo watches would otherwise be run again.
///
/// # Errors
///
/// The file is faulty or cannot be written, or `change` left what a lock cannot hold.
pub fn modify(
    path: &Path,
    modified: Option<SystemTime>,
    change: impl FnOnce(&mut Lock),
) -> Result<(Lock, bool), Error> {
    // A link stays one: what it leads to is replaced.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let _guard = Guard::take(&target);
    let before = load(path)?;
    let mut lock = before.clone().unwrap_or_default();
    change(&mut lock);
    let text = written(path, &lock)?;
    // Read back, because times were rounded.
    let lock = parse(path, &text)?;
    if before.as_ref() == Some(&lock) {
        return Ok((lock, false));
    }
    replace(&target, &text, modified).map_err(|error| unwritable(path, &error))?;
    Ok((lock, true))
}

/// Writes a lock in place of whatever the file says, the marks of a merge conflict for example.
///
/// # Errors
///
/// The lock holds what none can, or the file cannot be written.
#[inline]
pub fn overwrite(path: &Path, lock: &Lock) -> Result<(), Error> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let _guard = Guard::take(&target);
    let text = written(path, lock)?;
    replace(&target, &text, None).map_err(|error| unwritable(path, &error))
}

fn written(path: &Path, lock: &Lock) -> Result<String, Error> {
    to_text(lock).map_err(|fault| {
        Error::of_file(path, format!("the lock cannot hold this: {fault}"))
            .help("keys, names and values must be printable and without quotes or backslashes")
    })
}

/// Writes beside the file, then renames: there is no moment at which it is half written.
pub(super) fn replace(path: &Path, text: &str, modified: Option<SystemTime>) -> io::Result<()> {
    let temporary = beside(path);
    let written = (|| {
        let mut file = File::create(&temporary)?;
        if let Ok(old) = fs::metadata(path) {
            file.set_permissions(old.permissions())?;
        }
        file.write_all(text.as_bytes())?;
        if let Some(time) = modified {
            file.set_modified(time)?;
        }
        file.sync_all()?;
        fs::rename(&temporary, path)
    })();
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

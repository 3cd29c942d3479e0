//! The file itself: read, and changed so that a reader sees the old content or the new, and two
//! builds at once lose nothing.

use super::{Error, Lock, Place, parse, to_text};
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// A lock larger than this is none.
const LARGEST: u64 = 64 << 20;

/// How long to wait for another build that writes the same lock.
const PATIENCE: Duration = Duration::from_secs(30);

/// Reads a lock; `None` where there is none.
///
/// # Errors
///
/// The file cannot be read, or is faulty.
pub fn load(path: &Path) -> Result<Option<Lock>, Error> {
    let text = read(path, "the lock", super::read::RESTORE)?;
    text.map(|text| parse(path, &text)).transpose()
}

/// The text of a file, of which messages speak as `what`; `None` where there is none.
pub(super) fn read(path: &Path, what: &str, mend: &str) -> Result<Option<String>, Error> {
    let unreadable =
        |error: io::Error| Error::of_file(path, format!("{what} cannot be read: {error}"));
    let mut file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        other => other.map_err(unreadable)?,
    };
    if file.metadata().map_err(unreadable)?.len() > LARGEST {
        let message = format!("{what} is larger than {} MiB", LARGEST >> 20);
        return Err(Error::of_file(path, message));
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(unreadable)?;
    String::from_utf8(bytes).map(Some).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let before = String::from_utf8_lossy(&error.as_bytes()[..valid]);
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        let line = before.matches('\n').count() + 1;
        let column = before[start..].chars().count() + 1;
        let place = Place { line, column };
        Error::at(path, place, format!("{what} is not valid UTF-8")).help(mend)
    })
}

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
    let text = to_text(&lock).map_err(|fault| {
        Error::of_file(path, format!("the lock cannot hold this: {fault}"))
            .help("keys, names and values must be printable and without quotes or backslashes")
    })?;
    // Read back, because times were rounded.
    let lock = parse(path, &text)?;
    if before.as_ref() == Some(&lock) {
        return Ok((lock, false));
    }
    replace(&target, &text, modified)
        .map_err(|error| Error::of_file(path, format!("the lock cannot be written: {error}")))?;
    Ok((lock, true))
}

/// Whether a lock can be written: tried with the temporary file that [`modify`] begins with.
///
/// # Errors
///
/// It cannot.
pub fn writable(path: &Path) -> Result<(), Error> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let _guard = Guard::take(&target);
    let temporary = beside(&target);
    File::create(&temporary)
        .and_then(|_| fs::remove_file(&temporary))
        .map_err(|error| Error::of_file(path, format!("the lock cannot be written: {error}")))
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

/// The temporary file. Only the holder of the guard writes it, so a fixed name will do, and one
/// that a killed build left behind is overwritten by the next.
fn beside(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.tmp"))
}

/// Keeps other builds from changing the same lock. The folder itself is locked: builds of one
/// package run at once only with different target folders, and nothing must be left behind in the
/// sources. The operating system frees it when the process ends, however it ends.
pub(super) struct Guard(Option<File>);

impl Guard {
    /// Waits for its turn. Where a folder cannot be locked, goes on without: the worst that
    /// happens then is that one of two builds tunes again.
    pub(super) fn take(path: &Path) -> Guard {
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        let Ok(folder) = File::open(folder) else {
            return Guard(None);
        };
        let deadline = Instant::now() + PATIENCE;
        loop {
            match folder.try_lock() {
                Ok(()) => return Guard(Some(folder)),
                // Nobody holds it longer than a file takes to write, unless that process is stopped.
                Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                    std::thread::sleep(Duration::from_millis(2));
                }
                Err(_) => return Guard(None),
            }
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(folder) = &self.0 {
            let _ = folder.unlock();
        }
    }
}

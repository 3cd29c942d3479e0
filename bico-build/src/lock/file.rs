//! The file itself, and who may change it.

use super::{Error, Lock, Place, parse};
use std::fs::{self, File, TryLockError};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A lock of more bytes is none.
pub const LARGEST: u64 = 64 << 20;

/// How long to wait for another build that writes the same lock.
const PATIENCE: Duration = Duration::from_secs(30);

/// Reads a lock; `None` where there is none.
///
/// # Errors
///
/// The file cannot be read, or is faulty.
pub fn load(path: &Path) -> Result<Option<Lock>, Error> {
    let text = read_text(path)?;
    text.map(|text| parse(path, &text)).transpose()
}

/// The text of a lock, whatever it says; `None` where there is none.
///
/// # Errors
///
/// The file cannot be read, or is no text.
pub fn read_text(path: &Path) -> Result<Option<String>, Error> {
    read(path, "the lock", super::read::RESTORE)
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

pub(super) fn unwritable(path: &Path, error: &io::Error) -> Error {
    Error::of_file(path, format!("the lock cannot be written: {error}"))
}

/// Whether a lock can be written: tried with the temporary file that changing it begins with.
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
        .map_err(|error| unwritable(path, &error))
}

/// The temporary file. Only the holder of the guard writes it, so a fixed name will do, and one
/// that a killed build left behind is overwritten by the next.
pub(super) fn beside(path: &Path) -> PathBuf {
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

//! What went wrong, told once.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// What kind of trouble it is: a log line per process for each.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Trouble {
    /// A file cannot be used as it is; a line for each file.
    File(PathBuf),
    /// A file cannot be read.
    Read,
    /// Nothing can be written.
    Write,
    /// A record holds what a file cannot.
    Record,
}

/// Those that were told, at most so many.
static TOLD: Mutex<BTreeSet<Trouble>> = Mutex::new(BTreeSet::new());
const MOST: usize = 1000;

/// Logs a warning, unless this process did so before.
pub(super) fn tell(trouble: Trouble, path: &Path, what: &str) {
    let mut told = TOLD.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if told.len() < MOST && told.insert(trouble) {
        // A program's logger may take its time, or call bico.
        drop(told);
        log::warn!("{}: {what}", path.display());
    }
}

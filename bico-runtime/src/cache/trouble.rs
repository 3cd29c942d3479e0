//! What went wrong, told once.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// What was told, at most so many.
static TOLD: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
const MOST: usize = 1000;

/// Logs a warning, unless this process did so before: of this file or, where it goes wrong with all of them alike,
/// of that `kind`.
pub(super) fn tell(kind: Option<&str>, path: &Path, what: &str) {
    let about = kind.map_or(path, Path::new);
    let mut told = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
    if told.len() < MOST && !told.iter().any(|other| other == about) {
        told.push(about.to_path_buf());
        // A program's logger may take its time, or call bico.
        drop(told);
        log::warn!("{}: {what}", path.display());
    }
}

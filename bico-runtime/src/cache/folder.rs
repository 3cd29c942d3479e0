//! The folder of the files: made when needed, cleaned now and then.

use std::fs;
use std::path::Path;
use std::sync::Once;
use std::time::{Duration, SystemTime};

/// No process writes for as long.
const STALE: Duration = Duration::from_secs(24 * 60 * 60);

/// Makes the folder, and removes once per process what others left half written.
///
/// # Errors
///
/// It is not there and cannot be made.
pub(super) fn make(folder: &Path) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    static CLEANED: Once = Once::new();
    CLEANED.call_once(|| clean(folder, SystemTime::now()));
    Ok(())
}

/// Removes temporary files that are a day old: whoever wrote them was killed.
pub(super) fn clean(folder: &Path, now: SystemTime) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.as_encoded_bytes();
        if !name.starts_with(b".") || !name.ends_with(super::file::TEMPORARY.as_bytes()) {
            continue;
        }
        let modified = entry.metadata().and_then(|data| data.modified());
        let age = modified.map(|time| now.duration_since(time).unwrap_or_default());
        if age.is_ok_and(|age| age > STALE) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

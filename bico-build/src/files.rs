//! Generated files.

use std::path::Path;
use std::{fs, io};

/// What is said of a file or a folder that is not to be had.
pub(crate) fn could_not<'a>(deed: &'a str, path: &'a Path) -> impl Fn(io::Error) -> String + 'a {
    move |error| format!("could not {deed} `{}`: {error}", path.display())
}

/// Writes a file, with its folders, unless it holds just that; says whether it was written. Another build may write or
/// read it at the same time: a reader sees the old content or the new.
pub(crate) fn write_if_changed(path: &Path, content: &[u8]) -> io::Result<bool> {
    if fs::read(path).is_ok_and(|old| old == content) {
        return Ok(false);
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let temporary = path.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
    let written = fs::write(&temporary, content).and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // Nothing half written stays behind, of a full disk for instance.
        let _ = fs::remove_file(&temporary);
    }
    written.map(|()| true)
}

/// As `write_if_changed`, with an error for people.
pub fn written(path: &Path, content: &[u8]) -> Result<bool, String> {
    write_if_changed(path, content).map_err(could_not("write", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_says_the_same_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p/k.c");
        assert!(write_if_changed(&path, b"one").unwrap());
        let file = std::fs::File::open(&path).unwrap();
        let long_ago = std::time::SystemTime::UNIX_EPOCH;
        file.set_modified(long_ago).unwrap();
        let modified = || std::fs::metadata(&path).unwrap().modified().unwrap();
        assert!(!write_if_changed(&path, b"one").unwrap());
        assert_eq!(modified(), long_ago);
        assert!(write_if_changed(&path, b"two").unwrap());
        assert_ne!(modified(), long_ago);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "two");
        // Nothing is left of the way there.
        assert_eq!(
            std::fs::read_dir(folder.path().join("p")).unwrap().count(),
            1
        );
    }
}

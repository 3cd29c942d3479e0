//! Watching a file that is not there yet.
//!
//! Cargo takes a watched file that is missing for changed, and would run the build script at every
//! call. Of a watched folder it takes the newest time of all that is below, and looks through links.
//! So a folder of our own with a link to the missing file says nothing until the file appears.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::SystemTime;

/// What cargo should watch until `file` is there; nothing where the system has no such links, and
/// then only another change of the package shows a new file to the build.
pub(super) fn missing(out_dir: &Path, file: &Path, start: SystemTime) -> Option<PathBuf> {
    let folder = out_dir.join("bico-watch");
    let link = folder.join(file.file_name()?);
    fs::create_dir_all(&folder).ok()?;
    if fs::read_link(&link).ok().as_deref() != Some(file) {
        let _ = fs::remove_file(&link);
        symlink(file, &link).ok()?;
    }
    // Neither may be newer than the run that made them. The link first: it changes nothing above.
    let set = |path: &Path| File::open(path)?.set_modified(start);
    if fs::symlink_metadata(&link).ok()?.modified().ok()? > start {
        let pattern = folder.join("time");
        File::create(&pattern).ok()?;
        set(&pattern).ok()?;
        // The standard library cannot set the time of a link, only of what it leads to.
        let touch = Command::new("touch")
            .args(["-h", "-r"])
            .args([&pattern, &link])
            .status();
        fs::remove_file(&pattern).ok()?;
        touch.ok().filter(ExitStatus::success)?;
    }
    set(&folder).ok()?;
    Some(folder)
}

#[cfg(unix)]
fn symlink(file: &Path, link: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(file, link)
}

#[cfg(not(unix))]
fn symlink(_: &Path, _: &Path) -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_link_is_as_old_as_the_run() {
        let folder = tempfile::tempdir().unwrap();
        let start = SystemTime::now() - Duration::from_secs(100);
        for file in ["bico.lock", "bico.lock", "other/bico.lock"] {
            let file = folder.path().join(file);
            let watched = missing(folder.path(), &file, start).unwrap();
            let link = watched.join("bico.lock");
            assert_eq!(std::fs::read_link(&link).unwrap(), file);
            for path in [&watched, &link] {
                let meta = std::fs::symlink_metadata(path).unwrap();
                assert!(meta.modified().unwrap() <= start, "{}", path.display());
            }
        }
    }
}

//! Files: read as input from outside, changed by one process at a time, replaced at once. The folder that they are in,
//! made when needed and cleaned now and then. What goes wrong is told once.

use super::json;
use super::record::{Name, Record};
use bico_core::sorted;
use std::fs::{self, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, Once, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// The format; files of other versions have other names.
pub(super) const VERSION: i64 = 1;

/// A larger file is none of ours.
pub(super) const LARGEST: u64 = 16 << 20;

/// Buckets of a file at most: some integer arguments are no sizes, but seeds, which never end.
pub(super) const MOST_RECORDS: usize = 256;

/// What temporary files end in.
pub(super) const TEMPORARY: &str = ".tmp";

/// What the cache holds of one subject.
#[derive(Debug, Clone, PartialEq)]
pub struct File {
    /// The file.
    pub path: PathBuf,
    /// The subject.
    pub name: Name,
    /// A record per bucket.
    pub records: Vec<Record>,
}

/// All files of a folder, sorted by subject. Others than bico's are left alone; faulty ones are logged.
#[inline]
pub fn files(folder: &Path) -> Vec<File> {
    let mut files: Vec<File> = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        if hidden || path.extension().is_none_or(|end| end != "json") {
            continue;
        }
        match read(&path, None) {
            Some(file) if file.name.path(folder) != path => foreign(&file),
            file => files.extend(file),
        }
    }
    sorted::sort_by(&mut files, &|a, b| a.name.cmp(&b.name));
    files
}

/// A file's content; of a given subject only, if one is given. `None` where there is none, or it cannot be
/// used, which is logged.
pub(super) fn read(path: &Path, of: Option<&Name>) -> Option<File> {
    let bytes = match bytes(path) {
        Ok(bytes) => bytes,
        // A folder that is none is told of when something is to be written.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return None;
        }
        Err(error) => {
            let what = format!("what was learned cannot be read: {error}");
            tell(Some("read"), path, &what);
            return None;
        }
    };
    let faulty = |what: &str| tell(None, path, &format!("ignored: {what}"));
    if bytes.len() as u64 > LARGEST {
        faulty(&format!("larger than {} MiB", LARGEST >> 20));
        return None;
    }
    let Ok(text) = String::from_utf8(bytes) else {
        faulty("not valid UTF-8");
        return None;
    };
    let content = json::content(path, &text);
    let content = content.map_err(|error| faulty(&error.in_one_line()));
    let (file, faults) = content.ok()?;
    if of.is_some_and(|name| *name != file.name) {
        foreign(&file);
        return None;
    }
    match faults {
        Some((first, 1)) => faulty(&first),
        Some((first, count)) => faulty(&format!("{first}, and {} more", count - 1)),
        None => {}
    }
    Some(file)
}

fn foreign(file: &File) {
    let File { path, name, .. } = file;
    let what = format!(
        "ignored: by its content it is about `{}` on {}, as another file",
        name.tunable, name.device
    );
    tell(None, path, &what);
}

/// One byte more than the largest at most.
fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    // Looked at before it is opened: a pipe would wait for somebody who writes.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "it is no file"));
    }
    let mut bytes = Vec::new();
    let file = fs::File::open(path)?;
    file.take(LARGEST + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Writes beside the file, then renames: whoever reads finds the old content or the new. It is not made
/// to outlast a power failure, which costs milliseconds of somebody's call: a torn file is ignored.
///
/// # Errors
///
/// Something cannot be written; nothing is left behind.
pub(super) fn replace(path: &Path, text: &str) -> io::Result<()> {
    let temporary = beside(path);
    let written = fs::File::create_new(&temporary)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// A name that no other process or thread uses, on any host that shares the folder.
fn beside(path: &Path) -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let now = SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    path.with_file_name(format!(
        ".{name}.{}-{}-{}{TEMPORARY}",
        std::process::id(),
        COUNT.fetch_add(1, Ordering::Relaxed),
        now.map_or(0, |now| now.as_nanos()),
    ))
}

/// Waits so long for the right to change a file, which is held until what this gives is dropped; the operating system
/// takes it back when the process ends, however it ends. `None` where another process does not come to an end.
///
/// # Errors
///
/// The file that is locked cannot be made.
pub(super) fn lock(path: &Path, patience: Duration) -> io::Result<Option<fs::File>> {
    let file = fs::File::options().append(true).create(true).open(path)?;
    Ok(wait_for(&file, patience).then_some(file))
}

/// Waits so long for the lock of an open file. Whether it is there.
pub(crate) fn wait_for(file: &fs::File, patience: Duration) -> bool {
    let deadline = Instant::now() + patience;
    loop {
        match file.try_lock() {
            Ok(()) => return true,
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                std::thread::sleep(Duration::from_millis(1));
            }
            Err(TryLockError::WouldBlock) => return false,
            // A file system without locks. The worst that happens there is that, of two processes
            // that write at once, one's newest calls are forgotten.
            Err(TryLockError::Error(_)) => return true,
        }
    }
}

/// No process writes for as long.
const STALE: Duration = Duration::from_secs(24 * 60 * 60);

/// Makes the folder, and removes once per process what others left half written.
///
/// # Errors
///
/// It is not there and cannot be made.
pub(super) fn make_folder(folder: &Path) -> io::Result<()> {
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
        if !name.starts_with(b".") || !name.ends_with(TEMPORARY.as_bytes()) {
            continue;
        }
        let modified = entry.metadata().and_then(|data| data.modified());
        let age = modified.map(|time| now.duration_since(time).unwrap_or_default());
        if age.is_ok_and(|age| age > STALE) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

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

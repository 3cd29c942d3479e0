//! Files into which several searches of one process write, each at its time: text is added whole, and changed at once.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Held while a file is written.
static WRITING: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    WRITING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a file, with its folder: what stands there is kept or, `anew`, not.
pub(super) fn start(path: &Path, anew: bool) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut options = File::options();
    options.create(true);
    match anew {
        true => options.write(true).truncate(true),
        false => options.append(true),
    };
    options.open(path).map(drop)
}

/// Adds text at the end, behind `head` where it is the first.
pub(super) fn add(path: &Path, head: &str, text: &str) -> io::Result<()> {
    let _alone = alone();
    let mut file = File::options().append(true).create(true).open(path)?;
    match file.metadata()?.len() {
        0 if !head.is_empty() => file.write_all([head, text].concat().as_bytes()),
        _ => file.write_all(text.as_bytes()),
    }
}

/// Puts another text in the place of a file's. Half a line at its end, as who was killed leaves it, is no part of it.
pub(super) fn change(path: &Path, change: &mut dyn FnMut(&str) -> String) -> io::Result<()> {
    let _alone = alone();
    let bytes = std::fs::read(path)?;
    let text = String::from_utf8_lossy(&bytes);
    let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
    // Another process may write its own at the same time.
    let temporary = path.with_extension(format!("{}.tmp", std::process::id()));
    std::fs::write(&temporary, change(whole))?;
    std::fs::rename(&temporary, path)
}

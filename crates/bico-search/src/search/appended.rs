//! Files into which several searches of one process write, each at its time: text is added whole, and changed at once. Where
//! another process puts its own in a file's place, that has it alone from then on.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// One of them.
#[derive(Debug)]
pub(super) struct Appended {
    pub(super) path: PathBuf,
    file: Arc<Mutex<File>>,
}

/// Those that somebody has.
static OPEN: Mutex<Vec<(PathBuf, Weak<Mutex<File>>)>> = Mutex::new(Vec::new());

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

fn open(path: &Path) -> io::Result<File> {
    File::options().append(true).create(true).open(path)
}

impl Appended {
    /// A file, which is there from now on, with its folder. What it holds is kept or, `anew`, not.
    pub(super) fn open(path: &Path, anew: bool) -> io::Result<Appended> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let mut all = lock(&OPEN);
        all.retain(|(_, file)| file.strong_count() > 0);
        let mut known = all.iter().filter(|(known, _)| known == path);
        let known = known.next().and_then(|(_, file)| file.upgrade());
        let file = match known.filter(|_| path.exists()) {
            Some(file) => file,
            None => {
                let file = Arc::new(Mutex::new(open(path)?));
                all.retain(|(known, _)| known != path);
                all.push((path.to_path_buf(), Arc::downgrade(&file)));
                file
            }
        };
        if anew {
            lock(&file).set_len(0)?;
        }
        let path = path.to_path_buf();
        Ok(Appended { path, file })
    }

    /// Adds text at the end, behind `head` where it is the first.
    pub(super) fn add(&self, head: &str, text: &str) -> io::Result<()> {
        let mut file = lock(&self.file);
        match head.is_empty() || file.metadata()?.len() > 0 {
            true => file.write_all(text.as_bytes()),
            false => file.write_all([head, text].concat().as_bytes()),
        }
    }

    /// Puts another text in the place of a file's. Half a line at its end, as who was killed leaves it, is no part of it.
    pub(super) fn change(&self, change: &mut dyn FnMut(&str) -> String) -> io::Result<()> {
        let mut file = lock(&self.file);
        let bytes = std::fs::read(&self.path)?;
        let text = String::from_utf8_lossy(&bytes);
        let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
        // Another process may write its own at the same time.
        let temporary = format!("{}.tmp", std::process::id());
        let temporary = self.path.with_extension(temporary);
        std::fs::write(&temporary, change(whole))?;
        *file = open(&temporary)?;
        std::fs::rename(&temporary, &self.path)
    }
}

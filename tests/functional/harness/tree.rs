//! Folders with all that is in them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What a folder holds, and since when.
#[derive(Debug, PartialEq)]
pub(crate) struct Tree(BTreeMap<PathBuf, (SystemTime, Vec<u8>)>);

impl Tree {
    pub(crate) fn of(folder: &Path) -> Tree {
        let mut files = BTreeMap::new();
        walk(folder, &mut |path| {
            let modified = fs::metadata(path).unwrap().modified().unwrap();
            files.insert(path.to_path_buf(), (modified, fs::read(path).unwrap()));
        });
        Tree(files)
    }

    /// The text of all files whose names end so.
    pub(crate) fn text(&self, ending: &str) -> String {
        let files = self.0.iter();
        let files = files.filter(|(path, _)| path.to_string_lossy().ends_with(ending));
        let texts = files.map(|(_, (_, bytes))| String::from_utf8_lossy(bytes));
        texts.collect()
    }
}

/// Copies a folder into another one. Cargo must not take the copy for changed, so times are kept;
/// it replaces large files and writes small ones in place, so only the former may be shared.
pub(crate) fn copy(from: &Path, to: &Path) {
    const LARGE: u64 = 64 * 1024;
    walk(from, &mut |path| {
        let copy = to.join(path.strip_prefix(from).unwrap());
        fs::create_dir_all(copy.parent().unwrap()).unwrap();
        let meta = fs::metadata(path).unwrap();
        if meta.len() >= LARGE && fs::hard_link(path, &copy).is_ok() {
            return;
        }
        fs::copy(path, &copy).unwrap();
        fs::File::options()
            .write(true)
            .open(&copy)
            .unwrap()
            .set_modified(meta.modified().unwrap())
            .unwrap();
    });
}

fn walk(folder: &Path, visit: &mut dyn FnMut(&Path)) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            walk(&path, visit)
        } else {
            visit(&path)
        }
    }
}

//! The locks of this repository, which somebody's tuning wrote.

use super::*;
use std::path::PathBuf;

/// Every `bico.lock` at most two folders below the workspace's root.
fn committed() -> Vec<PathBuf> {
    let folders = |path: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
        let paths = entries.map(|entry| entry.path());
        paths.filter(|path| path.is_dir()).collect()
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let above = folders(&root);
    let below = above.iter().flat_map(|folder| folders(folder));
    let mut locks: Vec<PathBuf> = above.iter().cloned().chain(below).collect();
    locks.iter_mut().for_each(|lock| lock.push("bico.lock"));
    locks.retain(|lock| lock.is_file());
    locks
}

#[test]
fn committed_locks_are_read_and_written_unchanged() {
    let locks = committed();
    for package in ["benches", "contraction", "quickstart", "kernels"] {
        let ending = Path::new(package).join("bico.lock");
        assert!(
            locks.iter().any(|lock| lock.ends_with(&ending)),
            "{package} has no lock among {locks:?}"
        );
    }
    for path in locks {
        let text = std::fs::read_to_string(&path).unwrap();
        let lock = load(&path).unwrap().unwrap();
        assert!(
            to_text(&lock).unwrap() == text,
            "{} would be written otherwise",
            path.display()
        );
    }
}

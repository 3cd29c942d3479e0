//! An earlier state of the lock: of a revision, or of a file.

use crate::Error;
use crate::git::git;
use crate::names::plain;
use bico_build::lock::{self, Lock};
use std::path::Path;

/// A lock larger than this is none.
const LARGEST: u64 = 64 << 20;

/// The lock of a file, where `of` is one, else that of a revision of the package's repository: an empty one where it has none.
///
/// # Errors
///
/// There is no such revision, its lock is faulty, or there is no git.
pub(crate) fn earlier(root: &Path, of: &str) -> Result<Lock, Error> {
    let file = Path::new(of);
    if file.is_file() {
        let lock = lock::load(file).map_err(Error::work)?;
        return Ok(lock.unwrap_or_default());
    }
    let shown = plain(of);
    if of.is_empty() || of.starts_with('-') {
        let message = format!("`{shown}` is neither a file nor a revision");
        return Err(Error::Usage(message));
    }
    if let Err(said) = git(root, &["rev-parse", "--git-dir"])? {
        return Err(Error::Work(format!(
            "there is no revision `{shown}` without a git repository: {said}\n  = help: name an older file: `cargo bico diff OLD.lock`"
        )));
    }
    let commit = format!("{of}^{{commit}}");
    let Ok(commit) = git(root, &["rev-parse", "--verify", "--quiet", &commit])? else {
        return Err(Error::Usage(format!(
            "git knows no revision `{shown}` here, and there is no such file\n  = help: `git log --oneline -- bico.lock` lists the revisions that changed the lock"
        )));
    };
    let place = format!("{}:./bico.lock", commit.trim());
    let Ok(size) = git(root, &["cat-file", "-s", &place])? else {
        // Before the first tuning: all that there is now was added since.
        return Ok(Lock::default());
    };
    if !size.trim().parse().is_ok_and(|size: u64| size <= LARGEST) {
        let most = LARGEST >> 20;
        return Err(Error::Work(format!(
            "bico.lock of the revision `{shown}` is larger than {most} MiB\n  = help: it is damaged: name another revision, or an older file"
        )));
    }
    let text = git(root, &["cat-file", "blob", &place])?.map_err(Error::Work)?;
    lock::parse(Path::new(&format!("{shown}:bico.lock")), &text).map_err(Error::work)
}

//! A lock in conflict: its sides from git's index, else from the marks in the file; and how git calls the command itself.

use super::{Side, marks};
use crate::Error;
use crate::out::line;
use bico_build::files::written;
use bico_build::lock::{self, LARGEST, Lock};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The line of `.gitattributes`, and what git runs for it.
const ATTRIBUTE: &str = "bico.lock merge=bico";
const DRIVER: &str = "cargo bico merge --driver %O %A %B";
const NAME: &str = "bico.lock, entry by entry";

/// Both sides of a lock.
#[derive(Debug)]
pub(crate) struct Conflict {
    pub(crate) base: Option<Lock>,
    pub(crate) sides: [Side; 2],
    /// Where they are from.
    pub(crate) from: &'static str,
    /// Other files of the folder that are in conflict.
    pub(crate) others: Vec<String>,
}

/// The conflict of a lock.
///
/// # Errors
///
/// There is none, or one of its sides is no lock.
pub(crate) fn conflict(path: &Path) -> Result<Conflict, Error> {
    let shown = path.display();
    if let Some(stages) = stages(path)? {
        let [base, ours, theirs] = stages;
        let mut conflict = sides(path, base, [ours, theirs], "git's index")?;
        conflict.others = others(path);
        return Ok(conflict);
    }
    let text = lock::read_text(path).map_err(Error::work)?.ok_or_else(|| {
        Error::Usage(format!(
            "there is no {shown}\n  = help: run it in the package's folder, or name the locks to merge: `cargo bico merge A.lock B.lock -o bico.lock`"
        ))
    })?;
    match marks::sides(&text) {
        Ok(Some(found)) => {
            let of = [Some(found.ours), Some(found.theirs)];
            sides(path, found.base, of, "the marks in the file")
        }
        Ok(None) => Err(Error::Usage(format!(
            "{shown} has no conflict\n  = help: name the locks to merge: `cargo bico merge A.lock B.lock -o bico.lock`"
        ))),
        Err(line) => Err(Error::Work(format!(
            "{shown}:{line}: the conflict's markers no longer match\n  = help: bring the conflict back (`git checkout --merge bico.lock`), or take one side (`git checkout --ours bico.lock`)"
        ))),
    }
}

fn sides(
    path: &Path,
    base: Option<String>,
    of: [Option<String>; 2],
    from: &'static str,
) -> Result<Conflict, Error> {
    let read = |name: &str, text: String| -> Result<Side, Error> {
        // A side, not the file, is what a message is about.
        let shown = PathBuf::from(format!("{} ({name})", path.display()));
        let lock = lock::parse(&shown, &text).map_err(Error::work)?;
        let name = name.to_string();
        Ok(Side { name, lock })
    };
    let [Some(ours), Some(theirs)] = of else {
        return Err(Error::Work(format!(
            "{} was deleted on one side\n  = help: keep it with `git add bico.lock`, or delete it with `git rm bico.lock`",
            path.display()
        )));
    };
    let base = base.map(|text| read("base", text)).transpose()?;
    Ok(Conflict {
        base: base.map(|side| side.lock),
        sides: [read("ours", ours)?, read("theirs", theirs)?],
        from,
        others: Vec::new(),
    })
}

/// The files beside a lock, and below, that git holds several versions of.
fn others(path: &Path) -> Vec<String> {
    let listed = git(path, &["ls-files", "--unmerged", "-z"]).unwrap_or_default();
    let names = listed.split('\0').filter_map(|line| line.split_once('\t'));
    let mut names: Vec<String> = names
        .map(|(_, name)| name.escape_debug().to_string())
        .collect();
    names.dedup();
    names.retain(|name| Path::new(name) != Path::new("bico.lock"));
    names
}

/// What git holds of a file in conflict: base, ours and theirs. `None` where it knows of no conflict.
fn stages(path: &Path) -> Result<Option<[Option<String>; 3]>, Error> {
    let Some(name) = path.file_name() else {
        return Ok(None);
    };
    let list = ["ls-files", "--unmerged", "-z", "--"];
    let Some(listed) = git(path, &[&list[..], &[&name.to_string_lossy()]].concat()) else {
        return Ok(None);
    };
    let mut found: [Option<String>; 3] = [None, None, None];
    // `100644 <hash> 2\tbico.lock`
    for line in listed.split('\0').filter(|line| !line.is_empty()) {
        let mut words = line.split_whitespace().skip(1);
        let (hash, stage) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
        let Some(at) = ["1", "2", "3"].iter().position(|known| *known == stage) else {
            continue;
        };
        let size = git(path, &["cat-file", "-s", hash]);
        let size: Option<u64> = size.and_then(|size| size.trim().parse().ok());
        let text = match size {
            Some(size) if size <= LARGEST => git(path, &["cat-file", "blob", hash]),
            _ => None,
        };
        let text = text.ok_or_else(|| {
            let shown = path.display();
            Error::Work(format!(
                "cannot read the side of {shown} that git keeps as {hash}"
            ))
        })?;
        found[at] = Some(text);
    }
    Ok(found.iter().any(Option::is_some).then_some(found))
}

/// What git says in the folder of a file; `None` where it is not there or fails.
fn git(path: &Path, arguments: &[&str]) -> Option<String> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    crate::git::git(folder, arguments).ok()?.ok()
}

/// Makes this command what git merges `bico.lock` by in the repository of a folder: says first what is written.
///
/// # Errors
///
/// There is no repository, or it cannot be written.
pub(crate) fn install(folder: &Path) -> Result<(), Error> {
    let inside = folder.join("bico.lock");
    let top = git(&inside, &["rev-parse", "--show-toplevel"]).ok_or_else(|| {
        let folder = folder.display();
        Error::Work(format!(
            "{folder} is in no git repository, or git is not installed"
        ))
        .help("run it inside the clone whose locks git shall merge")
    })?;
    let path = Path::new(top.trim_end_matches('\n')).join(".gitattributes");
    let shown = path.display();
    let unreadable = |error| Error::Work(format!("cannot read {shown}: {error}"));
    let old = match std::fs::read_to_string(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        other => other.map_err(unreadable)?,
    };
    let is_it = |line: &str| line.split_whitespace().eq(ATTRIBUTE.split_whitespace());
    if old.lines().any(is_it) {
        line(&format!("{shown} has the line `{ATTRIBUTE}`"))?;
    } else {
        line(&format!(
            "adds the line `{ATTRIBUTE}` to {shown}: commit it"
        ))?;
        let gap = if old.is_empty() || old.ends_with('\n') {
            ""
        } else {
            "\n"
        };
        // It may be a link.
        let target = path.canonicalize().unwrap_or_else(|_| path.clone());
        written(&target, format!("{old}{gap}{ATTRIBUTE}\n").as_bytes())?;
    }
    for (key, value) in [("merge.bico.name", NAME), ("merge.bico.driver", DRIVER)] {
        line(&format!(
            "runs `git config {key} \"{value}\"`: each clone needs it"
        ))?;
        git(&inside, &["config", key, value])
            .ok_or_else(|| Error::Work(format!("git could not set {key} in its config")))?;
    }
    let mut driver = Command::new("cargo");
    driver.args(["bico", "--version"]);
    if !driver.output().is_ok_and(|said| said.status.success()) {
        eprintln!(
            "warning: there is no `cargo bico` on the PATH: without it git takes its own side of the lock as it is\n  = help: `cargo install cargo-bico`"
        );
    }
    Ok(())
}

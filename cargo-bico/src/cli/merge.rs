//! `cargo bico merge`.

use crate::join::join;
use crate::merge::{Conflict, Fits, Merged, Place, Side, Sources, conflict, install, merge};
use crate::out::out;
use crate::{Error, Features, package};
use bico_build::env::Mode;
use bico_build::lock::{self, Entry, Lock, to_text};
use std::path::{Path, PathBuf};

/// Makes one lock of several, entry by entry; or one search of the trails of its parts.
///
/// Of two entries for one kernel, device and problem the one is kept whose hashes fit the sources, else the one
/// with the lower upper end of its interval, else the smaller stored form; with a common base a side that changed an entry
/// alone has its way. Each conflict is named. Without LOCK it resolves the conflict of the package's bico.lock.
///
/// Trails (`..shard-3-of-8.jsonl`) are what `cargo bico tune --shard` leaves: they become one trail. Where the device is here, the
/// best configs of all parts are measured again, and the winner goes into bico.lock.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cargo bico merge ours.lock theirs.lock   two locks into that of the package
  cargo bico merge target/bico/app/gemm.shard-*.jsonl   the parts of a search
  cargo bico merge                         the conflict in bico.lock
  cargo bico merge --install               has git merge locks so, from now on

Git calls it by itself in a repository with this line in .gitattributes
    bico.lock merge=bico
and, in each clone, these settings; `cargo bico merge --install` writes all of it:
    git config merge.bico.name \"bico.lock, entry by entry\"
    git config merge.bico.driver \"cargo bico merge --driver %O %A %B\"")]
pub(super) struct Arguments {
    /// The locks, two or more; or trails of the parts of searches
    #[arg(value_name = "LOCK|TRAIL")]
    locks: Vec<PathBuf>,
    /// Where to write the result [default: stdout]
    #[arg(short, long, value_name = "FILE", requires = "locks")]
    output: Option<PathBuf>,
    /// As git calls it: the result takes the place of OURS
    #[arg(long, num_args = 3, value_names = ["BASE", "OURS", "THEIRS"], conflicts_with_all = ["locks", "install"])]
    driver: Option<Vec<PathBuf>>,
    /// Lets git call it in this repository: writes .gitattributes and git's settings
    #[arg(long, conflicts_with = "locks")]
    install: bool,
    /// The package whose sources the hashes are held against
    #[arg(long, value_name = "PATH", default_value = "Cargo.toml")]
    manifest_path: PathBuf,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Error> {
    let folder = match arguments.manifest_path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    if arguments.install {
        return install(folder);
    }
    if let Some(files) = &arguments.driver {
        return drive(files);
    }
    if arguments.locks.iter().any(|path| is_trail(path)) {
        return join_trails(arguments);
    }
    let path = folder.join("bico.lock");
    let mut conflict = match arguments.locks.is_empty() {
        true => Some(conflict(&path)?),
        false => None,
    };
    let unmerged = conflict.as_mut().map(|of| std::mem::take(&mut of.others));
    let mut sources = match arguments.manifest_path.is_file() {
        true => {
            let env = package::env(&arguments.manifest_path, &Features::All, Mode::Off)?;
            Some(Sources::new(env, unmerged.unwrap_or_default()))
        }
        false => None,
    };
    let mut ask = |place: &Place, lock: &Lock, entry: &Entry| match &mut sources {
        Some(sources) => sources.fit(place, lock, entry),
        None => Ok(false),
    };
    let mut fits = match arguments.manifest_path.is_file() {
        true => Fits::Sources(&mut ask),
        false => Fits::Unknown,
    };
    if let Some(conflict) = conflict {
        return resolve(&path, conflict, &mut fits);
    }
    if arguments.locks.len() == 1 {
        return Err(Error::usage(
            "there is nothing to merge one lock with: name two or more",
        ));
    }
    let sides = arguments.locks.iter().map(|path| read(path));
    let sides = sides.collect::<Result<Vec<_>, _>>()?;
    let merged = merge(None, &sides, &mut fits)?;
    told(&merged);
    match &arguments.output {
        Some(path) => {
            lock::overwrite(path, &merged.lock).map_err(Error::work)?;
            eprintln!("wrote {}: {}", path.display(), counted(&merged));
            Ok(())
        }
        None => out(&to_text(&merged.lock).map_err(Error::work)?),
    }
}

fn is_trail(path: &Path) -> bool {
    path.extension().is_some_and(|of| of == "jsonl")
}

/// Joins trails, which go where trails lie; the entries go into the package's lock.
fn join_trails(arguments: &Arguments) -> Result<(), Error> {
    if let Some(lock) = arguments.locks.iter().find(|path| !is_trail(path)) {
        let lock = crate::names::plain(&lock.display().to_string());
        return Err(
            Error::Usage(format!("{lock} is no trail, and the others are"))
                .help("merge locks and trails one after the other"),
        );
    }
    if arguments.output.is_some() {
        return Err(Error::usage("`--output` is for locks")
            .help("trails become one in target/bico, and their winner goes into bico.lock"));
    }
    let mut env = package::env(&arguments.manifest_path, &Features::All, Mode::Tune)?;
    // All parts are one search now.
    env.shard = None;
    join(env, &arguments.locks)
}

/// Resolves the conflict of a package's lock.
fn resolve(path: &Path, conflict: Conflict, fits: &mut Fits<'_>) -> Result<(), Error> {
    let from = conflict.from;
    let merged = merge(conflict.base.as_ref(), &conflict.sides, fits)?;
    told(&merged);
    lock::overwrite(path, &merged.lock).map_err(Error::work)?;
    eprintln!(
        "wrote {} from {from}: {}; look at it, then `git add bico.lock`\n  = help: `cargo bico merge --install` lets git do it by itself",
        path.display(),
        counted(&merged)
    );
    Ok(())
}

/// What git calls: the sources are not merged yet, so that only the base tells whose kernel it will be.
fn drive(files: &[PathBuf]) -> Result<(), Error> {
    let [base, ours, theirs] = files else {
        return Err(Error::usage(
            "`--driver` takes three files: BASE OURS THEIRS",
        ));
    };
    let side = |path: &Path, name: &str| -> Result<Side, Error> {
        // What one side only has, git gives as an empty file for the others.
        let text = lock::read_text(path)
            .map_err(Error::work)?
            .unwrap_or_default();
        let shown = PathBuf::from(format!("bico.lock ({name})"));
        let lock = match text.trim().is_empty() {
            true => Lock::default(),
            false => lock::parse(&shown, &text).map_err(Error::work)?,
        };
        let name = name.to_string();
        Ok(Side { name, lock })
    };
    let base = side(base, "base")?.lock;
    let sides = [side(ours, "ours")?, side(theirs, "theirs")?];
    let merged = merge(Some(&base), &sides, &mut Fits::Base)?;
    told(&merged);
    lock::overwrite(ours, &merged.lock).map_err(Error::work)
}

fn read(path: &Path) -> Result<Side, Error> {
    let lock = lock::load(path).map_err(Error::work)?;
    let name = path.display().to_string().escape_debug().to_string();
    match lock {
        Some(lock) => Ok(Side { name, lock }),
        None => Err(Error::Usage(format!("there is no file {name}"))),
    }
}

fn told(merged: &Merged) {
    for conflict in &merged.conflicts {
        eprintln!("bico.lock: {conflict}");
    }
}

/// `12 entries, 1 conflict`
fn counted(merged: &Merged) -> String {
    let count = |count: usize, one: &str, many: &str| match count {
        1 => format!("1 {one}"),
        _ => format!("{count} {many}"),
    };
    let entries = count(merged.entries, "entry", "entries");
    let conflicts = count(merged.conflicts.len(), "conflict", "conflicts");
    format!("{entries}, {conflicts}")
}

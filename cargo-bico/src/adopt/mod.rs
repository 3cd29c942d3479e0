//! From what programs learned at run time to `bico.lock`: what `cargo bico adopt` does.
//!
//! A program on a device that the lock does not know settles on a config and keeps that in the user's
//! cache. Its entry in the lock is made of that result, says `"source": "runtime"`, and is there to be reviewed.
//!
//! Whether its winner was ever compared with a reference, the result does not say. A program carries configs
//! that some device measured and found right, so an entry of the lock that names the winner tells how it
//! was verified (on that device; the code is the same). Only where nothing was ever measured does a
//! program carry what was merely predicted: then the entry says `"verified": "no"`. It is adopted all the
//! same, because without it the next build predicts that config again.

mod entry;
mod outcome;
mod proposal;

pub use outcome::{Adopted, Learned, Outcome, Row};

use crate::{Error, Features, package};
use bico::learned_files::{File, LEARNED, files};
use bico_build::env::{Env, Mode};
use bico_build::lock::{self, Lock};
use bico_build::scan::Found;
use bico_build::tuner::plan::Plan;
use bico_core::device::Facts;
use proposal::Proposal;
use std::path::{Path, PathBuf};

/// What shall be adopted.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    /// Only these tunables, by their keys; all where there are none.
    pub only: Vec<String>,
    /// The cache; by default the user's.
    pub cache: Option<PathBuf>,
    /// Whether entries from tuning are replaced.
    pub replace: bool,
}

/// Writes what programs learned of a package's tunables on this machine into its `bico.lock`.
///
/// What did not become an entry is said with the reason. Only results of the kernels as they stand in the
/// sources count.
///
/// # Errors
///
/// The package cannot be read, its sources have a mistake, its lock is faulty or cannot be
/// written, or there is no cache.
///
/// # Example
///
/// ```no_run
/// use cargo_bico::Features;
/// use cargo_bico::adopt::{Asked, adopt};
///
/// # fn f() -> Result<(), cargo_bico::Error> {
/// let adopted = adopt("Cargo.toml".as_ref(), &Features::All, &Asked::default())?;
/// print!("{adopted}");
/// # Ok(())
/// # }
/// ```
pub fn adopt(manifest: &Path, features: &Features, asked: &Asked) -> Result<Adopted, Error> {
    let env = package::env(manifest, features, Mode::Off)?;
    Offer::find(&env, asked)?.write()
}

/// What is there to be adopted: shown first, then written, or not.
pub(crate) struct Offer {
    lock: PathBuf,
    replace: bool,
    /// What no entry can be made of.
    rows: Vec<Row>,
    proposals: Vec<Proposal>,
}

impl Offer {
    /// Looks through the cache.
    ///
    /// # Errors
    ///
    /// The package cannot be read, its sources have a mistake, or there is no cache.
    pub(crate) fn find(env: &Env, asked: &Asked) -> Result<Offer, Error> {
        let cache = asked.cache.as_ref().or(env.cache_dir.as_ref()).ok_or(
            "there is no cache to adopt from\n  = help: BICO_CACHE is `off`, or there is no home folder: name the folder that the program used with `--cache`",
        )?;
        let found = package::tunables(env, &asked.only)?;
        let mut rows = Vec::new();
        let mut proposals: Vec<Proposal> = Vec::new();
        let mut learned = files(&cache.join(LEARNED));
        learned.sort_by_key(|file| numbers(&file.name.driver));
        for found in &found {
            let key = &found.spec.key.text;
            for file in learned.iter().filter(|file| file.name.tunable == *key) {
                let refused = |outcome| vec![Err(Box::new(Row::of_file(file, outcome)))];
                for one in propose(env, found, file).unwrap_or_else(refused) {
                    match one {
                        Ok(proposal) => proposals.push(proposal),
                        Err(row) => rows.push(*row),
                    }
                }
            }
        }
        // Of two drivers' results, the newer one's.
        let mut newest: Vec<Proposal> = Vec::new();
        for proposal in proposals.into_iter().rev() {
            match newest.iter().any(|newer| newer.is_for_same(&proposal)) {
                true => rows.push(proposal.row(Outcome::Older)),
                false => newest.push(proposal),
            }
        }
        Ok(Offer {
            lock: env.manifest_dir.join("bico.lock"),
            replace: asked.replace,
            rows,
            proposals: newest,
        })
    }

    /// What [`Offer::write`] would do, with the lock as it is now.
    ///
    /// # Errors
    ///
    /// The lock is faulty.
    pub(crate) fn shown(&self) -> Result<Adopted, Error> {
        let mut rows = self.rows.clone();
        if !self.proposals.is_empty() {
            let lock = lock::load(&self.lock).map_err(Error::work)?;
            self.apply(&mut lock.unwrap_or_default(), &mut rows);
        }
        Ok(self.adopted(rows, false))
    }

    /// Writes the lock.
    ///
    /// # Errors
    ///
    /// The lock is faulty or cannot be written.
    pub(crate) fn write(&self) -> Result<Adopted, Error> {
        let mut rows = self.rows.clone();
        let mut written = false;
        if !self.proposals.is_empty() {
            let put = |lock: &mut _| self.apply(lock, &mut rows);
            (_, written) = lock::modify(&self.lock, None, put).map_err(Error::work)?;
        }
        Ok(self.adopted(rows, written))
    }

    fn apply(&self, lock: &mut Lock, rows: &mut Vec<Row>) {
        let proposals = self.proposals.iter().cloned();
        rows.extend(proposals.map(|proposal| proposal.apply(lock, self.replace)));
    }

    fn adopted(&self, mut rows: Vec<Row>, written: bool) -> Adopted {
        rows.sort();
        Adopted {
            lock: self.lock.clone(),
            written,
            rows,
        }
    }
}

/// A result on its way into the lock, or why it is not.
type Made = Result<Proposal, Box<Row>>;

/// What one file gives, record by record.
fn propose(env: &Env, found: &Found, file: &File) -> Result<Vec<Made>, Outcome> {
    let refused = |why: &dyn std::fmt::Display| Outcome::Refused(why.to_string());
    let text = std::fs::read_to_string(&file.path).map_err(|error| refused(&error))?;
    let facts = lock::learned_facts(&file.path, &text).map_err(|error| refused(&error))?;
    let device = &file.name.device;
    if facts.key() != *device {
        let why = format!("{} has facts of {}", file.path.display(), facts.key());
        return Err(Outcome::Refused(why));
    }
    if matches!(facts, Facts::Cuda(_)) != found.spec.is_cuda() {
        return Err(refused(&format_args!("its kernel cannot run on {device}")));
    }
    let plan = Plan::new(found.clone(), &env.manifest_dir, &facts).map_err(Outcome::Refused)?;
    if plan.hashes.kernel().to_string() != file.name.hash {
        return Err(Outcome::Changed);
    }
    let records = file.records.iter();
    let made = records.map(|record| proposal::of(&plan, file, &facts, record));
    Ok(made.collect())
}

/// `570.124.6` is newer than `570.86.10`.
fn numbers(driver: &str) -> Vec<u64> {
    let parts = driver.split(|c: char| !c.is_ascii_digit());
    parts.filter_map(|part| part.parse().ok()).collect()
}

#[cfg(test)]
pub(crate) mod tests;

//! What became of each result, for people.

use bico::learned_files::File;
use bico_core::device::DeviceKey;
use std::fmt;
use std::path::PathBuf;

/// What [`adopt`](super::adopt) did.
#[derive(Debug, Clone, PartialEq)]
pub struct Adopted {
    /// The package's `bico.lock`.
    pub lock: PathBuf,
    /// Whether it was written.
    pub written: bool,
    /// What became of each result, sorted.
    pub rows: Vec<Row>,
}

/// What became of one result.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Row {
    /// The tunable's key.
    pub tunable: String,
    /// The device's key.
    pub device: DeviceKey,
    /// The sizes and constants, `m=64, n=64`; empty where it is about all of them.
    pub problem: String,
    /// What became of it.
    pub outcome: Outcome,
}

/// What can become of a result.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// It is in the lock now; says the winner and how sure it is.
    Adopted(String),
    /// It replaced an entry; says both.
    Replaced(String),
    /// It was in the lock before.
    Known,
    /// The lock has an entry from tuning, which was not to be replaced.
    Tuned,
    /// No arm has won yet, of so many that were tried.
    Exploring(usize),
    /// No problem of these sizes and constants is declared; says the one to be added.
    Undeclared(String),
    /// The kernel has changed since, or another package has a tunable of this name.
    Changed,
    /// A newer driver's result is there.
    Older,
    /// It cannot be true, or a lock cannot hold it; says why.
    Refused(String),
}

impl Row {
    pub(super) fn of_file(file: &File, outcome: Outcome) -> Row {
        Row {
            tunable: file.name.tunable.clone(),
            device: file.name.device.clone(),
            problem: String::new(),
            outcome,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Adopted(what) => write!(f, "adopted: {what}"),
            Outcome::Replaced(what) => write!(f, "replaced: {what}"),
            Outcome::Known => f.write_str("known: the lock says the same"),
            Outcome::Tuned => f.write_str("kept: the lock has an entry from tuning"),
            Outcome::Exploring(arms) => write!(f, "not settled yet, {arms} configs tried"),
            Outcome::Undeclared(problem) => {
                write!(f, "no such problem: add `{problem}` to the attribute")
            }
            Outcome::Changed => f.write_str(
                "learned with another kernel of this name: the source, space, launch or flags have changed since",
            ),
            Outcome::Older => f.write_str("a newer driver's result is there"),
            Outcome::Refused(why) => write!(f, "refused: {why}"),
        }
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.tunable)?;
        if !self.problem.is_empty() {
            write!(f, " ({})", self.problem)?;
        }
        write!(f, " on {}: {}", self.device, self.outcome)
    }
}

impl fmt::Display for Adopted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in &self.rows {
            writeln!(f, "{row}")?;
        }
        match (self.rows.is_empty(), self.written) {
            (true, _) => writeln!(
                f,
                "nothing to adopt: no program has learned anything of this package's tunables here"
            ),
            (false, false) => writeln!(f, "nothing was adopted"),
            (false, true) => writeln!(
                f,
                "wrote {}: review the entries with `\"source\": \"runtime\"`, and commit it",
                self.lock.display()
            ),
        }
    }
}

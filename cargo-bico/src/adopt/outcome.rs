//! What became of each result, for people.

use bico::learned_files::File;
use bico_build::report::columns;
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
    /// The config that won, where one did.
    pub learned: Option<Learned>,
    /// What became of it.
    pub outcome: Outcome,
}

/// A config that won, for people.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Learned {
    /// `TILE=4, VEC=2`
    pub config: String,
    /// `123 µs (122 µs to 124 µs)`
    pub time: String,
    /// How many of its calls were timed.
    pub calls: u64,
}

/// What can become of a result.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// It is an entry; says how it was verified.
    Adopted(String),
    /// It takes an entry's place; says how it was verified, and what stood there.
    Replaced(String),
    /// It was in the lock before.
    Known,
    /// The lock has an entry from tuning, which was not to be replaced; says it.
    Tuned(String),
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

impl Outcome {
    /// Whether the lock is another with it.
    pub fn is_new(&self) -> bool {
        matches!(self, Outcome::Adopted(_) | Outcome::Replaced(_))
    }
}

impl Row {
    pub(super) fn of_file(file: &File, outcome: Outcome) -> Row {
        Row {
            tunable: file.name.tunable.clone(),
            device: file.name.device.clone(),
            problem: String::new(),
            learned: None,
            outcome,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Adopted(how) => write!(f, "new; {how}"),
            Outcome::Replaced(what) => write!(f, "replaced; {what}"),
            Outcome::Known => f.write_str("the same"),
            Outcome::Tuned(what) => write!(f, "not replaced without `--replace`: {what}"),
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

/// A table; nothing where there are no rows.
impl fmt::Display for Adopted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.rows.is_empty() {
            return Ok(());
        }
        let head = "tunable|problem|device|config|time|calls|in bico.lock";
        let mut rows: Vec<Vec<String>> = vec![head.split('|').map(String::from).collect()];
        for row in &self.rows {
            let learned = row.learned.as_ref();
            let cell = |of: &dyn Fn(&Learned) -> String| learned.map_or("-".to_string(), of);
            rows.push(vec![
                row.tunable.clone(),
                row.problem.clone(),
                row.device.to_string(),
                cell(&|learned| learned.config.clone()),
                cell(&|learned| learned.time.clone()),
                cell(&|learned| learned.calls.to_string()),
                row.outcome.to_string(),
            ]);
        }
        f.write_str(&columns(&rows, rows[0].len()))
    }
}

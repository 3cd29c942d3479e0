//! A recorded space, ready to be searched.

use super::table::{Record, Status, Table};
use super::{Error, GpuFacts, format, rules};
use bico_search::rank::{Kind, Ranked};
use bico_search::space::Numbered;
use std::collections::HashSet;
use std::path::Path;

/// A space with what came of each of its configs.
#[derive(Debug)]
pub struct Recording {
    /// `KERNEL__DEVICE`, as its file is named.
    pub name: String,
    /// The kernel.
    pub kernel: String,
    /// The device.
    pub device: String,
    /// What is known of the device.
    pub facts: GpuFacts,
    /// The configs.
    pub configs: Numbered,
    /// Whether the configs are those that the file lists, where restrictions are not known.
    pub listed: bool,
    /// What was left out or made up.
    pub counts: Counts,
    /// What people should know of how the file was read.
    pub notes: Vec<String>,
    records: Vec<Record>,
}

/// How the file's rows and the space differ.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Configs that ran.
    pub timed: u64,
    /// Configs that failed when they were measured.
    pub failed: u64,
    /// Configs that the restrictions allow and nobody measured; they count as failed.
    pub missing: u64,
    /// Rows that the restrictions don't allow; left out.
    pub disallowed: u64,
    /// Rows of a config that stands there before; left out.
    pub repeated: u64,
}

impl Recording {
    /// Reads a file; see [`locate`](super::locate) for what may be named.
    ///
    /// # Errors
    ///
    /// What cannot be read or makes no sense, with its line or field.
    pub fn read(path: &Path) -> Result<Recording, Error> {
        Recording::new(path, format::read(path)?)
    }

    /// Makes the space of a table.
    ///
    /// # Errors
    ///
    /// A table without any config.
    pub fn new(path: &Path, mut table: Table) -> Result<Recording, Error> {
        let mut notes = std::mem::take(&mut table.notes);
        let ruled = ruled(&table, &mut notes);
        let listed = ruled.is_none();
        let rows = table.rows.iter().map(|row| table.values(row));
        let configs = match ruled {
            Some(configs) => configs,
            None => Numbered::listed(&table.parameters, rows)
                .map_err(|error| Error::new(path, error.message))?,
        };
        let mut counts = Counts::default();
        let mut records = vec![Record::default(); configs.len() as usize];
        let mut seen: HashSet<&[u32]> = HashSet::new();
        for row in &table.rows {
            if !seen.insert(&row.config) {
                counts.repeated += 1;
                continue;
            }
            match configs.index_of(&table.values(row)) {
                Some(number) => records[number as usize] = row.record.clone(),
                None => counts.disallowed += 1,
            }
        }
        for record in &records {
            match record.status {
                Status::Ok => counts.timed += 1,
                Status::Failed(_) => counts.failed += 1,
                Status::Missing => counts.missing += 1,
            }
        }
        if records.is_empty() {
            return Err(match listed {
                false => Error::new(path, "holds no config that the restrictions allow"),
                true => Error::new(path, "holds no config")
                    .help("a recorded space has one row or entry for each measured config"),
            });
        }
        Ok(Recording {
            name: table.name,
            kernel: table.kernel,
            device: table.device,
            facts: table.facts,
            configs,
            listed,
            counts,
            notes,
            records,
        })
    }

    /// The configs in the order of the seconds that somebody predicts of each, or in that of the space.
    pub fn ranked(&self, predicted: Option<&[f64]>) -> Ranked {
        let equal = || vec![1.0; self.records.len()];
        let predicted = predicted.map_or_else(equal, <[f64]>::to_vec);
        Ranked::new((0..self.configs.len()).collect(), predicted, Kind::Seconds)
    }

    /// What is recorded of a config. `config` is below the number of configs.
    pub fn record(&self, config: u64) -> &Record {
        &self.records[config as usize]
    }

    /// The lowest time in seconds, and whose it is; `None` where everything failed.
    pub fn optimum(&self) -> Option<(u64, f64)> {
        self.best(1).into_iter().next()
    }

    /// The fastest configs with their seconds, best first; of equal ones the first.
    pub fn best(&self, count: usize) -> Vec<(u64, f64)> {
        let records = (0..).zip(&self.records);
        let timed = records.filter_map(|(config, record)| Some((config, record.time?)));
        let mut timed: Vec<(u64, f64)> = timed.collect();
        timed.sort_by(|a, b| a.1.total_cmp(&b.1));
        timed.truncate(count);
        timed
    }

    /// The recording in one line, for people.
    pub fn describe(&self) -> String {
        let counts = self.counts;
        let listed = if self.listed { " (as listed)" } else { "" };
        let mut text = format!(
            "{}: {} configs{listed}, {} timed, {} failed",
            self.name,
            self.configs.len(),
            counts.timed,
            counts.failed
        );
        for (count, what) in [
            (counts.missing, "never measured (they count as failed)"),
            (
                counts.disallowed,
                "rows that the restrictions don't allow left out",
            ),
            (counts.repeated, "repeated rows left out"),
        ] {
            if count > 0 {
                text += &format!(", {count} {what}");
            }
        }
        text
    }
}

/// The configs by the restrictions, where they are known and can be translated.
fn ruled(table: &Table, notes: &mut Vec<String>) -> Option<Numbered> {
    match rules::configs(&table.parameters, table.restrictions.as_ref()?) {
        Ok(configs) => Some(configs.into_numbered()),
        Err(why) => {
            let count = table.rows.len();
            let note = format!("{why}; the space is the {count} rows that are listed");
            notes.push(note);
            None
        }
    }
}

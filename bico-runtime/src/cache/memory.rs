//! The memory of one tunable on one device, as a process uses it.

use super::file::{self, tell};
use super::json;
use super::merge::{Seen, merge};
use super::place;
use super::record::{Name, Record};
use crate::device::Facts;
use crate::learn::unless_busy;
use bico_core::Lists;
use bico_core::json::{Json, ToJson};
use bico_core::sorted;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

/// How long a call may wait for other processes where something was decided, which may be its last chance.
const PATIENCE: Duration = Duration::from_millis(100);

/// The file of a subject and what this process has seen in it. Whoever learns for itself has one of its own:
/// so two GPUs of a kind in one process add up like two processes.
pub struct Memory {
    /// What earlier processes learned.
    pub records: Vec<Record>,
    path: PathBuf,
    name: Name,
    facts: Json,
    seen: Mutex<Vec<Seen>>,
}

impl Memory {
    /// That of a subject, unless the cache is switched off. The facts of the device are kept beside the results, for a
    /// lock that does not know it.
    pub fn open(name: Name, facts: &Facts) -> Option<Memory> {
        place().map(|folder| Memory::open_in(folder, name, facts))
    }

    /// [`Memory::open`] in another folder than the user's.
    pub fn open_in(folder: &Path, name: Name, facts: &Facts) -> Memory {
        let path = name.path(folder);
        let content = file::read(&path, Some(&name));
        let records = content.map(|content| content.records).unwrap_or_default();
        let seen = records.iter().map(|record| Seen {
            record: record.clone(),
            others: Vec::new(),
        });
        Memory {
            seen: Mutex::new(seen.collect_vec()),
            facts: facts.to_json(),
            records,
            path,
            name,
        }
    }

    /// Keeps a bucket's record, which says all that the caller knows: what [`Memory::open`] gave it
    /// included, what others wrote since not.
    ///
    /// `false`: not now, another thread or process is at it; try later. `true`: there is nothing left to
    /// do. It is kept, or cannot be, which is logged. Waits for [`PATIENCE`] at most.
    pub fn save(&self, record: &Record) -> bool {
        self.save_within(PATIENCE, record)
    }

    /// [`Memory::save`] that waits for so long at most.
    pub fn save_within(&self, patience: Duration, record: &Record) -> bool {
        self.try_save(record, patience).unwrap_or_else(|error| {
            let what = format!("what was learned cannot be kept: {error}");
            tell(Some("write"), &self.path, &what);
            true
        })
    }

    fn try_save(&self, record: &Record, patience: Duration) -> std::io::Result<bool> {
        let Some(own) = json::kept(record) else {
            if record.arms.iter().any(|arm| arm.pulls > 0) {
                let what = "what was learned is no number and cannot be kept";
                tell(Some("record"), &self.path, what);
            }
            return Ok(true);
        };
        let Some(mut seen) = unless_busy(self.seen.try_lock()) else {
            return Ok(false);
        };
        file::make_folder(self.path.parent().unwrap_or(Path::new(".")))?;
        let Some(_lock) = file::lock(&self.lock_path(), patience)? else {
            return Ok(false);
        };
        let content = file::read(&self.path, Some(&self.name));
        let mut records = content.map(|content| content.records).unwrap_or_default();
        let in_file = records.iter().position(|known| known.same_key(&own));
        let known = seen.iter().position(|seen| seen.record.same_key(&own));
        let merged = merge(
            &own,
            known.map(|at| &seen[at]),
            in_file.map(|at| &records[at]),
        );
        match in_file {
            Some(at) => records[at] = merged.record.clone(),
            None => records.push(merged.record.clone()),
        }
        while records.len() > file::MOST_RECORDS {
            forget_one(&mut records, &own);
        }
        sorted::sort_by(&mut records, &Record::order);
        let text = json::text(&self.name, &self.facts, &records);
        if text.len() as u64 > file::LARGEST {
            return Err(std::io::Error::other("there is too much of it"));
        }
        file::replace(&self.path, &text)?;
        match known {
            Some(at) => seen[at] = merged,
            None => seen.push(merged),
        }
        Ok(true)
    }

    fn lock_path(&self) -> PathBuf {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        self.path.with_file_name(format!(".{name}.lock"))
    }
}

/// Takes out the record of the fewest calls, but not the one that is just written.
fn forget_one(records: &mut Vec<Record>, but: &Record) {
    let others = records.iter().enumerate();
    let others = others.filter(|(_, record)| !record.same_key(but));
    if let Some((at, _)) = others.min_by_key(|(_, record)| record.calls()) {
        records.remove(at);
    }
}

//! Locks made into one, entry by entry: what `cargo bico merge` does.
//!
//! Without a common base the result is the union, and of several entries for one problem the least of an order that
//! only the entries and the package's sources decide. So locks may be merged in any order and grouping.

mod choice;
mod git;
mod marks;
mod sources;

pub(crate) use choice::Fits;
pub(crate) use git::{Conflict, conflict, install};
pub(crate) use sources::Sources;

use crate::Error;
use bico_build::lock::{Entry, Lock};
use bico_core::device::{DeviceKey, Facts};
use bico_core::json::ToJson;
use std::collections::BTreeSet;
use std::fmt;

/// One of the locks.
#[derive(Debug, Clone)]
pub(crate) struct Side {
    /// How messages call it.
    pub(crate) name: String,
    pub(crate) lock: Lock,
}

/// What came of it.
#[derive(Debug, Clone)]
pub(crate) struct Merged {
    pub(crate) lock: Lock,
    pub(crate) entries: usize,
    /// What was decided where the locks disagree, a line each.
    pub(crate) conflicts: Vec<String>,
}

/// Which result an entry is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) tunable: String,
    pub(crate) device: DeviceKey,
    pub(crate) problem: String,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}) on {}", self.tunable, self.problem, self.device)
    }
}

impl Place {
    pub(crate) fn of<'l>(&self, lock: &'l Lock) -> Option<&'l Entry> {
        let devices = lock.kernels.get(&self.tunable)?;
        devices.get(&self.device)?.get(&self.problem)
    }

    fn all(lock: &Lock) -> impl Iterator<Item = Place> {
        lock.kernels.iter().flat_map(|(tunable, devices)| {
            devices.iter().flat_map(move |(device, problems)| {
                problems.keys().map(move |problem| Place {
                    tunable: tunable.clone(),
                    device: device.clone(),
                    problem: problem.clone(),
                })
            })
        })
    }
}

/// What the sides say of one thing, as far as that can be told without looking into it.
enum Said {
    /// This side's, or nobody's.
    Agreed(Option<usize>),
    /// Changed by this side, deleted by another.
    Kept(usize),
    /// These sides say different things.
    Several(Vec<usize>),
}

/// With a base only the sides that changed it count.
fn said<T: PartialEq>(base: Option<Option<&T>>, sides: &[Option<&T>]) -> Said {
    let counts = |side: &Option<&T>| match base {
        None => side.is_some(),
        Some(base) => *side != base,
    };
    let mut different: Vec<usize> = Vec::new();
    for (at, side) in sides.iter().enumerate().filter(|(_, side)| counts(side)) {
        if different.iter().all(|known| sides[*known] != *side) {
            different.push(at);
        }
    }
    let deleted = different.iter().any(|at| sides[*at].is_none());
    different.retain(|at| sides[*at].is_some());
    match (different.as_slice(), deleted) {
        ([], true) => Said::Agreed(None),
        // Nobody changed it: all say the same.
        ([], false) => Said::Agreed(sides.iter().position(Option::is_some)),
        ([one], false) => Said::Agreed(Some(*one)),
        ([one], true) => Said::Kept(*one),
        (several, _) => Said::Several(several.to_vec()),
    }
}

/// Merges locks; with a base, a side that changed something alone has its way.
///
/// # Errors
///
/// Sources cannot be read where it depends on them.
pub(crate) fn merge(
    base: Option<&Lock>,
    sides: &[Side],
    fits: &mut Fits<'_>,
) -> Result<Merged, Error> {
    let mut merged = Merged {
        lock: Lock::default(),
        entries: 0,
        conflicts: Vec::new(),
    };
    let places: BTreeSet<Place> = sides
        .iter()
        .flat_map(|side| Place::all(&side.lock))
        .collect();
    for place in places {
        let entries: Vec<Option<&Entry>> = sides.iter().map(|side| place.of(&side.lock)).collect();
        let before = base.map(|base| place.of(base));
        let chosen = match said(before, &entries) {
            Said::Agreed(side) => side,
            Said::Kept(side) => {
                let name = &sides[side].name;
                let line =
                    format!("{place}: kept {name}, which changed it; deleted on the other side");
                merged.conflicts.push(line);
                Some(side)
            }
            Said::Several(of) => {
                let (side, why) = choice::choose(&place, before.flatten(), sides, &of, fits)?;
                let name = &sides[side].name;
                merged
                    .conflicts
                    .push(format!("{place}: took {name}: {why}"));
                Some(side)
            }
        };
        if let Some(entry) = chosen.and_then(|side| entries[side]) {
            merged.entries += 1;
            let kernel = merged.lock.kernels.or_default(place.tunable);
            let problems = kernel.or_default(place.device);
            problems.insert(place.problem, entry.clone());
        }
    }
    devices(base, sides, &mut merged);
    Ok(merged)
}

/// Facts of the devices, of all that an entry is of in any case.
fn devices(base: Option<&Lock>, sides: &[Side], merged: &mut Merged) {
    let keys = sides.iter().flat_map(|side| side.lock.devices.keys());
    let keys: BTreeSet<&DeviceKey> = keys.collect();
    for key in keys {
        let known: Vec<Option<&Facts>> = sides
            .iter()
            .map(|side| side.lock.devices.get(key))
            .collect();
        let before = base.map(|base| base.devices.get(key));
        let chosen = match said(before, &known) {
            Said::Agreed(side) => side,
            Said::Kept(side) => Some(side),
            Said::Several(of) => {
                let form = |side: &usize| known[*side].map(|facts| facts.to_json().to_text());
                let least = of.iter().copied().min_by_key(form);
                let name = least.map_or("", |side| &sides[side].name);
                let line = format!(
                    "the facts of {key} differ: took those of {name}, the smaller stored form"
                );
                merged.conflicts.push(line);
                least
            }
        };
        let used = merged.lock.kernels.values().any(|of| of.contains_key(key));
        let any = || known.iter().flatten().next().copied();
        let facts = chosen.and_then(|side| known[side]);
        if let Some(facts) = facts.or_else(|| any().filter(|_| used)) {
            merged.lock.devices.insert(key.clone(), facts.clone());
        }
    }
}

#[cfg(test)]
mod tests;

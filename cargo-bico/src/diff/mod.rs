//! What `cargo bico diff` does: one state of `bico.lock` beside another.

mod revision;
mod text;

pub(crate) use revision::earlier;
pub(crate) use text::{for_people, markdown};

use crate::config::{Values, values};
use bico_build::lock::{Entry, Lock};
use serde::Serialize;
use std::borrow::Borrow;
use std::collections::BTreeSet;

/// What became of a tunable's problem on a device.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Change {
    pub(crate) tunable: String,
    pub(crate) device: String,
    pub(crate) problem: String,
    pub(crate) kind: Kind,
    pub(crate) old: Option<Side>,
    pub(crate) new: Option<Side>,
    /// What of the kernel changed in between, as the lock names its hashes.
    pub(crate) changed: Vec<&'static str>,
    /// Whether the intervals overlap; `None` where the times cannot be compared.
    pub(crate) within_noise: Option<bool>,
}

/// What sort of a change it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    Added,
    Removed,
    /// Another config won.
    Winner,
    /// The same config won, and was timed again, or is another kernel's.
    Again,
}

/// One of both results.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Side {
    pub(crate) config: Values,
    pub(crate) seconds: f64,
    pub(crate) interval_seconds: [f64; 2],
    pub(crate) timed: Option<String>,
}

impl Side {
    fn new(entry: &Entry) -> Side {
        Side {
            config: values(&entry.winner.config),
            seconds: entry.winner.seconds,
            interval_seconds: entry.interval,
            timed: entry.timed.clone(),
        }
    }

    fn overlaps(&self, other: &Side) -> bool {
        let ([low, high], [least, most]) = (self.interval_seconds, other.interval_seconds);
        low <= most && least <= high
    }
}

impl Change {
    fn new(place: &Place<'_>, old: Option<&Entry>, new: Option<&Entry>) -> Option<Change> {
        let (tunable, device, problem) = *place;
        let both = old.zip(new);
        let kind = match (old, new) {
            (None, _) => Kind::Added,
            (_, None) => Kind::Removed,
            (Some(old), Some(new)) if is_same(old, new) => return None,
            (Some(old), Some(new)) if old.winner.config == new.winner.config => Kind::Again,
            _ => Kind::Winner,
        };
        let changed = both.map(|(old, new)| old.hashes.changed(&new.hashes));
        let (old, new) = (old.map(Side::new), new.map(Side::new));
        let comparable = old.as_ref().zip(new.as_ref());
        let comparable = comparable.filter(|(old, new)| old.timed == new.timed);
        Some(Change {
            within_noise: comparable.map(|(old, new)| old.overlaps(new)),
            tunable: tunable.to_string(),
            device: device.to_string(),
            problem: problem.to_string(),
            kind,
            old,
            new,
            changed: changed.unwrap_or_default(),
        })
    }
}

/// Whether nothing differs that is shown.
fn is_same(old: &Entry, new: &Entry) -> bool {
    old.hashes.changed(&new.hashes).is_empty() && Side::new(old) == Side::new(new)
}

/// A tunable's, a device's and a problem's key.
type Place<'a> = (&'a str, &'a str, &'a str);

fn places(lock: &Lock) -> impl Iterator<Item = Place<'_>> {
    let kernels = lock.kernels.iter();
    let devices = kernels.flat_map(|(key, of)| of.iter().map(move |device| (key, device)));
    devices.flat_map(|(key, (device, problems))| {
        let problems = problems.keys();
        problems.map(move |problem| (key.as_str(), device.borrow(), problem.as_str()))
    })
}

fn entry<'l>(lock: &'l Lock, (tunable, device, problem): &Place<'_>) -> Option<&'l Entry> {
    lock.kernels.get(*tunable)?.get(*device)?.get(*problem)
}

/// What changed from one state to the other, sorted, and how many results did not.
pub(crate) fn diff(old: &Lock, new: &Lock) -> (Vec<Change>, usize) {
    let all: BTreeSet<Place<'_>> = places(old).chain(places(new)).collect();
    let change = |place: &Place<'_>| Change::new(place, entry(old, place), entry(new, place));
    let changes: Vec<Change> = all.iter().filter_map(change).collect();
    let same = all.len() - changes.len();
    (changes, same)
}

#[cfg(test)]
mod tests;

//! Which of several entries for one problem is kept.

use super::{Place, Side};
use crate::Error;
use bico_build::lock::{Entry, Lock, to_text};
use bico_build::report;
use std::cmp::Ordering;

/// Whether an entry of a lock is one of the kernel as it stands.
pub(crate) type Ask<'a> = dyn FnMut(&Place, &Lock, &Entry) -> Result<bool, Error> + 'a;

/// By what an entry counts as one of the kernel as it stands.
pub(crate) enum Fits<'a> {
    /// The package's sources say it.
    Sources(&'a mut Ask<'a>),
    /// While git merges: the sources are merged as well, and what they will be is known of what only one side changed.
    Base,
    /// There are no sources.
    Unknown,
}

/// An entry on its way.
struct Candidate<'a> {
    side: usize,
    entry: &'a Entry,
    fits: bool,
    /// As the lock stores it.
    form: String,
}

impl Candidate<'_> {
    /// What comes first is kept. It depends on the entries and the sources alone.
    fn order(&self, other: &Candidate<'_>) -> Ordering {
        let (high, others) = (self.entry.interval[1], other.entry.interval[1]);
        (other.fits.cmp(&self.fits))
            .then(high.total_cmp(&others))
            .then_with(|| self.form.cmp(&other.form))
    }
}

/// The side whose entry is kept, of those that differ, and why.
///
/// # Errors
///
/// The sources cannot be read, and it depends on them.
pub(super) fn choose(
    place: &Place,
    base: Option<&Entry>,
    sides: &[Side],
    of: &[usize],
    fits: &mut Fits<'_>,
) -> Result<(usize, String), Error> {
    let entries: Vec<(usize, &Entry)> = of
        .iter()
        .filter_map(|side| Some((*side, place.of(&sides[*side].lock)?)))
        .collect();
    // Of equal hashes all fit, or none.
    let same_kernel = entries
        .windows(2)
        .all(|pair| pair[0].1.hashes == pair[1].1.hashes);
    let mut candidates = Vec::new();
    for (side, entry) in &entries {
        let fits = !same_kernel
            && match fits {
                Fits::Sources(ask) => ask(place, &sides[*side].lock, entry)?,
                Fits::Base => base.is_some_and(|base| {
                    let others = entries.iter().filter(|(other, _)| other != side);
                    others
                        .map(|(_, other)| *other)
                        .all(|other| stands(base, entry, other))
                }),
                Fits::Unknown => false,
            };
        candidates.push(Candidate {
            side: *side,
            entry,
            fits,
            form: form(place, &sides[*side].lock, entry)?,
        });
    }
    candidates.sort_by(Candidate::order);
    let [first, second, ..] = candidates.as_slice() else {
        return Err(Error::work(format!(
            "{place}: there is nothing to choose from"
        )));
    };
    let why = why(first, second, same_kernel, fits);
    Ok((first.side, why))
}

/// Whether what the other side changed of the kernel is in this entry's hashes as well.
fn stands(base: &Entry, entry: &Entry, other: &Entry) -> bool {
    let differ = entry.hashes.changed(&other.hashes);
    let changed = base.hashes.changed(&other.hashes);
    !changed.iter().any(|field| differ.contains(field))
}

fn why(
    first: &Candidate<'_>,
    second: &Candidate<'_>,
    same_kernel: bool,
    fits: &Fits<'_>,
) -> String {
    if first.fits && !second.fits {
        return match fits {
            Fits::Base => "only that side changed the kernel".to_string(),
            _ => "its hashes fit the sources".to_string(),
        };
    }
    let neither = match fits {
        _ if same_kernel || first.fits => "",
        Fits::Sources(_) => "none fits the sources; ",
        Fits::Base => "the kernels differ, tune again; ",
        Fits::Unknown => "the kernels differ, and there are no sources to ask; ",
    };
    let [low, high] = [first, second].map(|of| of.entry.interval[1]);
    match low < high {
        true => {
            let [low, high] = [low, high].map(report::time);
            format!("{neither}at most {low}, against {high}")
        }
        false => format!("{neither}equally fast, and the smaller stored form"),
    }
}

/// An entry as the lock stores it.
fn form(place: &Place, lock: &Lock, entry: &Entry) -> Result<String, Error> {
    let mut alone = Lock::default();
    if let Some(facts) = lock.devices.get(&place.device) {
        alone.devices.insert(place.device.clone(), facts.clone());
    }
    let kernel = alone.kernels.or_default(place.tunable.clone());
    let problems = kernel.or_default(place.device.clone());
    problems.insert(place.problem.clone(), entry.clone());
    let text = to_text(&alone).map_err(Error::work)?;
    // The facts stand before it, and are no part of the entry.
    Ok(text
        .split_once("\"kernels\"")
        .map_or(String::new(), |(_, form)| form.to_string()))
}

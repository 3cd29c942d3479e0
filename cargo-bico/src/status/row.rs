//! What is to be said of one result of the lock.

use bico_build::lock::{Entry, Hashes};
use bico_build::tuner::faults::Faulty;
use bico_build::tuner::plan::Plan;
use bico_core::device::DeviceKey;
use serde::Serialize;
use std::fmt;

/// How a result stands to its tunable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum State {
    /// It is of the kernel as it stands in the sources.
    Fresh,
    /// It is, and was verified by rules that are older than this version's.
    Outdated,
    /// The kernel changed since.
    Stale,
    /// It cannot be true: a config is outside of the space.
    Faulty,
    /// A problem that no device has a result of.
    Missing,
    /// Nothing asks for it.
    Unused,
}

impl State {
    pub(crate) const ALL: [State; 6] = [
        State::Fresh,
        State::Outdated,
        State::Stale,
        State::Faulty,
        State::Missing,
        State::Unused,
    ];

    /// Its name for people and programs.
    pub(crate) fn name(self) -> &'static str {
        ["fresh", "outdated", "stale", "faulty", "missing", "unused"][self as usize]
    }

    /// Whether somebody has to tune.
    pub(crate) fn fails(self) -> bool {
        matches!(self, State::Stale | State::Faulty | State::Missing)
    }
}

/// A result of the lock, or a problem without one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Row {
    pub(crate) tunable: String,
    /// `None` where a problem has no result.
    pub(crate) device: Option<String>,
    pub(crate) problem: String,
    pub(crate) state: State,
    /// What changed since it was tuned, as the lock names its hashes.
    pub(crate) changed: Vec<&'static str>,
    /// What there is to know beside.
    pub(crate) note: Option<String>,
}

impl Row {
    /// A result that a tunable asks for.
    pub(super) fn of(
        plan: &Plan,
        device: &DeviceKey,
        problem: &str,
        entry: &Entry,
        fault: Option<&Faulty>,
    ) -> Row {
        let changed = entry.hashes.changed(&plan.hashes);
        let (state, note) = match fault {
            _ if !changed.is_empty() => (State::Stale, Some(what(&changed, plan, &entry.hashes))),
            Some(fault) => {
                let (line, why) = (fault.error.place.line, &fault.error.message);
                (State::Faulty, Some(format!("line {line}: {why}")))
            }
            None if entry.is_outdated() => {
                let note =
                    "verified by older rules: `BICO=auto cargo build` there verifies it again";
                (State::Outdated, Some(note.to_string()))
            }
            None => (State::Fresh, None),
        };
        Row {
            tunable: plan.key().to_string(),
            device: Some(device.to_string()),
            problem: problem.to_string(),
            state,
            changed,
            note,
        }
    }

    /// A problem without a result.
    pub(super) fn missing(key: &str, problem: &str) -> Row {
        Row {
            tunable: key.to_string(),
            device: None,
            problem: problem.to_string(),
            state: State::Missing,
            changed: Vec::new(),
            note: Some("no device has a result of it".to_string()),
        }
    }

    /// A result that nothing asks for; `known` is the tunable of its key.
    pub(super) fn unused(
        known: Option<&Plan>,
        key: &str,
        device: &DeviceKey,
        problem: &str,
    ) -> Row {
        let why = match known {
            Some(_) => "the tunable has no such problem",
            None => "there is no such tunable",
        };
        Row {
            device: Some(device.to_string()),
            state: State::Unused,
            note: Some(why.to_string()),
            ..Row::missing(key, problem)
        }
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.tunable, self.problem)?;
        match &self.device {
            Some(device) => write!(f, " on {device}"),
            None => Ok(()),
        }
    }
}

/// What changed, with the names of the files where these are known: `source (kernels/work.c and what it includes), flags`.
fn what(changed: &[&'static str], plan: &Plan, old: &Hashes) -> String {
    let named = |part: &&str| match *part {
        "source" if !plan.found.spec.is_written() => {
            let file = plan.found.sources[0].display();
            format!("source ({file} and what it includes)")
        }
        "headers" => {
            let new = &plan.hashes.headers;
            let differs = |name: &&String| {
                let known = new.get(*name);
                known.is_some_and(|known| Some(known) != old.headers.get(*name))
            };
            let names = old.headers.keys().filter(differs);
            let names: Vec<&str> = names.map(String::as_str).collect();
            format!("headers ({})", names.join(", "))
        }
        part => part.to_string(),
    };
    let parts: Vec<String> = changed.iter().map(named).collect();
    format!("changed: {}", parts.join(", "))
}

//! What was asked of the driver, counted: a test wants to see that nothing waited, for instance.

use std::sync::atomic::{AtomicU64, Ordering};

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Count {
    /// Calls of the driver.
    Calls,
    /// Calls that wait for a GPU.
    Waits,
    /// Events made.
    Events,
    /// Events recorded with their time.
    Records,
    /// Questions whether an event is complete.
    Queries,
    /// Questions whether a stream is being captured.
    Captures,
    /// What a program must not do while a stream is captured.
    Mistakes,
}

const NAMES: [(&str, Count); 7] = [
    ("calls", Count::Calls),
    ("waits", Count::Waits),
    ("events", Count::Events),
    ("records", Count::Records),
    ("queries", Count::Queries),
    ("captures", Count::Captures),
    ("mistakes", Count::Mistakes),
];

static COUNTS: [AtomicU64; NAMES.len()] = [const { AtomicU64::new(0) }; NAMES.len()];

impl Count {
    pub(crate) fn named(name: &str) -> Option<Count> {
        let found = NAMES.iter().find(|(known, _)| *known == name);
        found.map(|(_, count)| *count)
    }

    pub(crate) fn one_more(self) {
        COUNTS[self as usize].fetch_add(1, Ordering::SeqCst);
    }

    pub(crate) fn get(self) -> u64 {
        COUNTS[self as usize].load(Ordering::SeqCst)
    }
}

//! What runs share that tune several devices at once.

use super::unfinished::Unfinished;
use crate::env::Env;
use bico_core::Set;
use std::sync::{Arc, Mutex, PoisonError};

/// What runs share that tune several devices at once.
#[derive(Clone)]
pub(in crate::tuner) struct Shared {
    pub(super) unfinished: Unfinished,
    /// Tunables whose tables were begun.
    begun: Arc<Mutex<Set<String>>>,
}

impl Shared {
    pub(in crate::tuner) fn of(env: &Env) -> Shared {
        Shared {
            unfinished: Unfinished::of(env),
            begun: Arc::default(),
        }
    }

    /// The run did all that it was to do.
    pub(in crate::tuner) fn end(&self) {
        self.unfinished.end();
    }

    /// Whether a tunable's tables are begun now.
    pub(super) fn begins(&self, key: &str) -> bool {
        let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        begun.insert(key.to_string())
    }
}

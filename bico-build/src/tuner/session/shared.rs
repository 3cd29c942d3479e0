//! What runs share that tune several devices at once.

use super::files::Files;
use super::unfinished::Unfinished;
use crate::env::Env;
use crate::tuner::TuneError;
use crate::tuner::plan::Plan;
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

    /// A tunable's files. Its tables begin anew where nobody has opened them.
    pub(super) fn files(&self, env: &Env, plan: &Plan) -> Result<Files, TuneError> {
        let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        Files::create(env, plan, begun.insert(plan.key().to_string()))
    }
}

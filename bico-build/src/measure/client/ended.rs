//! Why a request has no answer.

use bico_search::search::Failure;

/// Why a request has no answer. The worker is gone.
#[derive(Debug)]
pub(crate) enum Ended {
    /// It died on its own.
    Crashed { how: String, during: During },
    /// It took longer than allowed, and was killed.
    TimedOut { seconds: f64, during: During },
    /// It could not be started, or said what no worker says.
    Broken(String),
}

/// What a worker did when it ended.
#[derive(Debug, Clone, Default)]
pub(crate) struct During {
    /// Its last announced step.
    pub(crate) step: String,
    /// The entrant it was about, in finals.
    pub(crate) entrant: Option<usize>,
}

impl Ended {
    /// The entrant of the finals that it happened to.
    pub(crate) fn entrant(&self) -> Option<usize> {
        match self {
            Ended::Crashed { during, .. } | Ended::TimedOut { during, .. } => during.entrant,
            Ended::Broken(_) => None,
        }
    }
}

impl From<Ended> for Failure {
    fn from(ended: Ended) -> Failure {
        match ended {
            Ended::Crashed { how, during } => Failure::Crash(format!("{how}, at {}", during.step)),
            Ended::TimedOut { seconds, during } => Failure::Timeout(format!(
                "stopped after {} s, at {}",
                (seconds * 10.0).round() / 10.0,
                during.step
            )),
            Ended::Broken(text) => Failure::Worker(text),
        }
    }
}

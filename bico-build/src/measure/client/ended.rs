//! How a worker ended.

use crate::measure::trial::at;
use bico_search::search::Failure;
use std::fmt;

/// Why a request was given up that may be none of the kernel's fault.
pub(super) const OVER: &str = "stopped, as the package's cap on tuning is used up";

/// Why a request has no answer. The worker is gone.
#[derive(Debug)]
pub(crate) enum Ended {
    /// A kernel touched what it must not, and it died of that.
    Trespassed { failure: Failure, during: During },
    /// It died on its own.
    Crashed { how: String, during: During },
    /// It took longer than allowed, and was killed.
    TimedOut { seconds: f64, during: During },
    /// It could not be started, or said what no worker says.
    Broken(String),
}

/// What a worker did when it ended.
#[derive(Debug, Default)]
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
            Ended::Trespassed { during, .. }
            | Ended::Crashed { during, .. }
            | Ended::TimedOut { during, .. } => during.entrant,
            Ended::Broken(_) => None,
        }
    }
}

impl Ended {
    /// Whether it did not so much as begin with what it was asked.
    pub(crate) fn is_silence(&self) -> bool {
        matches!(self, Ended::TimedOut { during, .. } if during.step.is_empty())
    }

    /// Whether that is the fault of what was asked: another worker would not fare better.
    pub(crate) fn is_decided(&self) -> bool {
        match self {
            Ended::Trespassed { .. } => true,
            Ended::Broken(why) => why == OVER,
            Ended::Crashed { .. } | Ended::TimedOut { .. } => false,
        }
    }

    /// What to say where that came of the step of this name.
    ///
    /// # Errors
    ///
    /// It did, or of the worker itself.
    pub(crate) fn blames(&self, name: &str) -> Result<(), String> {
        match self {
            Ended::Crashed { how, during } if during.step == name => Err(format!(
                "{name} crashed on results that nobody has written: {how}\n  = help: they may be anything, let it look before it takes one for an index"
            )),
            Ended::TimedOut { seconds, during } if during.step == name => {
                Err(format!("{name} takes more than {} s", seconds.round()))
            }
            Ended::Broken(text) => Err(text.clone()),
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ended::Trespassed { failure, .. } => write!(f, "{failure}"),
            Ended::Crashed { how, during } => write!(f, "{how}, at {}", during.step),
            Ended::TimedOut { seconds, .. } => write!(f, "it said nothing for {seconds:.1} s"),
            Ended::Broken(text) => f.write_str(text.lines().next().unwrap_or_default()),
        }
    }
}

impl From<Ended> for Failure {
    fn from(ended: Ended) -> Failure {
        match ended {
            Ended::Trespassed { failure, during } => at(failure, &during.step),
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

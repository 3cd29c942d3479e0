//! A plan over several recordings.

use super::{Hints, Plan, Recording, Subject, Summary, prior, summaries};
use crate::Error;

/// What searches know before they begin.
#[derive(Clone, Copy)]
pub struct Knowledge<'a> {
    /// Recordings of other devices; those of the same kernel are priors. The recording that is
    /// searched is never its own prior.
    pub others: &'a [Recording],
    /// How many trials of each of them are known, best first.
    pub trials: usize,
    /// What the kernels' authors say.
    pub hints: Option<&'a Hints>,
}

impl Knowledge<'_> {
    /// Nothing but the space.
    pub const NONE: Knowledge<'static> = Knowledge {
        others: &[],
        trials: 0,
        hints: None,
    };
}

/// Runs a plan on every recording.
///
/// # Errors
///
/// A strategy that does not exist, a trail that cannot be written, or an author whose words don't
/// fit a recording.
pub fn compare(
    plan: &Plan,
    recordings: &[&Recording],
    knowledge: &Knowledge<'_>,
) -> Result<Vec<Summary>, Error> {
    let mut rows = Vec::new();
    for recording in recordings {
        let kin = knowledge
            .others
            .iter()
            .filter(|other| other.kernel == recording.kernel && other.name != recording.name);
        let predicted = match knowledge.hints {
            Some(hints) => hints.predict(recording)?,
            None => None,
        };
        let subject = Subject {
            recording,
            predicted,
            priors: kin
                .map(|other| prior(recording, other, knowledge.trials))
                .collect(),
        };
        let runs = plan.run(&subject)?;
        rows.extend(summaries(&recording.name, plan, &runs));
    }
    Ok(rows)
}

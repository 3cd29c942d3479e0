//! A plan over several recordings.

use super::{Hints, Plan, Recording, Subject, Summary, prior, summaries};
use crate::Error;

/// What searches know before they begin; by default nothing but the space.
#[derive(Clone, Copy, Default)]
pub struct Knowledge<'a> {
    /// Recordings of other devices; those of the same kernel are priors. The recording that is
    /// searched is never its own prior.
    pub others: &'a [Recording],
    /// How many trials of each of them are known, best first.
    pub trials: usize,
    /// What the kernels' authors say.
    pub hints: Option<&'a Hints>,
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
        let predicted = knowledge.hints.map(|hints| hints.predict(recording));
        let subject = Subject {
            recording,
            predicted: predicted.transpose()?.flatten(),
            priors: kin
                .map(|other| prior(recording, other, knowledge.trials))
                .collect(),
        };
        let runs = plan.run(&subject)?;
        rows.extend(summaries(&recording.name, plan, &runs));
    }
    Ok(rows)
}

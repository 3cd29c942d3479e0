//! What the lock holds by older rules, verified by those of this version: nothing is searched or timed.

use super::Session;
use super::case::Case;
use super::opening::Likely;
use crate::lock::{RULES, Trial};
use crate::report::assignment;
use crate::tuner::TuneError;
use crate::tuner::devices::Target;
use crate::tuner::store::Store;
use bico_search::search::{Failure, Measure};

impl Session<'_> {
    /// Verifies the configs of this device's entry again, which loses those that are wrong. Where its winner is,
    /// the entry is gone, and this gives the numbers of those that are right.
    pub(super) fn verify_again(
        &mut self,
        case: &Case<'_>,
        target: &Target,
        store: &mut Store,
    ) -> Result<Option<Vec<u64>>, TuneError> {
        let (key, device, problem) = (case.plan.key(), target.facts.key(), &case.problem.key);
        let Some(entry) = store.entry(key, &device, problem) else {
            return Ok(None);
        };
        let (mut entry, numbers) = (entry.clone(), case.numbers(entry));
        let subject = self.subject(case, target);
        let likely = Likely::all(numbers.clone());
        let mut measure = self.prepared(case, target, &subject, &likely)?;
        let winner = case.number(&entry.winner);
        let mut results = Vec::new();
        for number in &numbers {
            let mut result = measure.verify_again(*number);
            if Some(*number) == winner {
                result = result.and_then(|()| measure.confirm(*number).map(drop));
            }
            let is_late = self.left() <= 0.0;
            use Failure::{Compile, Memory, Unlaunchable, Worker};
            let is_open = match &result {
                Err(Worker(_)) => true,
                // Says nothing of the winner's results.
                Err(Compile(_) | Memory(_) | Unlaunchable(_)) => results.is_empty(),
                _ => false,
            };
            // A later build tries again.
            if is_late || is_open {
                return Ok(None);
            }
            results.push(result);
        }
        let mut right = Vec::new();
        for (number, result) in numbers.into_iter().zip(results) {
            // Without a reference, what most results are is known only now.
            let Err(failure) = result.and_then(|()| measure.verdict(number)) else {
                right.push(number);
                continue;
            };
            let config = assignment(case.space.names(), &case.space.config(number));
            let (label, text) = (&case.problem.label, failure.to_string());
            let line = text.lines().next().unwrap_or_default();
            self.wrong
                .push(format!("{config} of {key} ({label}), {line}"));
        }
        (entry.verified, entry.rules) = (measure.verified, RULES);
        self.faults.extend(case.unchecked(&measure));
        entry.tested = winner.and_then(|winner| measure.tested(winner));
        if !winner.is_some_and(|winner| right.contains(&winner)) {
            store.discard(key, &device, problem);
            return Ok(Some(right));
        }
        let is_right = |trial: &Trial| case.number(trial).is_some_and(|of| right.contains(&of));
        entry.trials.retain(is_right);
        entry.first = entry.first.filter(is_right);
        entry.ranked = entry.ranked.filter(is_right);
        store.keep(self.env.mode, key, &target.facts, problem, entry)?;
        self.verified += 1;
        Ok(None)
    }
}

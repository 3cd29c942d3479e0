//! What the lock holds by older rules, verified by those of this version: nothing is searched or timed.

use super::Session;
use super::case::Case;
use crate::lock::{RULES, Trial};
use crate::report::assignment;
use crate::tuner::TuneError;
use crate::tuner::devices::Target;
use crate::tuner::store::Store;
use bico_search::search::Failure;

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
        let mut measure = self.prepared(case, target, &subject, &numbers)?;
        let results = numbers.iter().map(|number| measure.verify_again(*number));
        let mut results: Vec<Result<(), Failure>> = results.collect();
        // Without a reference, what most results are is known only now.
        for (result, number) in results.iter_mut().zip(&numbers) {
            if result.is_ok() {
                *result = measure.verdict(*number);
            }
        }
        // Without a worker nothing was found out: the next build tries again.
        if results
            .iter()
            .any(|result| matches!(result, Err(Failure::Worker(_))))
        {
            return Ok(None);
        }
        (entry.verified, entry.rules) = (measure.verified, RULES);
        let fault = measure.fault.take();
        drop(measure);
        let unchecked = |fault| format!("`{key}` was not checked at every small size: {fault}");
        self.faults.extend(fault.map(unchecked));
        let (mut right, mut wrong) = (Vec::new(), Vec::new());
        for (number, result) in numbers.into_iter().zip(results) {
            match result {
                Ok(()) => right.push(number),
                Err(failure) => wrong.push((number, failure)),
            }
        }
        for (number, failure) in &wrong {
            let config = assignment(case.space.names(), &case.space.config(*number));
            let (label, text) = (&case.problem.label, failure.to_string());
            let line = text.lines().next().unwrap_or_default();
            self.wrong
                .push(format!("{config} of {key} ({label}), {line}"));
        }
        let winner = case.number(&entry.winner);
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

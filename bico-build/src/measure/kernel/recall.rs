//! What a search that was cut had measured.

use super::KernelMeasure;
use bico_search::search::{Failure, Outcome};

impl KernelMeasure<'_> {
    /// Takes over what came of a config, as if it had been measured now.
    pub(super) fn take_over(
        &mut self,
        config: u64,
        outcome: &Outcome,
        best: Option<f64>,
    ) -> Option<Outcome> {
        match outcome {
            Outcome::Failed(Failure::Compile(_)) => return Some(outcome.clone()),
            Outcome::Failed(Failure::Unlaunchable(_)) => {
                // The device is asked for what it takes.
                let refused = self.make_ready(config).err();
                return refused.map(Outcome::Failed);
            }
            _ => {}
        }
        let ready = self.make_ready(config).ok()?;
        // Without either, most results are right: those of the others are gone, and with them who agreed.
        let votes = self.reference.is_none() && self.judge.is_none();
        let is_known = self.seen.contains_key(&ready.identity);
        match outcome {
            Outcome::Failed(Failure::Wrong(_)) if votes => return None,
            Outcome::Failed(_) => {}
            // Its own are made again, and not timed.
            _ if votes && !is_known => {
                let (kernel, checks) = (ready.kernel, ready.checks.to_vec());
                self.trial(config, kernel, checks, None).ok()?;
            }
            Outcome::Timed(sample) | Outcome::Same(_, sample) => {
                let timing = self.timing(self.settings.trial_seconds, best);
                if timing.is_lost(sample) {
                    self.slow.insert(config);
                }
            }
        }
        let result = match outcome {
            Outcome::Timed(sample) | Outcome::Same(_, sample) => Ok(sample.clone()),
            Outcome::Failed(failure) => Err(failure.clone()),
        };
        if !self.seen.contains_key(&ready.identity) {
            self.seen.insert(ready.identity, (config, result));
        }
        let outcome = self.outcome(config);
        self.told.push((config, outcome.sample().is_some()));
        Some(outcome)
    }
}

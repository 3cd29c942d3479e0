//! The best configs against each other.

use super::KernelMeasure;
use super::ready::Ready;
use super::trial::unexpected;
use crate::measure::client::Ended;
use crate::measure::plan;
use crate::measure::protocol::{Entrant, Finals, Reply, Request};
use bico_search::search::{Failure, Outcome, Sample};
use std::collections::HashMap;

impl KernelMeasure<'_> {
    /// Times configs in turns; those of the same code share one entrant.
    pub(super) fn play_finals(&mut self, configs: &[u64]) -> Vec<Outcome> {
        let mut entrants: Vec<(u64, Ready)> = Vec::new();
        let mut outcomes: Vec<Result<u64, Failure>> = Vec::new();
        for config in configs {
            outcomes.push(self.make_ready(*config).and_then(|ready| {
                let mut known = entrants.iter();
                if let Some((first, _)) = known.find(|(_, e)| e.identity == ready.identity) {
                    return Ok(*first);
                }
                self.consensus.verdict(*config)?;
                entrants.push((*config, ready));
                Ok(*config)
            }));
        }
        let results = self.play(&entrants);
        let missing = || Err(Failure::Worker("it was not timed".into()));
        configs
            .iter()
            .zip(outcomes)
            .map(|(config, outcome)| {
                match outcome
                    .map(|first| (first, results.get(&first).cloned().unwrap_or_else(missing)))
                {
                    Ok((first, Ok(sample))) if first != *config => Outcome::Same(first, sample),
                    Ok((_, Ok(sample))) => Outcome::Timed(sample),
                    Ok((_, Err(failure))) | Err(failure) => Outcome::Failed(failure),
                }
            })
            .collect()
    }

    /// Plays finals until all entrants that remain have come through; those that kill the worker
    /// leave.
    fn play(&mut self, configs: &[(u64, Ready)]) -> HashMap<u64, Result<Sample, Failure>> {
        let mut results = HashMap::new();
        let mut left: Vec<&(u64, Ready)> = configs.iter().collect();
        while !left.is_empty() {
            let request = self.round(&left);
            let used = self.client.is_used();
            let (failure, entrant) = match self.ask_alone(&request, self.settings.hang_seconds) {
                // Not for what the trials before left in the worker: once more in a fresh one.
                Err(Ended::Crashed { .. }) if used => continue,
                Ok(Reply::Finals(times)) => {
                    for ((config, _), times) in left.iter().zip(times) {
                        if let Ok(times) = &times {
                            self.note(times);
                        }
                        results.insert(*config, times.map(|times| times.sample));
                    }
                    break;
                }
                Ok(other) => (unexpected(&other), None),
                Err(ended) => {
                    let entrant = ended.entrant();
                    (ended.into(), entrant)
                }
            };
            match entrant.filter(|entrant| *entrant < left.len()) {
                Some(entrant) => {
                    results.insert(left.remove(entrant).0, Err(failure));
                }
                None => {
                    let rest = left.drain(..);
                    results.extend(rest.map(|(config, _)| (*config, Err(failure.clone()))));
                }
            }
        }
        results
    }

    /// What the worker is asked for those that remain.
    fn round(&self, left: &[&(u64, Ready)]) -> Request {
        let entrant = |(config, ready): &&(u64, Ready)| {
            let mut check = ready.checks.last()?.clone();
            self.consensus
                .equip(*config, std::slice::from_mut(&mut check));
            check.save = None;
            Some(Entrant {
                kernel: ready.kernel.clone(),
                check,
            })
        };
        let entrants: Vec<Entrant> = left.iter().filter_map(entrant).collect();
        let memory = entrants.iter().map(|e| plan::memory(&e.check.call));
        Request::Finals(Finals {
            memory: memory.sum(),
            entrants,
            tolerance: self.tolerance(),
            timing: self.timing(self.settings.finals_seconds, None),
        })
    }
}

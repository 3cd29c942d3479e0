//! The best configs against each other.

use super::KernelMeasure;
use super::ready::Ready;
use crate::measure::awkward::{AllowedSizes, Kind};
use crate::measure::plan;
use crate::measure::protocol::{Entrant, Finals, Inputs, Reply, Request, Soak, Soaked, Timing};
use bico_core::{Lists, Map};
use bico_search::search::{Failure, Outcome, Sample};
use std::sync::Arc;
use std::time::Instant;

/// Finals stop when all intervals are this share of their medians: what noise is left meets all entrants alike.
const INTERVAL: f64 = 0.02;

impl KernelMeasure<'_> {
    /// Checks a config that was too slow to be checked at awkward sizes there, as all others were.
    pub(super) fn complete(&mut self, config: u64) -> Result<(), Failure> {
        let ready = self.make_ready(config)?;
        // Of code that several configs share, one stands for all.
        let first = self.seen.get(&ready.identity).map(|(first, _)| *first);
        if !first.is_some_and(|first| self.slow.remove(&first)) {
            return Ok(());
        }
        let mut checks = ready.checks.to_vec();
        // What reference and judge say of the problem's sizes is known. Of which opinion a config is, all sizes say together.
        if self.reference.is_some() || self.judge.is_some() {
            checks.pop();
        }
        if checks.is_empty() {
            return Ok(());
        }
        self.trial(config, ready.kernel, checks, None).map(drop)
    }

    /// Times configs in turns; those of the same code share one entrant.
    pub(super) fn play_finals(&mut self, configs: &[u64]) -> Vec<Outcome> {
        let mut entrants: Vec<(u64, Ready)> = Vec::new();
        let mut firsts: Vec<Result<u64, Failure>> = Vec::new();
        for config in configs {
            firsts.push(self.make_ready(*config).and_then(|ready| {
                let mut known = entrants.iter();
                if let Some((first, _)) = known.find(|(_, e)| e.identity == ready.identity) {
                    return Ok(*first);
                }
                self.complete(*config)?;
                self.consensus.verdict(*config)?;
                entrants.push((*config, ready));
                Ok(*config)
            }));
        }
        let usual = self.settings.finals_seconds;
        let limit = self.settings.limit;
        if self.is_deserted() {
            return Vec::new();
        }
        let Some(seconds) = limit.map_or(Some(usual), |limit| limit.finals(usual)) else {
            return Vec::new();
        };
        self.client.until = limit.map(|limit| limit.last());
        let results = self.play(entrants, seconds);
        if limit.is_some_and(|limit| limit.last() <= Instant::now()) {
            return Vec::new();
        }
        let missing = || Err(Failure::Worker("it was not timed".into()));
        let outcome = |config: u64, first: Result<u64, Failure>| {
            let first = first?;
            let sample = results.get(&first).cloned().unwrap_or_else(missing)?;
            Ok(match first == config {
                true => Outcome::Timed(sample),
                false => Outcome::Same(first, sample),
            })
        };
        let outcomes = configs.iter().zip(firsts);
        let outcomes = outcomes.map(|(config, first)| outcome(*config, first));
        outcomes
            .map(|outcome| outcome.unwrap_or_else(Outcome::Failed))
            .collect_vec()
    }

    /// Plays finals until all entrants that remain have come through; those that kill the worker
    /// leave.
    fn play(
        &mut self,
        mut left: Vec<(u64, Ready)>,
        seconds: f64,
    ) -> Map<u64, Result<Sample, Failure>> {
        let mut results = Map::default();
        while !left.is_empty() {
            let (failure, entrant) = match self.ask(&self.round(&left, seconds)) {
                Ok(Reply::Finals(times)) => {
                    for ((config, _), times) in left.iter().zip(times) {
                        if let Ok(times) = &times {
                            self.note(times);
                        }
                        results.insert(*config, times.map(|times| times.sample));
                    }
                    break;
                }
                Ok(other) => (Failure::Worker(other.unexpected()), None),
                Err(ended) => {
                    let entrant = ended.entrant();
                    (ended.into(), entrant)
                }
            };
            let leaving = match entrant.filter(|entrant| *entrant < left.len()) {
                Some(entrant) => entrant..entrant + 1,
                None => 0..left.len(),
            };
            let leaving = left.drain(leaving);
            results.extend(leaving.map(|(config, _)| (config, Err(failure.clone()))));
        }
        results
    }

    /// Runs the config that is about to win at about twice the problem's sizes, where conditions and the reference allow
    /// it: tiles, or a grid, as large as the problem hide what the next ones do, and larger calls get this config, too. Whether
    /// nothing was left out.
    pub(super) fn look_beyond(&mut self, config: u64) -> Result<bool, Failure> {
        let (problem, is_size) = (self.problem.clone(), self.sizes());
        if !is_size.contains(&true) {
            return Ok(true);
        }
        let sizes = AllowedSizes::new(self.candidates.sizes(config), &problem, &is_size);
        if self.has_time_beyond()
            && let Some(scalars) = sizes.beyond(&is_size)
            && let Some(check) = self.check_at(config, (Kind::Beyond, scalars, 0), &[])
        {
            let kernel = self.make_ready(config)?.kernel;
            self.trial(config, kernel, vec![check.clone()], None)?;
            if let Some(ready) = self.ready.get_mut(&config) {
                Arc::make_mut(&mut ready.checks).insert(0, check);
            }
            return Ok(true);
        }
        Ok(false)
    }

    /// Has the config that is about to win called many times.
    pub(super) fn soak(&mut self, config: u64) -> Result<Soaked, Failure> {
        let ready = self.make_ready(config)?;
        let mut check = self.problem_check(config, &[Inputs::Others])?;
        self.consensus
            .equip(config, std::slice::from_mut(&mut check));
        for (_, case) in check.cases() {
            // Beside what its trial saved: that may be an opinion by now.
            case.save = case.save.take().map(|path| path.with_extension("soak"));
        }
        let memory = plan::memory_of(&check.timed) + plan::fences(&check.timed.call);
        let request = Request::Soak(Soak {
            terms: self.terms(memory),
            entrant: Entrant {
                kernel: ready.kernel,
                check,
            },
        });
        self.client.until = self.settings.limit.map(|limit| limit.last());
        match self.ask(&request)? {
            Reply::Soaked(soaked) => soaked,
            other => Err(Failure::Worker(other.unexpected())),
        }
    }

    /// Keeps what the winner went through; says so where that was little.
    pub(super) fn note_checks(&mut self, config: u64, soaked: Soaked, beyond: bool) {
        let ready = self.ready.get(&config);
        let sizes = ready.map_or(0, |ready| ready.checks.len().saturating_sub(1));
        let is_sized = self.sizes().contains(&true);
        // Twice the problem's says nothing of tiles that do not divide a size.
        let others = sizes.saturating_sub(usize::from(beyond && is_sized));
        if others == 0 && (is_sized || self.has_values()) {
            self.fault.get_or_insert_with(|| {
                "conditions, lengths or the time that the reference takes exclude all that were tried".into()
            });
        }
        let ending = if sizes == 1 { "" } else { "s" };
        let not = if soaked.alike { "" } else { "not " };
        let none = match (beyond, others) {
            (true, 0) if sizes > 0 => " (twice the problem's)",
            (true, _) => "",
            (false, _) => " (none twice the problem's)",
        };
        let calls = soaked.calls;
        let tested =
            format!("{sizes} awkward size{ending}{none}, {calls} calls, {not}bit-reproducible");
        self.tested.insert(config, tested);
    }

    /// What the worker is asked for those that remain.
    fn round(&self, left: &[(u64, Ready)], seconds: f64) -> Request {
        let entrant = |(config, ready): &(u64, Ready)| {
            let mut check = ready.checks.last()?.clone();
            let checks = std::slice::from_mut(&mut check);
            self.consensus.equip(*config, checks);
            check.others.clear();
            check.timed.save = None;
            Some(Entrant {
                kernel: ready.kernel.clone(),
                check,
            })
        };
        let entrants: Vec<Entrant> = left.iter().filter_map(entrant).collect_vec();
        let memory = entrants.iter().map(|e| {
            let case = &e.check.timed;
            plan::memory_of(case) + plan::fences(&case.call)
        });
        Request::Finals(Finals {
            terms: self.terms(memory.sum()),
            entrants,
            stay: false,
            timing: Timing {
                interval: INTERVAL,
                ..self.timing(seconds, None)
            },
        })
    }
}

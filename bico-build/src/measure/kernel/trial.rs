//! One trial, as the parent asks for it.

use super::KernelMeasure;
use super::ready::Ready;
use crate::measure::client::Ended;
use crate::measure::plan;
use crate::measure::protocol::{
    Check, Loadable, Processor, Reply, Request, Times, Timing, Tolerance, Trial, Tried,
};
use bico_search::search::Failure;
use std::time::Instant;

impl KernelMeasure<'_> {
    /// Verifies a config and times it. `best` are the seconds of the best one so far.
    pub(super) fn try_config(
        &mut self,
        ready: &Ready,
        config: u64,
        best: Option<f64>,
    ) -> Result<Times, Failure> {
        let mut checks = ready.checks.clone();
        if let (Some(best), Some(problem)) = (best, checks.last_mut()) {
            problem.allow = problem.allow.min((20.0 * best + 1.0).max(1.0));
        }
        let timing = self.timing(self.settings.trial_seconds, best);
        let times = self.trial(config, ready.kernel.clone(), checks, Some(timing))?;
        times.ok_or_else(|| Failure::Worker("it was not timed".into()))
    }

    /// Has a config checked, and timed where `timing` says how.
    pub(super) fn trial(
        &mut self,
        config: u64,
        kernel: Loadable,
        mut checks: Vec<Check>,
        timing: Option<Timing>,
    ) -> Result<Option<Times>, Failure> {
        self.consensus.equip(config, &mut checks);
        let memory = checks.iter().map(|check| plan::memory(&check.call));
        let request = Request::Trial(Trial {
            kernel,
            memory: memory.max().unwrap_or(0),
            checks: checks.clone(),
            tolerance: self.tolerance(),
            timing,
        });
        let allow = self.settings.hang_seconds;
        let ask = |this: &mut Self| match timing {
            Some(_) => this.ask_alone(&request, allow),
            None => this.client.ask(&request, allow),
        };
        let used = self.client.is_used();
        let mut answer = ask(self);
        if used && matches!(answer, Err(Ended::Crashed { .. })) {
            // An earlier config may have broken the worker: only a crash in a fresh one is this config's.
            answer = ask(self);
        }
        let tried = self.tried(answer)?;
        if let Some(times) = &tried.times {
            self.note(times);
        }
        self.consensus.record(config, &checks, tried.opinion)?;
        Ok(tried.times)
    }

    pub(super) fn timing(&self, seconds: f64, best: Option<f64>) -> Timing {
        Timing {
            seconds,
            interval: self.settings.interval,
            warm: self.spec.cache_warm,
            best,
        }
    }

    /// What a worker says of a trial.
    fn tried(&mut self, answer: Result<Reply, Ended>) -> Result<Tried, Failure> {
        match answer {
            Ok(Reply::Tried(Ok(tried))) => Ok(tried),
            Ok(Reply::Tried(Err(failure))) => {
                if matches!(failure, Failure::OutOfBounds(_)) {
                    // Who knows what else it hit: the next config gets a fresh worker.
                    self.client.end();
                }
                Err(failure)
            }
            Ok(other) => Err(unexpected(&other)),
            Err(ended) => Err(ended.into()),
        }
    }

    /// Asks for something that is timed: alone on the machine, as far as that can be had. The lock
    /// comes first, then quiet in this build; the other way round two builds would wait for each other.
    pub(super) fn ask_alone(&mut self, request: &Request, allow: f64) -> Result<Reply, Ended> {
        let start = Instant::now();
        let patience = self.settings.lock_seconds;
        let lock = Request::Lock {
            path: self.settings.lock.clone(),
            patience,
        };
        // A runner's clock may differ from ours, and the worker may have to be started.
        match self.client.ask(&lock, patience + 10.0)? {
            Reply::Locked { held, .. } => self.contention.unlocked += u32::from(!held),
            other => {
                return Err(Ended::Broken(format!(
                    "the measuring worker answered {other:?}"
                )));
            }
        }
        if self.settings.program.processor != Processor::Cpu {
            // A GPU does not mind what the processors do meanwhile: compiling runs on.
            self.excluded += start.elapsed().as_secs_f64();
            self.contention.measurements += 1;
            return self.client.ask(request, allow);
        }
        let quiet = self.service.quiet();
        let (tokens, all) = self.tokens.take();
        self.contention.jobs += u32::from(!all);
        self.excluded += start.elapsed().as_secs_f64();
        self.contention.look(self.cores);
        let reply = self.client.ask(request, allow);
        drop(tokens);
        drop(quiet);
        reply
    }

    pub(super) fn tolerance(&self) -> Tolerance {
        Tolerance {
            rtol: self.spec.verify.rtol,
            atol: self.spec.verify.atol,
        }
    }

    pub(super) fn note(&mut self, times: &Times) {
        self.contention.runs += u64::from(times.sample.runs);
        self.contention.disturbed += u64::from(times.disturbed);
        self.contention.timed += 1;
        self.contention.throttled += u32::from(times.sample.throttled);
    }
}

/// A reply to something else.
pub(super) fn unexpected(reply: &Reply) -> Failure {
    Failure::Worker(format!("the measuring worker answered {reply:?}"))
}

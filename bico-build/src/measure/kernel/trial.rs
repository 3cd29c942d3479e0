//! One trial, as the parent asks for it: a config is checked, and timed or not.

use super::KernelMeasure;
use super::checks::Size;
use crate::measure::client::Ended;
use crate::measure::plan;
use crate::measure::protocol::{
    Check, Inputs, Loadable, Processor, Reply, Request, Times, Timing, Trial,
};
use bico_core::Value;
use bico_core::device::Dims;
use bico_search::search::Failure;
use std::time::Instant;

/// Timing stops when the confidence interval is this share of the median. It is one that looking often does not
/// make wrong: a single look at as many runs would give 1 %.
const INTERVAL: f64 = 0.015;

impl KernelMeasure<'_> {
    /// Has a config checked, and timed where `timing` says how.
    pub(super) fn trial(
        &mut self,
        config: u64,
        kernel: Loadable,
        mut checks: Vec<Check>,
        timing: Option<Timing>,
    ) -> Result<Option<Times>, Failure> {
        self.consensus.equip(config, &mut checks);
        self.client.until = self.settings.limit.map(|limit| limit.end());
        let calls = || checks.iter().map(|check| &check.timed.call);
        let memory = calls().map(plan::memory).max().unwrap_or(0);
        let request = Request::Trial(Trial {
            kernel,
            memory: memory + calls().map(plan::fences).sum::<u64>(),
            checks: checks.clone(),
            timing,
        });
        let tried = match self.ask(&request, timing.is_some())? {
            Reply::Tried(tried) => tried,
            other => return Err(Failure::Worker(other.unexpected())),
        };
        if matches!(tried, Err(Failure::OutOfBounds(_))) {
            // Who knows what else it hit: the next config gets a fresh worker.
            self.client.end();
        }
        let tried = tried?;
        if let Some(times) = &tried.times {
            self.note(times);
        }
        self.consensus.record(config, &mut checks, tried.opinion);
        Ok(tried.times)
    }

    /// Checks a config as a trial does, without timing it. Without a reference, see
    /// [`verdict`](KernelMeasure::verdict).
    ///
    /// # Errors
    ///
    /// What is wrong with it, and where.
    pub fn verify_again(&mut self, config: u64) -> Result<(), Failure> {
        let ready = self.make_ready(config)?;
        self.trial(config, ready.kernel, ready.checks, None)?;
        Ok(())
    }

    /// Runs a config once at small awkward sizes and at `more`, and checks all that it does; with `large`, at sizes beyond
    /// 32 bits, too, each of which takes minutes and memory. Gives the number of sizes: those that a `require` excludes are
    /// none of the kernel's, and neither are those that the reference takes too long for. Without a reference, see
    /// [`verdict`](KernelMeasure::verdict).
    ///
    /// # Errors
    ///
    /// What is wrong with it, and where.
    pub fn verify(
        &mut self,
        config: u64,
        more: &[Vec<Value>],
        large: bool,
    ) -> Result<usize, Failure> {
        let built = self.compiled(config)?;
        let mut checks = self.small_checks(config);
        let beyond = match large {
            true => self.large_sizes(config),
            false => Vec::new(),
        };
        let more = more.iter().map(|scalars| (scalars, &[Inputs::Others][..]));
        for (scalars, others) in more.chain(beyond.iter().map(|scalars| (scalars, &[][..]))) {
            let plan = self.candidates.call(config, scalars);
            let Some(plan) = plan.map_err(Failure::Worker)? else {
                continue;
            };
            if plan.dims.as_ref().is_some_and(Dims::is_empty) {
                let label = plan::label(self.spec, scalars);
                let text = format!("`launch` gives no blocks or no threads at {label}");
                return Err(Failure::Unlaunchable(text));
            }
            checks.extend(self.check_if_possible(&plan, scalars, Size::Asked, others));
        }
        if checks.is_empty() {
            return Ok(0);
        }
        let sizes = checks.len();
        self.trial(config, built.kernel, checks, None)?;
        Ok(sizes)
    }

    /// Without a reference: whether a verified config agrees with most of the others, as far as is known
    /// now.
    ///
    /// # Errors
    ///
    /// It does not.
    pub fn verdict(&self, config: u64) -> Result<(), Failure> {
        self.consensus.verdict(config)
    }

    pub(super) fn timing(&self, seconds: f64, best: Option<f64>) -> Timing {
        Timing {
            seconds,
            interval: INTERVAL,
            warm: self.spec.cache_warm,
            best,
        }
    }

    /// Asks for something that runs kernels, `alone` if they are timed. What earlier ones left behind may end
    /// a worker: only a crash in a fresh one is these kernels'.
    pub(super) fn ask(&mut self, request: &Request, alone: bool) -> Result<Reply, Ended> {
        let used = self.client.is_used();
        let mut ask = || match alone {
            true => self.ask_alone(request),
            false => self.client.ask(request, self.settings.hang_seconds),
        };
        match ask() {
            Err(Ended::Crashed { .. }) if used => ask(),
            answer => answer,
        }
    }

    /// Asks for something that is timed: alone on the machine, as far as that can be had. The lock
    /// comes first, then quiet in this build; the other way round two builds would wait for each other.
    fn ask_alone(&mut self, request: &Request) -> Result<Reply, Ended> {
        let start = Instant::now();
        // Where little is left, half of it stays for what is to be timed.
        let limit = self.settings.limit;
        let half = limit.map_or(f64::INFINITY, |limit| limit.left() / 2.0);
        let patience = self.settings.wait_seconds.min(half).max(0.0);
        let lock = Request::Lock {
            path: self.settings.lock.clone(),
            patience,
        };
        // A runner's clock may differ from ours, and the worker may have to be started.
        match self.client.ask(&lock, patience + 10.0)? {
            Reply::Locked { held, seconds } => {
                self.settings.wait_seconds -= seconds;
                self.contention.unlocked += u32::from(!held);
            }
            other => return Err(Ended::Broken(other.unexpected())),
        }
        self.contention.measurements += 1;
        // A GPU does not mind what the processors do meanwhile: compiling runs on.
        let on_cpu = self.settings.program.processor == Processor::Cpu;
        let _quiet = on_cpu.then(|| self.service.quiet());
        let _tokens = on_cpu.then(|| {
            let (tokens, all) = self.tokens.take();
            self.contention.jobs += u32::from(!all);
            tokens
        });
        self.excluded += start.elapsed().as_secs_f64();
        if on_cpu {
            self.contention.look();
        }
        self.client.ask(request, self.settings.hang_seconds)
    }

    pub(super) fn note(&mut self, times: &Times) {
        self.contention.runs += u64::from(times.sample.runs);
        self.contention.disturbed += u64::from(times.disturbed);
        self.contention.timed += 1;
        self.contention.throttled += u32::from(times.sample.throttled);
    }
}

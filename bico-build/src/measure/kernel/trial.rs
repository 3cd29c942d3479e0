//! One trial, as the parent asks for it: a config is checked, and timed or not.

use super::KernelMeasure;
use super::checks::Size;
use crate::measure::client::Ended;
use crate::measure::clock::{REST, WAITING, at};
use crate::measure::plan;
use crate::measure::protocol::{
    Check, Inputs, Loadable, Processor, Reply, Request, Terms, Times, Timing, Trial,
};
use crate::measure::quiet::{Contention, Tokens};
use crate::measure::stats::FEW;
use crate::os::jobserver::Token;
use bico_core::Value;
use bico_search::search::Failure;
use std::time::Instant;

/// Timing stops when the confidence interval is this share of the median. It is one that looking often does not
/// make wrong: a single look at as many runs would give 1 %.
const INTERVAL: f64 = 0.015;

/// That of the first one, which has nothing to be compared with yet.
const FIRST_INTERVAL: f64 = 0.05;

/// After this part of a trial's seconds a few runs are enough: the finals tell apart what trials cannot.
const SOON: f64 = 0.4;

/// Trials after which that is so: of the first ones every other is the best so far, and hardly one stays it.
const EARLY: f64 = 32.0;

/// So many runs are enough then, however wide their interval is. Fewer have no interval of 95 %.
const MANY: usize = 6;

/// Of the first ones fewer are, one more after so many trials.
const ONE_MORE: usize = 4;

/// Seconds for which one of several workers waits for its machine's lock, in one trial.
const MOST_PATIENCE: f64 = 20.0;

impl KernelMeasure<'_> {
    /// Has a config checked, and timed where `timing` says how.
    pub(super) fn trial(
        &mut self,
        config: u64,
        kernel: Loadable,
        mut checks: Vec<Check>,
        timing: Option<Timing>,
    ) -> Result<Option<Times>, Failure> {
        let request = self.trial_of(config, kernel, &mut checks, timing);
        let reply = self.ask(&request)?;
        self.tried(config, &mut checks, reply)
    }

    /// What a worker is asked for that is to try a config.
    pub(super) fn trial_of(
        &mut self,
        config: u64,
        kernel: Loadable,
        checks: &mut [Check],
        timing: Option<Timing>,
    ) -> Request {
        self.consensus.equip(config, checks);
        self.client.until = self.settings.limit.map(|limit| limit.end());
        let calls = || checks.iter().map(|check| &check.timed.call);
        let memory = checks.iter().map(|check| plan::memory_of(&check.timed));
        let memory = memory.max().unwrap_or(0);
        Request::Trial(Trial {
            kernel,
            terms: self.terms(memory + calls().map(|call| plan::fences(call)).sum::<u64>()),
            checks: checks.to_vec(),
            timing,
        })
    }

    /// Takes note of what a worker says of a config.
    pub(super) fn tried(
        &mut self,
        config: u64,
        checks: &mut [Check],
        reply: Reply,
    ) -> Result<Option<Times>, Failure> {
        let tried = match reply {
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
        self.consensus.record(config, checks, tried.opinion);
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
        self.trial(config, ready.kernel, ready.checks.to_vec(), None)?;
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
    #[inline]
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
            let Some(plan) = self.planned(config, scalars)? else {
                continue;
            };
            if plan.launches_nothing().is_some() {
                let label = plan::label(self.spec, scalars);
                let text = format!("`launch` gives no blocks or no threads at {label}");
                return Err(Failure::Unlaunchable(text));
            }
            checks.extend(self.check_if_possible(&plan, scalars, Size::Asked, others));
        }
        if checks.is_empty() {
            return Ok(0);
        }
        // Where not all are blank, those that are may be right.
        let mut sized = checks.iter().filter(|check| !check.is_empty());
        let blank = |check: &Check| Some((check.blank.clone()?, check.label.clone()));
        if sized.all(|check| check.blank.is_some())
            && let Some((of, (blank, label))) =
                self.reference.as_ref().zip(checks.iter().find_map(blank))
        {
            return Err(Failure::Worker(of.says_nothing(&blank, &label)));
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
        let (share, few) = self.soon(best);
        Timing {
            seconds,
            soon: seconds * share,
            few,
            // The first one is measured again in the finals, should it be among the best.
            interval: if best.is_some() {
                INTERVAL
            } else {
                FIRST_INTERVAL
            },
            warm: self.spec.measure.cache_warm,
            sustained: self.spec.measure.clock_sustained,
            best,
            alone: self.settings.program.threads.is_some(),
        }
    }

    /// The part of a trial's seconds after which a few runs are enough, and how many are.
    fn soon(&self, best: Option<f64>) -> (f64, usize) {
        // A GPU's clock may be on its way up, and several workers are compared by the first config while they measure others.
        let is_one_cpu = self.settings.program.processor == Processor::Cpu && self.pool.is_none();
        let measured = self.seen.len();
        match best {
            _ if is_one_cpu => (
                SOON * (measured as f64 / EARLY).min(1.0),
                MANY.min(FEW + measured / ONE_MORE),
            ),
            Some(_) => (SOON, MANY),
            None => (1.0, MANY),
        }
    }

    /// Asks for something that runs kernels. What earlier ones left behind may end a worker: only a crash in a fresh one is
    /// these kernels'.
    pub(super) fn ask(&mut self, request: &Request) -> Result<Reply, Ended> {
        if !self.sits() {
            return Err(Ended::Broken("no worker is left".into()));
        }
        let used = self.client.is_used();
        let answer = match self.ask_once(request) {
            Err(Ended::Crashed { .. }) if used => self.ask_once(request),
            answer => answer,
        };
        match answer {
            Err(ended) if self.sits_elsewhere(&ended) => self.ask_once(request),
            answer => answer,
        }
    }

    /// While kernels are verified, the next configs are compiled beside them; while they are timed, nothing is.
    fn ask_once(&mut self, request: &Request) -> Result<Reply, Ended> {
        let asks = self.is_asked();
        let KernelMeasure {
            client,
            service,
            tokens,
            contention,
            settings,
            excluded,
            clock,
            pool,
            ..
        } = self;
        let on_cpu = settings.program.processor == Processor::Cpu && asks;
        let others = match settings.program.threads {
            Some(_) => 0,
            None => settings.jobs.saturating_sub(1),
        };
        let _beside = on_cpu.then(|| service.leave(others));
        let mut quiet = None;
        let mut hear = |said: &Reply| {
            match said {
                Reply::Progress { step, .. } => {
                    clock.turn(at(step));
                }
                // Workers of one machine wait for each other.
                Reply::Waited(_) if pool.is_some() => {}
                Reply::Waited(seconds) => {
                    settings.wait_seconds -= seconds;
                    *excluded += seconds;
                }
                Reply::Quiet(held) => {
                    let start = Instant::now();
                    contention.measurements += 1;
                    contention.unlocked += u32::from(!held);
                    // A GPU does not mind what the processors do meanwhile: compiling runs on.
                    clock.turn(WAITING);
                    if on_cpu {
                        quiet = Some((service.leave(0), hush(tokens, contention)));
                        contention.look();
                    }
                    *excluded += start.elapsed().as_secs_f64();
                    return asks.then_some(Request::Go);
                }
                _ => quiet = None,
            }
            None
        };
        let answer = client.converse(request, settings.hang_seconds, &mut hear);
        clock.turn(REST);
        answer
    }

    /// What a request may take. Where little time is left, half of it stays for what is to be timed.
    pub(super) fn terms(&self, memory: u64) -> Terms {
        // Each thread has a stack of its own.
        let stacks = self
            .settings
            .program
            .threads
            .unwrap_or(0)
            .saturating_mul(16 << 20);
        let limit = self.settings.limit;
        let half = limit.map_or(f64::INFINITY, |limit| limit.left() / 2.0);
        // A worker whose connection is cut while it waits is missed after that.
        let most = if self.pool.is_some() {
            MOST_PATIENCE
        } else {
            half
        };
        Terms {
            memory: memory.saturating_add(stacks),
            lock: self.pool.is_none().then(|| self.settings.lock.clone()),
            asks: self.is_asked(),
            patience: self.settings.wait_seconds.min(half).min(most).max(0.0),
        }
    }

    pub(super) fn note(&mut self, times: &Times) {
        self.contention.runs += u64::from(times.sample.runs);
        self.contention.disturbed += u64::from(times.disturbed);
        self.contention.timed(&times.sample);
    }
}

/// Takes the build's other job tokens, as far as they can be had.
fn hush(tokens: &mut Tokens, contention: &mut Contention) -> Vec<Token> {
    let (held, all) = tokens.take();
    contention.jobs += u32::from(!all);
    held
}

//! How often a kernel runs until its time is known.

use super::harness::{Harness, Prepared, preparing};
use super::protocol::{Check, Finals, Times, Timing};
use super::stats::{self, FEW, LOWER_DECILE, MEDIAN, Run};
use super::worker::Parent;
use bico_device::measure::{Code, Lap};
use bico_device::os;
use bico_search::search::Failure;
use std::time::Instant;

/// A sample shorter than this measures the clock: calls are repeated until it is that long.
const SHORTEST: f64 = 20e-6;

/// Calls in one sample at most.
const MOST_CALLS: u32 = 1 << 20;

/// Runs before an interval may end a trial.
const ENOUGH: usize = 7;

/// Runs of one trial at most.
const MOST_RUNS: usize = 2000;

/// A config whose fastest early run takes this many times the best is not timed further.
const HOPELESS: f64 = 1.5;

/// Rounds of finals at least, and at most.
const ROUNDS: (usize, usize) = (9, 200);

/// A loaded kernel, and how to take one sample of it.
#[derive(Clone, Copy)]
struct Sampler {
    code: Code,
    /// Calls per sample.
    calls: u32,
    /// The kernel has threads of its own, so this thread's clock is not the kernel's.
    threaded: bool,
    /// Seconds of one sample, about.
    estimate: f64,
}

impl Sampler {
    /// Warms up and decides how many calls make a sample. `first` is a run that was made before.
    fn new(
        harness: &mut Harness,
        parent: &mut Parent,
        prepared: &Prepared,
        code: Code,
        first: Lap,
        warm: bool,
    ) -> Result<Sampler, Failure> {
        harness.restore(prepared)?;
        let mut lap = |harness: &mut Harness, calls| {
            let lap = harness.device.time(code, prepared.invocation(), calls);
            lap.map_err(|why| harness.crashed(parent, why))
        };
        let mut calls = 1;
        let mut call = lap(harness, 1)?.wall.min(first.wall).max(1e-9);
        // An in-place kernel starts from the same data in every call, so it cannot be repeated. A GPU
        // has a clock of its own for single calls, and a second one would find the caches warm.
        let once = prepared.is_in_place() || (harness.is_gpu() && !warm);
        while !once && call * f64::from(calls) < SHORTEST && calls < MOST_CALLS {
            calls = ((SHORTEST / call).ceil() as u32).clamp(calls + 1, MOST_CALLS);
            call = (lap(harness, calls)?.wall / f64::from(calls)).max(1e-9);
        }
        let threaded = os::threads() > harness.threads;
        Ok(Sampler {
            code,
            calls,
            threaded,
            estimate: call * f64::from(calls),
        })
    }

    /// Takes one sample. Restoring and flushing come before, and are not timed.
    fn sample(
        &self,
        harness: &mut Harness,
        parent: &mut Parent,
        prepared: &Prepared,
        warm: bool,
    ) -> Result<Run, Failure> {
        harness.restore(prepared)?;
        if !warm {
            harness.device.flush();
        }
        let lap = harness
            .device
            .time(self.code, prepared.invocation(), self.calls)
            .map_err(|why| harness.crashed(parent, why))?;
        Ok(Run::new(lap, self.calls, self.threaded))
    }

    /// Seconds after which a sample must be a hang.
    fn patience(&self) -> f64 {
        2.0 + 20.0 * self.estimate
    }
}

/// Times the config of a trial. `first` is its verified run.
pub(super) fn trial(
    harness: &mut Harness,
    parent: &mut Parent,
    code: Code,
    prepared: &Prepared,
    first: Lap,
    timing: &Timing,
) -> Result<Times, Failure> {
    let sampler = Sampler::new(harness, parent, prepared, code, first, timing.warm)?;
    let comparing = preparing(prepared.call());
    parent.step("timing", timing.seconds + sampler.patience() + comparing);
    let start = Instant::now();
    let held_back = harness.device.throttled().is_some();
    let summary = |harness: &mut Harness, runs: &[Run]| {
        let mut times = stats::summary(runs, MEDIAN);
        times.sample.throttled = held_back || harness.device.throttled().is_some();
        times
    };
    let mut runs: Vec<Run> = Vec::new();
    let mut look = ENOUGH;
    loop {
        runs.push(sampler.sample(harness, parent, prepared, timing.warm)?);
        parent.only_me();
        if runs.len() < FEW {
            continue;
        }
        if runs.len() == FEW
            && timing
                .best
                .is_some_and(|best| stats::kept(&runs)[0] > HOPELESS * best)
        {
            let mut times = summary(harness, &runs);
            times.sample.cut = true;
            return Ok(times);
        }
        if runs.len() >= MOST_RUNS || start.elapsed().as_secs_f64() > timing.seconds {
            return Ok(summary(harness, &runs));
        }
        if runs.len() >= look {
            if is_narrow(&runs, MEDIAN, timing) {
                return Ok(summary(harness, &runs));
            }
            // Looking sorts all runs; with a quarter more of them each time that stays cheap.
            look = runs.len() + runs.len().div_ceil(4);
        }
    }
}

fn is_narrow(runs: &[Run], quantile: f64, timing: &Timing) -> bool {
    let sample = stats::summary(runs, quantile).sample;
    sample.high - sample.low <= timing.interval * sample.seconds
}

/// An entrant of the finals that is still in.
struct Subject {
    /// Its number.
    index: usize,
    sampler: Sampler,
}

/// Times several configs in turns, so that what disturbs one disturbs all. Entrants with equal
/// calls share their buffers: how memory happens to lie must favour none of them.
pub(super) fn finals(
    harness: &mut Harness,
    parent: &mut Parent,
    finals: &Finals,
) -> Vec<Result<Times, Failure>> {
    harness.limit_memory(finals.memory);
    let mut results: Vec<Result<Times, Failure>> = Vec::new();
    let mut subjects: Vec<Subject> = Vec::new();
    let mut calls: Vec<Prepared> = Vec::new();
    for (index, entrant) in finals.entrants.iter().enumerate() {
        parent.entrant = Some(index);
        results.push(Err(Failure::Worker("it was not timed".into())));
        if let Some(at) = calls
            .iter()
            .position(|prepared| prepared.is_for(&entrant.check.call))
        {
            harness.keep(calls.remove(at));
        }
        match enter(harness, parent, finals, index) {
            Ok((sampler, prepared)) => {
                subjects.push(Subject { index, sampler });
                calls.push(prepared);
            }
            Err(failure) => results[index] = Err(failure),
        }
    }
    let rounds = play(
        harness,
        parent,
        finals,
        &mut subjects,
        &mut calls,
        &mut results,
    );
    let throttled = harness.device.throttled().is_some();
    for (at, subject) in subjects.iter().enumerate() {
        parent.entrant = Some(subject.index);
        let runs: Vec<Run> = rounds.iter().map(|round| round[at]).collect();
        let mut times = stats::summary(&runs, LOWER_DECILE);
        times.sample.throttled = throttled;
        let right = prepared_for(&calls, &finals.entrants[subject.index].check)
            .ok_or_else(|| Failure::Worker("its buffers are gone".into()))
            .and_then(|prepared| conclude(harness, parent, finals, subject, prepared));
        results[subject.index] = right.map(|()| times);
        harness.device.unload(subject.sampler.code);
    }
    calls
        .into_iter()
        .for_each(|prepared| harness.keep(prepared));
    results
}

fn prepared_for<'a>(calls: &'a [Prepared], check: &Check) -> Option<&'a Prepared> {
    calls.iter().find(|prepared| prepared.is_for(&check.call))
}

/// Loads an entrant, checks it once more and warms it up.
fn enter(
    harness: &mut Harness,
    parent: &mut Parent,
    finals: &Finals,
    index: usize,
) -> Result<(Sampler, Prepared), Failure> {
    let entrant = &finals.entrants[index];
    let code = harness.load(&entrant.kernel)?;
    let mut opinions = vec![true; entrant.check.opinions.len()];
    let (prepared, first) = harness.check(
        parent,
        code,
        &entrant.check,
        finals.tolerance,
        &mut opinions,
    )?;
    let warm = finals.timing.warm;
    match Sampler::new(harness, parent, &prepared, code, first, warm) {
        Ok(sampler) => Ok((sampler, prepared)),
        Err(failure) => {
            harness.keep(prepared);
            Err(failure)
        }
    }
}

/// The rounds, each with one run per subject. A subject that fails leaves with all its runs.
fn play(
    harness: &mut Harness,
    parent: &mut Parent,
    finals: &Finals,
    subjects: &mut Vec<Subject>,
    calls: &mut [Prepared],
    results: &mut [Result<Times, Failure>],
) -> Vec<Vec<Run>> {
    let mut rounds: Vec<Vec<Run>> = Vec::new();
    let start = Instant::now();
    while !subjects.is_empty() && !decided(&rounds, &finals.timing, start.elapsed().as_secs_f64()) {
        let mut round = vec![
            Run {
                seconds: 0.0,
                disturbed: false
            };
            subjects.len()
        ];
        let mut failed = None;
        for turn in 0..subjects.len() {
            // Forth and back: no config always follows the same other one.
            let at = if rounds.len().is_multiple_of(2) {
                turn
            } else {
                subjects.len() - 1 - turn
            };
            let subject = &subjects[at];
            let Some(prepared) = prepared_for(calls, &finals.entrants[subject.index].check) else {
                continue;
            };
            parent.entrant = Some(subject.index);
            parent.step(
                "timing",
                subject.sampler.patience() + preparing(&finals.entrants[subject.index].check.call),
            );
            match subject
                .sampler
                .sample(harness, parent, prepared, finals.timing.warm)
            {
                Ok(run) => round[at] = run,
                Err(failure) => failed = failed.or(Some((at, failure))),
            }
            parent.only_me();
        }
        match failed {
            None => rounds.push(round),
            Some((at, failure)) => {
                results[subjects.remove(at).index] = Err(failure);
                for round in &mut rounds {
                    round.remove(at);
                }
            }
        }
    }
    rounds
}

/// What was right at first must still be right after all rounds.
fn conclude(
    harness: &mut Harness,
    parent: &mut Parent,
    finals: &Finals,
    subject: &Subject,
    prepared: &Prepared,
) -> Result<(), Failure> {
    let check = &finals.entrants[subject.index].check;
    parent.step(check.label.clone(), check.allow + preparing(&check.call));
    harness.run_once(subject.sampler.code, prepared, parent)?;
    harness.judge(
        prepared,
        check,
        finals.tolerance,
        &mut vec![true; check.opinions.len()],
    )
}

/// Whether the rounds so far say enough, or time is up.
fn decided(rounds: &[Vec<Run>], timing: &Timing, elapsed: f64) -> bool {
    let count = rounds.len();
    if count == 0 {
        return false;
    }
    if count >= ROUNDS.1
        || (elapsed > timing.seconds && count >= FEW)
        || elapsed > 3.0 * timing.seconds
    {
        return true;
    }
    if count < ROUNDS.0 || count % 4 != 1 {
        return false;
    }
    (0..rounds[0].len()).all(|at| {
        let runs: Vec<Run> = rounds.iter().map(|round| round[at]).collect();
        is_narrow(&runs, LOWER_DECILE, timing)
    })
}

//! How often a kernel runs until its time is known.

use super::protocol::{Finals, Times, Trial};
use super::stats::{self, FEW, Run};
use super::trial::{Prepared, Session, preparing};
use super::worker::Parent;
use crate::search::Failure;
use bico::device::measure::{Code, Lap};
use bico::device::os;
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

/// Rounds of finals at least and at most.
const ROUNDS: (usize, usize) = (9, 200);

/// One kernel ready to be sampled.
struct Subject {
    code: Code,
    prepared: Prepared,
    /// Per sample.
    calls: u32,
    /// It leaves threads behind, so this thread's clock is not the kernel's.
    threaded: bool,
    /// Seconds of one call, about.
    estimate: f64,
}

/// Warms up and decides how many calls make a sample.
fn calibrate(session: &mut Session, prepared: &Prepared, code: Code, first: Lap) -> Result<(u32, f64, bool), Failure> {
    let lap = |session: &mut Session, calls| session.device.time(code, &prepared.arguments, calls).map_err(Failure::Crash);
    session.restore(prepared)?;
    let mut calls = 1;
    let mut estimate = lap(session, 1)?.wall.min(first.wall).max(1e-9);
    // In-place kernels start from the same data in every call.
    while !prepared.is_in_place() && estimate * f64::from(calls) < SHORTEST && calls < MOST_CALLS {
        calls = ((SHORTEST / estimate).ceil() as u32).clamp(calls + 1, MOST_CALLS);
        estimate = (lap(session, calls)?.wall / f64::from(calls)).max(1e-9);
    }
    Ok((calls, estimate, os::threads() > session.threads))
}

/// One sample. What comes before the kernel is not timed.
fn sample(session: &mut Session, subject: &Subject, warm: bool) -> Result<Run, Failure> {
    session.restore(&subject.prepared)?;
    if !warm {
        session.device.flush();
    }
    let lap = session.device.time(subject.code, &subject.prepared.arguments, subject.calls).map_err(Failure::Crash)?;
    Ok(Run::new(lap, subject.calls, subject.threaded))
}

/// Times the config of a trial. `first` is its verified run.
pub(super) fn trial(
    session: &mut Session,
    parent: &mut Parent,
    code: Code,
    prepared: &Prepared,
    first: Lap,
    trial: &Trial,
) -> Result<Times, Failure> {
    let timing = &trial.timing;
    let (calls, estimate, threaded) = calibrate(session, prepared, code, first)?;
    let allow = timing.seconds + 20.0 * estimate * f64::from(calls) + preparing_of(trial);
    parent.step("timing", allow);
    let start = Instant::now();
    let mut runs: Vec<Run> = Vec::new();
    let mut look = ENOUGH;
    loop {
        session.restore(prepared)?;
        if !timing.warm {
            session.device.flush();
        }
        let lap = session.device.time(code, &prepared.arguments, calls).map_err(Failure::Crash)?;
        runs.push(Run::new(lap, calls, threaded));
        parent.only_me();
        if runs.len() < FEW {
            continue;
        }
        if runs.len() == FEW && timing.best.is_some_and(|best| stats::summary(&runs).minimum > HOPELESS * best) {
            return Ok(Times { cut: true, ..stats::summary(&runs) });
        }
        if runs.len() >= MOST_RUNS || start.elapsed().as_secs_f64() > timing.seconds {
            break;
        }
        if runs.len() >= look {
            let times = stats::summary(&runs);
            if times.high - times.low <= timing.interval * times.median {
                return Ok(times);
            }
            // Looking sorts all runs; each time a quarter more of them keeps that cheap.
            look = runs.len() + runs.len().div_ceil(4);
        }
    }
    Ok(stats::summary(&runs))
}

fn preparing_of(trial: &Trial) -> f64 {
    trial.checks.last().map_or(0.0, |check| preparing(&check.call))
}

/// Times several configs in turns, so that what disturbs one disturbs all.
pub(super) fn finals(session: &mut Session, parent: &mut Parent, finals: &Finals) -> Vec<Result<Times, Failure>> {
    os::limit_memory(finals.memory);
    let mut failures: Vec<Option<Failure>> = vec![None; finals.entrants.len()];
    let mut subjects: Vec<(usize, Subject)> = Vec::new();
    for index in 0..finals.entrants.len() {
        parent.step(entrant(index), finals.entrants[index].check.allow);
        match enter(session, parent, finals, index) {
            Ok(subject) => subjects.push((index, subject)),
            Err(failure) => failures[index] = Some(failure),
        }
    }
    let mut rounds: Vec<Vec<Run>> = Vec::new();
    let start = Instant::now();
    while !subjects.is_empty() && !decided(&rounds, finals, start.elapsed().as_secs_f64()) {
        let mut round = vec![Run { seconds: 0.0, disturbed: false }; subjects.len()];
        let mut failed = None;
        // Forth and back in turns: no config always follows the same one.
        let order: Vec<usize> =
            if rounds.len() % 2 == 0 { (0..subjects.len()).collect() } else { (0..subjects.len()).rev().collect() };
        for at in order {
            let (index, subject) = &subjects[at];
            let allow = 2.0 + 20.0 * subject.estimate * f64::from(subject.calls) + finals.entrants[*index].check.allow;
            parent.step(entrant(*index), allow);
            match sample(session, subject, finals.timing.warm) {
                Ok(run) => round[at] = run,
                Err(failure) => failed = failed.or(Some((at, failure))),
            }
            parent.only_me();
        }
        match failed {
            None => rounds.push(round),
            Some((at, failure)) => {
                failures[subjects.remove(at).0] = Some(failure);
                rounds.iter_mut().for_each(|round| drop(round.remove(at)));
            }
        }
    }
    let calm = stats::calm_rounds(&rounds);
    let mut results: Vec<Result<Times, Failure>> =
        failures.into_iter().map(|failure| Err(failure.unwrap_or(Failure::Worker("it was not timed".into())))).collect();
    for (at, (index, subject)) in subjects.into_iter().enumerate() {
        let runs: Vec<Run> = calm.iter().map(|round| rounds[*round][at]).collect();
        results[index] = conclude(session, finals, index, &subject).map(|()| {
            let disturbed = rounds.iter().filter(|round| round[at].disturbed).count() as u32;
            Times { disturbed, runs: rounds.len() as u32, ..stats::summary(&runs) }
        });
        session.device.unload(subject.code);
        session.keep(subject.prepared);
    }
    results
}

/// The name that the parent reads from a step of the finals.
fn entrant(index: usize) -> String {
    index.to_string()
}

/// Loads an entrant, checks it once more, warms it up.
fn enter(session: &mut Session, parent: &mut Parent, finals: &Finals, index: usize) -> Result<Subject, Failure> {
    let Some(entrant) = finals.entrants.get(index) else { return Err(Failure::Worker("no such entrant".into())) };
    let code = session.load(&entrant.code)?;
    let check = super::protocol::Check { label: index.to_string(), ..entrant.check.clone() };
    let mut opinions = vec![true; check.opinions.len()];
    let (prepared, first) = session.check(parent, code, &check, finals.tolerance, &mut opinions)?;
    match calibrate(session, &prepared, code, first) {
        Ok((calls, estimate, threaded)) => Ok(Subject { code, prepared, calls, threaded, estimate }),
        Err(failure) => {
            session.keep(prepared);
            Err(failure)
        }
    }
}

/// After all rounds: still inside its buffers? Buffers are not shared, so the outputs are its own.
fn conclude(session: &mut Session, finals: &Finals, index: usize, subject: &Subject) -> Result<(), Failure> {
    session.trespass(&subject.prepared)?;
    let Some(entrant) = finals.entrants.get(index) else { return Ok(()) };
    let mut opinions = vec![true; entrant.check.opinions.len()];
    session.judge(&subject.prepared, &entrant.check, finals.tolerance, &mut opinions)
}

/// Whether the rounds so far say enough, or time is up.
fn decided(rounds: &[Vec<Run>], finals: &Finals, elapsed: f64) -> bool {
    let count = rounds.len();
    let timing = &finals.timing;
    if count == 0 {
        return false;
    }
    if count >= ROUNDS.1 || (elapsed > timing.seconds && count >= FEW) || elapsed > 3.0 * timing.seconds {
        return true;
    }
    if count < ROUNDS.0 || count % 4 != 0 {
        return false;
    }
    let calm = stats::calm_rounds(rounds);
    (0..rounds[0].len()).all(|at| {
        let runs: Vec<Run> = calm.iter().map(|round| rounds[*round][at]).collect();
        let times = stats::summary(&runs);
        times.high - times.low <= timing.interval * times.median
    })
}

//! How often a kernel runs until its time is known.

use super::clock::{TIME, WARM_UP};
use super::harness::{Harness, Prepared, preparing};
use super::protocol::{Check, Entrant, Finals, Times, Timing};
use super::stats::{self, FEW, Run};
use super::watch::{Watch, sustain};
use bico_core::Lists;
use bico_device::measure::{Code, Lap};
use bico_search::search::{Caches, Failure};
use std::ops::ControlFlow;
use std::rc::Rc;
use std::time::Instant;

/// A sample shorter than this measures the clock: calls are repeated until it is that long.
const SHORTEST: f64 = 20e-6;

/// Calls in one sample at most.
const MOST_CALLS: u32 = 1 << 20;

/// Runs of one trial at most.
const MOST_RUNS: usize = 2000;

/// A config whose first runs take this many times the best is not timed.
const HOPELESS: f64 = 1.5;

/// A call that takes so many seconds is one sample, and needs no other to warm up.
const LONG: f64 = 10e-3;

/// A config whose verified run is a long one, and takes this many times the best, is not run again.
const FAR: f64 = 8.0;

/// Rounds of finals at most.
const MOST_ROUNDS: usize = 200;

/// A loaded kernel, and how to take one sample of it.
pub(super) struct Sampler {
    code: Code,
    prepared: Rc<Prepared>,
    /// Whether its data may be in caches.
    warm: bool,
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
        code: Code,
        prepared: &Rc<Prepared>,
        first: Lap,
        warm: bool,
    ) -> Result<Sampler, Failure> {
        let mut calls = 1;
        let mut call = match long(harness, first) {
            Some(run) => run.seconds,
            None => {
                harness.restore(prepared)?;
                let allow = 20.0 * first.wall + 2.0 + preparing(&prepared.call);
                harness.parent.step(WARM_UP, allow);
                let lap = harness.lap(code, prepared, 1)?;
                lap.wall.min(first.wall).max(1e-9)
            }
        };
        // An in-place kernel starts from the same data in every call, so it cannot be repeated. A GPU
        // has a clock of its own for single calls, and a second one would find the caches warm.
        let once = prepared.is_in_place() || (harness.is_gpu() && !warm);
        while !once && call * f64::from(calls) < SHORTEST && calls < MOST_CALLS {
            calls = ((SHORTEST / call).ceil() as u32).clamp(calls + 1, MOST_CALLS);
            let lap = harness.lap(code, prepared, calls)?;
            call = (lap.wall / f64::from(calls)).max(1e-9);
        }
        Ok(Sampler {
            code,
            prepared: Rc::clone(prepared),
            warm,
            calls,
            threaded: harness.is_threaded(),
            estimate: call * f64::from(calls),
        })
    }

    /// Takes one sample. Restoring and flushing come before, and are not timed.
    pub(super) fn sample(&self, harness: &mut Harness) -> Result<Run, Failure> {
        harness.restore(&self.prepared)?;
        if !self.warm {
            harness.device.flush();
        }
        let lap = harness.lap(self.code, &self.prepared, self.calls)?;
        Ok(Run::new(lap, self.calls, self.threaded))
    }

    /// What a sample's calls find in the caches: they are flushed before a sample, not before each of its calls.
    fn caches(&self) -> Caches {
        match self.warm || self.calls > 1 {
            true => Caches::Warm,
            false => Caches::Flushed,
        }
    }

    /// Seconds after which a sample must be a hang.
    pub(super) fn patience(&self) -> f64 {
        2.0 + 20.0 * self.estimate + preparing(&self.prepared.call)
    }
}

/// How to take samples of the config of a trial, or its time if little shows that it is far too slow: its verified run `first`, or
/// that and one more, taken beside whatever else goes on here, which matters less.
pub(super) fn look(
    harness: &mut Harness,
    code: Code,
    prepared: &Rc<Prepared>,
    first: Lap,
    timing: &Timing,
) -> Result<ControlFlow<Times, Sampler>, Failure> {
    let best = timing.best.filter(|_| !timing.alone);
    let is_far = |run: &Run| best.is_some_and(|best| run.seconds > FAR * best);
    if let Some(run) = long(harness, first).filter(is_far) {
        return Ok(ControlFlow::Break(cut_short(run, Caches::Unknown)));
    }
    let sampler = Sampler::new(harness, code, prepared, first, timing.warm)?;
    // The calls before were samples already, if not of the best.
    let is_hopeless = |best: f64| sampler.estimate > HOPELESS * best * f64::from(sampler.calls);
    let Some(best) = best.filter(|best| is_hopeless(*best)) else {
        return Ok(ControlFlow::Continue(sampler));
    };
    harness.parent.step(TIME, sampler.patience());
    let watch = Watch::new(harness);
    let run = sampler.sample(harness)?;
    if run.seconds <= HOPELESS * best {
        return Ok(ControlFlow::Continue(sampler));
    }
    let mut times = cut_short(run, sampler.caches());
    watch.note(harness, &mut times.sample);
    Ok(ControlFlow::Break(times))
}

/// The verified run as a sample, where it is long, and not for what is done once: starting threads, or loading code to a GPU.
fn long(harness: &Harness, first: Lap) -> Option<Run> {
    // Threads are counted of few.
    if first.wall <= LONG || harness.is_gpu() || harness.is_threaded() {
        return None;
    }
    let run = Run::new(first, 1, false);
    (run.seconds > LONG).then_some(run)
}

/// The times of a config of which one run is enough to see that it is slow.
fn cut_short(run: Run, caches: Caches) -> Times {
    let mut times = stats::summary(&[run], caches);
    times.sample.cut = true;
    times
}

/// Times the config of a trial.
pub(super) fn trial(
    harness: &mut Harness,
    sampler: &Sampler,
    timing: &Timing,
) -> Result<Times, Failure> {
    if timing.sustained {
        sustain(harness, sampler)?;
    }
    let allow = timing.seconds + sampler.patience();
    harness.parent.step(TIME, allow);
    let start = Instant::now();
    let watch = Watch::new(harness);
    let mut runs: Vec<Run> = Vec::new();
    loop {
        runs.push(sampler.sample(harness)?);
        if runs.len() < FEW {
            continue;
        }
        let elapsed = start.elapsed().as_secs_f64();
        let is_enough = runs.len() >= timing.few && elapsed > timing.soon;
        if is_enough || runs.len() >= MOST_RUNS || elapsed > timing.seconds {
            break;
        }
        if timing.best.is_some_and(|best| stats::is_lost(&runs, best)) {
            break;
        }
        if stats::is_look(runs.len()) && stats::is_narrow(&runs, timing.interval) {
            break;
        }
    }
    let mut times = stats::summary(&runs, sampler.caches());
    watch.note(harness, &mut times.sample);
    Ok(times)
}

/// An entrant of the finals that is still in.
struct Subject<'a> {
    /// Its number.
    index: usize,
    check: &'a Check,
    sampler: Sampler,
    /// One run of each round.
    runs: Vec<Run>,
}

/// Times several configs in turns, so that what disturbs one disturbs all. Entrants with equal
/// calls share their buffers: how memory happens to lie must favour none of them.
pub(super) fn finals(harness: &mut Harness, finals: &Finals) -> Vec<Result<Times, Failure>> {
    harness.accept(&finals.terms);
    let turn = harness.take_part();
    let untimed = Err(Failure::Worker("it was not timed".into()));
    let mut results = vec![untimed; finals.entrants.len()];
    let mut subjects: Vec<Subject<'_>> = Vec::new();
    for (index, entrant) in finals.entrants.iter().enumerate() {
        harness.parent.entrant.set(Some(index));
        match enter(harness, finals, entrant) {
            Ok(sampler) => subjects.push(Subject {
                index,
                check: &entrant.check,
                sampler,
                runs: Vec::new(),
            }),
            Err(failure) => results[index] = Err(failure),
        }
    }
    level(&mut subjects);
    drop(turn);
    let parent = Rc::clone(&harness.parent);
    let watch = Watch::new(harness);
    let lost = parent.quietly(|| {
        if let Some(first) = subjects.first().filter(|_| finals.timing.sustained)
            && let Err(failure) = sustain(harness, &first.sampler)
        {
            results[first.index] = Err(failure);
            subjects.remove(0);
        }
        play(harness, finals, &mut subjects, &mut results)
    });
    subjects.extend(lost);
    let _turn = harness.take_part();
    for subject in subjects {
        harness.parent.entrant.set(Some(subject.index));
        let mut times = stats::summary(&subject.runs, subject.sampler.caches());
        watch.note(harness, &mut times.sample);
        let rounds = subject.runs.iter();
        times.sample.rounds = rounds.map(|run| run.seconds).collect_vec();
        let right = conclude(harness, &subject);
        results[subject.index] = right.map(|()| times);
        harness.device.unload(subject.sampler.code);
    }
    results
}

/// Loads an entrant, checks it once more and warms it up.
fn enter(harness: &mut Harness, finals: &Finals, entrant: &Entrant) -> Result<Sampler, Failure> {
    let code = harness.load(&entrant.kernel)?;
    let check = &entrant.check;
    let mut opinions = vec![true; check.timed.opinions.len()];
    let (prepared, first) = harness.check(code, check, &mut opinions)?;
    Sampler::new(harness, code, &prepared, first, finals.timing.warm)
}

/// Lets samples of all subjects have as many calls: one that is flushed before each call would not be compared with one
/// whose calls find the caches warm.
fn level(subjects: &mut [Subject<'_>]) {
    let samplers = || subjects.iter().map(|subject| &subject.sampler);
    let most = samplers().map(|of| of.calls).max().unwrap_or(1);
    // An in-place kernel cannot be repeated: then all are.
    if samplers().any(|of| of.prepared.is_in_place()) {
        return;
    }
    for Subject { sampler, .. } in subjects {
        sampler.estimate *= f64::from(most) / f64::from(sampler.calls);
        sampler.calls = most;
    }
}

/// The rounds, each with one run per subject. A subject that fails leaves, and its round does not count. Those that can no
/// longer win leave, too, so that time goes to those that may: they are given back.
fn play<'a>(
    harness: &mut Harness,
    Finals { timing, stay, .. }: &Finals,
    subjects: &mut Vec<Subject<'a>>,
    results: &mut [Result<Times, Failure>],
) -> Vec<Subject<'a>> {
    let mut lost = Vec::new();
    let mut rounds = 0;
    let start = Instant::now();
    while !decided(rounds, subjects, timing, start.elapsed().as_secs_f64()) {
        let mut order: Vec<usize> = (0..subjects.len()).collect_vec();
        // Forth and back: no config always follows the same other one.
        if rounds % 2 == 1 {
            order.reverse();
        }
        let mut failed = None;
        for at in order {
            let subject = &mut subjects[at];
            harness.parent.entrant.set(Some(subject.index));
            harness.parent.step(TIME, subject.sampler.patience());
            match subject.sampler.sample(harness) {
                Ok(run) => subject.runs.push(run),
                Err(failure) => failed = failed.or(Some((at, failure))),
            }
        }
        match failed {
            None => {
                rounds += 1;
                if *stay || !stats::may_reject(rounds) {
                    continue;
                }
                let Some(best) = fastest(subjects) else {
                    continue;
                };
                lost.extend(subjects.extract_if(.., |of| stats::is_beaten(&of.runs, &best)));
            }
            Some((at, failure)) => {
                results[subjects.remove(at).index] = Err(failure);
                for subject in subjects.iter_mut() {
                    subject.runs.truncate(rounds);
                }
            }
        }
    }
    lost
}

/// The runs of the fastest so far.
fn fastest(subjects: &[Subject<'_>]) -> Option<Vec<Run>> {
    let runs = subjects.iter().map(|subject| &subject.runs);
    let fastest = runs.min_by(|a, b| stats::median(a).total_cmp(&stats::median(b)));
    fastest.cloned()
}

/// What was right at first must still be right after all rounds.
fn conclude(harness: &mut Harness, subject: &Subject<'_>) -> Result<(), Failure> {
    let mut opinions = vec![true; subject.check.timed.opinions.len()];
    let again = harness.check(subject.sampler.code, subject.check, &mut opinions);
    again?;
    // With no reference it is of some opinion, its own at least, since it was verified.
    match opinions.is_empty() || opinions.contains(&true) {
        true => Ok(()),
        false => Err(Failure::Wrong(
            "after many calls its results are no longer what they were".into(),
        )),
    }
}

/// Whether the rounds so far say enough, nobody is left, or time is up.
fn decided(rounds: usize, subjects: &[Subject<'_>], timing: &Timing, elapsed: f64) -> bool {
    if rounds == 0 || subjects.is_empty() {
        return subjects.is_empty();
    }
    let is_late = elapsed > timing.seconds && rounds >= FEW || elapsed > 3.0 * timing.seconds;
    if rounds >= MOST_ROUNDS || is_late {
        return true;
    }
    let narrow = |subject: &Subject<'_>| stats::is_narrow(&subject.runs, timing.interval);
    stats::is_look(rounds) && subjects.iter().all(narrow)
}

//! One trial in the worker: load the kernel, check what it does at the problem's size, time it, and check all else that it
//! must do if it is fast enough to matter.

use super::clock::LOAD;
use super::harness::{Harness, preparing};
use super::lockfile::Lock;
use super::poison::Poison;
use super::protocol::{Check, Reference, ReferenceRun, Trial, Tried};
use super::timing;
use bico_device::measure::{Code, Place};
use bico_search::search::Failure;
use std::ops::ControlFlow;
use std::rc::Rc;
use std::time::Instant;

/// Verifies one config, and times it where that is asked for.
pub(super) fn run(harness: &mut Harness, trial: &Trial) -> Result<Tried, Failure> {
    harness.accept(&trial.terms);
    let Some((problem, small)) = trial.checks.split_last() else {
        return Err(Failure::Worker("a trial without a size".into()));
    };
    let turn = harness.take_part();
    harness.parent.step(LOAD, preparing(&problem.timed.call));
    let code = harness.load(&trial.kernel)?;
    let result = tried(harness, code, trial, (problem, small), turn);
    harness.device.unload(code);
    result
}

/// `turn` keeps others from timing.
fn tried(
    harness: &mut Harness,
    code: Code,
    trial: &Trial,
    (problem, small): (&Check, &[Check]),
    mut turn: Option<Lock>,
) -> Result<Tried, Failure> {
    let mut opinions = vec![true; problem.timed.opinions.len()];
    let mut times = None;
    let mut is_lost = false;
    if let Some(timing) = &trial.timing {
        let (prepared, first) = harness.check(code, problem, &mut opinions)?;
        let at_problem = |failure| at(failure, &problem.label);
        let looked = timing::look(harness, code, &prepared, first, timing);
        let timed = match looked.map_err(at_problem)? {
            ControlFlow::Break(times) => times,
            ControlFlow::Continue(sampler) => {
                drop(turn);
                let parent = Rc::clone(&harness.parent);
                let time = || timing::trial(harness, &sampler, timing);
                let timed = parent.quietly(time);
                turn = harness.take_part();
                timed.map_err(at_problem)?
            }
        };
        // What was right once must still be right after many runs.
        harness.begin(problem, &problem.timed);
        harness.trespass(&prepared).map_err(at_problem)?;
        let again = harness.judge(&prepared, &problem.timed, &mut opinions, false);
        again.map_err(at_problem)?;
        // Nor has it learned the answer by heart.
        is_lost = timing.is_lost(&timed.sample);
        let others = problem.others.iter().filter(|_| !is_lost);
        for case in others {
            harness.go_on(code, problem, case, &mut opinions)?;
        }
        times = Some(timed);
    }
    if !is_lost {
        for check in small {
            harness.scrutinise(code, check, &mut opinions)?;
        }
    }
    if trial.timing.is_none() {
        harness.scrutinise(code, problem, &mut opinions)?;
    }
    drop(turn);
    let opinion = opinions.iter().position(|alive| *alive);
    Ok(Tried { times, opinion })
}

/// Runs the reference once and keeps its outputs in a file.
pub(super) fn reference(
    harness: &mut Harness,
    wanted: &Reference,
) -> Result<ReferenceRun, Failure> {
    harness.limit_memory(wanted.memory);
    let allow = wanted.allow + preparing(&wanted.call);
    harness.parent.step(&wanted.label, allow);
    let code = harness.load(&wanted.kernel)?;
    let prepared = harness.prepare(&wanted.call)?;
    harness.settle(&prepared, Place::End)?;
    let start = Instant::now();
    let result = harness
        .run_once(code, &prepared, &Poison::FIRST)
        .and_then(|lap| {
            let seconds = lap.wall.min(start.elapsed().as_secs_f64());
            let (blank, faint) = harness.keep_reference(&prepared, &wanted.out)?;
            Ok(ReferenceRun {
                seconds,
                blank,
                faint,
            })
        });
    harness.device.unload(code);
    result.map_err(|failure| at(failure, &wanted.label))
}

/// Says at which size it happened.
pub(super) fn at(mut failure: Failure, label: &str) -> Failure {
    use Failure::{Memory, OutOfBounds, Unwritten, Wrong};
    if let Wrong(text) | OutOfBounds(text) | Unwritten(text) | Memory(text) = &mut failure
        && !label.is_empty()
    {
        text.push_str(&format!(", at {label}"));
    }
    failure
}

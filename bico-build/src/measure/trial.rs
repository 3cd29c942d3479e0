//! One trial in the worker: load the kernel, check what it does at every size, then time it.

use super::harness::{Harness, preparing};
use super::poison::Poison;
use super::protocol::{Check, Reference, Trial, Tried};
use super::timing;
use bico_device::measure::{Code, Place};
use bico_search::search::Failure;
use std::time::Instant;

/// Verifies one config, and times it where that is asked for.
pub(super) fn run(harness: &mut Harness, trial: &Trial) -> Result<Tried, Failure> {
    harness.limit_memory(trial.memory);
    let Some((problem, small)) = trial.checks.split_last() else {
        return Err(Failure::Worker("a trial without a size".into()));
    };
    harness
        .parent
        .step("loading", preparing(&problem.timed.call));
    let code = harness.load(&trial.kernel)?;
    let result = tried(harness, code, trial, problem, small);
    harness.device.unload(code);
    result
}

fn tried(
    harness: &mut Harness,
    code: Code,
    trial: &Trial,
    problem: &Check,
    small: &[Check],
) -> Result<Tried, Failure> {
    let mut opinions = vec![true; problem.timed.opinions.len()];
    for check in small {
        harness.scrutinise(code, check, &mut opinions)?;
    }
    let mut times = None;
    match &trial.timing {
        None => harness.scrutinise(code, problem, &mut opinions)?,
        Some(timing) => {
            let (prepared, lap) = harness.check(code, problem, &mut opinions)?;
            let timed = timing::trial(harness, code, &prepared, lap, timing).and_then(|times| {
                harness.trespass(&prepared)?;
                // What was right once must still be right after many runs.
                harness.judge(&prepared, &problem.timed, &mut opinions, false)?;
                Ok(times)
            });
            let timed = timed.map_err(|failure| at(failure, &problem.label))?;
            // Nor has it learned the answer by heart. Who is far too slow for the finals need not show that.
            let others = problem.others.iter().filter(|_| !timed.sample.cut);
            for case in others {
                harness.go_on(code, problem, case, &mut opinions)?;
            }
            times = Some(timed);
        }
    }
    let opinion = opinions.iter().position(|alive| *alive);
    Ok(Tried { times, opinion })
}

/// Runs the reference once and keeps its outputs in a file.
pub(super) fn reference(harness: &mut Harness, wanted: &Reference) -> Result<f64, Failure> {
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
            harness.save(&prepared, &wanted.out)?;
            Ok(lap.wall.min(start.elapsed().as_secs_f64()))
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

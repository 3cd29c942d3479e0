//! One trial in the worker: load the kernel, check what it does at every size, then time it.

use super::harness::{Harness, preparing};
use super::protocol::{Check, Reference, Trial, Tried};
use super::timing;
use bico_device::measure::Code;
use bico_search::search::Failure;
use std::time::Instant;

/// Verifies one config, and times it where that is asked for.
pub(super) fn run(harness: &mut Harness, trial: &Trial) -> Result<Tried, Failure> {
    harness.limit_memory(trial.memory);
    let Some((problem, small)) = trial.checks.split_last() else {
        return Err(Failure::Worker("a trial without a size".into()));
    };
    harness.parent.step("loading", preparing(&problem.call));
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
    let mut opinions = vec![true; problem.opinions.len()];
    for check in small {
        harness.check(code, check, trial.tolerance, &mut opinions)?;
    }
    let (prepared, lap) = harness.check(code, problem, trial.tolerance, &mut opinions)?;
    let opinion = opinions.iter().position(|alive| *alive);
    let Some(timing) = &trial.timing else {
        let times = None;
        return Ok(Tried { times, opinion });
    };
    let times = timing::trial(harness, code, &prepared, lap, timing).and_then(|times| {
        harness.trespass(&prepared)?;
        // What was right once must still be right after many runs.
        let mut again = problem.clone();
        again.save = None;
        harness.judge(&prepared, &again, trial.tolerance, &mut opinions)?;
        Ok(Some(times))
    });
    let times = times.map_err(|failure| at(failure, &problem.label))?;
    Ok(Tried { times, opinion })
}

/// Runs the reference once and keeps its outputs in a file.
pub(super) fn reference(harness: &mut Harness, wanted: &Reference) -> Result<f64, Failure> {
    harness.limit_memory(wanted.memory);
    let allow = wanted.allow + preparing(&wanted.call);
    harness.parent.step(&wanted.label, allow);
    let code = harness.load(&wanted.kernel)?;
    let prepared = harness.prepare(&wanted.call)?;
    let start = Instant::now();
    let result = harness.run_once(code, &prepared).and_then(|lap| {
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

//! One trial in the worker: load the kernel, check what it does at every size, then time it.

use super::harness::{Harness, preparing};
use super::protocol::{Check, Reference, Trial, Tried};
use super::timing;
use super::worker::{Parent, fault};
use bico_search::search::Failure;
use std::time::Instant;

/// Verifies one config, and times it where that is asked for.
pub(super) fn run(
    harness: &mut Harness,
    parent: &mut Parent,
    trial: &Trial,
) -> Result<Tried, Failure> {
    harness.limit_memory(trial.memory);
    let Some((problem, small)) = trial.checks.split_last() else {
        return Err(fault("a trial without a size"));
    };
    parent.step("loading", preparing(&problem.call));
    let code = harness.load(&trial.kernel)?;
    let mut opinions = vec![true; problem.opinions.len()];
    let mut tried = || -> Result<Tried, Failure> {
        for check in small {
            let (prepared, _) =
                harness.check(parent, code, check, trial.tolerance, &mut opinions)?;
            harness.keep(prepared);
        }
        let (prepared, lap) =
            harness.check(parent, code, problem, trial.tolerance, &mut opinions)?;
        let Some(timing) = &trial.timing else {
            harness.keep(prepared);
            let opinion = opinions.iter().position(|alive| *alive);
            let times = None;
            return Ok(Tried { times, opinion });
        };
        let times = timing::trial(harness, parent, code, &prepared, lap, timing);
        let times = times.and_then(|times| {
            harness.trespass(&prepared)?;
            // What was right once must still be right after many runs.
            let again = Check {
                save: None,
                ..problem.clone()
            };
            harness.judge(&prepared, &again, trial.tolerance, &mut opinions.clone())?;
            Ok(Some(times))
        });
        harness.keep(prepared);
        let opinion = opinions.iter().position(|alive| *alive);
        times
            .map(|times| Tried { times, opinion })
            .map_err(|failure| at(failure, &problem.label))
    };
    let result = tried();
    harness.device.unload(code);
    result
}

/// Runs the reference once and keeps its outputs in a file.
pub(super) fn reference(
    harness: &mut Harness,
    parent: &mut Parent,
    wanted: &Reference,
) -> Result<f64, Failure> {
    harness.limit_memory(wanted.memory);
    parent.step(wanted.label.clone(), wanted.allow + preparing(&wanted.call));
    let code = harness.load(&wanted.kernel)?;
    let prepared = harness.prepare(&wanted.call)?;
    let start = Instant::now();
    let result = harness.run_once(code, &prepared, parent).and_then(|lap| {
        harness.save(&prepared, &wanted.out)?;
        Ok(lap.wall.min(start.elapsed().as_secs_f64()))
    });
    harness.keep(prepared);
    harness.device.unload(code);
    result.map_err(|failure| at(failure, &wanted.label))
}

/// Says at which size it happened.
pub(super) fn at(failure: Failure, label: &str) -> Failure {
    let with = |text: String| {
        if label.is_empty() {
            text
        } else {
            format!("{text}, at {label}")
        }
    };
    match failure {
        Failure::Wrong(text) => Failure::Wrong(with(text)),
        Failure::OutOfBounds(text) => Failure::OutOfBounds(with(text)),
        Failure::Unwritten(text) => Failure::Unwritten(with(text)),
        Failure::Memory(text) => Failure::Memory(with(text)),
        other => other,
    }
}

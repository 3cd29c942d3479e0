//! One trial in the worker: load the kernel, check what it does at every size, then time it.

use super::protocol::{Check, Reference, Trial, Tried};
use super::session::{Session, preparing};
use super::timing;
use super::worker::{Parent, fault};
use bico_search::search::Failure;
use std::time::Instant;

/// Verifies one config, and times it where that is asked for.
pub(super) fn run(
    session: &mut Session,
    parent: &mut Parent,
    trial: &Trial,
) -> Result<Tried, Failure> {
    session.limit_memory(trial.memory);
    let Some((problem, small)) = trial.checks.split_last() else {
        return Err(fault("a trial without a size"));
    };
    parent.step("loading", preparing(&problem.call));
    let code = session.load(&trial.kernel)?;
    let mut opinions = vec![true; problem.opinions.len()];
    let mut tried = || -> Result<Tried, Failure> {
        for check in small {
            let (prepared, _) =
                session.check(parent, code, check, trial.tolerance, &mut opinions)?;
            session.keep(prepared);
        }
        let (prepared, lap) =
            session.check(parent, code, problem, trial.tolerance, &mut opinions)?;
        let Some(timing) = &trial.timing else {
            session.keep(prepared);
            let opinion = opinions.iter().position(|alive| *alive);
            let times = None;
            return Ok(Tried { times, opinion });
        };
        let times = timing::trial(session, parent, code, &prepared, lap, timing);
        let times = times.and_then(|times| {
            session.trespass(&prepared)?;
            // What was right once must still be right after many runs.
            let again = Check {
                save: None,
                ..problem.clone()
            };
            session.judge(&prepared, &again, trial.tolerance, &mut opinions.clone())?;
            Ok(Some(times))
        });
        session.keep(prepared);
        let opinion = opinions.iter().position(|alive| *alive);
        times
            .map(|times| Tried { times, opinion })
            .map_err(|failure| at(failure, &problem.label))
    };
    let result = tried();
    session.device.unload(code);
    result
}

/// Runs the reference once and keeps its outputs in a file.
pub(super) fn reference(
    session: &mut Session,
    parent: &mut Parent,
    wanted: &Reference,
) -> Result<f64, Failure> {
    session.limit_memory(wanted.memory);
    parent.step(wanted.label.clone(), wanted.allow + preparing(&wanted.call));
    let code = session.load(&wanted.kernel)?;
    let prepared = session.prepare(&wanted.call)?;
    let start = Instant::now();
    let result = session.run_once(code, &prepared, parent).and_then(|lap| {
        session.save(&prepared, &wanted.out)?;
        Ok(lap.wall.min(start.elapsed().as_secs_f64()))
    });
    session.keep(prepared);
    session.device.unload(code);
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

//! The cold side of dispatch: deciding which candidate a problem's slot gets.

mod able;
mod decide;
mod explain;
mod refused;

pub(crate) use able::{able, disprove, is_out, prove, proven};
use able::{broken, lacks, unloadable, wrong};
pub(crate) use decide::rank;
use decide::{Basis, decide, own_winners};
use explain::no_config;
pub(crate) use explain::{choice, no_problem, refusal};
pub use refused::Refused;
#[cfg(feature = "cuda")]
pub(crate) use refused::is_learned;

use crate::dispatch::Tunable;
use crate::learn::slot::{self, UNSETTLED};
use crate::learn::{Lane, Mode, Pull, mode};
use crate::rules::Selector;
use crate::target::Target;
use crate::{Config, Error, Result};
use bico_core::device::{Facts, KernelLimits};
use core::sync::atomic::Ordering;

/// What serves a call that no slot answers. `live`: whether the call may teach something.
#[cold]
#[inline(never)]
pub(crate) fn pull(
    tunable: &Tunable,
    on: Target,
    sizes: &[i64],
    given: &[Selector<'_>],
    live: bool,
) -> Result<Pull> {
    let problem = tunable.problem(sizes, given)?;
    let settled = settled(tunable, on, problem, sizes);
    if settled.is_none()
        && mode() != Mode::Fixed
        && let Some(lane) = lane(tunable, on, problem, sizes)
    {
        // Where there was no place for a bucket, its times are not its neighbour's.
        let variant = tunable.variant(problem);
        return lane.pull(sizes, live && lane.bucket.holds(variant, sizes));
    }
    let decided = settled.or_else(|| first(tunable, on, problem));
    match decided.filter(|&candidate| fits(tunable, on, candidate, problem, sizes)) {
        Some(candidate) => Ok(Pull::plain(candidate)),
        None => next_that_fits(tunable, on, problem, sizes).map(Pull::plain),
    }
}

/// The lane of a call, made where there is none.
pub(crate) fn lane(
    tunable: &Tunable,
    on: Target,
    problem: usize,
    sizes: &[i64],
) -> Option<&'static Lane> {
    let variant = tunable.variant(problem);
    let known = on.board.find(variant, sizes);
    known.or_else(|| on.board.lane(tunable, on, problem, sizes))
}

/// What the lock says of a call on this device (or, where nothing is to be learned, what the model
/// says), remembered in the problem's slot.
fn settled(tunable: &Tunable, on: Target, problem: usize, sizes: &[i64]) -> Option<usize> {
    let fixed = mode() == Mode::Fixed;
    if !fixed && !tunable.near(problem, sizes) {
        return None;
    }
    let slot = &on.slots[problem];
    let said = slot.load(Ordering::Relaxed);
    if let Some(candidate) = slot::plain(said) {
        return Some(candidate);
    }
    // This was asked before.
    if !fixed && said != UNSETTLED {
        return None;
    }
    if !fixed && !is_won(tunable, on, problem) {
        let (set, read) = (Ordering::Relaxed, Ordering::Relaxed);
        let _ = slot.compare_exchange(UNSETTLED, slot::OPEN, set, read);
        return None;
    }
    let candidate = match fixed {
        true => first(tunable, on, problem)?,
        false => winner(tunable, on, problem)?,
    };
    // Two threads may get here at once; both decide the same.
    slot.store(slot::decided(candidate), Ordering::Relaxed);
    Some(candidate)
}

/// Whether the lock says what serves a problem on this device.
pub(crate) fn knows(tunable: &Tunable, on: Target, problem: usize) -> bool {
    // Deciding loads code: not where nobody won.
    is_won(tunable, on, problem) && winner(tunable, on, problem).is_some()
}

/// Whether a candidate won on this device at sizes near to a problem's.
fn is_won(tunable: &Tunable, on: Target, problem: usize) -> bool {
    let own = tunable.data.problems[problem].sizes;
    let mut winners = own_winners(tunable, on, problem).into_iter();
    winners.any(|winner| tunable.near(winner.at, own))
}

/// The one that did, where it runs. The winner of a problem far away is where learning begins.
fn winner(tunable: &Tunable, on: Target, problem: usize) -> Option<usize> {
    let own = tunable.data.problems[problem].sizes;
    match decide(tunable, on, problem)? {
        (candidate, Basis::Tuned(at)) if tunable.near(at, own) => Some(candidate),
        _ => None,
    }
}

/// What serves a problem as long as nothing has been learned.
pub(crate) fn first(tunable: &Tunable, on: Target, problem: usize) -> Option<usize> {
    decide(tunable, on, problem).map(|(candidate, _)| candidate)
}

/// The candidates of a problem's constants that this device could run and that were verified (or will be, before they
/// serve), in the problem's order: what calls may try.
pub(crate) fn possible(tunable: &Tunable, on: Target, problem: usize) -> Vec<usize> {
    let order = tunable.order(problem);
    order
        .filter(|&candidate| lacks(tunable, on, candidate).is_none())
        .filter(|&candidate| {
            tunable.rules.live.is_some() || !tunable.data.unverified.contains(&(candidate as u16))
        })
        .collect()
}

/// Whether a candidate can serve a call of these sizes: what is cheap to find out comes first.
pub(crate) fn runs(
    tunable: &Tunable,
    on: Target,
    candidate: usize,
    problem: usize,
    sizes: &[i64],
) -> bool {
    fits(tunable, on, candidate, problem, sizes)
        && able(tunable, on, candidate)
        // Only loaded code tells how many threads its registers allow.
        && (on.code.is_none() || fits(tunable, on, candidate, problem, sizes))
}

/// Whether every condition that names a size holds, and a GPU could launch it.
pub(crate) fn fits(
    tunable: &Tunable,
    on: Target,
    candidate: usize,
    problem: usize,
    sizes: &[i64],
) -> bool {
    tunable.fits(on.facts, candidate, problem, sizes)
        && unlaunchable(tunable, on, candidate, problem, sizes).is_none()
}

/// Why a GPU cannot launch a candidate at these sizes.
fn unlaunchable(
    tunable: &Tunable,
    on: Target,
    candidate: usize,
    problem: usize,
    sizes: &[i64],
) -> Option<String> {
    let (Facts::Cuda(gpu), Some(launch)) = (on.facts, tunable.rules.launch) else {
        return None;
    };
    let loaded = on.code.and_then(|code| code.limits(candidate));
    let limits = loaded.unwrap_or_else(|| KernelLimits::of(gpu));
    match launch(&tunable.scope(on.facts, candidate, problem, sizes)) {
        Ok(dims) => limits.broken(&dims),
        Err(error) => Some(format!("`launch` has no value: {error}")),
    }
}

/// The first candidate in the problem's order that runs here and fits the call's sizes.
pub(crate) fn next_that_fits(
    tunable: &Tunable,
    on: Target,
    problem: usize,
    sizes: &[i64],
) -> Result<usize> {
    tunable
        .order(problem)
        .find(|&c| runs(tunable, on, c, problem, sizes))
        .ok_or_else(|| no_config(tunable, on, problem, sizes, tunable.order(problem)))
}

pub(crate) fn with_config(
    tunable: &Tunable,
    on: Target,
    config: &Config,
    sizes: &[i64],
    given: &[Selector<'_>],
) -> Result<usize> {
    let problem = tunable.problem(sizes, given)?;
    let variant = tunable.variant(problem);
    let mut candidates = tunable.data.candidates.iter();
    let found = candidates.position(|candidate| {
        candidate.variant == variant
            && *config == Config::new(tunable.data.parameters, candidate.values)
    });
    let Some(candidate) = found else {
        let config = Box::new(*config);
        return Err(Error::UnknownConfig {
            tunable: tunable.data.key,
            config,
        });
    };
    if runs(tunable, on, candidate, problem, sizes) {
        return Ok(candidate);
    }
    Err(no_config(
        tunable,
        on,
        problem,
        sizes,
        core::iter::once(candidate),
    ))
}

#[cfg(test)]
pub(crate) mod tests;

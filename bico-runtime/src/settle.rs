//! The cold side of dispatch: deciding which candidate a problem's slot gets, and explaining it.

use crate::choice::Reason;
use crate::data::Problem;
use crate::device::Facts;
use crate::dispatch::{Selector, Tunable};
use crate::error::{NoConfig, NoProblem};
use crate::{Choice, Config, Error, Result, model};
use core::sync::atomic::Ordering;

/// Where a decision comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Basis {
    /// The winner on this device, of the problem of this index.
    Tuned(usize),
    /// The model's ranking for this device.
    Ranked,
}

/// Decides for a problem and remembers it. `None` where nothing can run here at its own sizes.
#[cold]
#[inline(never)]
pub(crate) fn settle(tunable: &Tunable, problem: usize) -> Option<usize> {
    let (candidate, _) = decide(tunable, problem)?;
    // Two threads may get here at once; both decide the same.
    tunable.slots[problem].store(candidate as u32 + 1, Ordering::Relaxed);
    Some(candidate)
}

fn decide(tunable: &Tunable, index: usize) -> Option<(usize, Basis)> {
    let data = tunable.data;
    let problem = &data.problems[index];
    let runs = |&candidate: &usize| {
        able(tunable, candidate) && tunable.fits(candidate, index, problem.sizes)
    };
    let tuned = tuned(tunable, index).filter(|(candidate, _)| runs(candidate));
    if let Some((candidate, at)) = tuned {
        return Some((candidate, Basis::Tuned(at)));
    }
    // The first of the best: `order` begins with the winners of other devices.
    let ranked = problem.order.iter().map(|&candidate| usize::from(candidate)).filter(runs);
    let best = ranked
        .map(|candidate| (candidate, rank(tunable, candidate, index)))
        .reduce(|best, next| if next.1 < best.1 { next } else { best })?;
    Some((best.0, Basis::Ranked))
}

/// This device's winner for a problem or, where that was not tuned here, for the nearest one of the
/// same constants that was.
fn tuned(tunable: &Tunable, index: usize) -> Option<(usize, usize)> {
    let data = tunable.data;
    let device = data.devices.iter().position(|key| *key == Facts::host_key())?;
    let winner = |problem: &Problem| {
        let mut winners = problem.winners.iter();
        winners.find(|(d, _)| usize::from(*d) == device).map(|(_, c)| usize::from(*c))
    };
    let width = data.sizes.len();
    let logs = |i: usize| &tunable.logs[i * width..(i + 1) * width];
    let distance = |i: usize| -> i64 {
        logs(index).iter().zip(logs(i)).map(|(a, b)| (a - b) * (a - b)).sum()
    };
    let variant = data.problems[index].variant;
    (0..data.problems.len())
        .filter(|&i| data.problems[i].variant == variant)
        .filter_map(|i| winner(&data.problems[i]).map(|candidate| (candidate, i)))
        .min_by_key(|&(_, i)| (i != index, distance(i)))
}

/// Smaller is better. Where the expression has no value, the candidate comes last.
fn rank(tunable: &Tunable, candidate: usize, problem: usize) -> f64 {
    let mut scope = tunable.scope(candidate, problem, tunable.data.problems[problem].sizes);
    let of = &tunable.data.candidates[candidate];
    scope.vector_bits = model::vector_bits_of(of.needs, !of.only_on.is_empty());
    match (tunable.rules.rank)(&scope) {
        Ok(rank) if !rank.is_nan() => rank,
        _ => f64::INFINITY,
    }
}

/// Whether this device can run a candidate at all.
fn able(tunable: &Tunable, candidate: usize) -> bool {
    const YES: u8 = 1;
    const NO: u8 = 2;
    let known = &tunable.able[candidate];
    match known.load(Ordering::Relaxed) {
        YES => true,
        NO => false,
        _ => {
            let able = lacks(tunable, candidate).is_none();
            known.store(if able { YES } else { NO }, Ordering::Relaxed);
            able
        }
    }
}

/// Why this device cannot run a candidate.
fn lacks(tunable: &Tunable, candidate: usize) -> Option<String> {
    let of = &tunable.data.candidates[candidate];
    if let Some(need) = of.needs.iter().find(|need| !Facts::host().has(need)) {
        return Some(format!("this CPU lacks {need}"));
    }
    if !of.only_on.is_empty() && !of.only_on.contains(&Facts::host_key()) {
        return Some(format!("it was built for {} only", of.only_on.join(", ")));
    }
    let problem = tunable.data.problems.iter().position(|p| p.variant == of.variant)?;
    broken(tunable, candidate, problem, &[], false)
}

/// The first condition that does not hold, of those that name sizes or of the others.
fn broken(
    tunable: &Tunable,
    candidate: usize,
    problem: usize,
    sizes: &[i64],
    sized: bool,
) -> Option<String> {
    let scope = tunable.scope(candidate, problem, sizes);
    let mut conditions = tunable.rules.require.iter().filter(|require| require.sized == sized);
    conditions.find_map(|require| match (require.holds)(&scope) {
        Ok(true) => None,
        Ok(false) => Some(format!("`{}` does not hold", require.text)),
        Err(error) => Some(format!("`{}` has no value: {error}", require.text)),
    })
}

/// The first candidate in the problem's order that runs here and fits the call's sizes.
#[cold]
#[inline(never)]
pub(crate) fn next_that_fits(tunable: &Tunable, problem: usize, sizes: &[i64]) -> Result<usize> {
    let order = || tunable.data.problems[problem].order.iter().map(|&c| usize::from(c));
    order()
        .find(|&c| able(tunable, c) && tunable.fits(c, problem, sizes))
        .ok_or_else(|| no_config(tunable, problem, sizes, order()))
}

fn no_config(
    tunable: &Tunable,
    problem: usize,
    sizes: &[i64],
    candidates: impl Iterator<Item = usize>,
) -> Error {
    let tried = candidates.filter_map(|candidate| {
        let why = lacks(tunable, candidate)
            .or_else(|| broken(tunable, candidate, problem, sizes, true))?;
        Some((config(tunable, candidate), why))
    });
    Error::NoConfig(Box::new(NoConfig {
        tunable: tunable.data.key,
        sizes: named(tunable, sizes),
        tried: tried.collect(),
    }))
}

/// No problem has the constants that the arguments select.
#[cold]
#[inline(never)]
pub(crate) fn no_problem(tunable: &Tunable, given: &[Selector<'_>]) -> Error {
    let names = || tunable.rules.selectors.iter().map(|&at| (at, tunable.data.consts[at]));
    let text = |selector: &Selector<'_>| match *selector {
        Selector::Int(x) => x.to_string(),
        Selector::Bool(x) => x.to_string(),
        Selector::Str(x) => format!("{x:?}"),
    };
    let known = tunable.data.problems.iter();
    Error::NoProblem(Box::new(NoProblem {
        tunable: tunable.data.key,
        given: names().zip(given).map(|((_, name), value)| (name, text(value))).collect(),
        known: known
            .map(|problem| names().map(|(at, name)| (name, problem.consts[at])).collect())
            .collect(),
    }))
}

pub(crate) fn with_config(
    tunable: &Tunable,
    config: &Config,
    sizes: &[i64],
    given: &[Selector<'_>],
) -> Result<usize> {
    let (problem, _) = tunable.nearest(sizes, given).ok_or_else(|| no_problem(tunable, given))?;
    let variant = tunable.data.problems[problem].variant;
    let mut candidates = tunable.data.candidates.iter();
    let found = candidates.position(|candidate| {
        candidate.variant == variant
            && *config == Config::new(tunable.data.parameters, candidate.values)
    });
    let Some(candidate) = found else {
        let config = Box::new(*config);
        return Err(Error::UnknownConfig { tunable: tunable.data.key, config });
    };
    if able(tunable, candidate) && tunable.fits(candidate, problem, sizes) {
        return Ok(candidate);
    }
    Err(no_config(tunable, problem, sizes, core::iter::once(candidate)))
}

pub(crate) fn choice(
    tunable: &Tunable,
    sizes: &[i64],
    given: &[Selector<'_>],
) -> Result<Choice> {
    let candidate = tunable.select(sizes, given)?;
    // `select` found it, so it is there.
    let (problem, _) = tunable.nearest(sizes, given).ok_or_else(|| no_problem(tunable, given))?;
    let data = tunable.data;
    let mut from = problem;
    let reason = match decide(tunable, problem) {
        Some((decided, _)) if decided != candidate => Reason::NextThatFits,
        None => Reason::NextThatFits,
        Some((_, Basis::Tuned(at))) => {
            from = at;
            if data.problems[at].sizes == sizes { Reason::Exact } else { Reason::NearestSize }
        }
        Some((_, Basis::Ranked)) => {
            let mut winners = data.problems[problem].winners.iter();
            let winner = winners.find(|(_, c)| usize::from(*c) == candidate);
            match winner.and_then(|(device, _)| data.devices.get(usize::from(*device))) {
                Some(device) => Reason::OtherDevice { device },
                None => Reason::Predicted,
            }
        }
    };
    Ok(Choice {
        tunable: data.key,
        config: config(tunable, candidate),
        reason,
        sizes: named(tunable, sizes),
        problem: named(tunable, data.problems[from].sizes),
        device: Facts::host_key().to_string(),
    })
}

fn config(tunable: &Tunable, candidate: usize) -> Config {
    Config::new(tunable.data.parameters, tunable.data.candidates[candidate].values)
}

fn named(tunable: &Tunable, sizes: &[i64]) -> Vec<(&'static str, i64)> {
    tunable.data.sizes.iter().copied().zip(sizes.iter().copied()).collect()
}

//! The cold side of dispatch: deciding which candidate a problem's slot gets.

mod explain;
mod refused;

use explain::no_config;
pub(crate) use explain::{choice, no_problem, refusal};
pub use refused::Refused;
#[cfg(feature = "cuda")]
pub(crate) use refused::is_learned;

use crate::dispatch::Tunable;
use crate::gpu::images;
use crate::learn::slot::{self, UNSETTLED};
use crate::learn::{Lane, Mode, Pull, mode};
use crate::rules::Selector;
use crate::target::{Refusal, Target};
use crate::{Config, Error, Result};
use bico_core::device::{DeviceKey, Facts, KernelLimits, Kinship, Unlaunchable};
use bico_core::model;
use core::sync::atomic::Ordering;

/// Where a decision comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Basis {
    /// The winner on this device, of the problem of this index.
    Tuned(usize),
    /// The winner on a GPU of the same compute capability.
    SameCapability(Winner),
    /// The model's ranking for this device.
    Ranked,
}

/// A winner on a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Winner {
    /// Index into the devices.
    device: usize,
    candidate: usize,
    /// Index of the problem that it won.
    at: usize,
}

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
        let variant = tunable.data.problems[problem].variant;
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
    let variant = tunable.data.problems[problem].variant;
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
    let order = tunable.data.problems[problem].order.iter();
    let order = order.map(|&candidate| usize::from(candidate));
    order
        .filter(|&candidate| lacks(tunable, on, candidate).is_none())
        .filter(|&candidate| {
            tunable.rules.live.is_some() || !tunable.data.unverified.contains(&(candidate as u16))
        })
        .collect()
}

fn decide(tunable: &Tunable, on: Target, index: usize) -> Option<(usize, Basis)> {
    let data = tunable.data;
    let problem = &data.problems[index];
    let runs = |&candidate: &usize| runs(tunable, on, candidate, index, problem.sizes);
    let own = own_winners(tunable, on, index);
    if let Some(winner) = own.into_iter().find(|winner| runs(&winner.candidate)) {
        return Some((winner.candidate, Basis::Tuned(winner.at)));
    }
    if let Facts::Cuda(_) = on.facts {
        let kin = winners(tunable, index, |key| {
            key != on.key && key.kinship(on.key) == Kinship::Architecture
        });
        if let Some(winner) = kin.into_iter().find(|winner| runs(&winner.candidate)) {
            return Some((winner.candidate, Basis::SameCapability(winner)));
        }
    }
    // The first of the best: `order` begins with the winners of other devices. What the ranking puts
    // last is not even loaded.
    let mut ranked: Vec<(usize, f64)> = problem
        .order
        .iter()
        .map(|&candidate| usize::from(candidate))
        .filter(|&candidate| fits(tunable, on, candidate, index, problem.sizes))
        .map(|candidate| (candidate, rank(tunable, on, candidate, index)))
        .collect();
    ranked.sort_by(|a, b| a.1.partial_cmp(&b.1).unwrap_or(core::cmp::Ordering::Equal));
    let mut ranked = ranked.into_iter().map(|(candidate, _)| candidate);
    ranked.find(runs).map(|best| (best, Basis::Ranked))
}

/// The winners on this device. Learning anew takes it for one that nobody knows.
fn own_winners(tunable: &Tunable, on: Target, index: usize) -> Vec<Winner> {
    let known = mode() != Mode::Anew;
    winners(tunable, index, |key| known && key == on.key)
}

/// The winners for a problem on devices of these keys, with those for other problems of the same
/// constants behind, the nearest first. Of devices with a winner for the same problem: in their order.
fn winners(tunable: &Tunable, index: usize, of: impl Fn(&DeviceKey) -> bool) -> Vec<Winner> {
    let data = tunable.data;
    let width = data.sizes.len();
    let logs = |i: usize| &tunable.logs[i * width..(i + 1) * width];
    let distance = |i: usize| -> i64 {
        logs(index)
            .iter()
            .zip(logs(i))
            .map(|(a, b)| (a - b) * (a - b))
            .sum()
    };
    let variant = data.problems[index].variant;
    let devices: Vec<usize> = (0..data.devices.len())
        .filter(|&device| of(&data.device(device)))
        .collect();
    let mut found = Vec::new();
    for (at, problem) in data.problems.iter().enumerate() {
        if problem.variant == variant {
            found.extend(devices.iter().filter_map(|&device| {
                let mut winners = problem.winners.iter();
                let winner = winners.find(|(known, _)| usize::from(*known) == device)?;
                Some(Winner {
                    device,
                    candidate: usize::from(winner.1),
                    at,
                })
            }));
        }
    }
    found.sort_by_key(|winner| (winner.at != index, distance(winner.at), winner.at));
    // A problem that was not tuned here borrows from the nearest one that was, and from no other.
    let nearest = found.first().map(|winner| winner.at);
    found.retain(|winner| Some(winner.at) == nearest);
    found
}

/// Smaller is better. Where the expression has no value, the candidate comes last.
pub(crate) fn rank(tunable: &Tunable, on: Target, candidate: usize, problem: usize) -> f64 {
    let sizes = tunable.data.problems[problem].sizes;
    let mut scope = tunable.scope(on.facts, candidate, problem, sizes);
    let of = &tunable.data.candidates[candidate];
    scope.vector_bits = model::vector_bits_of(of.needs, !of.only_on.is_empty());
    if let (Facts::Cuda(gpu), Some(code)) = (on.facts, &of.gpu) {
        scope.registers = images::registers(code.images, gpu.compute_capability);
    }
    match (tunable.rules.rank)(&scope) {
        Ok(rank) if !rank.is_nan() => rank,
        _ => f64::INFINITY,
    }
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
) -> Option<Unlaunchable> {
    let (Facts::Cuda(gpu), Some(launch)) = (on.facts, tunable.rules.launch) else {
        return None;
    };
    let loaded = on.code.and_then(|code| code.limits(candidate));
    let limits = loaded.unwrap_or_else(|| KernelLimits::of(gpu));
    match launch(&tunable.scope(on.facts, candidate, problem, sizes)) {
        Ok(dims) => limits.broken(&dims),
        Err(error) => Some(Unlaunchable::Eval(error)),
    }
}

/// What is known of a candidate on a device, once it was looked at.
const YES: u8 = 1;
const NO: u8 = 2;
/// It can, and its results have been compared with another one's.
const PROVEN: u8 = 3;
/// The same, and they are others.
const DISPROVEN: u8 = 4;

/// Whether a candidate's results have been compared in this process.
pub(crate) fn proven(on: Target, candidate: usize) -> bool {
    on.able[candidate].load(Ordering::Relaxed) == PROVEN
}

/// A candidate's results agree with another one's.
pub(crate) fn prove(on: Target, candidate: usize) {
    on.able[candidate].store(PROVEN, Ordering::Relaxed);
}

/// They don't: it is as if it could not run.
pub(crate) fn disprove(on: Target, candidate: usize) {
    on.able[candidate].store(DISPROVEN, Ordering::Relaxed);
}

/// Whether it is known that a candidate cannot serve here, ever.
pub(crate) fn is_out(on: Target, candidate: usize) -> bool {
    matches!(on.able[candidate].load(Ordering::Relaxed), NO | DISPROVEN)
}

/// Whether this device can run a candidate at all.
pub(crate) fn able(tunable: &Tunable, on: Target, candidate: usize) -> bool {
    let known = &on.able[candidate];
    match known.load(Ordering::Relaxed) {
        YES | PROVEN => true,
        NO | DISPROVEN => false,
        _ => {
            let lacks = lacks(tunable, on, candidate)
                .map(|why| Refusal { why, lasting: true })
                .or_else(|| unloadable(on, candidate));
            if lacks.as_ref().is_none_or(|refusal| refusal.lasting) {
                let able = if lacks.is_none() { YES } else { NO };
                known.store(able, Ordering::Relaxed);
            }
            lacks.is_none()
        }
    }
}

/// Why this device cannot run a candidate, whatever its code.
fn lacks(tunable: &Tunable, on: Target, candidate: usize) -> Option<String> {
    let of = &tunable.data.candidates[candidate];
    if let Some(need) = of.needs.iter().find(|need| !on.facts.has(need)) {
        return Some(format!("this CPU lacks {need}"));
    }
    if !of.only_on.is_empty() && !of.only_on.contains(&on.key.as_str()) {
        return Some(format!("it was built for {} only", of.only_on.join(", ")));
    }
    let mut problems = tunable.data.problems.iter();
    let problem = problems.position(|p| p.variant == of.variant)?;
    broken(tunable, on, candidate, problem, &[], false)
}

/// Why a candidate serves no call here although it could run.
fn wrong(on: Target, candidate: usize) -> Option<String> {
    let disproven = on.able[candidate].load(Ordering::Relaxed) == DISPROVEN;
    disproven.then(|| "its results are not those of the others".to_string())
}

/// Why its code does not load here.
fn unloadable(on: Target, candidate: usize) -> Option<Refusal> {
    on.code.and_then(|code| code.load(candidate).err())
}

/// The first condition that does not hold, of those that name sizes or of the others.
fn broken(
    tunable: &Tunable,
    on: Target,
    candidate: usize,
    problem: usize,
    sizes: &[i64],
    sized: bool,
) -> Option<String> {
    let scope = tunable.scope(on.facts, candidate, problem, sizes);
    let mut conditions = tunable
        .rules
        .require
        .iter()
        .filter(|require| require.sized == sized);
    conditions.find_map(|require| match (require.holds)(&scope) {
        Ok(true) => None,
        Ok(false) => Some(format!("`{}` does not hold", require.text)),
        Err(error) => Some(format!("`{}` has no value: {error}", require.text)),
    })
}

/// The first candidate in the problem's order that runs here and fits the call's sizes.
pub(crate) fn next_that_fits(
    tunable: &Tunable,
    on: Target,
    problem: usize,
    sizes: &[i64],
) -> Result<usize> {
    let order = || {
        tunable.data.problems[problem]
            .order
            .iter()
            .map(|&c| usize::from(c))
    };
    order()
        .find(|&c| runs(tunable, on, c, problem, sizes))
        .ok_or_else(|| no_config(tunable, on, problem, sizes, order()))
}

pub(crate) fn with_config(
    tunable: &Tunable,
    on: Target,
    config: &Config,
    sizes: &[i64],
    given: &[Selector<'_>],
) -> Result<usize> {
    let problem = tunable.problem(sizes, given)?;
    let variant = tunable.data.problems[problem].variant;
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

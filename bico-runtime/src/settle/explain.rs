//! Why a candidate serves, or why none does.

use super::{Basis, broken, decide, lacks, unlaunchable, unloadable, wrong};
use crate::choice::Reason;
use crate::dispatch::Tunable;
use crate::error::{NoConfig, NoProblem};
use crate::learn::Lane;
use crate::rules::Selector;
use crate::target::Target;
use crate::{Choice, Error, Result};

/// No candidate serves a call of these sizes: what is in the way of each.
pub(super) fn no_config(
    tunable: &Tunable,
    on: Target,
    problem: usize,
    sizes: &[i64],
    candidates: impl Iterator<Item = usize>,
) -> Error {
    let mut tried = Vec::new();
    let mut sized = false;
    for candidate in candidates {
        let own = tunable.data.problems[problem].sizes;
        let why = lacks(tunable, on, candidate).or_else(|| wrong(on, candidate));
        let why = why.or_else(|| {
            let broken = broken(tunable, on, candidate, problem, sizes, true);
            sized |= broken.is_some();
            broken
        });
        let why = why.or_else(|| {
            let why = unlaunchable(tunable, on, candidate, problem, sizes)?;
            sized |= unlaunchable(tunable, on, candidate, problem, own).is_none();
            Some(why.to_string())
        });
        // Last: what is in the way already was not loaded.
        let why = why.or_else(|| unloadable(on, candidate).map(|refusal| refusal.why));
        tried.extend(why.map(|why| (tunable.config(candidate), why)));
    }
    let sizes = tunable.named(sizes);
    Error::NoConfig(Box::new(NoConfig {
        tunable: tunable.data.key,
        sizes,
        tried,
        sized,
    }))
}

/// Why a candidate does not run on a device, whatever the sizes.
pub(crate) fn refusal(tunable: &Tunable, on: Target, candidate: usize) -> Option<String> {
    let unloadable = || unloadable(on, candidate).map(|refusal| refusal.why);
    let why = lacks(tunable, on, candidate).or_else(|| wrong(on, candidate));
    why.or_else(unloadable)
}

/// No problem has the constants that the arguments select.
pub(crate) fn no_problem(tunable: &Tunable, given: &[Selector<'_>]) -> Error {
    let names = || {
        tunable
            .rules
            .selectors
            .iter()
            .map(|&at| (at, tunable.data.consts[at]))
    };
    let text = |selector: &Selector<'_>| match *selector {
        Selector::Int(x) => x.to_string(),
        Selector::Bool(x) => x.to_string(),
        Selector::Str(x) => format!("{x:?}"),
    };
    let known = tunable.data.problems.iter();
    Error::NoProblem(Box::new(NoProblem {
        tunable: tunable.data.key,
        given: names()
            .zip(given)
            .map(|((_, name), value)| (name, text(value)))
            .collect(),
        known: known
            .map(|problem| {
                names()
                    .map(|(at, name)| (name, problem.consts[at]))
                    .collect()
            })
            .collect(),
    }))
}

pub(crate) fn choice(
    tunable: &Tunable,
    on: Target,
    sizes: &[i64],
    given: &[Selector<'_>],
) -> Result<Choice> {
    // Asking teaches nothing, and takes no call's turn.
    let candidate = super::pull(tunable, on, sizes, given, false)?.candidate();
    let problem = tunable.problem(sizes, given)?;
    let data = tunable.data;
    let own = super::settled(tunable, on, problem, sizes).is_some();
    let lane = on.board.find(data.problems[problem].variant, sizes);
    let lane = lane.filter(|_| !own);
    let learned = lane.and_then(Lane::reason);
    // Sizes of one bucket begin with the problem that was nearest to the first of them.
    let problem = lane.map_or(problem, |lane| lane.problem);
    let mut from = problem;
    let reason = match decide(tunable, on, problem) {
        _ if learned.is_some() => learned.unwrap_or(Reason::Predicted),
        Some((decided, _)) if decided != candidate => match lane {
            // Not what was decided, but what sizes nearby have taught.
            Some(lane) if super::fits(tunable, on, decided, problem, sizes) => Reason::Exploring {
                tried: 0,
                of: lane.arms(),
            },
            _ => Reason::NextThatFits,
        },
        None => Reason::NextThatFits,
        Some((_, Basis::Tuned(at))) => {
            from = at;
            if data.problems[at].sizes == sizes {
                Reason::Exact
            } else {
                Reason::NearestSize
            }
        }
        Some((_, Basis::SameCapability(winner))) => {
            from = winner.at;
            Reason::SameCapability {
                device: data.devices[winner.device],
            }
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
        config: tunable.config(candidate),
        reason,
        sizes: tunable.named(sizes),
        problem: tunable.named(data.problems[from].sizes),
        device: on.key.to_string(),
    })
}

//! Whether a device can run a candidate at all.

use crate::dispatch::Tunable;
use crate::target::{Refusal, Target};
use core::sync::atomic::Ordering;

/// What is known of a candidate on a device, once it was looked at.
const YES: u8 = 1;
const NO: u8 = 2;
/// It can, and its results have been compared with another one's.
const PROVEN: u8 = 3;
/// It can, but its results are not those of the others.
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
pub(super) fn lacks(tunable: &Tunable, on: Target, candidate: usize) -> Option<String> {
    let of = &tunable.data.candidates[candidate];
    if let Some(need) = of.needs.iter().find(|need| !on.facts.has(need)) {
        return Some(format!("this CPU lacks {need}"));
    }
    if !of.only_on.is_empty() && !of.only_on.contains(&on.key.as_str()) {
        return Some(format!("it was built for {} only", of.only_on.join(", ")));
    }
    let problem = tunable.problem_of(candidate);
    broken(tunable, on, candidate, problem, &[], false)
}

/// Why a candidate serves no call here although it could run.
pub(super) fn wrong(on: Target, candidate: usize) -> Option<String> {
    let disproven = on.able[candidate].load(Ordering::Relaxed) == DISPROVEN;
    disproven.then(|| "its results are not those of the others".to_string())
}

/// Why its code does not load here.
pub(super) fn unloadable(on: Target, candidate: usize) -> Option<Refusal> {
    on.code.and_then(|code| code.load(candidate).err())
}

/// The first condition that does not hold, of those that name sizes or of the others.
pub(super) fn broken(
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

//! Whether a device can run a candidate at all.

use crate::target::{Call, Refusal, Target};
use core::sync::atomic::Ordering;

/// What is known of a candidate on a device, once it was looked at.
const YES: u8 = 1;
const NO: u8 = 2;
/// It can, and its results have been compared with another one's.
const PROVEN: u8 = 3;
/// It can, but its results are not those of the others: it is as if it could not run.
const DISPROVEN: u8 = 4;

impl Target {
    fn known(&self, candidate: usize) -> u8 {
        self.tunable.able[candidate].load(Ordering::Relaxed)
    }

    fn know(&self, candidate: usize, what: u8) {
        self.tunable.able[candidate].store(what, Ordering::Relaxed);
    }

    /// Whether a candidate's results have been compared in this process.
    pub(crate) fn is_proven(&self, candidate: usize) -> bool {
        self.known(candidate) == PROVEN
    }

    /// A candidate's results agree with another one's, or don't.
    pub(crate) fn prove(&self, candidate: usize, right: bool) {
        self.know(candidate, if right { PROVEN } else { DISPROVEN });
    }

    /// Whether it is known that a candidate cannot serve here, ever.
    pub(crate) fn is_out(&self, candidate: usize) -> bool {
        matches!(self.known(candidate), NO | DISPROVEN)
    }

    /// Whether this device can run a candidate at all.
    pub(crate) fn able(&self, candidate: usize) -> bool {
        match self.known(candidate) {
            YES | PROVEN => true,
            NO | DISPROVEN => false,
            _ => {
                let lacks = self.lacks(candidate).map(Refusal::lasting);
                let refusal = lacks.or_else(|| self.unloadable(candidate));
                if refusal.as_ref().is_none_or(|refusal| refusal.lasting) {
                    self.know(candidate, if refusal.is_none() { YES } else { NO });
                }
                refusal.is_none()
            }
        }
    }

    /// Why this device cannot run a candidate, whatever its code.
    pub(super) fn lacks(&self, candidate: usize) -> Option<String> {
        let of = &self.tunable.data.candidates[candidate];
        if let Some(need) = of.needs.iter().find(|need| !self.facts.has(need)) {
            return Some(format!("this CPU lacks {need}"));
        }
        if !of.only_on.is_empty() && !of.only_on.contains(&self.key.as_str()) {
            return Some(format!("it was built for {} only", of.only_on.join(", ")));
        }
        let problem = self.tunable.problem_of(candidate);
        let (on, sizes) = (*self, &[][..]);
        Call { on, problem, sizes }.broken(candidate, false)
    }

    /// Why a candidate serves no call here although it could run.
    pub(super) fn wrong(&self, candidate: usize) -> Option<String> {
        let disproven = self.known(candidate) == DISPROVEN;
        disproven.then(|| "its results are not those of the others".to_string())
    }

    /// Why its code does not load here.
    pub(super) fn unloadable(&self, candidate: usize) -> Option<Refusal> {
        self.code.and_then(|code| code.load(candidate).err())
    }
}

impl Call<'_> {
    /// The first condition that does not hold, of those that name sizes or of the others.
    pub(super) fn broken(&self, candidate: usize, sized: bool) -> Option<String> {
        let scope = self.scope(candidate);
        let conditions = self.on.tunable.rules.require.iter();
        let mut conditions = conditions.filter(|require| require.sized == sized);
        conditions.find_map(|require| match (require.holds)(&scope) {
            Ok(true) => None,
            Ok(false) => Some(format!("`{}` does not hold", require.text)),
            Err(error) => Some(format!("`{}` has no value: {error}", require.text)),
        })
    }
}

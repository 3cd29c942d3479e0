//! The cold side of dispatch: deciding which candidate a problem's slot gets.

mod decide;
mod explain;

use bico_core::Lists;
use decide::Winner;
pub(crate) use explain::no_problem;

use crate::dispatch::Tunable;
use crate::learn::slot::{self, UNSETTLED};
use crate::learn::{Lane, Mode, Pull, mode};
use crate::rules::Given;
use crate::target::{Call, Refusal, Target};
use crate::{Config, Error, Result};
use bico_core::device::{Facts, KernelLimits};
use core::sync::atomic::Ordering;

impl Call<'_> {
    /// What serves a call that no slot answers. `live`: whether the call may teach something.
    #[cold]
    #[inline(never)]
    pub(crate) fn pull(&self, live: bool) -> Result<Pull> {
        let settled = self.settled();
        if settled.is_none()
            && mode() != Mode::Fixed
            && let Some(lane) = self.lane()
        {
            // Where there was no place for a bucket, its times are not its neighbour's.
            let own = lane.bucket.holds(self.variant(), self.sizes);
            return lane.pull(self.sizes, live && own);
        }
        let decided = settled.or_else(|| self.first());
        match decided.filter(|&candidate| self.fits(candidate)) {
            Some(candidate) => Ok(Pull::plain(candidate)),
            None => self.next_that_fits(),
        }
    }

    /// The lane of its sizes, made where there is none.
    fn lane(&self) -> Option<&'static Lane> {
        let board = self.on.tunable.board;
        let known = board.find(self.variant(), self.sizes);
        known.or_else(|| board.lane(self))
    }

    /// What the lock says of a call on this device (or, where nothing is to be learned, what the model
    /// says), remembered in the problem's slot.
    fn settled(&self) -> Option<usize> {
        let fixed = mode() == Mode::Fixed;
        if !fixed && !self.on.tunable.near(self.problem, self.sizes) {
            return None;
        }
        let slot = &self.on.tunable.slots[self.problem];
        let said = slot.load(Ordering::Relaxed);
        if let Some(candidate) = slot::plain(said) {
            return Some(candidate);
        }
        // This was asked before.
        if !fixed && said != UNSETTLED {
            return None;
        }
        if !fixed && self.near_winners().is_empty() {
            let (set, read) = (Ordering::Relaxed, Ordering::Relaxed);
            let _ = slot.compare_exchange(UNSETTLED, slot::OPEN, set, read);
            return None;
        }
        let candidate = if fixed { self.first() } else { self.winner() }?;
        // Two threads may get here at once; both decide the same.
        slot.store(slot::decided(candidate), Ordering::Relaxed);
        Some(candidate)
    }

    /// The winners on this device at sizes near to those of its problem. One far away is where learning begins.
    fn near_winners(&self) -> Vec<Winner> {
        let mut winners = self.own_winners();
        let own = self.on.call_of(self.problem).sizes;
        winners.retain(|winner| self.on.tunable.near(winner.at, own));
        winners
    }

    /// The one of them that runs: what the lock says of its problem on this device.
    pub(crate) fn winner(&self) -> Option<usize> {
        let own = self.on.call_of(self.problem);
        let mut winners = self.near_winners().into_iter();
        let winner = winners.find(|winner| own.runs(winner.candidate));
        winner.map(|winner| winner.candidate)
    }

    /// What serves its problem as long as nothing has been learned.
    pub(crate) fn first(&self) -> Option<usize> {
        self.decide().map(|(candidate, _)| candidate)
    }

    /// The candidates of its constants that this device could run and that were verified (or will be, before they
    /// serve), in the problem's order: what calls may try.
    pub(crate) fn possible(&self) -> Vec<usize> {
        let tunable = self.on.tunable;
        let mut possible: Vec<usize> = self.order().collect_vec();
        possible.retain(|&candidate| {
            self.on.lacks(candidate).is_none()
                && (tunable.rules.live || tunable.is_verified(candidate))
        });
        possible
    }

    /// Whether a candidate can serve it: what is cheap to find out comes first.
    pub(crate) fn runs(&self, candidate: usize) -> bool {
        self.fits(candidate)
            && self.on.able(candidate)
            // Only loaded code tells how many threads its registers allow.
            && (self.on.code.is_none() || self.fits(candidate))
    }

    /// Whether every condition that names a size holds, and a GPU could launch it.
    pub(crate) fn fits(&self, candidate: usize) -> bool {
        let rules = self.on.tunable.rules;
        // Without conditions on sizes there is nothing to ask.
        (!rules.sized && rules.launches.is_empty())
            || (self.holds(candidate) && self.unlaunchable(candidate).is_none())
    }

    /// Why a GPU cannot launch a candidate at these sizes.
    fn unlaunchable(&self, candidate: usize) -> Option<String> {
        let Facts::Cuda(gpu) = self.on.facts else {
            return None;
        };
        let mut launches = self.on.tunable.rules.launches.iter().enumerate();
        launches.find_map(|(pass, launch)| {
            let loaded = self.on.code.and_then(|code| code.limits(candidate, pass));
            let limits = loaded.unwrap_or_else(|| KernelLimits::of(gpu));
            match launch(&self.scope(candidate)) {
                Ok(dims) => limits.broken(&dims),
                Err(error) => Some(format!("`launch` has no value: {error}")),
            }
        })
    }

    /// The first candidate in the problem's order that runs here and fits the call's sizes.
    pub(crate) fn next_that_fits(&self) -> Result<Pull> {
        let next = self.order().find(|&candidate| self.runs(candidate));
        let next = next.ok_or_else(|| self.no_config(&mut self.order()));
        next.map(Pull::plain)
    }

    /// The candidate of a config, where it can serve.
    pub(crate) fn with_config(&self, config: &Config) -> Result<usize> {
        let tunable = self.on.tunable;
        let variant = self.variant();
        let mut candidates = tunable.data.candidates.iter();
        let found = candidates.position(|candidate| {
            candidate.variant == variant
                && *config == Config::new(tunable.data.parameters, candidate.values)
        });
        let Some(candidate) = found else {
            return Err(Error::UnknownConfig {
                tunable: tunable.data.key,
                config: Box::new(*config),
            });
        };
        if self.runs(candidate) {
            return Ok(candidate);
        }
        Err(self.no_config(&mut core::iter::once(candidate)))
    }

    /// Whether calls teach, or have taught, what serves these sizes: who calls cannot know it then.
    pub(crate) fn is_learned(&self) -> bool {
        let tunable = self.on.tunable;
        let slot = tunable.slots[self.problem].load(Ordering::Relaxed);
        let decided = tunable.near(self.problem, self.sizes) && slot::plain(slot).is_some();
        !decided && tunable.board.find(self.variant(), self.sizes).is_some()
    }
}

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

/// The candidates that needed longer buffers than a call has, and what each of them lacked: no call fails because
/// calls are trying. On a GPU there are more reasons, and `gpu::fallback` is for them.
#[derive(Default)]
pub struct Refused(Vec<(usize, Error)>);

impl Tunable {
    /// Another candidate for the same call.
    ///
    /// # Errors
    ///
    /// Who calls could have known which serves, or there is no other: what the first lacked.
    #[doc(hidden)]
    #[cold]
    #[inline(never)]
    pub fn another(
        &self,
        pull: Pull,
        error: Error,
        refused: &mut Refused,
        sizes: &[i64],
        given: Given<'_>,
    ) -> Result<Pull> {
        let call = Call::new(self.host(), sizes, given)?;
        let Refused(refused) = refused;
        if refused.is_empty() && !call.is_learned() {
            return Err(error);
        }
        refused.push((pull.candidate(), error));
        // Its turn is given up.
        drop(pull);
        let next = call.order().find(|&candidate| {
            !refused.iter().any(|(other, _)| *other == candidate)
                && self.is_verified(candidate)
                && call.runs(candidate)
        });
        match next {
            Some(next) => Ok(Pull::plain(next)),
            None => Err(refused.swap_remove(0).1),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;

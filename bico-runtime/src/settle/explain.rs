//! Why a candidate serves, or why none does.

use crate::choice::{Reason, is_far};
use crate::dispatch::Tunable;
use crate::error::{NoConfig, NoProblem};
use crate::learn::Lane;
use crate::rules::{Given, Selector};
use crate::target::{Call, Target};
use crate::{Choice, Error, Result};
use bico_core::Lists;

impl Target {
    /// Why a candidate does not run on a device, whatever the sizes.
    pub(crate) fn refusal(&self, candidate: usize) -> Option<String> {
        let why = self.lacks(candidate).or_else(|| self.wrong(candidate));
        why.or_else(|| self.unloadable(candidate).map(|refusal| refusal.why))
    }
}

/// No problem has the constants that the arguments select.
pub(crate) fn no_problem(tunable: &Tunable, given: Given<'_>) -> Error {
    let data = tunable.data;
    let selectors = tunable.rules.selectors;
    let text = |selector: &Selector<'_>| match *selector {
        Selector::Int(x) => x.to_string(),
        Selector::Bool(x) => x.to_string(),
        Selector::Str(x) => format!("{x:?}"),
    };
    let given = selectors.iter().zip(given);
    let given = given.map(|(&at, value)| (data.consts[at], text(value)));
    let values = |consts: &'static [crate::Value]| {
        let values = selectors.iter().map(|&at| (data.consts[at], consts[at]));
        values.collect_vec()
    };
    let problems = data.problems.iter();
    Error::NoProblem(Box::new(NoProblem {
        tunable: data.key,
        given: given.collect_vec(),
        known: problems.map(|problem| values(problem.consts)).collect_vec(),
    }))
}

impl Call<'_> {
    /// No candidate serves it: what is in the way of each of these.
    pub(super) fn no_config(&self, candidates: &mut dyn Iterator<Item = usize>) -> Error {
        let (on, tunable) = (&self.on, self.on.tunable);
        let own = on.call_of(self.problem);
        let mut tried = Vec::new();
        let mut sized = false;
        for candidate in candidates {
            let mut why = on.lacks(candidate).or_else(|| on.wrong(candidate));
            if why.is_none() {
                why = self.broken(candidate, true);
                sized |= why.is_some();
            }
            if why.is_none()
                && let Some(unlaunchable) = self.unlaunchable(candidate)
            {
                why = Some(unlaunchable.to_string());
                sized |= own.unlaunchable(candidate).is_none();
            }
            // Last: what is in the way already was not loaded.
            let why = why.or_else(|| on.unloadable(candidate).map(|refusal| refusal.why));
            tried.extend(why.map(|why| (tunable.config(candidate), why)));
        }
        Error::NoConfig(Box::new(NoConfig {
            tunable: tunable.data.key,
            sizes: tunable.named(self.sizes),
            tried,
            sized,
        }))
    }

    /// What serves it, and why; settles it.
    pub(crate) fn choice(&self) -> Result<Choice> {
        // Asking teaches nothing, and takes no call's turn.
        let candidate = self.pull(false)?.candidate();
        let tunable = self.on.tunable;
        let own = self.settled().is_some();
        let lane = tunable.board.find(self.variant(), self.sizes);
        let lane = lane.filter(|_| !own);
        // Sizes of one bucket begin with the problem that was nearest to the first of them.
        let problem = lane.map_or(self.problem, |lane| lane.first.problem);
        let mut from = problem;
        let of = Call { problem, ..*self };
        let reason = match (lane.and_then(Lane::reason), of.decide()) {
            (Some(learned), _) => learned,
            (None, Some((decided, _))) if decided != candidate => match lane {
                // Not what was decided, but what sizes nearby have taught.
                Some(lane) if of.fits(decided) => Reason::Exploring {
                    tried: 0,
                    of: lane.shared.candidates.len(),
                },
                _ => Reason::NextThatFits,
            },
            (None, None) => Reason::NextThatFits,
            (None, Some((_, Some(winner)))) => {
                from = winner.at;
                if !self.is_own(&winner) {
                    let device = tunable.data.devices[winner.device];
                    Reason::SameCapability { device }
                } else if tunable.data.problems[winner.at].sizes == self.sizes {
                    Reason::Exact
                } else {
                    Reason::NearestSize
                }
            }
            (None, Some((_, None))) => of.predicted(candidate),
        };
        Ok(Choice {
            tunable: tunable.data.key,
            config: tunable.config(candidate),
            reason,
            sizes: tunable.named(self.sizes),
            problem: tunable.named(tunable.data.problems[from].sizes),
            device: self.on.key.to_string(),
        })
    }

    /// The sizes at which a candidate won that serves this problem, where they are far from those of the problem.
    pub(crate) fn far_winner(&self, candidate: usize) -> Option<Vec<(&'static str, i64)>> {
        let (decided, winner) = self.decide()?;
        let tunable = self.on.tunable;
        let from = tunable.named(tunable.data.problems[winner?.at].sizes);
        (decided == candidate && is_far(&tunable.named(self.sizes), &from)).then_some(from)
    }

    /// The model prefers a candidate, which another device's winner may be.
    fn predicted(&self, candidate: usize) -> Reason {
        let data = self.on.tunable.data;
        let mut winners = data.problems[self.problem].winners.iter();
        let winner = winners.find(|(_, won)| usize::from(*won) == candidate);
        match winner.and_then(|(device, _)| data.devices.get(usize::from(*device))) {
            Some(device) => Reason::OtherDevice { device },
            None => Reason::Predicted,
        }
    }
}

//! One bucket of one tunable on one device: what its calls learn.

use super::arms::arms;
use super::bandit::{Bandit, Prior, Standing, Summary};
use super::bucket::Bucket;
use super::memory::{Diary, Memory};
use super::pull::Pull;
use super::shared::{Change, Mirror, Served, Shared, Sizes};
use super::sight::Seen;
use super::slot;
use crate::Result;
use crate::choice::{Reason, Sizes as Named};
use crate::dispatch::Tunable;
use crate::rules::Scope;
use crate::settle;
use crate::target::Target;
use core::fmt;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};

pub(crate) struct Lane {
    /// Its own copy: it is but references.
    pub(super) tunable: Tunable,
    pub(super) on: Target,
    /// The problem that is nearest to the call that it began with.
    pub(crate) problem: usize,
    pub(crate) bucket: Bucket,
    /// The sizes of that call.
    began: Box<[i64]>,
    /// Whether calls of exactly the problem's sizes came too.
    exact: AtomicBool,
    pub(super) shared: Shared,
    pub(super) memory: &'static Memory,
    diary: Diary,
    pub(super) seen: Seen,
}

/// What is known of a bucket before its first call.
#[derive(Debug, Clone, Default)]
pub(super) struct Known {
    /// By candidate.
    pub(super) arms: Vec<(u16, Summary)>,
    /// The candidate that was settled on.
    pub(super) settled: Option<u16>,
    /// Whether it is this very bucket, or a neighbour.
    pub(super) own: bool,
}

impl Known {
    fn of(&self, candidate: u16) -> Option<Summary> {
        let mut arms = self.arms.iter();
        let found = arms.find(|(other, _)| *other == candidate);
        found.map(|(_, summary)| *summary)
    }
}

impl Lane {
    pub(super) fn new(
        tunable: &Tunable,
        on: Target,
        problem: usize,
        sizes: &[i64],
        known: Option<Known>,
        (place, memory): (&'static AtomicU32, &'static Memory),
    ) -> Lane {
        let mut arms = arms(tunable, on, problem);
        if let Some(neighbour) = known.as_ref().filter(|known| !known.own) {
            // The first arm serves the first call. What the neighbour has not tried comes behind.
            let mean = |candidate| {
                let known = neighbour.of(candidate);
                known.map_or(f64::INFINITY, |summary| summary.mean)
            };
            arms.sort_by(|(a, _), (b, _)| mean(*a).total_cmp(&mean(*b)));
        }
        let candidates: Box<[u16]> = arms.iter().map(|(candidate, _)| *candidate).collect();
        let priors: Vec<Prior> = arms.into_iter().map(|(_, prior)| prior).collect();
        let mut bandit = Bandit::new(&priors);
        let mut rarity = slot::RARELY;
        let variant = tunable.variant(problem);
        if let Some(known) = known {
            let summaries = candidates.iter().map(|&candidate| known.of(candidate));
            let summaries: Vec<Option<Summary>> = summaries.collect();
            match known.own {
                true => {
                    let settled = known
                        .settled
                        .and_then(|settled| candidates.iter().position(|c| *c == settled));
                    if let Some(summary) = settled.and_then(|arm| summaries[arm]) {
                        let work = work(tunable, on, problem, &candidates, sizes);
                        rarity = slot::rarity((summary.mean + work).exp());
                    }
                    bandit.resume(&summaries, settled);
                }
                false => bandit.borrow(&summaries),
            }
        }
        let bucket = Bucket::new(variant, sizes);
        let data = tunable.data;
        let problems = data.problems.iter().zip(on.slots).enumerate();
        // What the lock says of this device stays.
        let learned = problems.filter(|(at, (of, _))| {
            bucket.holds(of.variant, of.sizes) && !settle::knows(tunable, on, *at)
        });
        let mirrors = learned.map(|(at, (of, slot))| {
            let fit = |candidate: u16| tunable.fits(on.facts, candidate.into(), at, of.sizes);
            let arms = candidates.iter().enumerate();
            let arms = arms.fold(0, |arms, (arm, &c)| arms | u64::from(fit(c)) << arm);
            Mirror { slot, arms }
        });
        // Whoever reads this one asks.
        let own = Mirror {
            slot: place,
            arms: u64::MAX,
        };
        let mirrors = mirrors.chain([own]).collect();
        Lane {
            tunable: *tunable,
            on,
            problem,
            began: sizes.into(),
            exact: AtomicBool::new(false),
            bucket,
            shared: Shared::new(candidates, bandit, rarity, mirrors),
            memory,
            diary: Diary::new(),
            seen: Seen::default(),
        }
    }

    /// What serves a call. `live`: whether it may teach.
    pub(crate) fn pull(&'static self, sizes: &[i64], live: bool) -> Result<Pull> {
        let of = Of { lane: self, sizes };
        if !live {
            return self.serve(&of);
        }
        if sizes == self.tunable.data.problems[self.problem].sizes {
            self.exact.store(true, Ordering::Relaxed);
        }
        let slot = self.shared.slot();
        // Calls that the settled one does not fit come by each.
        let behind = match slot::settled(slot).is_none_or(|settled| of.fits(settled)) {
            true => slot::weight(slot),
            false => 1,
        };
        self.seen.calls.fetch_add(behind, Ordering::Relaxed);
        while let Some(served) = self.shared.turn(sizes, &of) {
            if !settle::able(&self.tunable, self.on, served.candidate) {
                if settle::is_out(self.on, served.candidate) {
                    self.fail(served.arm);
                    continue;
                }
                // Memory is short, or the like: that says nothing of the arm.
                self.give_up(&served);
                break;
            }
            if self.on.code.is_none() || of.fits(served.candidate) {
                let check = self.check(&served, &of);
                return Ok(Pull::new(self, served, check));
            }
            // Only loaded code tells how many threads its registers allow.
            self.shared.forget_sizes();
            self.give_up(&served);
        }
        settle::next_that_fits(&self.tunable, self.on, self.problem, sizes).map(Pull::plain)
    }

    /// A call that must not teach anything: what is known to be best, what is loaded already before all else.
    fn serve(&'static self, of: &Of<'_>) -> Result<Pull> {
        let order = self.shared.by_merit();
        let candidates = self.shared.candidates();
        let order = || order.iter().map(|&arm| usize::from(candidates[arm]));
        let loaded = |candidate: &usize| {
            let code = self.on.code;
            code.is_none_or(|code| code.limits(*candidate).is_some()) && of.fits(*candidate)
        };
        if let Some(candidate) = order().find(loaded) {
            return Ok(Pull::plain(candidate));
        }
        let runs = |candidate: &usize| {
            settle::runs(&self.tunable, self.on, *candidate, self.problem, of.sizes)
        };
        match order().find(runs) {
            Some(candidate) => Ok(Pull::plain(candidate)),
            None => settle::next_that_fits(&self.tunable, self.on, self.problem, of.sizes)
                .map(Pull::plain),
        }
    }

    /// With `verify(live = true)`: whose results those of a candidate are to be compared with, before it may serve.
    fn check(&self, served: &Served, of: &Of<'_>) -> Option<usize> {
        self.tunable.rules.live?;
        if settle::proven(self.on, served.candidate) {
            return None;
        }
        let candidates = self.shared.candidates().iter();
        let others = || candidates.clone().map(|&candidate| usize::from(candidate));
        let proven = |other: &usize| settle::proven(self.on, *other);
        if let Some(other) = others().find(|other| proven(other) && of.fits(*other)) {
            return Some(other);
        }
        let verified = |other: &usize| !self.tunable.data.unverified.contains(&(*other as u16));
        if !verified(&served.candidate) {
            let mut right = others().filter(verified);
            let able =
                |other: &usize| of.fits(*other) && settle::able(&self.tunable, self.on, *other);
            if let Some(other) = right.find(able) {
                return Some(other);
            }
        }
        if !others().any(|other| proven(&other)) {
            // The first to serve: there is nothing to compare it with.
            settle::prove(self.on, served.candidate);
        }
        None
    }

    /// The results of an arm were compared with another one's.
    pub(super) fn checked(&'static self, arm: usize, timed: bool, right: bool) {
        let candidate = usize::from(self.shared.candidates()[arm]);
        if timed {
            self.shared.lost(arm);
        }
        match right {
            true => settle::prove(self.on, candidate),
            false => {
                settle::disprove(self.on, candidate);
                for lane in self.on.board.lanes() {
                    lane.fail_candidate(candidate);
                }
            }
        }
    }

    fn give_up(&self, served: &Served) {
        if served.timed {
            self.shared.lost(served.arm);
        }
    }

    pub(super) fn took(&'static self, arm: usize, seconds: f64, work: f64) {
        let x = seconds.ln() - work;
        let change = self.shared.answer(arm, x, slot::rarity(seconds));
        self.answered(change);
        self.diary.enter(self, change != Change::None);
    }

    pub(super) fn lost(&self, arm: usize) {
        self.shared.lost(arm);
    }

    pub(super) fn fail(&'static self, arm: usize) {
        let change = self.shared.fail(arm);
        self.failed(arm, change);
    }

    /// One of the program's candidates failed, wherever that was seen.
    pub(crate) fn fail_candidate(&'static self, candidate: usize) {
        let mut candidates = self.shared.candidates().iter();
        if let Some(arm) = candidates.position(|other| usize::from(*other) == candidate) {
            self.fail(arm);
        }
    }

    /// How many candidates there are to try.
    pub(crate) fn arms(&self) -> usize {
        self.shared.candidates().len()
    }

    /// What calls have taught, if anything.
    pub(crate) fn reason(&self) -> Option<Reason> {
        self.shared.with(|bandit| {
            let calls = bandit.calls();
            let arms = bandit.arms();
            let tried = arms.iter().filter(|arm| arm.standing != Standing::Untried);
            if arms.len() < 2 {
                // There is nothing to choose from.
                return None;
            }
            match (bandit.settled(), tried.count()) {
                (Some(_), _) => Some(Reason::Learned { calls }),
                (None, 0) => None,
                (None, tried) => Some(Reason::Exploring {
                    tried,
                    of: arms.len(),
                }),
            }
        })
    }

    /// Sizes to name it by: the problem's own if calls had them, else those that it began with.
    pub(super) fn sizes(&self) -> &[i64] {
        match self.exact.load(Ordering::Relaxed) {
            true => self.tunable.data.problems[self.problem].sizes,
            false => &self.began,
        }
    }

    /// The natural logarithm of the work of a call of these sizes.
    pub(super) fn work(&self, sizes: &[i64]) -> f64 {
        let candidates = self.shared.candidates();
        work(&self.tunable, self.on, self.problem, candidates, sizes)
    }
}

/// `gemm on AMD EPYC (..) at m=1024, n=1024`
impl fmt::Display for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sizes = self.tunable.named(self.sizes());
        write!(f, "{} on {}", self.tunable.name(), self.on.key)?;
        if !sizes.is_empty() {
            write!(f, " at {}", Named(&sizes))?;
        }
        Ok(())
    }
}

impl fmt::Debug for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Lane({self})")
    }
}

/// The sizes of a call in a lane.
struct Of<'a> {
    lane: &'static Lane,
    sizes: &'a [i64],
}

impl Sizes for Of<'_> {
    fn fits(&self, candidate: usize) -> bool {
        let Lane {
            tunable,
            on,
            problem,
            ..
        } = self.lane;
        // Without conditions on sizes there is nothing to ask.
        (!tunable.rules.sized && tunable.rules.launch.is_none())
            || settle::fits(tunable, *on, candidate, *problem, self.sizes)
    }

    fn work(&self) -> f64 {
        self.lane.work(self.sizes)
    }
}

/// The natural logarithm of the work of a call, in operations or bytes. It is that of one and the same candidate
/// for all, whose work may differ: what is left out here is in its time.
pub(super) fn work(
    tunable: &Tunable,
    on: Target,
    problem: usize,
    candidates: &[u16],
    sizes: &[i64],
) -> f64 {
    let Some(&candidate) = candidates.first() else {
        return 0.0;
    };
    let scope: Scope<'_> = tunable.scope(on.facts, candidate.into(), problem, sizes);
    match (tunable.rules.work)(&scope) {
        Ok(work) if work.is_finite() && work > 0.0 => work.ln(),
        _ => 0.0,
    }
}

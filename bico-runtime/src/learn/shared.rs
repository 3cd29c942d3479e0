//! What the calls of one bucket share: the slot that settled calls read, and the bandit behind a lock that only
//! exploring calls take.

use super::bandit::{Bandit, Turn};
use super::slot::{self, UNSETTLED};
use super::sync::{AtomicU32, Mutex, MutexGuard, Ordering, unless_busy};
use crate::target::Call;
use bico_core::Lists;
use bico_core::sorted;
use std::sync::PoisonError;

/// The most arms of a bucket: one bit each.
pub(super) const ARMS: usize = 64;

pub(crate) struct Shared {
    /// The candidate of each arm.
    pub(crate) candidates: Box<[usize]>,
    slot: AtomicU32,
    /// What calls read: the place of this bucket, and the slots of problems whose sizes are in it.
    mirrors: Vec<Mirror>,
    /// The arm of calls that find the bandit busy.
    serving: AtomicU32,
    learner: Mutex<Learner>,
}

/// A slot beside the lane's own.
pub(super) struct Mirror {
    pub(super) slot: &'static core::sync::atomic::AtomicU32,
    /// The arms that may stand in it, a bit each: whoever reads a problem's slot does not ask whether they fit
    /// there.
    pub(super) arms: u64,
}

#[derive(Default)]
struct Learner {
    bandit: Bandit,
    /// The sizes of the call before, and what hangs on them alone: the arms whose conditions hold, a bit each, and the
    /// logarithm of the work.
    sizes: Option<Box<[i64]>>,
    usable: u64,
    work: f64,
}

/// One call's turn.
#[derive(Clone, Copy, Default)]
pub(super) struct Served {
    pub(super) arm: usize,
    pub(super) candidate: usize,
    pub(super) timed: bool,
    /// The natural logarithm of its work.
    pub(super) work: f64,
}

/// What an answer changed.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Change {
    None,
    /// From now on this arm serves.
    Settled(usize),
    /// What was settled is open again.
    Reopened,
}

impl Shared {
    /// `candidates` are those of the bandit's arms. What it is settled on already is published with `rarity`.
    pub(super) fn new(
        candidates: Box<[usize]>,
        bandit: Bandit,
        rarity: u32,
        mirrors: Vec<Mirror>,
    ) -> Shared {
        let shared = Shared {
            candidates,
            slot: AtomicU32::new(UNSETTLED),
            mirrors,
            serving: AtomicU32::new(bandit.incumbent().unwrap_or(0) as u32),
            learner: Mutex::new(Learner {
                bandit,
                ..Learner::default()
            }),
        };
        shared.publish(&shared.lock(), rarity);
        shared
    }

    fn lock(&self) -> MutexGuard<'_, Learner> {
        // Whoever panicked did so between whole steps.
        self.learner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the slot says.
    pub(super) fn slot(&self) -> u32 {
        self.slot.load(Ordering::Relaxed)
    }

    /// Which arm serves a call. `None`: none is left that fits.
    pub(super) fn turn(&self, call: &Call<'_>) -> Option<Served> {
        let mut learner = match unless_busy(self.learner.try_lock()) {
            Some(learner) => learner,
            None => match self.serve(call) {
                Some(served) => return Some(served),
                None => self.lock(),
            },
        };
        let learner = &mut *learner;
        if learner.sizes.as_deref() != Some(call.sizes) {
            learner.usable = 0;
            for (arm, &candidate) in self.candidates.iter().enumerate() {
                learner.usable |= u64::from(call.fits(candidate)) << arm;
            }
            learner.work = call.work(&self.candidates);
            learner.sizes = Some(call.sizes.into());
        }
        let usable = learner.usable;
        let Turn { arm, timed } = learner.bandit.next(|arm| usable >> arm & 1 == 1)?;
        Some(Served {
            arm,
            candidate: self.candidates[arm],
            timed,
            work: learner.work,
        })
    }

    /// The arm of a call that is not to teach anything, without waiting for the bandit.
    fn serve(&self, call: &Call<'_>) -> Option<Served> {
        let arm = self.serving.load(Ordering::Relaxed) as usize;
        // Where nothing runs there is no arm.
        let candidate = *self.candidates.get(arm)?;
        call.fits(candidate).then_some(Served {
            arm,
            candidate,
            ..Served::default()
        })
    }

    /// The candidates in the order in which a call that must not explore should ask them.
    pub(super) fn by_merit(&self) -> Vec<usize> {
        let bandit = self.bandit();
        let (arms, incumbent) = (bandit.arms(), bandit.incumbent());
        let order = sorted::order(arms.len(), &|a, b| {
            let untried = |arm: usize| arms[arm].pulls == 0;
            let key = |arm: usize| (Some(arm) != incumbent, untried(arm));
            let mean = |arm: usize| if untried(arm) { 0.0 } else { arms[arm].mean };
            key(a).cmp(&key(b)).then(mean(a).total_cmp(&mean(b)))
        });
        order
            .into_iter()
            .map(|arm| self.candidates[arm])
            .collect_vec()
    }

    /// A timed turn took this long: the logarithm of seconds per unit of work.
    pub(super) fn answer(&self, arm: usize, x: f64, rarity: u32) -> Change {
        let mut learner = self.lock();
        learner.bandit.observe(arm, x);
        self.publish(&learner, rarity)
    }

    /// The time of a timed turn never comes.
    pub(super) fn lost(&self, arm: usize) {
        self.lock().bandit.lost(arm);
    }

    /// An arm does not load or launch: never again.
    pub(super) fn fail(&self, arm: usize) -> Change {
        let mut learner = self.lock();
        learner.bandit.fail(arm);
        self.publish(&learner, slot::RARELY)
    }

    /// The sizes of the call before mean something else now: code was loaded, and its limits are known.
    pub(super) fn forget_sizes(&self) {
        self.lock().sizes = None;
    }

    /// The bandit as it is now, to be looked at.
    pub(super) fn bandit(&self) -> Bandit {
        self.lock().bandit.clone()
    }

    /// Says in the slots what the bandit decided. The lock is held: what they say last is what it says.
    fn publish(&self, learner: &MutexGuard<'_, Learner>, rarity: u32) -> Change {
        let bandit = &learner.bandit;
        if let Some(arm) = bandit.incumbent() {
            self.serving.store(arm as u32, Ordering::Relaxed);
        }
        let settled = bandit.settled();
        let now = settled.map(|arm| self.candidates[arm]);
        if slot::settled(self.slot()) == now {
            return Change::None;
        }
        let slot = now.map_or(UNSETTLED, |candidate| slot::learned(candidate, rarity));
        self.slot.store(slot, Ordering::Relaxed);
        for Mirror { slot: place, arms } in &self.mirrors {
            let fits = settled.is_none_or(|arm| arms >> arm & 1 == 1);
            let slot = if fits { slot } else { UNSETTLED };
            place.store(slot, core::sync::atomic::Ordering::Relaxed);
        }
        settled.map_or(Change::Reopened, Change::Settled)
    }
}

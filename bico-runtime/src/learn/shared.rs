//! What the calls of one bucket share: the slot that settled calls read, and the bandit behind a lock that only
//! exploring calls take.

use super::bandit::{Bandit, Turn};
use super::slot::{self, UNSETTLED};
use super::sync::{AtomicU32, Mutex, MutexGuard, Ordering};
use std::sync::{PoisonError, TryLockError};

/// The most arms of a bucket: one bit each.
pub(super) const ARMS: usize = 64;

pub(super) struct Shared {
    /// The candidate of each arm.
    candidates: Box<[u16]>,
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

struct Learner {
    bandit: Bandit,
    /// What hangs on a call's sizes alone, for those of the call before.
    memo: Memo,
}

struct Memo {
    sizes: Option<Box<[i64]>>,
    /// The arms whose conditions hold, a bit each.
    usable: u64,
    /// The logarithm of the work.
    work: f64,
}

/// What a call's sizes mean.
pub(super) trait Sizes {
    /// Whether an arm's conditions hold at them.
    fn fits(&self, candidate: usize) -> bool;
    /// The natural logarithm of the work of a call.
    fn work(&self) -> f64;
}

/// One call's turn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Served {
    pub(super) arm: usize,
    pub(super) candidate: usize,
    pub(super) timed: bool,
    pub(super) work: f64,
}

/// What an answer changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
        candidates: Box<[u16]>,
        bandit: Bandit,
        rarity: u32,
        mirrors: Vec<Mirror>,
    ) -> Shared {
        let shared = Shared {
            slot: AtomicU32::new(UNSETTLED),
            mirrors,
            serving: AtomicU32::new(bandit.incumbent().unwrap_or(0) as u32),
            candidates,
            learner: Mutex::new(Learner {
                bandit,
                memo: Memo {
                    sizes: None,
                    usable: 0,
                    work: 0.0,
                },
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

    pub(super) fn candidates(&self) -> &[u16] {
        &self.candidates
    }

    /// Which arm serves a call. `None`: none is left that fits.
    pub(super) fn turn(&self, sizes: &[i64], of: &impl Sizes) -> Option<Served> {
        let mut learner = match self.learner.try_lock() {
            Ok(learner) => learner,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => match self.serve(of) {
                Some(served) => return Some(served),
                None => self.lock(),
            },
        };
        let Learner { bandit, memo } = &mut *learner;
        if memo.sizes.as_deref() != Some(sizes) {
            memo.usable = 0;
            for (arm, &candidate) in self.candidates.iter().enumerate() {
                memo.usable |= u64::from(of.fits(candidate.into())) << arm;
            }
            memo.work = of.work();
            memo.sizes = Some(sizes.into());
        }
        let usable = memo.usable;
        let Turn { arm, timed } = bandit.next(|arm| usable >> arm & 1 == 1)?;
        Some(Served {
            arm,
            candidate: self.candidates[arm].into(),
            timed,
            work: memo.work,
        })
    }

    /// The arm of a call that is not to teach anything, without waiting for the bandit.
    pub(super) fn serve(&self, of: &impl Sizes) -> Option<Served> {
        let arm = self.serving.load(Ordering::Relaxed) as usize;
        // Where nothing runs there is no arm.
        let candidate = usize::from(*self.candidates.get(arm)?);
        of.fits(candidate).then_some(Served {
            arm,
            candidate,
            timed: false,
            work: 0.0,
        })
    }

    /// The arms in the order in which a call that must not explore should ask them.
    pub(super) fn by_merit(&self) -> Vec<usize> {
        let learner = self.lock();
        let arms = learner.bandit.arms();
        let incumbent = learner.bandit.incumbent();
        drop(learner);
        let mut order: Vec<usize> = (0..arms.len()).collect();
        order.sort_by(|&a, &b| {
            let tried = |arm: usize| arms[arm].pulls == 0;
            let key = |arm: usize| (Some(arm) != incumbent, tried(arm));
            let mean = |arm: usize| if tried(arm) { 0.0 } else { arms[arm].mean };
            key(a).cmp(&key(b)).then(mean(a).total_cmp(&mean(b)))
        });
        order
    }

    /// A timed turn took this long: the logarithm of seconds per unit of work.
    pub(super) fn answer(&self, arm: usize, x: f64, rarity: u32) -> Change {
        self.change(rarity, |bandit| bandit.observe(arm, x))
    }

    /// The time of a timed turn never comes.
    pub(super) fn lost(&self, arm: usize) {
        self.change(0, |bandit| bandit.lost(arm));
    }

    /// An arm does not load or launch: never again.
    pub(super) fn fail(&self, arm: usize) -> Change {
        self.change(slot::RARELY, |bandit| bandit.fail(arm))
    }

    /// The sizes of the call before mean something else now: code was loaded, and its limits are known.
    pub(super) fn forget_sizes(&self) {
        self.lock().memo.sizes = None;
    }

    /// Looks at the bandit.
    pub(super) fn with<R>(&self, look: impl FnOnce(&Bandit) -> R) -> R {
        look(&self.lock().bandit)
    }

    fn change(&self, rarity: u32, change: impl FnOnce(&mut Bandit)) -> Change {
        let mut learner = self.lock();
        change(&mut learner.bandit);
        self.publish(&learner, rarity)
    }

    /// Says in the slots what the bandit decided. The lock is held: what they say last is what it says.
    fn publish(&self, learner: &MutexGuard<'_, Learner>, rarity: u32) -> Change {
        let bandit = &learner.bandit;
        if let Some(arm) = bandit.incumbent() {
            self.serving.store(arm as u32, Ordering::Relaxed);
        }
        let settled = bandit.settled();
        let now = settled.map(|arm| usize::from(self.candidates[arm]));
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

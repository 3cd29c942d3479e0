//! One bucket of one tunable on one device: what its calls learn.

use super::bandit::{Bandit, Prior, Standing, Summary};
use super::bucket::Bucket;
use super::memory::Diary;
use super::pull::Pull;
use super::shared::{ARMS, Change, Mirror, Served, Shared};
use super::sight::Seen;
use super::slot;
use crate::Result;
use crate::cache::Memory;
use crate::choice::Reason;
use crate::target::Call;
use bico_core::Lists;
use bico_core::sorted;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};

pub(crate) struct Lane {
    /// The call that it began with, whose problem is the nearest one.
    pub(crate) first: Call<'static>,
    pub(crate) bucket: Bucket,
    /// Whether calls of exactly the problem's sizes came too.
    exact: AtomicBool,
    pub(crate) shared: Shared,
    /// Where it is kept, if anywhere.
    pub(super) memory: Option<&'static Memory>,
    diary: Diary,
    pub(super) seen: Seen,
}

/// What is known of a bucket before its first call.
pub(super) struct Known {
    /// The distance of the bucket where it was learned.
    pub(super) far: f64,
    /// By candidate.
    pub(super) arms: Vec<(usize, Summary)>,
    /// The candidate that was settled on.
    pub(super) settled: Option<usize>,
}

impl Known {
    /// Whether it was learned of this very bucket, not of a neighbour.
    pub(super) fn is_own(&self) -> bool {
        self.far == 0.0
    }

    fn of(&self, candidate: usize) -> Option<Summary> {
        let mut arms = self.arms.iter();
        let found = arms.find(|(other, _)| *other == candidate);
        found.map(|(_, summary)| *summary)
    }
}

impl Lane {
    pub(super) fn new(
        first: Call<'static>,
        known: Option<Known>,
        place: &'static AtomicU32,
        memory: Option<&'static Memory>,
    ) -> Lane {
        let mut arms = arms(&first);
        if let Some(neighbour) = known.as_ref().filter(|known| !known.is_own()) {
            // The first arm serves the first call. What the neighbour has not tried comes behind.
            let mean = |candidate| {
                let known = neighbour.of(candidate);
                known.map_or(f64::INFINITY, |summary| summary.mean)
            };
            sorted::sort_by(&mut arms, &|(a, _), (b, _)| mean(*a).total_cmp(&mean(*b)));
        }
        let candidates: Box<[usize]> = arms.iter().map(|(candidate, _)| *candidate).collect();
        let priors: Vec<Prior> = arms.iter().map(|(_, prior)| *prior).collect();
        let mut bandit = Bandit::new(&priors);
        let mut rarity = slot::RARELY;
        if let Some(known) = known {
            let summaries = candidates.iter().map(|&candidate| known.of(candidate));
            let summaries: Vec<Option<Summary>> = summaries.collect();
            if known.is_own() {
                let mut arms = candidates.iter();
                let settled = arms.position(|&candidate| known.settled == Some(candidate));
                if let Some(summary) = settled.and_then(|arm| summaries[arm]) {
                    rarity = slot::rarity((summary.mean + first.work(&candidates)).exp());
                }
                bandit.resume(&summaries, settled);
            } else {
                bandit.borrow(&summaries);
            }
        }
        let bucket = Bucket::new(first.variant(), first.sizes);
        // Whoever reads this one asks.
        let arms = u64::MAX;
        let mut mirrors = vec![Mirror { slot: place, arms }];
        for (at, problem) in first.on.tunable.data.problems.iter().enumerate() {
            let call = first.on.call_of(at);
            // What the lock says of this device stays.
            if bucket.holds(problem.variant, problem.sizes) && call.winner().is_none() {
                let mut arms = 0;
                for (arm, &candidate) in candidates.iter().enumerate() {
                    arms |= u64::from(call.holds(candidate)) << arm;
                }
                let slot = &first.on.tunable.slots[at];
                mirrors.push(Mirror { slot, arms });
            }
        }
        Lane {
            first,
            bucket,
            exact: AtomicBool::new(false),
            shared: Shared::new(candidates, bandit, rarity, mirrors),
            memory,
            diary: Diary::new(),
            seen: Seen::default(),
        }
    }

    /// What serves a call. `live`: whether it may teach.
    pub(crate) fn pull(&'static self, sizes: &[i64], live: bool) -> Result<Pull> {
        let call = Call {
            sizes,
            ..self.first
        };
        if !live {
            return self.serve(&call);
        }
        if sizes == call.on.call_of(call.problem).sizes {
            self.exact.store(true, Ordering::Relaxed);
        }
        let slot = self.shared.slot();
        // Calls that the settled one does not fit come by each.
        let behind = match slot::settled(slot).is_none_or(|settled| call.fits(settled)) {
            true => slot::weight(slot),
            false => 1,
        };
        self.seen.calls.fetch_add(behind, Ordering::Relaxed);
        while let Some(served) = self.shared.turn(&call) {
            if !call.on.able(served.candidate) {
                if call.on.is_out(served.candidate) {
                    self.fail(served.arm);
                    continue;
                }
                // Memory is short, or the like: that says nothing of the arm.
                self.give_up(&served);
                break;
            }
            if call.on.code.is_none() || call.fits(served.candidate) {
                let check = self.check(served.candidate, &call);
                return Ok(Pull::new(self, served, check));
            }
            // Only loaded code tells how many threads its registers allow.
            self.shared.forget_sizes();
            self.give_up(&served);
        }
        call.next_that_fits()
    }

    /// A call that must not teach anything: what is known to be best, what is loaded already before all else.
    fn serve(&self, call: &Call<'_>) -> Result<Pull> {
        let order = self.shared.by_merit();
        let code = call.on.code;
        let loaded = |&&candidate: &&usize| {
            code.is_none_or(|code| code.limits(candidate, 0).is_some()) && call.fits(candidate)
        };
        let runs = |&&candidate: &&usize| call.runs(candidate);
        let found = order.iter().find(loaded);
        match found.or_else(|| order.iter().find(runs)) {
            Some(candidate) => Ok(Pull::plain(*candidate)),
            None => call.next_that_fits(),
        }
    }

    /// With `verify(live = true)`: whose results those of a candidate are to be compared with, before it may serve.
    fn check(&self, candidate: usize, call: &Call<'_>) -> Option<usize> {
        let on = &call.on;
        on.tunable.rules.live.then_some(())?;
        if on.is_proven(candidate) {
            return None;
        }
        let find = |wanted: &dyn Fn(usize) -> bool| {
            let mut others = self.shared.candidates.iter().copied();
            others.find(|&other| wanted(other))
        };
        if let Some(other) = find(&|other| on.is_proven(other) && call.fits(other)) {
            return Some(other);
        }
        if !on.tunable.is_verified(candidate) {
            let right = |other| on.tunable.is_verified(other) && call.fits(other) && on.able(other);
            if let Some(other) = find(&right) {
                return Some(other);
            }
        }
        if find(&|other| on.is_proven(other)).is_none() {
            // The first to serve: there is nothing to compare it with.
            on.prove(candidate, true);
        }
        None
    }

    /// The results of an arm were compared with another one's.
    pub(super) fn checked(&self, served: &Served, right: bool) {
        self.give_up(served);
        self.first.on.prove(served.candidate, right);
        if !right {
            let lanes = self.first.on.tunable.board.lanes();
            lanes.for_each(|lane| lane.fail_candidate(served.candidate));
        }
    }

    /// The time of a call never comes, if it was wanted.
    pub(super) fn give_up(&self, served: &Served) {
        if served.timed {
            self.shared.lost(served.arm);
        }
    }

    pub(super) fn took(&self, served: &Served, seconds: f64) {
        let x = seconds.ln() - served.work;
        let change = self.shared.answer(served.arm, x, slot::rarity(seconds));
        self.answered(change);
        self.diary.enter(self, change != Change::None);
    }

    pub(super) fn fail(&self, arm: usize) {
        let change = self.shared.fail(arm);
        self.failed(arm, change);
    }

    /// One of the program's candidates failed, wherever that was seen.
    pub(crate) fn fail_candidate(&self, candidate: usize) {
        let mut candidates = self.shared.candidates.iter();
        if let Some(arm) = candidates.position(|other| *other == candidate) {
            self.fail(arm);
        }
    }

    /// What calls have taught, if anything.
    pub(crate) fn reason(&self) -> Option<Reason> {
        let bandit = self.shared.bandit();
        let arms = bandit.arms();
        let tried = arms.iter().filter(|arm| arm.standing != Standing::Untried);
        let (calls, of) = (bandit.calls(), arms.len());
        match (bandit.settled(), tried.count()) {
            // There is nothing to choose from.
            _ if of < 2 => None,
            (Some(_), _) => Some(Reason::Learned { calls }),
            (None, 0) => None,
            (None, tried) => Some(Reason::Exploring { tried, of }),
        }
    }

    /// A call to name it by: of the problem's own sizes if there were such, else the one that it began with.
    pub(super) fn call(&self) -> Call<'static> {
        match self.exact.load(Ordering::Relaxed) {
            true => self.first.on.call_of(self.first.problem),
            false => self.first,
        }
    }

    /// The natural logarithm of the work of such a call.
    pub(super) fn work(&self) -> f64 {
        self.call().work(&self.shared.candidates)
    }
}

impl Call<'_> {
    /// The natural logarithm of its work, in operations or bytes. It is that of one and the same candidate
    /// for all, whose work may differ: what is left out here is in its time.
    pub(super) fn work(&self, candidates: &[usize]) -> f64 {
        let Some(&candidate) = candidates.first() else {
            return 0.0;
        };
        match (self.on.tunable.rules.work)(&self.scope(candidate)) {
            Ok(work) if work.is_finite() && work > 0.0 => work.ln(),
            _ => 0.0,
        }
    }
}

/// What a device further away takes off a candidate's promise, as a logarithm of time. From recorded
/// spaces: a winner of another generation is at 60 to 95 % of the best, one of another vendor's at 5 to 60 %.
const STEP: f64 = 0.1;

/// What counts as the distance where a candidate won on no device: a step more than the furthest one's.
const NOWHERE: u32 = 5;

/// What the model says counts up to this: beyond, it only says that it is far off.
const FAR: f64 = 1.5;

/// The candidates of a call's problem with what is expected of them.
fn arms(call: &Call<'_>) -> Vec<(usize, Prior)> {
    let mut candidates = call.possible();
    // Without learning, this one would serve. Where nothing was ever verified, it does.
    let first = call.first();
    if candidates.is_empty() {
        candidates.extend(first);
    }
    let ranks: Vec<f64> = candidates.iter().map(|&at| call.rank(at)).collect_vec();
    let order = sorted::order(ranks.len(), &|a, b| ranks[a].total_cmp(&ranks[b]));
    let best = order.first().map_or(f64::INFINITY, |&at| ranks[at]);
    // A score has no unit: only its order counts.
    let time = best > 0.0 && call.on.tunable.rules.timed;
    let mut gaps = vec![0.0; ranks.len()];
    for (place, &at) in order.iter().enumerate() {
        let model = match time {
            true => (ranks[at] / best).ln().min(FAR),
            false => 0.05 * place as f64,
        };
        gaps[at] = model + STEP * f64::from(distance(call, candidates[at]));
    }
    let mut order = sorted::order(gaps.len(), &|a, b| gaps[a].total_cmp(&gaps[b]));
    let own = order.iter().position(|&at| Some(candidates[at]) == first);
    if let Some(place) = own {
        order[..=place].rotate_right(1);
    }
    order.truncate(ARMS);
    let least = order
        .iter()
        .fold(f64::INFINITY, |least, &at| least.min(gaps[at]));
    let arm = |at: usize| {
        let gap = (gaps[at] - least).max(0.0);
        // Only the order counts: how far the model is off on a device that nobody has seen is not known.
        (candidates[at], Prior { gap, weight: 0.0 })
    };
    order.into_iter().map(arm).collect_vec()
}

/// How far the nearest device is that a candidate won on.
fn distance(call: &Call<'_>, candidate: usize) -> u32 {
    let devices = call.on.tunable.won_on(candidate, call.problem);
    let distances = devices.iter().map(|device| call.on.key.distance(device));
    distances.min().unwrap_or(NOWHERE)
}

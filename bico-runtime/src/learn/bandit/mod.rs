//! Which candidate serves the next call.
//!
//! A multi-armed bandit over candidates ("arms") whose times are learned while they serve. It knows no clocks, devices or
//! threads: it is told logarithms of times.
//!
//! # Bounds
//!
//! With x = ln t, one measure of noise serves arms of all speeds. Outliers are clipped (`estimate.rs`), so n observations of an
//! arm are taken to lie within b of their centre, with deviation s. Were they independent, of one distribution, and n chosen
//! beforehand, then by Bernstein's inequality their mean would be off by more than `r = s sqrt(2 L / n) + b L / (3 n)` with a
//! probability of at most 2 e^-L. s is not known. UCB-V (Audibert, Munos and Szepesvari 2009, "Exploration-exploitation
//! tradeoff using variance estimates in multi-armed bandits", theorem 1: at most 3 e^-L) takes the arm's empirical deviation
//! and pays for it with a wider second term, 3 b L / n: much for n = 1 or 2, where one wants to decide. Noise is much alike
//! across arms, so it is pooled here: with m observations of all arms, whose squares are at most b^2, the lower tail of their
//! mean square v gives v >= s^2 - s b sqrt(2 L / m), which solved for s is `s <= k + sqrt(v + k^2)` with
//! `k = b sqrt(L / (2 m))`. An arm's own variance takes over as its observations become more, so an arm that is sometimes slow stays uncertain for
//! long. `L = ln(t + 2 K)` at turn t of K arms.
//!
//! # Regret
//!
//! A trial goes to the arm of the lowest lower bound, if that lies below the incumbent's. While all intervals hold, an arm that
//! is slower by a gap of g is tried while 2 r > g, that is at most about 8 s^2 L / g^2 + 4 b L / (3 g) times. An arm whose
//! lower bound lies above the best upper bound is dropped.
//!
//! The form is UCB-V's, but its theorem does not hold here. It assumes that the rewards of an arm are independent and
//! identically distributed, in [0, b] with b known; that every turn goes to the best index, of the mean, sqrt(2 v E / n) with
//! the arm's own empirical variance v, and 3 b E / n; and that E = z ln t with z > 1. Then the expected regret after t turns is
//! at most C ln t times the sum over the slower arms of s^2 / g + 2 b, where C depends on z only (10 for z = 1.2). Here times
//! are those of a program's calls: caches, clocks, drifts and other sizes of the bucket make them neither independent nor of
//! one distribution; b is four times a deviation that is estimated, and pooled over arms; L = ln(t + 2 K) has no z; trials are
//! paced; and what is settled is not tried again, so an arm that was unlucky may be given up for good. So nothing is promised
//! of the regret, not even that the best arm is found. `benches/` plays it on recorded and invented times (`regret`).
//!
//! What trials may cost is limited whatever the noise, by `pace.rs`, in calls of the incumbent of the moment: a trial starts only
//! while what trials cost beyond the incumbent, those under way included, stays within A calls or a share B of the time so far,
//! trials included, whichever is more. Arms nearly as fast as the incumbent have a purse of their own, A' and B'. At the last trial of a
//! purse its sum was within the limit, which only grows with time. So N calls, of which trials cost C, took T = N + C, and
//!
//! ```text
//! C <= max(A, B T) + max(A', B' T),   A = 3 K, but no more than 60, B = 2 %, A' = 5, B' = 0.5 %
//! ```
//!
//! in each process and bucket of sizes: with K = 8 arms 29 of the first 1,000 calls, in the long run 2.6 % of N. What a call that was paid took
//! beyond what was expected comes on top, which is much only for the first calls of an arm. That is by the bandit's own account:
//! calls are those of the incumbent as it is thought to be, outliers count as far as they are believed, first calls as far as they are
//! thought to be slow for more than being cold, and that the incumbent is slower than the best arm is no trial's cost.
//! (On bandits whose pulls cost: Tran-Thanh et al. 2012, "Knapsack based optimal policies for budget-limited multi-armed bandits".)
//! What is too dear now is saved for, so that cheap trials don't starve dear ones.
//!
//! A grows with the arms since the best of K in an order that says nothing is among the first k with a probability of k / K only.
//! Where the first of a few is the best and the others are many times slower, A is what learning costs: less than a look at each.
//!
//! # Settling
//!
//! The future is taken to be as long as the past, and no shorter than `FUTURE`. An arm at a distance d from the incumbent,
//! known to within s, gains s (phi(z) - z Phi(-z)) per call on average, z = d / s. It is worth a look while that, over the
//! future, pays five times what telling the two apart costs, as many trials as it had: such an arm is tried even where its
//! bound says no, and as long as there is one, all of them together worth more than `INDIFFERENT` per call, nothing is settled.
//! Else the incumbent serves for good, watched for drifts (`drift.rs`).

mod kept;
mod refresh;

use super::arm::Arm;
use super::drift::{Level, Watch};
use super::estimate::Noise;
use super::pace::{Pace, is_near};
use bico_core::Lists;

/// How often a look must repay its cost over the future.
const PAYS: f64 = 5.0;
/// Observations of the incumbent before anything else is tried: they are free.
const SURE: f64 = 3.0;
/// What is assumed of the noise at first: variance, and share of outliers; and for how many
/// observations.
const VARIANCE: (f64, f64) = (0.01, 3.0);
const OUTLIERS: (f64, f64) = (0.02, 25.0);
/// Timed calls that may wait for their answer, and how many of the incumbent's mean that times come late.
const WAITING: u32 = 16;
const LATE: u32 = 4;
/// Observations of the incumbent from which on it is watched for a drift.
const WATCHED: f64 = 8.0;
/// Everything is computed again after a sixteenth of all observations so far, within these limits; after
/// each of the first ones.
const REFRESH: (u64, u64) = (32, 256);
const FIRST: u64 = 64;
/// Beyond these, a logarithm of seconds per unit of work is no time.
const SANE: f64 = 150.0;

/// What is expected of an arm before it has run.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Prior {
    /// Expected ln(time of this arm / time of the best arm), at least 0 and finite.
    pub gap: f64,
    /// How many observations that is worth; 0: only the order counts.
    pub weight: f64,
}

/// What is known of an arm, to be kept: of ln(seconds per unit of work), counted observations only.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Summary {
    /// Observations.
    pub pulls: u64,
    /// Their mean.
    pub mean: f64,
    /// Their variance.
    pub variance: f64,
}

/// An arm, for people.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ArmState {
    /// Counted observations.
    pub pulls: u64,
    /// The estimate of ln(seconds per unit of work); NaN where there is none.
    pub mean: f64,
    /// Its interval.
    pub interval: [f64; 2],
    /// Whether it is still in the running.
    pub standing: Standing,
}

/// Whether an arm is still in the running.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It has not run yet.
    Untried,
    /// It may be the best.
    Open,
    /// It is certainly not.
    Dropped,
    /// It does not run here.
    Failed,
}

/// Who serves a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// The arm.
    pub arm: usize,
    /// Whether its time is wanted: by `observe`, or `lost`.
    pub timed: bool,
}

/// Chooses among arms whose times are learned while they serve.
#[derive(Clone, Default)]
pub struct Bandit {
    arms: Vec<Arm>,
    /// The arm of the best estimate.
    best: Option<usize>,
    settled: Option<usize>,
    noise: Noise,
    /// How sure the bounds are: L.
    log: f64,
    /// Variance, and how many observations' worth, that the arms no longer hold.
    earlier: (f64, f64),
    watch: Watch,
    /// A drift before this observation opens nothing.
    reopen: u64,
    turns: u64,
    observed: u64,
    /// Observations since the last refresh.
    due: u64,
    /// By how much an arm's first call is thought to be slower, as a logarithm.
    cold: f64,
    pace: Pace,
    /// Trials that wait for their time.
    under_way: u32,
}

impl Bandit {
    /// Arms, most promising first.
    pub fn new(priors: &[Prior]) -> Bandit {
        Bandit {
            arms: priors.iter().map(Arm::new).collect_vec(),
            noise: Noise::new(VARIANCE.0, VARIANCE.1, OUTLIERS.0),
            log: 1.0,
            earlier: VARIANCE,
            ..Bandit::default()
        }
    }

    /// The arm that serves the next call, of the usable ones that have not failed; `None`: none is left.
    pub fn next(&mut self, usable: impl Fn(usize) -> bool) -> Option<Turn> {
        self.turns += 1;
        let incumbent = match self.settled.or(self.best) {
            Some(at) if !self.arms[at].failed && usable(at) => at,
            _ => self.stand_in(&usable)?,
        };
        let waiting = self.arms[incumbent].waiting;
        let sure = self.arms[incumbent].known.n() >= SURE;
        if self.settled.is_none()
            && (sure || waiting >= LATE)
            && let Some(arm) = self.trial(incumbent, &usable)
        {
            self.arms[arm].trials += 1;
            self.arms[arm].repays = f64::INFINITY;
            self.under_way += 1;
            return Some(Turn { arm, timed: true });
        }
        self.pace.serve();
        let (arm, timed) = (incumbent, waiting < WAITING);
        self.arms[arm].waiting += u32::from(timed);
        Some(Turn { arm, timed })
    }

    /// The first in place of the arms that can serve.
    fn stand_in(&self, usable: &dyn Fn(usize) -> bool) -> Option<usize> {
        let fits = |(at, arm): &(usize, &Arm)| !arm.failed && usable(*at);
        let fitting = self.arms.iter().enumerate().filter(fits);
        let first = fitting.min_by(|(_, a), (_, b)| a.place().total_cmp(&b.place()));
        first.map(|(at, _)| at)
    }

    /// The arm that is worth a trial now, and can be paid.
    fn trial(&mut self, incumbent: usize, usable: &impl Fn(usize) -> bool) -> Option<usize> {
        let [dear, near] = self.pace.left(&self.arms, self.under_way);
        let stands = &self.arms[incumbent];
        let late = u32::from(stands.waiting >= LATE);
        let bound = match stands.seen.is_finite() {
            true => stands.lower,
            false => f64::INFINITY,
        };
        let elapsed = self.pace.elapsed;
        let (mut lowest, mut first) = (bound, None);
        let (mut lowest_near, mut first_near) = (bound, None);
        let mut second = None;
        for (at, arm) in self.arms.iter_mut().enumerate() {
            let wanted = arm.lower < bound || PAYS * arm.repays < elapsed;
            if !wanted || arm.dropped || arm.failed || at == incumbent {
                continue;
            }
            // Where times come late, an arm gets as many trials at once as it had: rounds that double.
            let most = (arm.known.n() as u32).clamp(1 + late, WAITING);
            arm.unfit = match usable(at) {
                true => 0,
                false => arm.unfit.saturating_add(1),
            };
            if arm.unfit > 0 || arm.trials >= most {
                continue;
            }
            if arm.lower < lowest {
                (lowest, first) = (arm.lower, Some(at));
            }
            let is_near = is_near(arm.cost);
            if is_near && arm.cost < near && arm.lower < lowest_near {
                (lowest_near, first_near) = (arm.lower, Some(at));
            }
            let left = if is_near { near } else { dear };
            if second.is_none() && arm.lower >= bound && arm.cost < left {
                second = Some(at);
            }
        }
        let Some(first) = first else {
            return second;
        };
        let cost = self.arms[first].cost;
        match !is_near(cost) && cost < dear {
            true => Some(first),
            // What is too dear now is saved for.
            false => first_near,
        }
    }

    /// ln(seconds / work of the call) of a timed call; also when settled. What is no time counts as lost.
    pub fn observe(&mut self, arm: usize, ln_seconds: f64) {
        if !ln_seconds.is_finite() || ln_seconds.abs() > SANE {
            return self.lost(arm);
        }
        if self.arms.get(arm).is_none_or(|arm| arm.failed) {
            return;
        }
        self.observed += 1;
        let call = self.best.map_or(ln_seconds, |best| self.arms[best].seen);
        let trial = self.answered(arm);
        let observed = &self.arms[arm];
        let watched = self.best == Some(arm) && observed.known.n() >= WATCHED;
        let before = watched.then(|| Level {
            mean: observed.seen,
            deviation: observed.known.variance(&self.noise).sqrt(),
            n: observed.known.n(),
        });
        let observed = &mut self.arms[arm];
        let cost = observed.cost;
        let counted = observed.known.cold.is_some();
        let believed = observed.known.take(ln_seconds, &self.noise);
        observed.calls += 1;
        observed.lost = 0;
        observed.unsure = 0.0;
        if counted {
            observed.pulls += 1;
            if observed.pulls == 1 {
                observed.born = self.observed;
            }
        }
        if trial {
            // What is slow only because it is cold is paid once per arm, and no reason to look at fewer of them.
            let cold = if counted { 0.0 } else { self.cold };
            self.pace.pay(cost, (believed - cold - call).exp());
        }
        if counted
            && let Some(before) = before
            && let Some((shift, level)) = self.watch.see(ln_seconds, before, self.observed)
        {
            return self.drifted(arm, shift, level);
        }
        self.due += 1;
        let due = (self.observed / 16).clamp(REFRESH.0, REFRESH.1);
        if self.due >= due || self.observed < FIRST {
            return self.refresh();
        }
        self.arms[arm].measure(&self.noise, self.log);
        if self.leader() != self.best {
            self.refresh();
        } else if trial && let Some(best) = self.best {
            let leader = self.arms[best];
            self.arms[arm].price_again(&leader);
        }
    }

    /// Whether the answered call was a trial.
    fn answered(&mut self, arm: usize) -> bool {
        let arm = &mut self.arms[arm];
        if arm.trials == 0 {
            arm.waiting = arm.waiting.saturating_sub(1);
            return false;
        }
        arm.trials -= 1;
        self.under_way -= 1;
        true
    }

    /// A timed turn whose time never comes. A trial of it was paid all the same, and the next one of this
    /// arm is expected to cost more.
    pub fn lost(&mut self, arm: usize) {
        if self.arms.get(arm).is_none_or(|arm| arm.failed) || !self.answered(arm) {
            return;
        }
        let arm = &mut self.arms[arm];
        self.pace.pay(arm.cost, arm.cost + 1.0);
        arm.lost += 1;
        arm.cost += arm.cost / f64::from(arm.lost);
    }

    /// The arm does not load or launch: never again, also when settled.
    pub fn fail(&mut self, arm: usize) {
        let Some(failed) = self.arms.get_mut(arm).filter(|arm| !arm.failed) else {
            return;
        };
        self.under_way -= failed.trials;
        failed.failed = true;
        failed.trials = 0;
        failed.waiting = 0;
        self.settled = self.settled.filter(|settled| *settled != arm);
        self.refresh();
    }

    /// What one would run without exploring.
    pub fn incumbent(&self) -> Option<usize> {
        let best = self.settled.or(self.best);
        best.or_else(|| self.stand_in(&|_| true))
    }

    /// The arm that serves from now on, unless its time departs from what was learned.
    pub fn settled(&self) -> Option<usize> {
        self.settled
    }

    /// All arms, for people.
    pub fn arms(&self) -> Vec<ArmState> {
        self.arms.iter().map(Arm::state).collect_vec()
    }

    /// Timed calls, cold ones included.
    pub fn calls(&self) -> u64 {
        self.observed
    }

    /// Regret so far: the estimated sum of (time / time of the best arm - 1) over the timed calls.
    pub fn excess(&self) -> f64 {
        let seen = || self.arms.iter().filter(|arm| arm.seen.is_finite());
        let best = seen().fold(f64::INFINITY, |best, arm| best.min(arm.seen));
        let beyond = |arm: &Arm| arm.calls as f64 * (arm.seen - best).exp_m1();
        seen().map(beyond).sum()
    }

    /// The arm of the best estimate.
    fn leader(&self) -> Option<usize> {
        if self.settled.is_some() {
            return self.settled;
        }
        let (mut least, mut best) = (f64::INFINITY, None);
        for (at, arm) in self.arms.iter().enumerate() {
            if arm.seen < least && !arm.failed {
                (least, best) = (arm.seen, Some(at));
            }
        }
        best
    }
}

//! Which arm serves the next call.

use super::drift::Watch;
use super::estimate::{Estimate, Moments, Noise, WIDTH};

/// What trials may cost.
struct Purse {
    /// At once, in calls of the incumbent.
    at_once: f64,
    /// Beyond that, as a share of the time spent so far.
    pace: f64,
}
/// One for arms that cost, one for those that are nearly as fast as the incumbent: what is saved for the
/// former must not stop the latter.
const PURSES: [Purse; 2] = [
    Purse {
        at_once: 20.0,
        pace: 0.01,
    },
    Purse {
        at_once: 2.0,
        pace: 0.005,
    },
];
/// A trial of such an arm costs less than this share of a call.
const NEAR: f64 = 0.15;
/// The most that an arm's time is taken to be, in calls of the incumbent.
const MOST: f64 = 1e4;
/// Stands for the logarithm of a time that nobody knows.
const UNSEEN: f64 = 1e6;
/// The least that a trial is taken to cost, as a share of a call: its time must be taken.
const TRIAL: f64 = 0.02;
/// What is expected of an arm that nothing is known of: ln of its time over the incumbent's.
const GAP: f64 = 0.4;
/// By how much a cold call is slower, and how uncertain that is.
const COLD: f64 = 0.2;
/// How uncertain that is.
const SPREAD: f64 = 0.8;
/// What this expectation is worth, in arms.
const EXPECTED: f64 = 2.0;
/// The least future, in calls.
const FUTURE: f64 = 8192.0;
/// What an arm that an outlier hid may gain per call.
const HIDDEN: f64 = 0.1;
/// The gain per call that is not worth looking for.
const INDIFFERENT: f64 = 0.001;
/// The noise that is assumed at first, and for how many observations.
const NOISE: Noise = Noise {
    variance: 0.01,
    freedom: 3.0,
    outliers: 0.02,
};
/// How many observations the assumed share of outliers is worth.
const OUTLIERS: f64 = 25.0;
/// No machine's timer is better.
const LEAST_VARIANCE: f64 = 1e-6;
/// Times are late where so many of the incumbent's are awaited.
const LATE: u32 = 4;
/// Timed calls of the incumbent that may wait for their answer.
const WAITING: u32 = 16;
/// A shift of ln(time) from which on everything is looked at again.
const MATTERS: f64 = 0.2;
/// Observations of the incumbent from which on it is watched for a drift.
const WATCHED: f64 = 8.0;
/// Everything is computed again after so many observations.
const REFRESH: u32 = 16;
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

/// Who serves a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// The arm.
    pub arm: usize,
    /// Whether its time is wanted: by `observe`, or `lost`.
    pub timed: bool,
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

#[derive(Debug, Clone, Copy)]
struct Arm {
    prior: Prior,
    known: Estimate,
    /// Counted observations and all calls.
    pulls: u64,
    calls: u64,
    /// The call of the first counted observation.
    born: u64,
    /// Calls that wait for their time: as the incumbent, and as trials with what they may cost.
    waiting: u32,
    trials: u32,
    failed: bool,
    /// The last call that asked could not be served by it.
    unfit: bool,
    // As of the last refresh.
    /// Without what is expected beyond what was seen.
    seen: f64,
    score: f64,
    lower: f64,
    upper: f64,
    cost: f64,
    dropped: bool,
    /// The only time may be an outlier, or cold.
    single: bool,
}

/// Chooses among arms whose times are learned while they serve.
#[derive(Debug, Clone)]
pub struct Bandit {
    arms: Vec<Arm>,
    best: Option<usize>,
    settled: Option<usize>,
    noise: Noise,
    /// What is known of the noise from observations that are no longer held.
    earlier: Noise,
    watch: Watch,
    /// The next drift before this call shifts, but opens nothing.
    reopen: u64,
    turns: u64,
    observed: u64,
    due: u32,
    /// The first observation: times are counted in units of its exponential.
    unit: Option<f64>,
    /// The incumbent's time, the time of all calls, and what exploring cost of it.
    call: f64,
    elapsed: f64,
    spent: [f64; 2],
}

impl Bandit {
    /// Arms, most promising first.
    pub fn new(priors: &[Prior]) -> Bandit {
        let arm = |prior: &Prior| Arm {
            prior: *prior,
            known: Estimate::default(),
            pulls: 0,
            calls: 0,
            born: 0,
            waiting: 0,
            trials: 0,
            failed: false,
            unfit: false,
            seen: f64::INFINITY,
            score: f64::NAN,
            lower: f64::NEG_INFINITY,
            upper: f64::INFINITY,
            cost: GAP.exp() - 1.0,
            dropped: false,
            single: false,
        };
        Bandit {
            arms: priors.iter().map(arm).collect(),
            best: None,
            settled: None,
            noise: NOISE,
            earlier: NOISE,
            watch: Watch::default(),
            reopen: 0,
            turns: 0,
            observed: 0,
            due: 0,
            unit: None,
            call: 1.0,
            elapsed: 0.0,
            spent: [0.0; 2],
        }
    }

    /// The arm that serves the next call, of the usable ones that have not failed; `None`: none is left.
    pub fn next(&mut self, usable: impl Fn(usize) -> bool) -> Option<Turn> {
        self.turns += 1;
        let incumbent = match self.settled.or(self.best) {
            Some(at) if !self.arms[at].failed && usable(at) => at,
            _ => self.stand_in(&usable)?,
        };
        let late = self.arms[incumbent].waiting >= LATE;
        let chosen = if self.settled.is_none() && (self.arms[incumbent].seen.is_finite() || late) {
            self.trial(incumbent, late, &usable)
        } else {
            None
        };
        if let Some(chosen) = chosen {
            self.arms[chosen].trials += 1;
            return Some(Turn {
                arm: chosen,
                timed: true,
            });
        }
        let arm = &mut self.arms[incumbent];
        self.elapsed += self.call;
        let timed = arm.waiting < WAITING;
        arm.waiting += u32::from(timed);
        Some(Turn {
            arm: incumbent,
            timed,
        })
    }

    /// The arm that is worth a trial now.
    fn trial(
        &mut self,
        incumbent: usize,
        late: bool,
        usable: &impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let limit = NEAR * self.call;
        let mut left = self.spent;
        for (purse, spent) in PURSES.iter().zip(&mut left) {
            *spent = purse.at_once * self.call + purse.pace * self.elapsed - *spent;
        }
        for arm in self.arms.iter().filter(|arm| arm.trials > 0) {
            left[usize::from(arm.cost < limit)] -= f64::from(arm.trials) * arm.cost;
        }
        let [dear, near] = left;
        let bound = match self.arms[incumbent].seen.is_finite() {
            true => self.arms[incumbent].lower,
            false => f64::INFINITY,
        };
        let hidden = HIDDEN * self.noise.outliers * self.elapsed;
        // The lowest bound of all, of those that cost next to nothing, and what may be misjudged.
        let mut first: Option<(usize, f64)> = None;
        let mut cheap: Option<(usize, f64)> = None;
        let mut second = None;
        for (at, arm) in self.arms.iter_mut().enumerate() {
            if at == incumbent || arm.failed || arm.dropped {
                continue;
            }
            arm.unfit = !usable(at);
            let most = (arm.known.n() as u32).clamp(1 + u32::from(late), WAITING);
            if arm.unfit || arm.trials >= most {
                continue;
            }
            let below = |least: Option<(usize, f64)>| arm.lower < least.map_or(bound, |l| l.1);
            let is_near = arm.cost < limit;
            if below(first) {
                first = Some((at, arm.lower));
            }
            if is_near && arm.cost < near && below(cheap) {
                cheap = Some((at, arm.lower));
            }
            if second.is_none() && arm.single && arm.cost < dear.min(hidden) {
                second = Some(at);
            }
        }
        let (at, _) = match first {
            None => return second,
            Some(first) => first,
        };
        if !self.is_near(at) && self.arms[at].cost < dear {
            return Some(at);
        }
        // What is too dear now is saved for.
        cheap.map(|(at, _)| at)
    }

    /// Whether an arm is nearly as fast as the incumbent, as far as is known.
    fn is_near(&self, at: usize) -> bool {
        self.arms[at].cost < NEAR * self.call
    }

    /// The most promising of the arms that can serve.
    fn stand_in(&self, fits: &impl Fn(usize) -> bool) -> Option<usize> {
        let mut found: Option<(usize, f64)> = None;
        for (at, arm) in self.arms.iter().enumerate() {
            if arm.failed || !fits(at) {
                continue;
            }
            let Prior { gap, weight } = arm.prior;
            let score = arm.seen.min(UNSEEN + weight * gap / (1.0 + weight));
            if found.is_none_or(|(_, least)| score < least) {
                found = Some((at, score));
            }
        }
        found.map(|(at, _)| at)
    }

    /// ln(seconds / work of the call) of a timed call; also when settled. What is no time is a lost one.
    pub fn observe(&mut self, arm: usize, ln_seconds: f64) {
        if arm >= self.arms.len() {
            return;
        }
        if !ln_seconds.is_finite() || ln_seconds.abs() > SANE {
            return self.lost(arm);
        }
        self.observed += 1;
        let x = ln_seconds;
        let unit = *self.unit.get_or_insert(x);
        let near = self.is_near(arm);
        let trial = self.answered(arm);
        let noise = self.noise;
        let known = &mut self.arms[arm];
        known.calls += 1;
        let before = known.score;
        let deviation = known.known.variance(&noise).sqrt();
        let mut believed = x;
        if known.known.is_cold() {
            known.known.chill(x);
        } else {
            if known.pulls == 0 {
                known.born = self.observed;
            }
            known.pulls += 1;
            believed = known.known.push(x, &noise);
        }
        if trial {
            let time = (believed - unit).exp().min(MOST * self.call);
            self.elapsed += time;
            self.spent[usize::from(near)] += time - self.call;
        }
        let watched = self.best == Some(arm) && self.arms[arm].known.n() > WATCHED;
        if watched && let Some(shift) = self.watch.see(x - before, deviation, self.observed) {
            self.drifted(arm, shift);
        } else {
            self.update(arm);
        }
    }

    /// Whether the answered call was a trial.
    fn answered(&mut self, at: usize) -> bool {
        let arm = &mut self.arms[at];
        if arm.trials == 0 {
            arm.waiting = arm.waiting.saturating_sub(1);
            return false;
        }
        arm.trials -= 1;
        true
    }

    /// A timed turn whose time never comes.
    pub fn lost(&mut self, arm: usize) {
        if arm >= self.arms.len() {
            return;
        }
        let cost = self.arms[arm].cost;
        if self.answered(arm) {
            self.elapsed += cost + self.call;
            self.spent[0] += cost;
        }
    }

    /// The arm does not load or launch: never again, also when settled.
    pub fn fail(&mut self, arm: usize) {
        if arm >= self.arms.len() || self.arms[arm].failed {
            return;
        }
        let failed = &mut self.arms[arm];
        failed.failed = true;
        failed.trials = 0;
        failed.waiting = 0;
        if self.settled == Some(arm) {
            self.settled = None;
        }
        self.refresh();
    }

    /// What one would run without exploring.
    pub fn incumbent(&self) -> Option<usize> {
        self.settled
            .or(self.best)
            .or_else(|| self.stand_in(&|_| true))
    }

    /// The arm that serves from now on, unless its time departs from what was learned.
    pub fn settled(&self) -> Option<usize> {
        self.settled
    }

    /// All arms, for people.
    pub fn arms(&self) -> Vec<ArmState> {
        let state = |arm: &Arm| ArmState {
            pulls: arm.pulls,
            mean: arm.score,
            interval: [arm.lower, arm.upper],
            standing: if arm.failed {
                Standing::Failed
            } else if arm.dropped {
                Standing::Dropped
            } else if arm.calls == 0 && arm.known.n() == 0.0 {
                Standing::Untried
            } else {
                Standing::Open
            },
        };
        self.arms.iter().map(state).collect()
    }

    /// Timed calls, cold ones included.
    pub fn calls(&self) -> u64 {
        self.observed
    }

    /// Regret so far: the estimated sum of (time / time of the best arm - 1) over the timed calls.
    pub fn debug(&self) -> String {
        format!(
            "call {} elapsed {} spent {:?} noise {:?}",
            self.call, self.elapsed, self.spent, self.noise
        )
    }
    pub fn excess(&self) -> f64 {
        let Some(best) = self.best.map(|at| self.arms[at].score) else {
            return 0.0;
        };
        let excess = |arm: &Arm| arm.calls as f64 * ((arm.score - best).exp() - 1.0).max(0.0);
        let known = self.arms.iter().filter(|arm| arm.score.is_finite());
        known.map(excess).sum()
    }

    /// What is known of each arm, to be kept.
    pub fn summaries(&self) -> Vec<Summary> {
        let summary = |arm: &Arm| Summary {
            pulls: arm.pulls,
            mean: arm.known.mean(&self.noise).unwrap_or(0.0),
            variance: arm.known.variance(&self.noise),
        };
        self.arms.iter().map(summary).collect()
    }

    /// What an earlier process learned on the same device.
    pub fn resume(&mut self, known: &[Option<Summary>], settled: Option<usize>) {
        for (arm, known) in self.arms.iter_mut().zip(known) {
            let Some(known) = known.filter(|k| k.pulls > 0 && k.mean.abs() <= SANE) else {
                continue;
            };
            let variance = if known.variance >= 0.0 {
                known.variance.min(100.0)
            } else {
                NOISE.variance
            };
            arm.known = Estimate::known((known.pulls as f64).min(64.0), known.mean, variance);
            arm.pulls = known.pulls;
            self.unit.get_or_insert(known.mean);
        }
        self.refresh();
        self.settled = settled.filter(|at| {
            self.arms
                .get(*at)
                .is_some_and(|arm| !arm.failed && arm.known.n() > 0.0)
        });
        if self.settled.is_some() {
            self.best = self.settled;
            self.refresh();
        }
    }

    /// What was learned at neighbouring sizes: the differences between arms, as a weak prior.
    pub fn borrow(&mut self, neighbour: &[Option<Summary>]) {
        let means = neighbour
            .iter()
            .flatten()
            .filter(|k| k.pulls > 0 && k.mean.abs() <= SANE);
        let best = means.map(|k| k.mean).fold(f64::INFINITY, f64::min);
        if best.is_infinite() {
            return;
        }
        for (arm, known) in self.arms.iter_mut().zip(neighbour) {
            if let Some(known) = known.filter(|k| k.pulls > 0 && k.mean.abs() <= SANE) {
                arm.prior = Prior {
                    gap: known.mean - best,
                    weight: 2.0,
                };
            }
        }
        self.refresh();
    }

    /// After an observation of one arm.
    fn update(&mut self, at: usize) {
        self.due += 1;
        if self.due >= REFRESH || self.observed < 64 {
            return self.refresh();
        }
        let confidence = self.confidence();
        let noise = self.noise;
        measure(&mut self.arms[at], &noise, confidence);
        if self.leader() != self.best {
            self.refresh();
        }
    }

    /// ln(1 / probability that a bound fails).
    fn confidence(&self) -> f64 {
        ((self.turns + 2 * self.arms.len() as u64) as f64).ln()
    }

    /// The arm of the best estimate.
    fn leader(&self) -> Option<usize> {
        if self.settled.is_some() {
            return self.settled;
        }
        let mut best = None;
        let mut least = f64::INFINITY;
        for (at, arm) in self.arms.iter().enumerate() {
            if !arm.failed && arm.seen < least {
                least = arm.seen;
                best = Some(at);
            }
        }
        best
    }

    /// Computes everything again.
    fn refresh(&mut self) {
        self.due = 0;
        let mut squares = self.earlier.variance * self.earlier.freedom;
        let mut freedom = self.earlier.freedom;
        let (mut clipped, mut seen) = (OUTLIERS * NOISE.outliers, OUTLIERS);
        for arm in &self.arms {
            let kept = arm.known.clipped();
            if kept.n >= 3.0 {
                squares += kept.squares;
                freedom += kept.n - 1.0;
                clipped += arm.known.outliers();
                seen += kept.n;
            }
        }
        self.noise = Noise {
            variance: (squares / freedom).max(LEAST_VARIANCE),
            freedom,
            outliers: clipped / seen,
        };
        let confidence = self.confidence();
        for arm in &mut self.arms {
            measure(arm, &self.noise, confidence);
        }
        let best = self.leader();
        if best != self.best {
            self.best = best;
            self.watch = Watch::default();
        }
        let Some(best) = best else {
            return;
        };
        let leader = self.arms[best];
        self.call = (leader.score - self.unit.unwrap_or(leader.score)).exp();
        let expected = self.expected(&leader);
        let upper = self
            .arms
            .iter()
            .filter(|a| !a.failed && a.known.n() > 0.0)
            .map(|a| a.upper)
            .fold(f64::INFINITY, f64::min);
        for (at, arm) in self.arms.iter_mut().enumerate() {
            if at != best && arm.known.n() == 0.0 {
                foresee(arm, &leader, &expected, &self.noise);
            }
            arm.single = arm.known.is_single(&self.noise);
            let counted = arm.known.n() > 0.0 && !arm.single;
            arm.dropped = at != best && counted && arm.lower > upper;
            let ratio = (arm.score - leader.score).min(50.0).exp();
            arm.cost = (ratio - 1.0).max(TRIAL) * self.call;
        }
        if self.settled.is_none() && self.is_settled(best) {
            self.settled = Some(best);
        }
    }

    /// What the arms that ran say of those that did not.
    fn expected(&self, leader: &Arm) -> Expected {
        let mut gap = Moments::known(EXPECTED, GAP, SPREAD * SPREAD);
        let mut cold = Moments::known(EXPECTED, COLD, COLD * COLD);
        for arm in &self.arms {
            if !arm.failed && arm.known.n() > 0.0 {
                gap.push((arm.score - leader.score).clamp(-5.0, 5.0));
                if let Some(first) = arm.known.cold() {
                    cold.push((first - arm.score).clamp(0.0, 5.0));
                }
            }
        }
        Expected { gap, cold }
    }

    /// Whether no other arm can repay what it costs to look.
    fn is_settled(&self, best: usize) -> bool {
        let leader = &self.arms[best];
        if leader.known.n() < 3.0 {
            return self
                .arms
                .iter()
                .enumerate()
                .all(|(at, arm)| at == best || arm.failed)
                && leader.known.n() > 1.0;
        }
        let future = (self.turns as f64).max(FUTURE);
        let mut gains = 0.0;
        for (at, arm) in self.arms.iter().enumerate() {
            if at == best || arm.failed || arm.dropped || arm.unfit {
                continue;
            }
            let n = arm.known.n();
            let variance = if n == 0.0 {
                0.25 * (arm.upper - arm.score) * (arm.upper - arm.score)
            } else {
                arm.known.variance(&self.noise) / n
            };
            let spread = (variance + leader.known.variance(&self.noise) / leader.known.n()).sqrt();
            let z = ((arm.score - leader.score) / spread).max(0.0);
            // The expected gain per call, s (phi(z) - z Phi(-z)), is at most s phi(z) / (1 + z^2).
            let mut gain = spread * 0.4 * (-0.5 * z * z).exp() / (1.0 + z * z);
            if arm.single {
                gain += HIDDEN * self.noise.outliers;
            }
            let looks = n.max(1.0);
            if gain * future > looks * arm.cost / self.call {
                gains += gain;
            }
        }
        gains <= INDIFFERENT
    }

    /// The incumbent's time has shifted: everybody's may have.
    fn drifted(&mut self, at: usize, shift: f64) {
        let open = self.observed >= self.reopen && shift.abs() > MATTERS;
        if open {
            self.reopen = 2 * self.observed;
            self.earlier = Noise {
                freedom: self.noise.freedom.min(32.0),
                ..self.noise
            };
            self.settled = None;
        }
        let since = self.watch.since;
        for (other, arm) in self.arms.iter_mut().enumerate() {
            let by = if other != at && arm.born >= since {
                0.0
            } else {
                shift
            };
            arm.known.shift(by);
            if open && arm.known.n() > 0.0 {
                let mean = arm.known.mean(&self.noise).unwrap_or(0.0);
                arm.known = arm.known.stale(mean);
            }
        }
        self.refresh();
    }
}

/// Score and bounds of an arm that has run.
fn measure(arm: &mut Arm, noise: &Noise, confidence: f64) {
    let Some(mean) = arm.known.mean(noise) else {
        return;
    };
    let variance = arm.known.variance(noise);
    let n = arm.known.n().max(1.0);
    let deviation = variance.sqrt();
    let range = WIDTH * deviation;
    let unsure = range * (confidence / (2.0 * noise.freedom)).sqrt();
    let radius =
        (2.0 * confidence / n).sqrt() * (deviation + unsure) + range * confidence / (3.0 * n);
    arm.score = mean + 0.5 * variance;
    arm.seen = arm.score;
    arm.lower = arm.score - radius;
    arm.upper = arm.score + radius;
}

/// What is expected of arms that have not run.
struct Expected {
    gap: Moments,
    /// How much slower a cold call is.
    cold: Moments,
}

/// Score and bounds of an arm that has not run, or only cold.
fn foresee(arm: &mut Arm, leader: &Arm, expected: &Expected, noise: &Noise) {
    let spread;
    if let Some(first) = arm.known.cold() {
        arm.score = first - expected.cold.mean;
        spread = (expected.cold.variance() + noise.variance).sqrt();
    } else {
        let Prior { gap, weight } = arm.prior;
        let variance = expected.gap.variance() / (1.0 + weight);
        arm.score = leader.score + (expected.gap.mean + weight * gap) / (1.0 + weight);
        spread = variance.sqrt();
    }
    arm.lower = arm.score - 2.0 * spread;
    arm.upper = arm.score + 2.0 * spread;
}

//! An arm: a candidate that may serve, and what is thought of it.

use super::bandit::{ArmState, Prior, Standing, Summary};
use super::estimate::{Estimate, Moments, Noise, WIDTH};

/// The least that a trial is taken to cost, as a share of a call: its time must be taken.
const TRIAL: f64 = 0.02;
/// What is expected of an arm that nothing is known of: ln of its time over the incumbent's, and how
/// uncertain that is.
const GAP: f64 = 0.4;
const SPREAD: f64 = 0.8;
/// By how much a cold call is slower, as a logarithm, and how uncertain that is.
const COLD: f64 = 0.2;
/// What these expectations are worth, in arms.
const EXPECTED: f64 = 2.0;
/// The widest gap that the expectation heeds.
const WIDEST: f64 = 5.0;
/// What an arm may gain per call that an outlier hid.
const HIDDEN: f64 = 0.1;
/// The least share of first calls that are disturbed, however quiet the machine has become since.
const RARE: f64 = 0.002;
/// Stands for the logarithm of a time that nobody knows.
const UNSEEN: f64 = 1e6;

/// An arm. What is computed is as of the last refresh.
#[derive(Clone, Copy, Default)]
pub(super) struct Arm {
    pub(super) prior: Prior,
    pub(super) known: Estimate,
    /// Counted observations.
    pub(super) pulls: u64,
    /// All timed calls.
    pub(super) calls: u64,
    /// The observation of the bandit that was the first counted one here.
    pub(super) born: u64,
    /// Timed calls that wait for their answer: as the incumbent, and as trials.
    pub(super) waiting: u32,
    pub(super) trials: u32,
    /// Trials lost in a row.
    pub(super) lost: u32,
    /// By how much it may not have shifted when the others did, as a logarithm.
    pub(super) unsure: f64,
    pub(super) failed: bool,
    /// It did not fit the last call that thought of it.
    pub(super) unfit: u32,
    /// ln of the expected time by what was seen alone; infinite where nothing was.
    pub(super) seen: f64,
    /// `seen`, with what is expected of arms that were not seen warm.
    pub(super) score: f64,
    /// Bounds of it.
    pub(super) lower: f64,
    pub(super) upper: f64,
    /// What a trial costs beyond a call of the incumbent, in such calls.
    pub(super) cost: f64,
    /// The calls over which what it may gain repays what it costs to see.
    pub(super) repays: f64,
    /// Certainly not the best.
    pub(super) dropped: bool,
    /// The only time may be an outlier, or cold.
    pub(super) single: bool,
    /// The probability that it is one.
    pub(super) hidden: f64,
}

/// What the arms that ran say of those that did not.
pub(super) struct Expected {
    gap: Moments,
    /// How much slower a cold call is.
    pub(super) cold: Moments,
}

impl Expected {
    pub(super) fn new(arms: &[Arm], leader: &Arm) -> Expected {
        let mut gap = Moments::known(EXPECTED, GAP, SPREAD * SPREAD);
        let mut cold = Moments::known(EXPECTED, COLD, COLD * COLD);
        for arm in arms.iter().filter(|arm| arm.is_warm() && !arm.failed) {
            if let Some(first) = arm.known.cold {
                cold.push((first - arm.seen).clamp(0.0, WIDEST));
            }
        }
        let seen = |arm: &&Arm| arm.seen.is_finite() && !arm.failed;
        for arm in arms.iter().filter(seen) {
            let warm = if arm.is_warm() { 0.0 } else { cold.mean };
            gap.push((arm.seen - warm - leader.seen).clamp(-WIDEST, WIDEST));
        }
        Expected { gap, cold }
    }

    /// The probability that a time this far over the leader's, the only one of its arm, is an outlier, where `outliers` is their
    /// share. An outlier adds anything up to `WIDEST`. Arms lie as the others do, of which too few were seen to know how far
    /// they spread: that is Student's distribution, up to its factor, which hardly differs from the normal one's.
    fn disturbed(&self, over: f64, outliers: f64) -> f64 {
        let outliers = outliers.max(RARE);
        let over = over.clamp(-WIDEST, WIDEST);
        let others = self.gap.without(over);
        let (n, variance) = (others.n, others.variance() * (1.0 + 1.0 / others.n));
        let off = (over - others.mean).max(0.0);
        let freedom = n - 1.0;
        let power = -0.5 * (freedom + 1.0);
        let arm = 0.4 * (1.0 + off * off / (variance * freedom)).powf(power) / variance.sqrt();
        let [outlier, arm] = [outliers / WIDEST, (1.0 - outliers) * arm];
        outlier / (outlier + arm)
    }
}

impl Arm {
    pub(super) fn new(prior: &Prior) -> Arm {
        Arm {
            prior: *prior,
            seen: f64::INFINITY,
            score: f64::NAN,
            lower: f64::NEG_INFINITY,
            upper: f64::INFINITY,
            cost: GAP.exp_m1(),
            repays: f64::INFINITY,
            ..Arm::default()
        }
    }

    /// Whether a call of it was counted, beyond the first one.
    pub(super) fn is_warm(&self) -> bool {
        self.known.n() > 0.0
    }

    /// The place in the order in which arms serve while none leads: what was seen, else the prior.
    pub(super) fn place(&self) -> f64 {
        let Prior { gap, weight } = self.prior;
        self.seen.min(UNSEEN + weight * gap / (1.0 + weight))
    }

    /// Computes score and bounds by what was seen, with `log` for L of the bandit's derivation. The mean of the time, not
    /// of its logarithm, is what a program pays: ln E t is E ln t + Var ln t / 2, up to the third cumulant.
    pub(super) fn measure(&mut self, noise: &Noise, log: f64) {
        let Some(mean) = self.known.mean(noise) else {
            return;
        };
        let (variance, n) = (self.known.variance(noise), self.known.n().max(1.0));
        // What the deviation may be underestimated by.
        let unsure = WIDTH * (log / (2.0 * noise.freedom)).sqrt();
        let factor = unsure + (1.0 + unsure * unsure).sqrt();
        let width = factor * (2.0 * log / n).sqrt() + WIDTH * log / (3.0 * n);
        let radius = variance.sqrt() * width;
        self.seen = mean + 0.5 * variance;
        self.score = self.seen;
        self.lower = self.score - radius - self.unsure;
        self.upper = self.score + radius;
    }

    /// Computes score and bounds of an arm that has not run, or only cold, beside the leader.
    pub(super) fn foresee(&mut self, leader: &Arm, expected: &Expected, noise: &Noise) {
        let variance;
        if let Some(first) = self.known.cold {
            self.score = first - expected.cold.mean;
            variance = expected.cold.variance() + noise.variance;
        } else {
            let Prior { gap, weight } = self.prior;
            let gap = gap - leader.prior.gap;
            self.score = leader.seen + (expected.gap.mean + weight * gap) / (1.0 + weight);
            variance = expected.gap.variance() / (1.0 + weight);
        }
        let spread = 2.0 * variance.sqrt();
        self.lower = self.score - spread - self.unsure;
        self.upper = self.score + spread;
    }

    /// Computes whether its only time may be an outlier.
    pub(super) fn doubt_only(&mut self, leader: &Arm, expected: &Expected, noise: &Noise) {
        self.single = self.known.is_single(noise);
        // What an earlier process knows, or was known before a drift, was borne out then.
        self.hidden = match self.single && self.known.cold.is_some() {
            true => expected.disturbed(self.seen - leader.seen, noise.outliers),
            false => 0.0,
        };
    }

    /// Computes what a trial costs beside the leader: as much as the last one or, if that was an outlier, as much as one of an
    /// arm that nothing is known of.
    pub(super) fn price(&mut self, leader: &Arm) {
        let beyond = (self.score - leader.seen).min(2.0 * WIDEST).exp_m1();
        let beyond = beyond + self.hidden * (GAP.exp_m1() - beyond).min(0.0);
        self.cost = beyond.max(TRIAL) * f64::from(1 + self.lost);
    }

    /// The same after a trial, which bears out the only time, or not.
    pub(super) fn price_again(&mut self, leader: &Arm) {
        self.hidden = 0.0;
        self.price(leader);
    }

    /// The expected gain per call, as a share, that the arm turns out better than the leader.
    pub(super) fn gain(&self, leader: &Arm, noise: &Noise) -> f64 {
        let spread = (self.doubt(noise) + leader.doubt(noise)).sqrt();
        let z = ((self.score - leader.score) / spread).max(0.0);
        // phi(z) - z Phi(-z) is at most phi(z) / (1 + z^2).
        HIDDEN * self.hidden + spread * 0.4 * (-0.5 * z * z).exp() / (1.0 + z * z)
    }

    /// The variance of the score.
    fn doubt(&self, noise: &Noise) -> f64 {
        let variance = match self.is_warm() {
            true => self.known.variance(noise) / self.known.n(),
            false => 0.25 * (self.upper - self.score) * (self.upper - self.score),
        };
        variance + self.unsure * self.unsure
    }

    /// For people.
    pub(super) fn state(&self) -> ArmState {
        let seen = self.is_warm() || self.known.cold.is_some();
        ArmState {
            pulls: self.pulls,
            mean: if seen { self.seen } else { f64::NAN },
            interval: [self.lower, self.upper],
            standing: match (self.failed, self.dropped, seen) {
                (true, _, _) => Standing::Failed,
                (_, true, _) => Standing::Dropped,
                (_, _, true) => Standing::Open,
                _ => Standing::Untried,
            },
        }
    }

    /// To be kept.
    pub(super) fn summary(&self, noise: &Noise) -> Summary {
        match self.known.mean(noise).filter(|_| self.is_warm()) {
            Some(mean) => Summary {
                pulls: self.pulls,
                mean,
                variance: self.known.variance(noise),
            },
            None => Summary::default(),
        }
    }
}

//! What follows from all observations so far: the noise, each arm's bounds and price, whether the best one is settled.

use super::{Bandit, OUTLIERS, PAYS, SURE};
use crate::learn::arm::Expected;
use crate::learn::drift::Watch;
use crate::learn::estimate::Noise;

/// The least future, in calls.
const FUTURE: f64 = 20_000.0;
/// The gain per call that is not worth looking for.
const INDIFFERENT: f64 = 0.001;
/// No machine's timer is better.
const LEAST_VARIANCE: f64 = 1e-6;
/// A shift of ln(time) from which on everything is looked at again.
const MATTERS: f64 = 0.2;
/// What is known of the noise counts for so many observations after it.
const REMEMBERED: f64 = 32.0;
/// An arm that did not fit so many calls in a row is not waited for.
const UNFIT: u32 = 64;

impl Bandit {
    /// The noise by all arms.
    fn pooled(&self) -> Noise {
        let mut squares = self.earlier.0 * self.earlier.1;
        let mut freedom = self.earlier.1;
        let (mut outliers, mut seen) = (OUTLIERS.0 * OUTLIERS.1, OUTLIERS.1);
        for (moments, clipped) in self.arms.iter().filter_map(|arm| arm.known.noise()) {
            squares += moments.squares;
            freedom += moments.n - 1.0;
            outliers += clipped;
            seen += moments.n;
        }
        let variance = (squares / freedom).max(LEAST_VARIANCE);
        Noise::new(variance, freedom, outliers / seen)
    }

    /// Computes everything again.
    pub(super) fn refresh(&mut self) {
        self.due = 0;
        self.noise = self.pooled();
        let weight = self.turns + 2 * self.arms.len() as u64;
        self.log = (weight as f64).ln();
        for arm in &mut self.arms {
            arm.measure(&self.noise, self.log);
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
        let expected = Expected::new(&self.arms, &leader);
        let counted = self.arms.iter().filter(|arm| !arm.failed && arm.is_warm());
        let upper = counted.fold(f64::INFINITY, |least, arm| least.min(arm.upper));
        self.cold = expected.cold.mean;
        for (at, arm) in self.arms.iter_mut().enumerate() {
            let warm = arm.is_warm();
            if !warm && at != best {
                arm.foresee(&leader, &expected, &self.noise);
            }
            arm.doubt_only(&leader, &expected, &self.noise);
            arm.dropped = at != best && warm && !arm.single && arm.lower > upper;
            arm.price(&leader);
        }
        if self.is_settled(best) {
            self.settled.get_or_insert(best);
        }
    }

    /// Whether no other arm can repay what it costs to look.
    fn is_settled(&mut self, best: usize) -> bool {
        let leader = self.arms[best];
        let future = (self.turns as f64).max(FUTURE);
        let mut gains = 0.0;
        for (at, arm) in self.arms.iter_mut().enumerate() {
            arm.repays = f64::INFINITY;
            if at == best || arm.failed || arm.dropped || arm.unfit > UNFIT {
                continue;
            }
            let gain = arm.gain(&leader, &self.noise);
            arm.repays = arm.known.n().max(1.0) * arm.cost / gain;
            if PAYS * arm.repays < future {
                gains += gain;
            }
        }
        leader.known.n() >= SURE && gains <= INDIFFERENT
    }

    /// The incumbent's time has shifted, to a level: everybody's may have, as far as it was seen before.
    pub(super) fn drifted(&mut self, incumbent: usize, shift: f64, level: f64) {
        let reopens = shift.abs() > MATTERS && self.observed >= self.reopen;
        if reopens {
            // As often as calls double, however restless the machine is.
            self.reopen = 2 * self.observed;
            self.earlier = (self.noise.variance, self.noise.freedom.min(REMEMBERED));
            self.settled = None;
        }
        let Watch { since, .. } = std::mem::take(&mut self.watch);
        for (at, arm) in self.arms.iter_mut().enumerate() {
            if at == incumbent {
                arm.known.shift(level - arm.seen);
            } else if arm.born < since {
                arm.known.shift(shift);
            }
            if !reopens {
                continue;
            }
            if at != incumbent {
                arm.unsure = shift.abs();
            }
            if arm.is_warm() {
                let mean = arm.known.mean(&self.noise).unwrap_or_default();
                arm.known = arm.known.stale(mean);
            }
        }
        self.refresh();
    }
}

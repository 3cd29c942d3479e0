//! Does the time of an arm depart from what was learned?
//!
//! A two-sided CUSUM (Page 1954, "Continuous inspection schemes") of residuals in standard deviations,
//! each clipped so that no single one decides. They are taken from a level that is renewed only as the
//! arm's observations double, lest a drift among few is taken for noise and averaged away.

/// Residuals count up to this many standard deviations.
const CLIP: f64 = 3.0;
/// What a residual must exceed to be a sign of a drift.
const SLACK: f64 = 1.0;
/// The sum of what exceeds it that is a drift: by Siegmund's approximation, normal residuals reach it
/// once in e^24 / 2 calls.
const ALARM: f64 = 12.0;
/// The sum above which the level is not renewed.
const SUSPICION: f64 = 3.0;
/// Departures below 3 % are nobody's concern.
const LEAST: f64 = 0.03;
/// The residuals whose median is the shift.
const LAST: usize = 7;

/// What is thought of an arm: of the logarithm of its time.
#[derive(Clone, Copy, Default)]
pub(super) struct Level {
    pub(super) mean: f64,
    pub(super) deviation: f64,
    /// Observations that say so.
    pub(super) n: f64,
}

/// Watches one arm.
#[derive(Clone, Copy, Default)]
pub(super) struct Watch {
    level: Level,
    up: f64,
    down: f64,
    /// The call since which the residuals have leant to one side.
    pub(super) since: u64,
    last: [f64; LAST],
    seen: usize,
}

impl Watch {
    /// Sees an observation of an arm that was at `now` before it. Gives the shift, and the level where the arm
    /// is after it, if there is one.
    pub(super) fn see(&mut self, x: f64, now: Level, call: u64) -> Option<(f64, f64)> {
        if now.n >= 2.0 * self.level.n && self.up.max(self.down) < SUSPICION {
            self.level = now;
        }
        let residual = x - self.level.mean;
        let z = (residual / self.level.deviation.max(LEAST)).clamp(-CLIP, CLIP);
        if self.up == 0.0 && self.down == 0.0 {
            self.since = call;
        }
        self.last[self.seen % LAST] = residual;
        self.seen += 1;
        self.up = (self.up + z - SLACK).max(0.0);
        self.down = (self.down - z - SLACK).max(0.0);
        if self.up.max(self.down) < ALARM {
            return None;
        }
        let last = &self.last[..self.seen.min(LAST)];
        // The median, by counting: so few need no sort.
        let half = last.len() / 2;
        let is_upper = |&x: &f64| last.iter().filter(|&&other| other <= x).count() > half;
        let upper = last.iter().copied().filter(is_upper);
        let shift = upper.fold(f64::INFINITY, f64::min);
        Some((shift, self.level.mean + shift))
    }
}

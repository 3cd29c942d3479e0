//! What trials may cost, so that learning is cheap whatever the arms turn out to be.

use super::arm::Arm;

/// One for arms that cost, one for those nearly as fast as the incumbent: while it is saved for the former,
/// the latter need not wait, and they never use up what is saved.
///
/// A trial costs what it takes beyond a call of the incumbent. A purse is what trials may cost at once, in such calls,
/// and beyond that, as a share of the time spent so far.
const PURSES: [(f64, f64); 2] = [(40.0, 0.015), (2.0, 0.005)];

/// An arm is near whose trial costs less than this share of a call.
const NEAR: f64 = 0.15;

/// The most that a trial is taken to have cost, in calls of the incumbent.
const MOST: f64 = 1e4;

/// The accounts. Times are in one unit, whichever.
#[derive(Clone, Copy, Default)]
pub(super) struct Pace {
    /// A call of the incumbent.
    pub(super) call: f64,
    /// The time of all calls.
    pub(super) elapsed: f64,
    /// What trials cost, per purse.
    spent: [f64; 2],
}

impl Pace {
    /// Whether the purse for near arms pays a trial of this cost.
    pub(super) fn is_near(&self, cost: f64) -> bool {
        cost < NEAR * self.call
    }

    /// What is left in the purses, the trials that are under way paid.
    pub(super) fn left(&self, arms: &[Arm], under_way: u32) -> [f64; 2] {
        let mut left = PURSES.map(|(at_once, pace)| at_once * self.call + pace * self.elapsed);
        left[0] -= self.spent[0];
        left[1] -= self.spent[1];
        if under_way > 0 {
            for arm in arms.iter().filter(|arm| arm.trials > 0) {
                left[usize::from(self.is_near(arm.cost))] -= f64::from(arm.trials) * arm.cost;
            }
        }
        left
    }

    /// A call of the incumbent.
    pub(super) fn serve(&mut self) {
        self.elapsed += self.call;
    }

    /// A trial that was expected to cost `cost` took `time`.
    pub(super) fn pay(&mut self, cost: f64, time: f64) {
        let time = time.min(MOST * self.call);
        self.elapsed += time;
        self.spent[usize::from(self.is_near(cost))] += time - self.call;
    }
}

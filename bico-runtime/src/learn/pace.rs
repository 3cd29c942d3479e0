//! What trials may cost, so that learning is cheap whatever the arms turn out to be.
//!
//! All of it is in calls of the incumbent of the moment, so that what a bad first arm made trials cost does not weigh
//! more once a better one serves.

use super::arm::Arm;

/// One for arms that cost, one for those nearly as fast as the incumbent: while it is saved for the former,
/// the latter need not wait, and they never use up what is saved.
///
/// A trial costs what it takes beyond a call of the incumbent. A purse is what trials may cost: so many calls, or a share
/// of the time spent so far, whichever is more, not both. The calls of the former purse are for each arm: the fewer arms, the likelier
/// the first one is the best, and the less there is to find.
const PURSES: [(f64, f64); 2] = [(3.0, 0.02), (5.0, 0.005)];

/// No more arms than this count.
const ARMS: usize = 20;

/// An arm is near whose trial costs less than this share of a call.
const NEAR: f64 = 0.15;

/// The most that a trial is taken to have cost.
const MOST: f64 = 1e4;

/// Whether the purse for near arms pays a trial of this cost.
pub(super) fn is_near(cost: f64) -> bool {
    cost < NEAR
}

/// The accounts.
#[derive(Clone, Copy, Default)]
pub(super) struct Pace {
    /// The time of all calls.
    pub(super) elapsed: f64,
    /// What trials cost, per purse.
    spent: [f64; 2],
}

impl Pace {
    /// What is left in the purses, the trials that are under way paid.
    pub(super) fn left(&self, arms: &[Arm], under_way: u32) -> [f64; 2] {
        let [(each, pace), (calls, near)] = PURSES;
        let at_once = each * arms.len().min(ARMS) as f64;
        let mut left = [
            at_once.max(pace * self.elapsed) - self.spent[0],
            calls.max(near * self.elapsed) - self.spent[1],
        ];
        if under_way > 0 {
            for arm in arms.iter().filter(|arm| arm.trials > 0) {
                left[usize::from(is_near(arm.cost))] -= f64::from(arm.trials) * arm.cost;
            }
        }
        left
    }

    /// A call of the incumbent.
    pub(super) fn serve(&mut self) {
        self.elapsed += 1.0;
    }

    /// A trial that was expected to cost `cost` took `time`.
    pub(super) fn pay(&mut self, cost: f64, time: f64) {
        let time = time.min(MOST);
        self.elapsed += time;
        self.spent[usize::from(is_near(cost))] += time - 1.0;
    }
}

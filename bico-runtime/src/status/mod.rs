//! What this process knows of a tunable so far, for people and for logs.
//!
//! Few programs ask: what is `#[inline]` is compiled by those that do, and not by all.

mod table;

use crate::dispatch::Tunable;
use crate::learn::slot;
use crate::target::{Call, Target};
use crate::{Config, Standing, Value};
use bico_core::Lists;
use bico_core::sorted;
use core::sync::atomic::Ordering;

/// What one tunable knows on one device, for one problem or one bucket of sizes.
///
/// Prints as a small table.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Status {
    /// The tunable's key.
    pub tunable: &'static str,
    /// The key of the device.
    pub device: String,
    /// The GPU's number in this process; 0 for the CPU.
    pub ordinal: usize,
    /// The sizes of the tuned problem, or of the call that the bucket began with.
    pub sizes: Vec<(&'static str, i64)>,
    /// The compile-time constants.
    pub consts: Vec<(&'static str, Value)>,
    /// How far it is.
    pub state: State,
    /// What serves now, or would serve a call that must not explore. `None`: nothing that was tried runs here.
    pub config: Option<Config>,
    /// The sizes of the tuned problem whose winner serves, where that is another one, further away than a factor of two.
    pub from: Option<Vec<(&'static str, i64)>>,
    /// What can be chosen from, the fastest first, where calls teach.
    pub arms: Vec<Arm>,
    /// Calls so far, where calls teach. Once settled, this is an estimate from those that are looked at.
    pub calls: u64,
    /// Calls that were timed. Once settled, few are.
    pub timed: u64,
    /// What these took longer than the best arm would have, in calls of the best arm: the cost of exploring.
    pub regret: f64,
}

/// Whether anything is still to be learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum State {
    /// The lock knows the winner on this device.
    Winner,
    /// The lock doesn't, and `BICO_RUNTIME=fixed` keeps to what the model prefers.
    Fixed,
    /// Calls are trying what is best.
    Exploring {
        /// How many candidates have run.
        tried: usize,
        /// How many there are.
        of: usize,
    },
    /// Calls have found it. Now and then one is still timed, to see whether that changes.
    Settled,
}

/// A candidate among those that calls try.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Arm {
    /// Its config.
    pub config: Config,
    /// The calls of it that count: the first of a process does not.
    pub pulls: u64,
    /// Its mean time at [`Status::sizes`], once it has run.
    pub seconds: Option<f64>,
    /// What the bandit goes by, once there is one. It holds the mean in more than 95 of 100 cases where calls scatter alike and
    /// independently; in fewer where other programs get in between, which it leaves out as far as it can, and
    /// where an arm that is slow now and then was timed only a few times.
    pub interval: Option<[f64; 2]>,
    /// Whether it is still in the running.
    pub standing: Standing,
}

impl Status {
    /// [`regret`](Status::regret) as a share of the time of all [`calls`](Status::calls).
    pub fn regret_share(&self) -> f64 {
        match self.calls {
            0 => 0.0,
            calls => self.regret / (calls as f64 + self.regret),
        }
    }
}

impl Tunable {
    /// What this process knows of it: for each device, the tuned problems whose winner serves, and the
    /// buckets of sizes in which calls learn. What no call has met yet is not there.
    ///
    /// It may be asked at any time, from any thread. Calls that are settled don't notice.
    ///
    /// ```no_run
    /// # let gemm_tunable = || -> &'static bico::Tunable { unimplemented!() };
    /// for status in gemm_tunable().status() {
    ///     println!("{status}");
    ///     if status.state == bico::State::Settled && status.regret_share() > 0.05 {
    ///         println!("learning was not cheap");
    ///     }
    /// }
    /// ```
    #[inline]
    pub fn status(&self) -> Vec<Status> {
        let mut found: Vec<(u16, Status)> = Vec::new();
        for (ordinal, on) in self.targets() {
            for problem in 0..on.tunable.slots.len() {
                found.extend(on.call_of(problem).decided(ordinal));
            }
            found.extend(on.tunable.board.lanes().map(|lane| lane.status(ordinal)));
        }
        // By device, constants and sizes: tables of buckets have an order that nobody can foresee.
        sorted::sort_by(&mut found, &|(a, x), (b, y)| {
            let devices = (&x.device, x.ordinal).cmp(&(&y.device, y.ordinal));
            devices.then_with(|| (a, &x.sizes).cmp(&(b, &y.sizes)))
        });
        found.into_iter().map(|(_, status)| status).collect_vec()
    }

    /// The devices that it decides for, with their numbers.
    #[inline]
    fn targets(&self) -> Vec<(usize, Target)> {
        #[cfg(feature = "cuda")]
        if let Some(gpus) = self.gpus {
            return gpus.targets(self);
        }
        vec![(0, self.host())]
    }
}

impl Status {
    /// Of calls of some sizes, without anything that they have taught.
    #[inline]
    pub(crate) fn of(call: &Call<'_>, ordinal: usize) -> Status {
        let Call { on, problem, sizes } = call;
        Status {
            tunable: on.tunable.name(),
            device: on.key.to_string(),
            ordinal,
            sizes: on.tunable.named(sizes),
            consts: on.tunable.consts(*problem),
            state: State::Fixed,
            config: None,
            from: None,
            arms: Vec::new(),
            calls: 0,
            timed: 0,
            regret: 0.0,
        }
    }
}

impl Call<'_> {
    /// Its problem's status with its variant of the constants, where the lock or the model has filled the slot.
    #[inline]
    fn decided(&self, ordinal: usize) -> Option<(u16, Status)> {
        let Call { on, problem, .. } = self;
        let candidate = slot::plain(on.tunable.slots[*problem].load(Ordering::Relaxed))?;
        let status = Status {
            state: match on.tunable.won_on(candidate, *problem).contains(on.key) {
                true => State::Winner,
                false => State::Fixed,
            },
            config: Some(on.tunable.config(candidate)),
            from: self.far_winner(candidate),
            ..Status::of(self, ordinal)
        };
        Some((self.variant(), status))
    }
}

/// What this process knows of a tunable. See [`Tunable::status`].
#[inline]
pub fn status(tunable: &Tunable) -> Vec<Status> {
    tunable.status()
}

#[cfg(test)]
mod tests;

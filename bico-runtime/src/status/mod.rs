//! What this process knows of a tunable so far, for people and for logs.

mod table;

pub(crate) use table::apart;

use crate::dispatch::Tunable;
use crate::learn::slot;
use crate::target::Target;
use crate::{Config, Standing, Value};
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
    /// The mean lies in it by what the bandit goes by, which is wider than 95 %. Once there is one.
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
    pub fn status(&self) -> Vec<Status> {
        #[cfg(feature = "cuda")]
        if let Some(gpus) = self.gpus {
            let of = |(ordinal, on)| self.status_on(ordinal, on);
            return sorted(gpus.targets().flat_map(of));
        }
        sorted(self.status_on(0, self.host()).into_iter())
    }

    fn status_on(&self, ordinal: usize, on: Target) -> Vec<(u16, Status)> {
        let problems = (0..on.slots.len()).filter_map(|problem| self.decided(ordinal, on, problem));
        let lanes = on.board.lanes().map(|lane| lane.status(ordinal));
        problems.chain(lanes).collect()
    }

    /// A problem whose slot the lock or the model has filled.
    fn decided(&self, ordinal: usize, on: Target, problem: usize) -> Option<(u16, Status)> {
        let candidate = slot::plain(on.slots[problem].load(Ordering::Relaxed))?;
        let mut devices = self.won_on(candidate, problem);
        let state = match devices.any(|device| device == *on.key) {
            true => State::Winner,
            false => State::Fixed,
        };
        let status = Status {
            tunable: self.name(),
            device: on.key.to_string(),
            ordinal,
            sizes: self.named(self.data.problems[problem].sizes),
            consts: self.consts(problem),
            state,
            config: Some(self.config(candidate)),
            arms: Vec::new(),
            calls: 0,
            timed: 0,
            regret: 0.0,
        };
        Some((self.variant(problem), status))
    }

    /// A problem's constants with their names.
    pub(crate) fn consts(&self, problem: usize) -> Vec<(&'static str, Value)> {
        let values = self.data.problems[problem].consts.iter().copied();
        self.data.consts.iter().copied().zip(values).collect()
    }
}

/// What this process knows of a tunable. See [`Tunable::status`].
pub fn status(tunable: &Tunable) -> Vec<Status> {
    tunable.status()
}

/// By device, constants and sizes: tables of buckets have an order that nobody can foresee.
fn sorted(found: impl Iterator<Item = (u16, Status)>) -> Vec<Status> {
    let mut found: Vec<(u16, Status)> = found.collect();
    found.sort_by(|(a, x), (b, y)| {
        let devices = (&x.device, x.ordinal).cmp(&(&y.device, y.ordinal));
        devices.then_with(|| (a, &x.sizes).cmp(&(b, &y.sizes)))
    });
    found.into_iter().map(|(_, status)| status).collect()
}

#[cfg(test)]
mod tests;

//! What a lane shows: its status, and what it tells the log.

use super::bandit::{ArmState, Standing};
use super::lane::Lane;
use super::shared::Change;
use crate::Config;
use crate::config::{apart, text};
use crate::status::{Arm, State, Status};
use bico_core::Lists;
use bico_core::sorted;
use core::cmp::Ordering;
use core::fmt;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What has been seen of a lane.
#[derive(Default)]
pub(super) struct Seen {
    /// Calls so far, about.
    pub(super) calls: AtomicU64,
    /// The arms that the log has heard of already, a bit each.
    dropped: AtomicU64,
    failed: AtomicU64,
}

/// `gemm on AMD EPYC (..) at m=1024, n=1024`
impl fmt::Display for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let on = &self.first.on;
        write!(f, "{} on {}", on.tunable.name(), on.key)?;
        match self.named().as_str() {
            "" => Ok(()),
            sizes => write!(f, " at {sizes}"),
        }
    }
}

/// Events: one line each, and never one per call.
impl Lane {
    fn named(&self) -> String {
        text(&self.first.on.tunable.named(self.call().sizes))
    }

    /// It has been made. `borrowed`: its arms are ordered by what was learned at other sizes, of this
    /// process if there is a `neighbour`.
    pub(super) fn begins(&self, neighbour: Option<&Lane>, borrowed: bool) {
        if !log::log_enabled!(log::Level::Debug) {
            return;
        }
        let bandit = self.shared.bandit();
        let arms = bandit.arms();
        let known = arms.iter().any(|arm| arm.pulls > 0);
        let from = match (bandit.settled(), neighbour) {
            (Some(arm), _) => format!("settled before on {}", self.config(arm)),
            _ if known => "goes on from what was learned before".to_string(),
            (None, Some(neighbour)) if borrowed => {
                format!("begins from what was learned at {}", neighbour.named())
            }
            _ if borrowed => "begins from what was learned before at other sizes".to_string(),
            _ => "begins with what the model prefers".to_string(),
        };
        let configs: Vec<Config> = (0..arms.len()).map(|arm| self.config(arm)).collect_vec();
        let (common, own) = apart(&configs);
        let own: Vec<String> = own.iter().map(|own| own.join(", ")).collect_vec();
        let common = match common.is_empty() {
            true => String::new(),
            false => format!(" (all with {})", common.join(", ")),
        };
        log::debug!(
            "{self}: {from}; {} to try: {}{common}",
            own.len(),
            own.join("; ")
        );
    }

    /// A call's time has come.
    pub(super) fn answered(&self, change: Change) {
        if change == Change::Reopened {
            self.seen.dropped.store(0, Relaxed);
            log::info!("{self}: times are not what they were; looking again");
        }
        // Asking for the arms takes time.
        if log::log_enabled!(log::Level::Debug) {
            self.tell_dropped();
        }
        self.tell_settled(change);
    }

    fn tell_dropped(&self) {
        for (at, arm) in self.shared.bandit().arms().iter().enumerate() {
            let bit = 1 << at;
            if arm.standing == Standing::Dropped
                && self.seen.dropped.fetch_or(bit, Relaxed) & bit == 0
            {
                let since = match arm.pulls {
                    0 => "as at other sizes".to_string(),
                    pulls => format!("after {pulls} calls of it"),
                };
                log::debug!("{self}: {} is certainly slower, {since}", self.config(at));
            }
        }
    }

    /// An arm is never to run again.
    pub(super) fn failed(&self, arm: usize, change: Change) {
        let bit = 1 << arm;
        if self.seen.failed.fetch_or(bit, Relaxed) & bit == 0 {
            let why = self.first.on.refusal(self.shared.candidates[arm]);
            let why = why.map_or_else(String::new, |why| format!(": {why}"));
            log::info!("{self}: {} does not run here{why}", self.config(arm));
        }
        self.tell_settled(change);
    }

    fn tell_settled(&self, change: Change) {
        if let Change::Settled(arm) = change
            && log::log_enabled!(log::Level::Info)
        {
            let bandit = self.shared.bandit();
            log::info!(
                "{self}: settled on {} after {} timed calls, which cost {:.1} calls of the best",
                self.config(arm),
                bandit.calls(),
                bandit.excess(),
            );
        }
    }

    fn config(&self, arm: usize) -> Config {
        self.first.on.tunable.config(self.shared.candidates[arm])
    }
}

impl Lane {
    /// What it knows, with its variant of the constants.
    #[inline]
    pub(crate) fn status(&self, ordinal: usize) -> (u16, Status) {
        // Waits for one step of a call at most; settled calls don't ask for this lock.
        let bandit = self.shared.bandit();
        let arms = bandit.arms();
        let work = self.work();
        let seconds = |x: f64| Some((x + work).exp()).filter(|s| s.is_finite());
        let arm = |at: usize| {
            let arm = arms[at];
            let [low, high] = arm.interval;
            let ran = has_run(&arm);
            let interval = || Some([seconds(low)?, seconds(high)?]);
            Arm {
                config: self.config(at),
                pulls: arm.pulls,
                seconds: ran.then(|| seconds(arm.mean)).flatten(),
                interval: ran.then(interval).flatten(),
                standing: arm.standing,
            }
        };
        let order = sorted::order(arms.len(), &|a, b| by_time(&arms[a], &arms[b]));
        let status = Status {
            state: match bandit.settled() {
                Some(_) => State::Settled,
                None => State::Exploring {
                    tried: arms.iter().filter(|arm| has_run(arm)).count(),
                    of: arms.len(),
                },
            },
            config: bandit.incumbent().map(|arm| self.config(arm)),
            arms: order.into_iter().map(arm).collect_vec(),
            calls: self.seen.calls.load(Relaxed),
            timed: bandit.calls(),
            regret: bandit.excess(),
            ..Status::of(&self.call(), ordinal)
        };
        (self.bucket.variant, status)
    }
}

/// Whether anything is known of its time but what other sizes promise.
fn has_run(arm: &ArmState) -> bool {
    arm.mean.is_finite() && (arm.pulls > 0 || arm.standing == Standing::Open)
}

/// The fastest first; then what has not run, and what cannot.
#[inline]
fn by_time(a: &ArmState, b: &ArmState) -> Ordering {
    let rank = |arm: &ArmState| match arm.standing {
        Standing::Failed => 2,
        _ if has_run(arm) => 0,
        _ => 1,
    };
    let time = |arm: &ArmState| if has_run(arm) { arm.mean } else { 0.0 };
    rank(a).cmp(&rank(b)).then(time(a).total_cmp(&time(b)))
}

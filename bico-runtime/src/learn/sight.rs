//! What a lane shows: its status, and what it tells the log.

use super::bandit::{ArmState, Bandit, Standing};
use super::lane::Lane;
use super::shared::Change;
use crate::Config;
use crate::choice::Sizes;
use crate::settle;
use crate::status::{Arm, State, Status, apart};
use core::cmp::Ordering;
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

/// Events: one line each, and never one per call.
impl Lane {
    /// It has been made. `borrowed`: its arms are ordered by what was learned at other sizes, of this
    /// process if there is a `neighbour`.
    pub(super) fn begins(&self, neighbour: Option<&Lane>, borrowed: bool) {
        if !log::log_enabled!(log::Level::Debug) {
            return;
        }
        let (arms, settled) = self.shared.with(|bandit| (bandit.arms(), bandit.settled()));
        let known = arms.iter().any(|arm| arm.pulls > 0);
        let from = match (settled, neighbour) {
            (Some(arm), _) => format!("settled before on {}", self.config(arm)),
            _ if known => "goes on from what was learned before".to_string(),
            (None, Some(neighbour)) if borrowed => {
                let sizes = self.tunable.named(neighbour.sizes());
                format!("begins from what was learned at {}", Sizes(&sizes))
            }
            _ if borrowed => "begins from what was learned before at other sizes".to_string(),
            _ => "begins with what the model prefers".to_string(),
        };
        let configs: Vec<_> = (0..arms.len()).map(|arm| self.config(arm)).collect();
        let apart = apart(&configs);
        let own: Vec<String> = apart.own.iter().map(|own| own.join(", ")).collect();
        let common = match apart.common.is_empty() {
            true => String::new(),
            false => format!(" (all with {})", apart.common.join(", ")),
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
        let arms = self.shared.with(Bandit::arms);
        for (at, arm) in arms.iter().enumerate() {
            let bit = 1 << at;
            if arm.standing == Standing::Dropped
                && self.seen.dropped.fetch_or(bit, Relaxed) & bit == 0
            {
                let config = self.config(at);
                match arm.pulls {
                    0 => log::debug!("{self}: {config} is certainly slower, as at other sizes"),
                    pulls => {
                        log::debug!(
                            "{self}: {config} is certainly slower, after {pulls} calls of it"
                        );
                    }
                }
            }
        }
    }

    /// An arm is never to run again.
    pub(super) fn failed(&self, arm: usize, change: Change) {
        let bit = 1 << arm;
        if self.seen.failed.fetch_or(bit, Relaxed) & bit == 0 {
            let candidate = usize::from(self.shared.candidates()[arm]);
            let why = settle::refusal(&self.tunable, self.on, candidate);
            let why = why.map_or_else(String::new, |why| format!(": {why}"));
            log::info!("{self}: {} does not run here{why}", self.config(arm));
        }
        self.tell_settled(change);
    }

    fn tell_settled(&self, change: Change) {
        if let Change::Settled(arm) = change {
            let (calls, excess) = self.shared.with(|b| (b.calls(), b.excess()));
            log::info!(
                "{self}: settled on {} after {calls} timed calls, which cost {excess:.1} calls of the best",
                self.config(arm),
            );
        }
    }

    fn config(&self, arm: usize) -> Config {
        let candidate = self.shared.candidates()[arm];
        self.tunable.config(candidate.into())
    }
}

impl Lane {
    /// What it knows, with its variant of the constants.
    pub(crate) fn status(&self, ordinal: usize) -> (u16, Status) {
        let Lane { tunable, on, .. } = self;
        let candidates = self.shared.candidates();
        let config = |arm: usize| self.config(arm);
        let look = |bandit: &Bandit| {
            let serving = bandit.incumbent().filter(|_| !candidates.is_empty());
            (
                bandit.arms(),
                bandit.settled().is_some(),
                serving,
                bandit.calls(),
                bandit.excess(),
            )
        };
        // Waits for one step of a call at most; settled calls don't ask for this lock.
        let (arms, settled, serving, timed, regret) = self.shared.with(look);
        let tried = arms.iter().filter(|arm| has_run(arm)).count();
        let work = self.work(self.sizes());
        let seconds = |x: f64| Some((x + work).exp()).filter(|s| s.is_finite());
        let mut order: Vec<usize> = (0..arms.len()).collect();
        order.sort_by(|&a, &b| by_time(&arms[a], &arms[b]));
        let arm = |&at: &usize| {
            let ArmState {
                pulls,
                mean,
                interval: [low, high],
                standing,
            } = arms[at];
            let ran = Some(()).filter(|()| has_run(&arms[at]));
            Arm {
                config: config(at),
                pulls,
                seconds: ran.and_then(|()| seconds(mean)),
                interval: ran.and_then(|()| Some([seconds(low)?, seconds(high)?])),
                standing,
            }
        };
        let status = Status {
            tunable: tunable.name(),
            device: on.key.to_string(),
            ordinal,
            sizes: tunable.named(self.sizes()),
            consts: tunable.consts(self.problem),
            state: match settled {
                true => State::Settled,
                false => State::Exploring {
                    tried,
                    of: arms.len(),
                },
            },
            config: serving.map(config),
            arms: order.iter().map(arm).collect(),
            calls: self.seen.calls.load(Relaxed),
            timed,
            regret,
        };
        (self.bucket.variant, status)
    }
}

/// Whether anything is known of its time but what other sizes promise.
fn has_run(arm: &ArmState) -> bool {
    arm.mean.is_finite() && (arm.pulls > 0 || arm.standing == Standing::Open)
}

/// The fastest first; then what has not run, and what cannot.
fn by_time(a: &ArmState, b: &ArmState) -> Ordering {
    let rank = |arm: &ArmState| match arm.standing {
        Standing::Failed => 2,
        _ if has_run(arm) => 0,
        _ => 1,
    };
    let time = |arm: &ArmState| if has_run(arm) { arm.mean } else { 0.0 };
    rank(a).cmp(&rank(b)).then(time(a).total_cmp(&time(b)))
}

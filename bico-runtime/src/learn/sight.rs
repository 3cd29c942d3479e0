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

/// The arms that the log has heard of already, a bit each.
#[derive(Default)]
pub(super) struct Told {
    dropped: AtomicU64,
    failed: AtomicU64,
}

/// Events: one line each, and never one per call.
impl Lane {
    /// It has been made. `neighbour`: whose times its arms are ordered by.
    pub(super) fn begins(&self, neighbour: Option<&Lane>) {
        if !log::log_enabled!(log::Level::Debug) {
            return;
        }
        let (arms, settled) = self.shared.with(|bandit| (bandit.arms(), bandit.settled()));
        let known = arms.iter().any(|arm| arm.pulls > 0);
        let from = match (settled, neighbour) {
            (Some(arm), _) => format!("settled before on {}", self.config(arm)),
            _ if known => "goes on from what was learned before".to_string(),
            (None, Some(neighbour)) => {
                let sizes = self.tunable.named(neighbour.sizes());
                format!("begins from what was learned at {}", Sizes(&sizes))
            }
            (None, None) => "begins with what the model prefers".to_string(),
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
            self.told.dropped.store(0, Relaxed);
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
                && self.told.dropped.fetch_or(bit, Relaxed) & bit == 0
            {
                log::debug!(
                    "{self}: {} is certainly slower, after {} calls of it",
                    self.config(at),
                    arm.pulls
                );
            }
        }
    }

    /// An arm is never to run again.
    pub(super) fn failed(&self, arm: usize, change: Change) {
        let bit = 1 << arm;
        if self.told.failed.fetch_or(bit, Relaxed) & bit == 0 {
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
                "{self}: settled on {} after {calls} timed calls, which lost {excess:.1} calls of the best",
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
        let (arms, settled, serving, calls, regret) = self.shared.with(look);
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
            calls,
            regret,
        };
        (self.bucket.variant, status)
    }
}

/// Whether anything is known of its time.
fn has_run(arm: &ArmState) -> bool {
    arm.mean.is_finite() && !matches!(arm.standing, Standing::Untried)
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

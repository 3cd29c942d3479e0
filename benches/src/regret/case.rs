//! A GPU that the lock doesn't know.

use super::NOISE;
use super::candidates::{candidates, nearest_first};
use cargo_bico::replay::Recording;

/// Trials that a lock holds of each device.
const TRIALS: usize = 12;

/// Fewer GPUs say nothing of a third.
const GPUS: usize = 3;

/// What came of one arm on the GPU: seconds and relative standard deviation; `None`: it fails.
pub(super) type Arm = Option<(f64, f64)>;

/// One kernel on one GPU, with the candidates that the others leave.
pub(super) struct Case {
    pub(super) name: String,
    /// The nearest GPU's winner first.
    pub(super) arms: Vec<Arm>,
    /// Seconds of the best config of the whole space.
    pub(super) optimum: f64,
}

impl Case {
    /// Seconds of the best arm.
    pub(super) fn best(&self) -> f64 {
        let seconds = self.arms.iter().flatten().map(|(seconds, _)| *seconds);
        seconds.fold(f64::INFINITY, f64::min)
    }

    /// Seconds of the nearest GPU's winner; of the next arm where it fails.
    pub(super) fn nearest(&self) -> f64 {
        let mut working = self.arms.iter().flatten();
        working
            .next()
            .map_or(f64::INFINITY, |(seconds, _)| *seconds)
    }
}

/// Each GPU of each kernel with at least three, left out in turn. Without `recorded`, noise is the
/// same everywhere.
pub(super) fn cases(recordings: &[Recording], recorded: bool) -> Vec<Case> {
    let mut cases = Vec::new();
    for here in recordings {
        let others: Vec<&Recording> = recordings
            .iter()
            .filter(|other| other.kernel == here.kernel && other.name != here.name)
            .collect();
        let Some((_, optimum)) = here.optimum() else {
            continue;
        };
        if others.len() + 1 < GPUS {
            continue;
        }
        let others = nearest_first(here, &others);
        let arm = |config: u64| {
            let record = here.record(config);
            let seconds = record.time?;
            let noise = match record.deviation {
                Some(deviation) if recorded => deviation / seconds,
                _ => NOISE,
            };
            Some((seconds, noise))
        };
        let arms: Vec<Arm> = candidates(here, &others, TRIALS)
            .into_iter()
            .map(arm)
            .collect();
        if arms.iter().flatten().next().is_some() {
            cases.push(Case {
                name: here.name.clone(),
                arms,
                optimum,
            });
        }
    }
    cases
}

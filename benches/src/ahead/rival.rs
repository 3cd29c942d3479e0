//! What Kernel Tuner's best strategy reaches on one GPU by the same clock: it compiles one config, measures it, and goes on to the
//! next (its parallel runner has one worker per GPU).

use super::{MEASURING, compiling};
use crate::kernel_tuner::Rivals;
use cargo_bico::replay::Recording;

pub(super) const STRATEGY: &str = "adaptive_tabu_greywolf";

/// What it reaches on one space.
pub(super) struct Rival {
    /// Seconds of an evaluation, in the mean over the space.
    each: f64,
    /// Fractions of the optimum by evaluations.
    points: Vec<(f64, f64)>,
}

impl Rival {
    /// `None` where it was not run on that space.
    pub(super) fn new(rivals: &Rivals, recording: &Recording) -> Option<Rival> {
        let budgets = rivals.spaces.get(&recording.name)?.get(STRATEGY)?;
        let points = budgets.iter().map(|(budget, mean)| (*budget as f64, *mean));
        let points: Vec<(f64, f64)> = points.collect();
        let count = recording.configs.len();
        let all: f64 = (0..count).map(|of| compiling(recording, of)).sum();
        let each = MEASURING + all / count as f64;
        (!points.is_empty()).then_some(Rival { each, points })
    }

    /// After so many seconds. Before its first and behind its last budget that is known it has what it reaches there.
    pub(super) fn reached(&self, seconds: f64) -> f64 {
        let (points, at) = (&self.points, seconds / self.each);
        match points.iter().position(|(x, _)| *x >= at) {
            Some(0) => points[0].1,
            Some(next) => {
                let ((x0, y0), (x1, y1)) = (points[next - 1], points[next]);
                y0 + (y1 - y0) * (at - x0) / (x1 - x0)
            }
            None => points[points.len() - 1].1,
        }
    }
}

//! How long a search may go on.

/// A new best counts as an improvement from this factor on: less is noise.
const IMPROVEMENT: f64 = 0.995;

/// Limits of one search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Budget {
    /// Configs measured at most, the finals aside. Those under way are among them.
    pub evaluations: u64,
    /// Seconds spent at most, by the measure's own clock. Looked at before a config is begun: what is under way is
    /// waited for.
    pub seconds: f64,
    /// Stop at a plateau: when at least this many evaluations in a row, and at least half of all
    /// that were done, brought no improvement (of 0.5 % or more). A strategy that knows what to expect
    /// of another evaluation stops when that no longer pays, instead, and half of the budget at least is spent: it errs, and
    /// who grants much wants much. `None`: never stop early.
    pub patience: Option<u64>,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget {
            evaluations: 64,
            seconds: 60.0,
            patience: Some(32),
        }
    }
}

impl From<&bico_syntax::Budget> for Budget {
    fn from(written: &bico_syntax::Budget) -> Budget {
        Budget {
            evaluations: written.evaluations.into(),
            seconds: written.seconds,
            ..Budget::default()
        }
    }
}

/// Why a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The budget's evaluations are done.
    Evaluations,
    /// The budget's seconds are over, or those that the [`Measure`] has left.
    ///
    /// [`Measure`]: super::Measure
    Seconds,
    /// No improvement for long enough ([`Budget::patience`]).
    Plateau,
    /// The strategy expects too little of another evaluation ([`Strategy::is_done`]).
    ///
    /// [`Strategy::is_done`]: super::Strategy::is_done
    Gain,
    /// The strategy has nothing left to propose.
    Exhausted,
}

/// What has been spent, and how long nothing has improved.
#[derive(Debug, Clone, Default)]
pub(super) struct Spending {
    pub(super) evaluations: u64,
    /// Evaluations since the last improvement.
    idle: u64,
    /// The time that an improvement is measured against.
    mark: Option<f64>,
}

impl Spending {
    /// Counts one evaluation; `best` is the best time after it.
    pub(super) fn count(&mut self, best: Option<f64>) {
        self.evaluations += 1;
        self.idle += 1;
        if let Some(best) = best
            && self.mark.is_none_or(|mark| best <= mark * IMPROVEMENT)
        {
            self.mark = Some(best);
            self.idle = 0;
        }
    }

    /// What was the best before does not count any more: `best` is all that there is to improve on.
    pub(super) fn begin_anew(&mut self, best: Option<f64>) {
        (self.mark, self.idle) = (best, 0);
    }

    /// Whether half of the budget is spent, in evaluations or in seconds.
    pub(super) fn is_half(&self, budget: &Budget, seconds: f64) -> bool {
        self.evaluations >= budget.evaluations.div_ceil(2) || seconds * 2.0 >= budget.seconds
    }

    /// Whether no further config is to be begun, beside those under way.
    pub(super) fn stop(&self, budget: &Budget, under_way: u64, seconds: f64) -> Option<Stop> {
        if self.evaluations + under_way >= budget.evaluations {
            Some(Stop::Evaluations)
        } else if seconds >= budget.seconds || budget.seconds.is_nan() {
            Some(Stop::Seconds)
        } else {
            // While everything fails there is no plateau to sit on.
            let plateau = self.mark.is_some()
                && budget.patience.is_some_and(|patience| {
                    self.idle >= patience.max(1) && self.idle >= self.evaluations.div_ceil(2)
                });
            plateau.then_some(Stop::Plateau)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(times: &[f64], patience: u64) -> Option<Stop> {
        let budget = Budget {
            evaluations: 1000,
            seconds: 1.0,
            patience: Some(patience),
        };
        let mut spending = Spending::default();
        let mut best: Option<f64> = None;
        for time in times {
            best = Some(best.map_or(*time, |b| b.min(*time)));
            spending.count(best);
        }
        spending.stop(&budget, 0, 0.0)
    }

    #[test]
    fn a_plateau_is_long_and_half_of_all() {
        let mut times = vec![1.0; 4];
        assert_eq!(after(&times, 4), None);
        times.push(1.0);
        assert_eq!(after(&times, 4), Some(Stop::Plateau));
        // Ten improvements: four idle evaluations are too few now.
        let mut times: Vec<f64> = (0..10).map(|i| 0.9f64.powi(i)).collect();
        times.extend([1.0; 9]);
        assert_eq!(after(&times, 4), None);
        times.extend([1.0; 1]);
        assert_eq!(after(&times, 4), Some(Stop::Plateau));
    }

    #[test]
    fn noise_is_no_improvement() {
        assert_eq!(after(&[1.0, 0.999, 0.998, 0.997], 3), Some(Stop::Plateau));
        assert_eq!(after(&[1.0, 0.999, 0.998, 0.994], 3), None);
    }

    #[test]
    fn limits_come_first() {
        let budget = Budget {
            evaluations: 0,
            seconds: 5.0,
            patience: None,
        };
        assert_eq!(
            Spending::default().stop(&budget, 0, 0.0),
            Some(Stop::Evaluations)
        );
        let budget = Budget {
            evaluations: 1,
            seconds: 5.0,
            patience: None,
        };
        assert_eq!(Spending::default().stop(&budget, 0, 4.9), None);
        assert_eq!(
            Spending::default().stop(&budget, 0, 5.0),
            Some(Stop::Seconds)
        );
    }
}

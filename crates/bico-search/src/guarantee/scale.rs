//! The guarantee over another scale than evaluations: `budget_scale = EXPR`, such as on-chip bytes.

use super::Settings;
use super::bootstrap::bounds;
use super::draws::cumulative;
use super::plateau::plateau;
use crate::ascending;
use crate::search::{Configs, Outcome, Row, Trail};
use crate::space::Draw;
use bico_core::Lists;
use bico_syntax::bind::{Bound, Expression, SpaceError};

/// Above this many configs a fixed random sample is counted.
const MOST_COUNTED: u64 = 100_000;

/// Levels that are told at most, those of measured configs aside.
const MOST_LEVELS: usize = 256;

/// `budget_scale` of a tunable at one problem, and how the configs of its space lie on it.
#[derive(Debug, Clone)]
pub struct Scale {
    expression: Expression,
    /// Each value that occurs, ascending, with how many of the counted configs have it or less.
    values: Vec<(f64, u64)>,
    counted: u64,
    total: u64,
}

impl Scale {
    /// Evaluates `budget_scale` for every config; of more than 100,000 for a fixed
    /// random sample. `None` where the attribute has none.
    ///
    /// # Errors
    ///
    /// A config for which it cannot be evaluated or is not a number.
    pub fn new(bound: &Bound<'_>, configs: &dyn Configs) -> Result<Option<Scale>, SpaceError> {
        let Some(expression) = bound.scale.clone() else {
            return Ok(None);
        };
        let total = configs.len();
        let value = |config| expression.number(&configs.values(config));
        let counted: Vec<u64> = if total <= MOST_COUNTED {
            (0..total).collect_vec()
        } else {
            let sample = Draw::new(total, fastrand::Rng::with_seed(0));
            sample.take(MOST_COUNTED as usize).collect_vec()
        };
        let found: Vec<f64> = counted.into_iter().map(value).try_collect_vec()?;
        Ok(Some(Scale {
            expression,
            counted: found.len() as u64,
            values: cumulative(found),
            total,
        }))
    }

    /// The expression, for those who want it of a config.
    pub fn expression(&self) -> &Expression {
        &self.expression
    }

    /// Whether all configs were counted, and not only a sample.
    fn is_exact(&self) -> bool {
        self.counted == self.total
    }

    /// How many configs of the space are within a budget; of a sample, about how many.
    fn valid(&self, budget: f64) -> u64 {
        let at = self.values.partition_point(|(value, _)| *value <= budget);
        let within = at.checked_sub(1).map_or(0, |at| self.values[at].1);
        if self.is_exact() {
            within
        } else {
            (within as f64 / self.counted as f64 * self.total as f64).round() as u64
        }
    }
}

/// What a trail guarantees over its tunable's scale.
#[derive(Debug, Clone, PartialEq)]
pub struct Scaled {
    /// The scale as the author wrote it.
    pub text: String,
    /// Whether [`Level::valid`] is counted, and not only estimated from a sample.
    pub exact: bool,
    /// One for each budget of the scale that occurs, ascending.
    pub levels: Vec<Level>,
    threshold: f64,
}

/// What one budget of the scale allows.
#[derive(Debug, Clone, PartialEq)]
pub struct Level {
    /// The budget: configs whose scale is not above it are allowed.
    pub budget: f64,
    /// How many configs of the space are.
    pub valid: u64,
    /// How many of them were measured.
    pub measured: u64,
    /// How many of those are good enough: within [`Settings::near`] of the best of all.
    pub good: u64,
    /// The fastest of those, as measured.
    pub chosen: Option<u64>,
    /// Its seconds.
    pub best: Option<f64>,
    /// The config that the guarantee is that of.
    pub carrier: Option<u64>,
    /// The seconds that it keeps with the reliability asked for.
    pub guaranteed: Option<f64>,
}

impl Scaled {
    /// Sorts a trail by the scale, and asks of each budget what it allows.
    pub fn new(scale: &Scale, trail: &Trail, settings: &Settings) -> Scaled {
        let mut rows: Vec<(f64, &Row)> = trail
            .evaluated()
            .filter_map(|row| Some((scale.expression.number(&row.values).ok()?, row)))
            .collect_vec();
        // Stable: of one scale the earlier trial comes first.
        ascending(&mut rows, &|(scale, _)| *scale);
        let outcomes: Vec<Outcome> = rows
            .iter()
            .map(|(_, row)| row.outcome.clone())
            .collect_vec();
        let bounds = bounds(&outcomes, settings);
        let seconds = |place: usize| outcomes[place].sample().map(|sample| sample.seconds);
        let best = bounds.last().copied().flatten();
        let enough = best.and_then(|best| Some(seconds(best.chosen)? * (1.0 + settings.near)));
        let is_good = |place: usize| {
            let known = seconds(place).zip(enough);
            known.is_some_and(|(seconds, enough)| seconds <= enough)
        };
        let mut good = 0;
        let mut measured = 0;
        let mut levels = Vec::new();
        for budget in budgets(scale, &rows) {
            while measured < rows.len() && rows[measured].0 <= budget {
                good += u64::from(is_good(measured));
                measured += 1;
            }
            let bound = measured.checked_sub(1).and_then(|last| bounds[last]);
            levels.push(Level {
                budget,
                valid: scale.valid(budget),
                measured: measured as u64,
                good,
                chosen: bound.map(|bound| rows[bound.chosen].1.config),
                best: bound.and_then(|bound| seconds(bound.chosen)),
                carrier: bound.map(|bound| rows[bound.carrier].1.config),
                guaranteed: bound.map(|bound| bound.seconds),
            });
        }
        Scaled {
            text: scale.expression.text().into(),
            exact: scale.is_exact(),
            levels,
            threshold: settings.threshold,
        }
    }

    /// What the largest budget allows. `None` where nothing ran.
    pub fn last(&self) -> Option<&Level> {
        self.levels
            .last()
            .filter(|level| level.guaranteed.is_some())
    }

    /// The budget after which the guarantee stops improving.
    pub fn plateau(&self) -> Option<&Level> {
        let levels = self.levels.iter();
        let guaranteed: Vec<_> = levels.map(|level| level.guaranteed).collect_vec();
        plateau(&guaranteed, self.threshold).map(|place| &self.levels[place])
    }
}

/// The budgets that are told: those at which something was measured, and of the others as many as are
/// useful, evenly by their place.
fn budgets(scale: &Scale, rows: &[(f64, &Row)]) -> Vec<f64> {
    let values = &scale.values;
    let step = values.len().div_ceil(MOST_LEVELS).max(1);
    let last = values.last().map(|(value, _)| *value);
    let thinned = values.iter().step_by(step).map(|(value, _)| *value);
    let measured = rows.iter().map(|(value, _)| *value);
    let mut budgets: Vec<f64> = thinned.chain(last).chain(measured).collect_vec();
    budgets.sort_unstable_by(f64::total_cmp);
    budgets.dedup();
    budgets
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guarantee::fixture::*;

    fn scale(options: &str) -> Scale {
        scale_of(options).unwrap().unwrap()
    }

    #[test]
    fn configs_are_counted_by_their_scale() {
        let scale = scale("space(N in 0..6), budget_scale = 100 * (N / 2) as i64");
        let counts = [-1.0, 0.0, 99.0, 100.0, 250.0].map(|budget| scale.valid(budget));
        assert_eq!(counts, [0, 2, 2, 4, 6]);
        assert!(scale.is_exact());
        assert!(scale_of("space(N in 0..6)").unwrap().is_none());
    }

    #[test]
    fn sizes_and_the_device_have_a_say() {
        let scale = scale("space(N in [1, 2, 4]), budget_scale = 4 * n * N / device.cores");
        assert_eq!(
            [200.0, 399.0, 400.0, 800.0].map(|budget| scale.valid(budget)),
            [1, 1, 2, 3]
        );
    }

    #[test]
    fn large_spaces_are_sampled() {
        let scale = scale("space(A in 0..1000, N in 0..300), budget_scale = N");
        assert!(!scale.is_exact());
        assert_eq!(scale.valid(299.0), 300_000);
        let half = scale.valid(149.0);
        assert!((148_000..152_000).contains(&half), "{half}");
    }

    #[test]
    fn what_is_no_number_is_an_error_on_its_place() {
        let error = |options| scale_of(options).unwrap_err().message;
        let message = error("space(N in [2, 1, 0]), budget_scale = (0 / N) + 1");
        assert!(
            message.contains("N = 0") || message.contains("N=0"),
            "{message}"
        );
    }

    #[test]
    fn budgets_of_a_scale_and_their_plateau() {
        // Six configs, two of each scale 0, 100, 200; the fifth fails.
        let scale = scale("space(N in 0..6), budget_scale = 100 * (N / 2) as i64");
        let times = [
            Some(4.0),
            Some(8.0),
            Some(2.0),
            Some(2.05),
            None,
            Some(1.999),
        ];
        let trail = search("guided", 6, &mut Device::new(&times, 0.0)).trail;
        let scaled = Scaled::new(&scale, &trail, &Settings::default());
        let rows: Vec<_> = scaled
            .levels
            .iter()
            .map(|l| {
                (
                    l.budget,
                    l.valid,
                    l.measured,
                    l.good,
                    l.chosen,
                    l.guaranteed,
                )
            })
            .collect();
        assert_eq!(
            rows,
            [
                (0.0, 2, 2, 0, Some(0), Some(4.0)),
                (100.0, 4, 4, 2, Some(2), Some(2.0)),
                (200.0, 6, 6, 3, Some(5), Some(1.999)),
            ]
        );
        assert_eq!(scaled.plateau().map(|level| level.budget), Some(100.0));
        assert_eq!(scaled.text, "100 * (N / 2) as i64");
        // Two evaluations only: the larger budgets allow more, and nobody looked there.
        let trail = search("guided", 2, &mut Device::new(&times, 0.0)).trail;
        let scaled = Scaled::new(&scale, &trail, &Settings::default());
        let measured: Vec<u64> = scaled.levels.iter().map(|level| level.measured).collect();
        assert_eq!(measured, [2, 2, 2]);
        assert_eq!(scaled.plateau().map(|level| level.budget), Some(0.0));
    }

    #[test]
    fn many_values_are_thinned_but_for_measured_ones() {
        let scale = scale("space(N in 0..3000), budget_scale = N");
        let mut times = vec![Some(2.0); 3000];
        times[1] = Some(1.0);
        let trail = search("sequential", 40, &mut Device::new(&times, 0.0)).trail;
        let scaled = Scaled::new(&scale, &trail, &Settings::default());
        assert!(
            (256..=300).contains(&scaled.levels.len()),
            "{}",
            scaled.levels.len()
        );
        assert_eq!(scaled.plateau().unwrap().budget, 1.0);
        assert_eq!(scaled.last().unwrap().valid, 3000);
    }

    #[test]
    fn nothing_measured_nothing_guaranteed() {
        let scale = scale("space(N in 0..6), budget_scale = N");
        let scaled = Scaled::new(&scale, &Trail::default(), &Settings::default());
        assert_eq!((scaled.levels.len(), scaled.last()), (6, None));
        assert_eq!(scaled.levels[5].valid, 6);
    }
}

//! What a trail guarantees at each of its budgets.

use super::Settings;
use super::bootstrap::{bounds, kept};
use super::draws::{Draws, top};
use super::order::reach;
use super::plateau::plateau;
use crate::search::{Found, Outcome, Row, RowKind, Trail};
use bico_core::Lists;

/// The name of the strategy whose draws follow the exact law.
const RANDOM: &str = "random";

/// What a trail guarantees.
#[derive(Debug, Clone, PartialEq)]
pub struct Guarantee {
    /// What was asked.
    pub settings: Settings,
    /// One for each budget from 1 to the evaluations that were made.
    pub steps: Vec<Step>,
    /// After a random search: where in the space its best config is at least.
    pub rank: Option<Rank>,
}

/// What one budget guarantees.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The budget: evaluations.
    pub evaluation: u64,
    /// The config that would be chosen: the fastest so far, as measured. `None` while nothing ran.
    pub chosen: Option<u64>,
    /// Its measured seconds.
    pub best: Option<f64>,
    /// The config that the guarantee is that of: the one chosen here, or by a smaller budget.
    pub carrier: Option<u64>,
    /// The seconds that it keeps with the reliability asked for. All steps hold at once, and
    /// none is above the one before.
    pub guaranteed: Option<f64>,
    /// Configs so far that nothing is significantly better than.
    pub sink: u64,
    /// Outcomes of the whole trail that are guaranteed here: something reached so far is at
    /// least as good.
    pub covered: u64,
    /// In a random search: the seconds that the best of so many draws from the configs of
    /// this trail reaches with the reliability asked for, in whatever order they are drawn.
    pub drawn: Option<f64>,
    /// And its mean, of the cases in which one of them runs.
    pub drawn_mean: Option<f64>,
}

/// A place in the order of all configs by their true times. The law is that of a number of draws
/// that was fixed before: a search that stops at a plateau chose it by what it had seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rank {
    /// The place, from 1.
    pub place: u64,
    /// How many configs there are.
    pub of: u64,
}

impl Guarantee {
    /// Reads a trail. `configs` is the size of the space.
    ///
    /// The finals are left out: they say nothing of smaller budgets. So this is what the trials alone promise; what
    /// ships is the finals' winner: see [`shipped`].
    pub fn new(trail: &Trail, configs: u64, settings: Settings) -> Guarantee {
        let rows: Vec<&Row> = trail.evaluated().collect_vec();
        let outcomes: Vec<Outcome> = rows.iter().map(|row| row.outcome.clone()).collect_vec();
        let bounds = bounds(&outcomes, &settings);
        let seconds = |place: usize| outcomes[place].sample().map(|sample| sample.seconds);
        let mut held = vec![false; rows.len()];
        let is_draw = |row: &Row| row.strategy == RANDOM && row.kind == RowKind::Trial;
        let drawn = (0..rows.len()).filter(|place| is_draw(rows[*place]));
        let law = Draws::new(
            drawn
                .map(|at| seconds(at).unwrap_or(f64::NAN))
                .collect_vec(),
        );
        let mut draws = 0;
        let mut steps = Vec::with_capacity(rows.len());
        for (place, (row, bound)) in rows.iter().zip(&bounds).enumerate() {
            reach(&outcomes, &mut held, place);
            draws += u64::from(is_draw(row));
            steps.push(Step {
                evaluation: row.evaluation,
                chosen: bound.map(|bound| rows[bound.chosen].config),
                best: bound.and_then(|bound| seconds(bound.chosen)),
                carrier: bound.map(|bound| rows[bound.carrier].config),
                guaranteed: bound.map(|bound| bound.seconds),
                sink: row.sink,
                covered: held.iter().filter(|held| **held).count() as u64,
                drawn: law.quantile(draws, settings.reliability),
                drawn_mean: law.expected(draws),
            });
        }
        // What was measured without being drawn is out of the draws; whatever it adds to the trail can
        // only better the place.
        let others = configs.saturating_sub(rows.len() as u64 - draws);
        let found = steps.last().is_some_and(|step| step.chosen.is_some());
        let rank = top(others, draws, settings.reliability)
            .filter(|_| found)
            .map(|place| Rank { place, of: configs });
        Guarantee {
            settings,
            steps,
            rank,
        }
    }

    /// What the whole trail guarantees: the step of its largest budget. `None` where nothing ran.
    pub fn last(&self) -> Option<&Step> {
        self.steps.last().filter(|step| step.guaranteed.is_some())
    }

    /// The evaluations after which the guarantee stopped improving: what is left to gain beyond them is less
    /// than the threshold.
    pub fn plateau(&self) -> Option<u64> {
        let steps = self.steps.iter();
        let guaranteed: Vec<_> = steps.map(|step| step.guaranteed).collect_vec();
        let place = plateau(&guaranteed, self.settings.threshold)?;
        Some(self.steps[place].evaluation)
    }
}

/// The seconds that the median call of the config that ships keeps with the reliability asked for: the winner's, by the
/// measurement that chose it, which is the finals or, where nothing else came near, its trial. Allowed for are the noise of that
/// measurement, and that the winner was chosen for its luck too.
pub fn shipped(found: &Found, settings: &Settings) -> Option<f64> {
    let winner = found.winner.as_ref()?.config;
    let rows = found.trail.rows.iter();
    let finals = rows.filter(|row| row.kind == RowKind::Final);
    let mut rows: Vec<&Row> = finals.collect_vec();
    if rows.is_empty() {
        rows = found.trail.evaluated().collect_vec();
    }
    let place = rows.iter().rposition(|row| row.config == winner)?;
    let outcomes: Vec<Outcome> = rows.iter().map(|row| row.outcome.clone()).collect_vec();
    kept(&outcomes, place, settings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guarantee::fixture::*;
    use crate::search::{Budget, Sample, Search, run};
    use proptest::prelude::*;

    fn settings() -> Settings {
        Settings {
            resamples: 200,
            ..Settings::default()
        }
    }

    fn guarantee(trail: &Trail, configs: u64) -> Guarantee {
        Guarantee::new(trail, configs, settings())
    }

    #[test]
    fn the_table_of_a_trail() {
        let mut device = Device::new(
            &[Some(4.0), None, Some(3.0), Some(2.0), Some(2.01), Some(9.0)],
            0.01,
        );
        let trail = search("sequential", 6, &mut device).trail;
        let guarantee = guarantee(&trail, 6);
        let chosen: Vec<Option<u64>> = guarantee.steps.iter().map(|step| step.chosen).collect();
        assert_eq!(chosen, [0, 0, 2, 3, 3, 3].map(Some));
        let covered: Vec<u64> = guarantee.steps.iter().map(|step| step.covered).collect();
        // Config 0 is better than the failed one and the last; what differs from nothing covers itself only.
        assert_eq!(covered, [3, 3, 4, 5, 6, 6]);
        assert_eq!(guarantee.steps[5].sink, 2);
        assert_eq!(guarantee.plateau(), Some(4));
        assert_eq!((guarantee.rank, guarantee.steps[5].drawn), (None, None));
        let last = guarantee.last().unwrap();
        assert!(last.guaranteed.unwrap() > 2.0 && last.guaranteed.unwrap() < 2.05);
    }

    #[test]
    fn what_ships_is_the_winner_of_the_finals() {
        // By the trials config 0 is best; the finals see it as it is.
        let mut device = Device::new(&[Some(1.0), Some(1.01), Some(9.0)], 0.01);
        let mut found = search("sequential", 3, &mut device);
        let last = found.trail.rows.len() - 2;
        assert_eq!(found.trail.rows[last].config, 0);
        found.trail.rows[last].outcome = Outcome::Timed(Sample::new(1.2, 1.19, 1.21, 9));
        found.winner.as_mut().unwrap().config = 1;
        let (guarantee, shipped) = (guarantee(&found.trail, 3), shipped(&found, &settings()));
        assert_eq!(guarantee.last().unwrap().chosen, Some(0));
        let shipped = shipped.unwrap();
        assert!(shipped > 1.01 && shipped < 1.03, "{shipped}");
        // A clear winner holds no finals.
        found.trail.rows.truncate(3);
        found.winner.as_mut().unwrap().config = 2;
        assert!(super::shipped(&found, &settings()) > Some(9.0));
        found.winner = None;
        assert_eq!(super::shipped(&found, &settings()), None);
    }

    #[test]
    fn nothing_ran_and_nothing_is_guaranteed() {
        let mut device = Device::new(&[None, None], 0.01);
        let trail = search("random", 2, &mut device).trail;
        let guarantee = guarantee(&trail, 2);
        assert_eq!((guarantee.steps.len(), guarantee.last()), (2, None));
        assert_eq!((guarantee.plateau(), guarantee.rank), (None, None));
        assert!(
            Guarantee::new(&Trail::default(), 0, Settings::default())
                .steps
                .is_empty()
        );
    }

    #[test]
    fn random_searches_say_where_in_the_space_they_are() {
        let times: Vec<Option<f64>> = (0..500).map(|i| Some(1.0 + f64::from(i))).collect();
        let mut device = Device::new(&times, 0.0);
        let trail = search("random", 60, &mut device).trail;
        let found = guarantee(&trail, 500);
        // One of the 60 is the baseline, which nobody drew.
        let place = top(499, 59, 0.95).unwrap();
        assert!((20..26).contains(&place));
        assert_eq!(found.rank, Some(Rank { place, of: 500 }));
        // Whatever the order, all of them together reach their best.
        let drawn: Vec<f64> = found.steps.iter().filter_map(|step| step.drawn).collect();
        assert!(drawn.windows(2).all(|pair| pair[1] <= pair[0]));
        let best = trail
            .trials()
            .filter(|row| row.kind == RowKind::Trial)
            .filter_map(|row| row.outcome.sample())
            .map(|s| s.seconds)
            .fold(f64::INFINITY, f64::min);
        assert_eq!(drawn.last(), Some(&best));
        assert!(drawn[0] > best);
        // Some draws are better than what nearly all of them reach.
        let means: Vec<f64> = found
            .steps
            .iter()
            .filter_map(|step| step.drawn_mean)
            .collect();
        assert_eq!((means.len(), means.last()), (60, Some(&best)));
        assert!(
            means[..50]
                .iter()
                .zip(&drawn)
                .all(|(mean, drawn)| mean < drawn)
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_larger_budget_guarantees_all_that_a_smaller_one_does(space in any_space(), n in 1u64..20, which in 0usize..3) {
            let strategy = ["guided", "random", "sequential"][which];
            let mut small = Device::new(&space, 0.2);
            let mut large = Device::new(&space, 0.2);
            let (small, large) = (search(strategy, n, &mut small).trail, search(strategy, n + 1, &mut large).trail);
            let few: Vec<&Row> = small.trials().collect();
            let more: Vec<&Row> = large.trials().collect();
            prop_assert_eq!(&few[..], &more[..few.len()]);
            let found = guarantee(&large, space.len() as u64);
            for pair in found.steps.windows(2) {
                prop_assert!(pair[0].covered <= pair[1].covered);
                prop_assert!(pair[1].guaranteed.unwrap_or(f64::INFINITY) <= pair[0].guaranteed.unwrap_or(f64::INFINITY));
            }
            prop_assert_eq!(found.steps.last().map(|step| step.covered), Some(more.len() as u64));
            // The sink that the search counts: what nothing is better than, but for what failed.
            let samples: Vec<_> = more.iter().map(|row| row.outcome.sample()).collect();
            for (place, step) in found.steps.iter().enumerate() {
                let timed = || samples[..=place].iter().flatten();
                let sink = timed().filter(|own| !timed().any(|other| other.high < own.low));
                prop_assert_eq!(step.sink, sink.count() as u64);
            }
        }
    }

    #[test]
    fn no_seconds_no_steps() {
        let (configs, ranked) = (Numbers::new(3), ranked(3));
        let budget = Budget {
            seconds: 0.0,
            ..Budget::default()
        };
        let found = run(
            &Search::new(&configs, &ranked, budget),
            &mut *strategy("random"),
            &mut Device::new(&[Some(1.0); 3], 0.0),
            &mut (),
        );
        assert_eq!(guarantee(&found.trail, 3).last(), None);
    }
}

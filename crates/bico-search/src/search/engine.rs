//! The search itself: asks the strategy, measures, keeps the trail, and holds the finals.

use super::budget::Spending;
use super::trail::Sink;
use super::{
    Best, Budget, Configs, Failure, Measure, Observer, Outcome, Prior, Proposal, Row, RowKind,
    Stop, Strategy, Trail, View, Winner, finals,
};
use crate::rank::Ranked;
use bico_core::device::Usage;
use std::collections::HashSet;

/// What one search starts from.
pub struct Search<'a> {
    /// The configs to choose from.
    pub configs: &'a dyn Configs,
    /// Their ranking.
    pub ranked: &'a Ranked,
    /// When to stop.
    pub budget: Budget,
    /// The winner of an earlier search: measured first, and kept where nothing is clearly better.
    pub incumbent: Option<u64>,
    /// A config to compare with, usually number 0: measured after the strategy's first choice, so
    /// that the smallest budget goes to the most promising config.
    pub baseline: Option<u64>,
    /// What other devices' measurements say.
    pub priors: &'a [Prior],
    /// How many configs a [`Measure`] is told of in advance.
    pub look_ahead: usize,
}

impl<'a> Search<'a> {
    /// A search with the usual settings: the first config as the baseline, eight configs ahead.
    pub fn new(configs: &'a dyn Configs, ranked: &'a Ranked, budget: Budget) -> Search<'a> {
        Search {
            configs,
            ranked,
            budget,
            incumbent: None,
            baseline: Some(0),
            priors: &[],
            look_ahead: 8,
        }
    }
}

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The best config; `None` if nothing was measured or everything failed.
    pub winner: Option<Winner>,
    /// All rows.
    pub trail: Trail,
    /// Why it ended.
    pub stop: Stop,
}

/// Searches. Ends with the budget, at a plateau, or when every config was measured; measures no
/// config twice but in the finals.
pub fn run(
    search: &Search<'_>,
    strategy: &mut dyn Strategy,
    measure: &mut dyn Measure,
    observer: &mut dyn Observer,
) -> Found {
    observer.started(search);
    let mut engine = Engine {
        search,
        strategy: strategy.name(),
        trail: Trail::default(),
        trials: Vec::new(),
        measured: HashSet::new(),
        spending: Spending::default(),
        sink: Sink::default(),
        best: None,
    };
    let stop = engine.explore(strategy, measure, observer);
    let winner = engine.settle(measure, observer);
    let found = Found {
        winner,
        trail: engine.trail,
        stop,
    };
    observer.ended(&found);
    found
}

struct Engine<'a> {
    search: &'a Search<'a>,
    strategy: &'static str,
    trail: Trail,
    trials: Vec<(u64, Outcome)>,
    measured: HashSet<u64>,
    spending: Spending,
    sink: Sink,
    best: Option<Best>,
}

impl Engine<'_> {
    fn explore(
        &mut self,
        strategy: &mut dyn Strategy,
        measure: &mut dyn Measure,
        observer: &mut dyn Observer,
    ) -> Stop {
        let mut budget = self.search.budget;
        let may_stop = budget.patience.is_some();
        // Who knows what to expect need not wait for a plateau, nor stop at one.
        if strategy.is_done().is_some() {
            budget.patience = None;
        }
        loop {
            let spent = measure.spent();
            if let Some(stop) = self.spending.stop(&budget, spent) {
                return stop;
            }
            let plan = self.plan(strategy);
            if may_stop && strategy.is_done() == Some(true) {
                return Stop::Gain;
            }
            let Some(next) = plan.first() else {
                return Stop::Exhausted;
            };
            // Nothing is prepared that the budget can't pay for.
            let affordable = budget.evaluations - self.spending.evaluations;
            let upcoming: Vec<u64> = plan
                .iter()
                .take(usize::try_from(affordable).unwrap_or(usize::MAX))
                .map(|p| p.config)
                .collect();
            measure.announce(&upcoming);
            observer.measuring(next.config, spent);
            let outcome = measure.measure(next.config, self.best.map(|best| best.seconds));
            let resources = measure.resources(next.config);
            self.record(next.clone(), outcome, resources, measure.spent(), observer);
        }
    }

    /// What to measure next, and after that as far as it is known.
    fn plan(&mut self, strategy: &mut dyn Strategy) -> Vec<Proposal> {
        let view = View {
            configs: self.search.configs,
            ranked: self.search.ranked,
            trials: &self.trials,
            priors: self.search.priors,
            budget: strategy.needs_budget().then_some(&self.search.budget),
            measured: &self.measured,
        };
        let mut plan = strategy.next(&view, self.search.look_ahead.max(1));
        // A strategy is held to its contract, so that a slip of it costs no double measurement.
        plan.retain(|proposal| self.is_open(proposal.config));
        if let Some(baseline) = self.search.baseline.filter(|config| self.is_open(*config)) {
            let chosen_before = self
                .trials
                .iter()
                .any(|(config, _)| Some(*config) != self.search.incumbent);
            let at = if chosen_before { 0 } else { plan.len().min(1) };
            plan.insert(at, baseline.into());
        }
        if let Some(incumbent) = self.search.incumbent.filter(|config| self.is_open(*config)) {
            plan.insert(0, incumbent.into());
        }
        let mut seen = HashSet::new();
        plan.retain(|proposal| seen.insert(proposal.config));
        plan
    }

    fn is_open(&self, config: u64) -> bool {
        config < self.search.configs.len() && !self.measured.contains(&config)
    }

    fn record(
        &mut self,
        proposal: Proposal,
        outcome: Outcome,
        resources: Option<Usage>,
        spent: f64,
        observer: &mut dyn Observer,
    ) {
        let config = proposal.config;
        self.measured.insert(config);
        // A recorded space may hold anything.
        if let Some(sample) = outcome.sample().filter(|sample| sample.seconds.is_finite()) {
            self.sink.add(sample);
            if self.best.is_none_or(|best| sample.seconds < best.seconds) {
                self.best = Some(Best {
                    config,
                    seconds: sample.seconds,
                });
            }
        }
        // What cannot be launched was not measured: it costs nothing.
        if !matches!(outcome, Outcome::Failed(Failure::Unlaunchable(_))) {
            self.spending.count(self.best.map(|best| best.seconds));
        }
        let kind = if Some(config) == self.search.incumbent {
            RowKind::Incumbent
        } else if Some(config) == self.search.baseline {
            RowKind::Baseline
        } else {
            RowKind::Trial
        };
        let row = Row {
            resources,
            ..self.row(kind, proposal, outcome.clone(), spent, self.best)
        };
        observer.row(&row);
        self.trail.rows.push(row);
        self.trials.push((config, outcome));
    }

    fn row(
        &self,
        kind: RowKind,
        proposal: Proposal,
        outcome: Outcome,
        spent: f64,
        best: Option<Best>,
    ) -> Row {
        let config = proposal.config;
        let (flops, bytes) = self.search.configs.work(config);
        let seconds = outcome
            .sample()
            .map(|sample| sample.seconds)
            .filter(|seconds| *seconds > 0.0);
        let rate = |amount: Option<f64>| Some(amount? / seconds?);
        let place = self.search.ranked.position(config);
        Row {
            evaluation: self.spending.evaluations,
            spent,
            kind,
            config,
            values: self.search.configs.values(config),
            strategy: self.strategy,
            rank: place.map(|place| place as u64 + 1),
            predicted: place.map(|place| self.search.ranked.predicted[place]),
            why: proposal.why,
            outcome,
            flops_per_second: rate(flops),
            bytes_per_second: rate(bytes),
            resources: None,
            best,
            sink: self.sink.len(),
        }
    }

    /// Holds the finals. Where all finalists fail, those behind them get their turn.
    fn settle(&mut self, measure: &mut dyn Measure, observer: &mut dyn Observer) -> Option<Winner> {
        let incumbent = self.search.incumbent;
        let mut contenders = finals::contenders(&self.trials);
        loop {
            let count = finals::choose(&mut contenders, incumbent);
            if count <= 1 {
                // A clear winner needs no run-off.
                let (config, sample) = contenders.into_iter().next()?;
                return Some(Winner { config, sample });
            }
            let finalists: Vec<u64> = contenders
                .drain(..count)
                .map(|(config, _)| config)
                .collect();
            observer.finals(&finalists);
            let outcomes: Vec<(u64, Outcome)> = finalists
                .iter()
                .copied()
                .zip(measure.finals(&finalists))
                .collect();
            let spent = measure.spent();
            let mut best: Option<Best> = None;
            for (config, outcome) in &outcomes {
                if let Some(sample) = outcome.sample()
                    && best.is_none_or(|best| sample.seconds < best.seconds)
                {
                    best = Some(Best {
                        config: *config,
                        seconds: sample.seconds,
                    });
                }
                let row = Row {
                    resources: measure.resources(*config),
                    ..self.row(
                        RowKind::Final,
                        (*config).into(),
                        outcome.clone(),
                        spent,
                        best,
                    )
                };
                observer.row(&row);
                self.trail.rows.push(row);
            }
            if let Some(winner) = finals::decide(&outcomes, incumbent) {
                return Some(winner);
            }
        }
    }
}

//! The search itself: asks the strategy, measures, keeps the trail, and holds the finals.

mod explore;
mod settle;

use crate::rank::Ranked;
use crate::search::budget::Spending;
use crate::search::trail::Sink;
use crate::search::{
    Amounts, Best, Budget, Configs, Failure, Measure, Observer, OfPeak, Outcome, Prior, Proposal,
    Row, RowKind, Shard, Stop, Strategy, Trail, Winner,
};
use std::collections::HashSet;

/// What one search starts from.
pub struct Search<'a> {
    /// The configs to choose from.
    pub configs: &'a dyn Configs,
    /// Their ranking.
    pub ranked: &'a Ranked,
    /// Their work, for throughputs.
    pub amounts: Amounts<'a>,
    /// What the device could do of a row's throughput and resources.
    pub of_peak: &'a dyn Fn(&Row) -> Option<OfPeak>,
    /// When to stop.
    pub budget: Budget,
    /// The winner of an earlier search: measured first, and kept where nothing is clearly better.
    pub incumbent: Option<u64>,
    /// A config to compare with, usually number 0: measured after the strategy's first choice, so
    /// that the smallest budget goes to the most promising config.
    pub baseline: Option<u64>,
    /// What would run without a search, in the place of a baseline: measured before all that the strategy chooses, in the
    /// finals wherever it is, and kept where nothing is clearly better.
    pub default: Option<u64>,
    /// Configs that are measured before all that the strategy chooses, behind the default, with a seat in the finals while they
    /// are close: where nobody else would look.
    pub starts: &'a [u64],
    /// By what share of the incumbent's and the default's time a config must be faster to take their place, beside the noise.
    pub margin: f64,
    /// What other devices' measurements say.
    pub priors: &'a [Prior],
    /// The part of the configs to which all that is measured belongs; `None`: all of them.
    pub shard: Option<Shard>,
    /// How many configs a [`Measure`] is told of in advance.
    pub look_ahead: usize,
    /// The configs of a trail that are kept beside the winner: each is looked at before ([`Measure::vouch`]).
    pub kept: &'a dyn Fn(&Trail) -> Vec<u64>,
}

/// By what share of its time another one must be faster than who holds the place, where nothing else is said.
pub const MARGIN: f64 = 0.01;

/// How many configs a [`Measure`] is usually told of in advance.
pub const LOOK_AHEAD: usize = 8;

impl<'a> Search<'a> {
    /// A search with the usual settings: the first config as the baseline, eight configs ahead.
    pub fn new(configs: &'a dyn Configs, ranked: &'a Ranked, budget: Budget) -> Search<'a> {
        Search {
            configs,
            ranked,
            amounts: &|_| (None, None),
            of_peak: &|_| None,
            budget,
            incumbent: None,
            baseline: Some(0),
            default: None,
            starts: &[],
            margin: MARGIN,
            priors: &[],
            shard: None,
            look_ahead: LOOK_AHEAD,
            kept: &|_| Vec::new(),
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
    /// Whether the winner held its place, as incumbent or default, because nothing was clearly faster.
    pub stays: bool,
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
        strategy,
        measure,
        observer,
        trail: Trail::default(),
        trials: Vec::new(),
        measured: HashSet::new(),
        pending: Vec::new(),
        spending: Spending::default(),
        sink: Sink::EMPTY,
        best: None,
        is_anew: false,
        stays: false,
    };
    let stop = engine.explore();
    let winner = engine.settle();
    engine.vouch();
    Found {
        winner,
        stays: engine.stays,
        trail: engine.trail,
        stop,
    }
}

struct Engine<'a> {
    search: &'a Search<'a>,
    strategy: &'a mut dyn Strategy,
    measure: &'a mut dyn Measure,
    observer: &'a mut dyn Observer,
    trail: Trail,
    trials: Vec<(u64, Outcome)>,
    measured: HashSet<u64>,
    /// What is under way, in the order in which it was begun.
    pending: Vec<Proposal>,
    spending: Spending,
    sink: Sink,
    best: Option<Best>,
    /// Whether what was the best, or looked wrong, once turned out otherwise.
    is_anew: bool,
    /// Whether the winner is who held the place before.
    stays: bool,
}

impl Engine<'_> {
    /// Takes in what came of a config; of one that was under way, with whoever measured it and how many there were.
    fn record(
        &mut self,
        proposal: Proposal,
        outcome: Outcome,
        by: Option<(Option<String>, usize)>,
    ) {
        let config = proposal.config;
        self.measured.insert(config);
        self.see(config, &outcome);
        // What cannot be launched was not measured: it costs nothing.
        if !matches!(outcome, Outcome::Failed(Failure::Unlaunchable(_))) {
            self.spending.count(self.best.map(|best| best.seconds));
        }
        let kind = if Some(config) == self.search.incumbent {
            RowKind::Incumbent
        } else if Some(config) == self.search.default {
            RowKind::Default
        } else if Some(config) == self.search.baseline && self.search.default.is_none() {
            RowKind::Baseline
        } else {
            RowKind::Trial
        };
        let spent = self.measure.spent();
        let mut row = self.made(kind, proposal, outcome.clone(), spent, self.best);
        if let Some((worker, under_way)) = by {
            (row.worker, row.under_way) = (worker, Some(under_way as u64));
        }
        row.compiler = self.measure.compiler(config);
        self.keep(row);
        self.trials.push((config, outcome));
        let anew = self.measure.judged_anew();
        if !anew.is_empty() {
            self.judge(anew);
        }
    }

    /// Takes note of a time, if it is one: a recorded space may hold anything.
    fn see(&mut self, config: u64, outcome: &Outcome) {
        if let Some(sample) = outcome.sample().filter(|sample| sample.seconds.is_finite()) {
            self.sink.add(sample);
            self.best = Best::of(self.best, config, sample);
        }
    }

    /// Takes over what became of earlier trials, and what follows from it.
    fn judge(&mut self, anew: Vec<(u64, Outcome)>) {
        for (config, outcome) in &anew {
            let trial = self.trials.iter_mut().find(|(known, _)| known == config);
            if let Some((_, known)) = trial {
                known.clone_from(outcome);
            }
        }
        (self.sink, self.best, self.is_anew) = (Sink::EMPTY, None, true);
        let trials = std::mem::take(&mut self.trials);
        trials
            .iter()
            .for_each(|(config, outcome)| self.see(*config, outcome));
        self.trials = trials;
        self.spending.begin_anew(self.best.map(|best| best.seconds));
        let spent = self.measure.spent();
        for (config, outcome) in anew {
            let row = self.made(RowKind::Judged, config.into(), outcome, spent, self.best);
            self.observer.row(&row);
            let mut trials = self.trail.rows.iter_mut();
            if let Some(trial) = trials.find(|trial| trial.config == config) {
                trial.outcome = row.outcome;
                trial.flops_per_second = row.flops_per_second;
                trial.bytes_per_second = row.bytes_per_second;
            }
        }
    }

    /// Adds a row to the trail.
    fn keep(&mut self, row: Row) {
        self.observer.row(&row);
        self.trail.rows.push(row);
    }

    fn made(
        &mut self,
        kind: RowKind,
        proposal: Proposal,
        outcome: Outcome,
        spent: f64,
        best: Option<Best>,
    ) -> Row {
        let config = proposal.config;
        let values = self.search.configs.values(config);
        let (flops, bytes) = (self.search.amounts)(&values);
        let seconds = outcome.sample().map(|sample| sample.seconds);
        let seconds = seconds.filter(|seconds| *seconds > 0.0);
        let rate = |amount: Option<f64>| Some(amount? / seconds?);
        let place = self.search.ranked.position(config);
        let mut row = Row {
            evaluation: self.spending.evaluations,
            spent,
            kind,
            config,
            values,
            strategy: self.strategy.name(),
            rank: place.map(|place| place as u64 + 1),
            predicted: place.map(|place| self.search.ranked.predicted[place]),
            why: proposal.why,
            worker: None,
            under_way: None,
            outcome,
            flops_per_second: rate(flops),
            bytes_per_second: rate(bytes),
            resources: self.measure.resources(config),
            of_peak: None,
            costs: self.measure.costs(),
            compiler: None,
            best,
            against: None,
            sink: self.sink.len(),
        };
        row.of_peak = (self.search.of_peak)(&row);
        row
    }
}

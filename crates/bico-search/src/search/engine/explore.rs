//! What is measured before the finals: one config after the other or, with several hands, as many at once.

use super::Engine;
use crate::search::{Arrival, Budget, Proposal, Search, Stop, Strategy, View};
use bico_core::Lists;
use std::collections::HashSet;

impl Engine<'_> {
    /// Measures until nothing more is to be begun and nothing is under way.
    pub(super) fn explore(&mut self) -> Stop {
        let mut budget = self.search.budget;
        // Who knows what to expect need not wait for a plateau, nor stop at one.
        if self.strategy.is_done().is_some() {
            budget.patience = None;
        }
        let mut has_many = false;
        loop {
            while !self.pending.is_empty() && self.measure.has_arrival() {
                self.receive();
            }
            let (hands, busy) = (self.measure.hands(), self.pending.len());
            has_many |= hands > 1;
            let free = hands.max(usize::from(busy == 0)).saturating_sub(busy);
            // All that are free get something before more is heard: what they get is chosen at once.
            let mut has_next = true;
            for _ in 0..free {
                match self.next(&budget) {
                    Ok(next) if has_many => self.begin(next),
                    Ok(next) => {
                        let best = self.best_seconds();
                        let Arrival {
                            outcome, worker, ..
                        } = self.measure.measure_alone(next.config, best);
                        let by = worker.map(|worker| (Some(worker), 1));
                        self.record(next, outcome, by);
                    }
                    Err(stop) => {
                        // Not the first one: without it there is no result.
                        if stop == Stop::Seconds && self.spending.evaluations > 0 {
                            self.withdraw();
                        }
                        if self.pending.is_empty() {
                            return stop;
                        }
                        // What is under way may be a reason to go on.
                        has_next = false;
                        break;
                    }
                }
            }
            let busy = self.pending.len();
            if busy > 0 && (!has_next || busy >= self.measure.hands()) {
                self.receive();
            }
        }
    }

    /// What to begin now, or why nothing.
    fn next(&mut self, budget: &Budget) -> Result<Proposal, Stop> {
        let (spent, under_way) = (self.measure.spent(), self.pending.len() as u64);
        if let Some(stop) = self.spending.stop(budget, under_way, spent) {
            return Err(stop);
        }
        let begun = self.spending.evaluations + under_way;
        // One config at least: without it there is no result.
        if begun > 0 && self.measure.left() <= 0.0 {
            return Err(Stop::Seconds);
        }
        let mut plan = self.plan();
        let may_stop = self.search.budget.patience.is_some();
        let may_stop = may_stop && self.spending.is_half(budget, spent);
        if may_stop && self.strategy.is_done() == Some(true) {
            return Err(Stop::Gain);
        }
        // Nothing is prepared that the budget can't pay for.
        let affordable = usize::try_from(budget.evaluations - begun).unwrap_or(usize::MAX);
        let upcoming = plan.iter().take(affordable).map(|next| next.config);
        let upcoming = upcoming.collect_vec();
        let Some(first) = upcoming.first() else {
            return Err(Stop::Exhausted);
        };
        self.measure.announce(&upcoming);
        let values = self.search.configs.values(*first);
        self.observer.measuring(&values, spent);
        Ok(plan.swap_remove(0))
    }

    /// What to measure next, and after that as far as it is known.
    fn plan(&mut self) -> Vec<Proposal> {
        let search = self.search;
        let pending = self.pending.iter().map(|next| next.config).collect_vec();
        let view = View {
            configs: search.configs,
            ranked: search.ranked,
            trials: &self.trials,
            priors: search.priors,
            shard: search.shard,
            pending: &pending,
            free: self.measure.hands().saturating_sub(pending.len()),
            measured: &self.measured,
            rows: &self.trail.rows,
        };
        search.plan(self.strategy, &view)
    }

    fn best_seconds(&self) -> Option<f64> {
        self.best.map(|best| best.seconds)
    }

    fn begin(&mut self, next: Proposal) {
        self.measure.begin(next.config, self.best_seconds());
        self.pending.push(next);
    }

    /// Forgets what was begun and nobody is at.
    fn withdraw(&mut self) {
        let back = self.measure.withdraw();
        self.pending.retain(|next| !back.contains(&next.config));
    }

    /// Waits for whatever is measured first.
    fn receive(&mut self) {
        let Arrival {
            config,
            outcome,
            worker,
        } = self.measure.arrival();
        let under_way = self.pending.len();
        let mut pending = self.pending.iter();
        // What nobody asked for is no trial.
        if let Some(at) = pending.position(|next| next.config == config) {
            let proposal = self.pending.remove(at);
            self.record(proposal, outcome, Some((worker, under_way)));
        }
    }
}

impl Search<'_> {
    /// What it will measure first, as far as that is known before anything is.
    pub fn opening(&self, strategy: &mut dyn Strategy) -> Vec<u64> {
        let view = View {
            configs: self.configs,
            ranked: self.ranked,
            trials: &[],
            priors: self.priors,
            shard: self.shard,
            pending: &[],
            free: 1,
            measured: &HashSet::new(),
            rows: &[],
        };
        let plan = self.plan(strategy, &view).into_iter();
        plan.map(|next| next.config).collect_vec()
    }

    /// What the strategy proposes, behind what is measured whatever it proposes.
    fn plan(&self, strategy: &mut dyn Strategy, view: &View<'_>) -> Vec<Proposal> {
        let mut plan = strategy.next(view, self.look_ahead.max(1));
        let is_open = |config: u64| config < self.configs.len() && view.is_open(config);
        plan.splice(..0, self.starts.iter().copied().map(Proposal::from));
        if let Some(default) = self.default {
            plan.insert(0, default.into());
        } else if let Some(baseline) = self.baseline {
            let tried = view.trials.iter().map(|(config, _)| config);
            let mut tried = tried.chain(view.pending);
            let chosen_before = tried.any(|config| Some(*config) != self.incumbent);
            let first = plan.iter().position(|proposal| is_open(proposal.config));
            let at = first
                .filter(|_| !chosen_before)
                .map_or(0, |first| first + 1);
            plan.insert(at, baseline.into());
        }
        plan.splice(..0, self.incumbent.map(Proposal::from));
        // A strategy is held to its contract, so that a slip of it costs no double measurement.
        let mut seen = HashSet::new();
        plan.retain(|next| is_open(next.config) && seen.insert(next.config));
        plan
    }
}

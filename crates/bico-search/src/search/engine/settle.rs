//! Who wins: the finals, and the last look at who is about to win and at what is kept.

use super::{Engine, Search};
use crate::search::finals::{self, Contender, Holders};
use crate::search::{Best, Outcome, RowKind, Winner};
use bico_core::Lists;
use std::collections::HashSet;

/// Of those that tie, this many are looked at closely, to see whether their results are the same bits in every call.
const MOST_CONFIRMED: usize = 3;

impl Engine<'_> {
    /// Holds the finals. Where all finalists fail, those behind them get their turn, and those who were cut short.
    pub(super) fn settle(&mut self) -> Option<Winner> {
        let Search {
            incumbent,
            starts,
            baseline,
            default,
            margin,
            ..
        } = *self.search;
        let holders = Holders {
            incumbent,
            default,
            margin,
        };
        let starts = starts.iter().copied();
        let seats = incumbent
            .into_iter()
            .chain(starts)
            .chain(baseline)
            .collect_vec();
        let mut contenders = finals::contenders(&self.trials, self.is_anew, default);
        // Those who were cut short lost to somebody who may fall.
        let mut reserve = finals::contenders(&self.trials, !self.is_anew, default);
        reserve.retain(|(config, sample)| sample.cut && Some(*config) != default);
        let mut fell = false;
        loop {
            if fell || contenders.is_empty() {
                contenders.append(&mut reserve);
            }
            fell = true;
            let count = finals::choose(&mut contenders, &seats, default);
            let (config, sample) = contenders.first().cloned()?;
            if count <= 1 && !sample.cut {
                // A clear winner needs no run-off.
                if self.confirm(config).is_ok() {
                    self.stays = holders.all().any(|holder| holder == config);
                    return Some(Winner { config, sample });
                }
                contenders.remove(0);
                continue;
            }
            let finalists: Vec<Contender> = contenders.drain(..count).collect_vec();
            let mut outcomes = self.play(finalists, &holders);
            while let Some(decision) = finals::decide(&outcomes, &holders) {
                self.stays = decision.stays;
                match self.elect(decision.tied) {
                    Ok(winner) => return Some(winner),
                    Err((config, failure)) => {
                        let mut fallen = outcomes.iter_mut();
                        let fallen = fallen.find(|(known, _)| *known == config);
                        fallen.into_iter().for_each(|of| of.1 = failure.clone());
                    }
                }
            }
        }
    }

    /// The outcomes of finals; of the trials, where no time is left for finals.
    fn play(&mut self, finalists: Vec<Contender>, holders: &Holders) -> Vec<(u64, Outcome)> {
        let configs = finalists.iter().map(|(config, _)| *config).collect_vec();
        self.observer.finals(&configs);
        let outcomes = self.measure.finals(&configs);
        if outcomes.is_empty() {
            let trials = finalists.into_iter();
            return trials
                .map(|(config, of)| (config, Outcome::Timed(of)))
                .collect_vec();
        }
        let outcomes: Vec<(u64, Outcome)> = configs.into_iter().zip(outcomes).collect_vec();
        let spent = self.measure.spent();
        for (at, (config, outcome)) in outcomes.iter().enumerate() {
            let leader = finals::leader(&outcomes[..=at]);
            let best = leader.map(|(config, seconds)| Best { config, seconds });
            let proposal = (*config).into();
            let mut row = self.made(RowKind::Final, proposal, outcome.clone(), spent, best);
            row.against = finals::against(&outcomes, holders, *config);
            self.keep(row);
        }
        outcomes
    }

    /// The first of those that tie whose results are the same bits in every call, else the first.
    fn elect(&mut self, tied: Vec<Winner>) -> Result<Winner, (u64, Outcome)> {
        let mut elect = None;
        for winner in tied.into_iter().take(MOST_CONFIRMED) {
            match self.confirm(winner.config) {
                Ok(true) => return Ok(winner),
                Ok(false) => elect = elect.or(Some(winner)),
                Err(_) if elect.is_some() => {}
                Err(failure) => return Err((winner.config, failure)),
            }
        }
        Ok(elect.expect("the first one is right, or was returned"))
    }

    /// Has those looked at that are kept. Where one falls, another may be kept in its place.
    pub(super) fn vouch(&mut self) {
        let mut seen = HashSet::new();
        loop {
            let kept = (self.search.kept)(&self.trail);
            let Some(config) = kept.into_iter().find(|config| seen.insert(*config)) else {
                return;
            };
            if let Err(failure) = self.measure.vouch(config) {
                self.judge(vec![(config, Outcome::Failed(failure))]);
            }
        }
    }

    /// Has the winner-elect looked at; whether its results are the same bits in every call. If it falls, so the trail says.
    fn confirm(&mut self, config: u64) -> Result<bool, Outcome> {
        let failure = match self.measure.confirm(config) {
            Ok(alike) => return Ok(alike),
            Err(failure) => failure,
        };
        let outcome = Outcome::Failed(failure);
        let spent = self.measure.spent();
        let row = self.made(RowKind::Final, config.into(), outcome.clone(), spent, None);
        self.keep(row);
        Err(outcome)
    }
}

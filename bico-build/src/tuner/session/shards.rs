//! Searches of parts of a space: each keeps a trail of its own and leaves the lock alone; joined, they are one search, of
//! which the finals are held here.

use super::Session;
use super::brief::{Brief, Done};
use super::case::Case;
use crate::report::{assignment, time};
use crate::tuner::asked::Joined;
use crate::tuner::emission::Predicted;
use bico_core::Lists;
use bico_search::search::{Proposal, Shard, Strategy, View};

/// What all parts measured, in its order.
#[derive(Debug)]
struct Listed(Vec<u64>);

impl Strategy for Listed {
    fn name(&self) -> &'static str {
        "shards"
    }

    fn next(&mut self, view: &View<'_>, ahead: usize) -> Vec<Proposal> {
        let open = self.0.iter().copied().filter(|of| view.is_open(*of));
        open.take(ahead).map(Proposal::from).collect_vec()
    }
}

impl Brief {
    /// Takes over what the parts measured, in place of a search. What holds the place now is measured beside it.
    pub(super) fn join(&mut self, joined: &Joined) {
        let holders = self.incumbent.into_iter().chain(self.default);
        let others = holders.filter(|of| !joined.configs.contains(of));
        self.budget.evaluations = (joined.configs.len() + others.count()) as u64;
        // Those that were spent were the parts'.
        self.budget.seconds += joined.seconds;
        self.budget.patience = None;
        self.baseline = None;
        self.starts.clear();
        self.strategy = Box::new(Listed(joined.configs.clone()));
        self.joined = Some(joined.rows.clone());
    }
}

impl Session<'_> {
    /// What parts of this search measured elsewhere.
    pub(super) fn joined(&self, case: &Case<'_>) -> Option<&Joined> {
        let device = case.bound.facts.key();
        let is = |of: &&Joined| of.is_of(case.plan, case.problem, device.as_str());
        self.joined.iter().find(is)
    }

    /// Whether there is nothing to search: the part has no config.
    pub(super) fn is_empty_part(&mut self, case: &Case<'_>) -> bool {
        let Some(shard) = self.env.shard else {
            return false;
        };
        let is_empty = !(0..case.space.len()).any(|config| shard.has(config));
        if is_empty {
            let (key, label, all) = (case.plan.key(), &case.problem.label, case.space.len());
            self.listener.says(&format!(
                "part {shard} of {key} ({label}) has none of its {all} configs"
            ));
        }
        is_empty
    }

    /// Says what a part found; nothing of it goes into the lock.
    pub(super) fn part(&mut self, case: &Case<'_>, done: &Done, shard: Shard) -> Option<Predicted> {
        let (key, label) = (case.plan.key(), &case.problem.label);
        let found = match &done.found.winner {
            Some(winner) => {
                let config = assignment(case.space.names(), &case.space.config(winner.config));
                format!("{config} takes {}", time(winner.sample.seconds))
            }
            None => "nothing ran and was right".to_string(),
        };
        self.listener
            .says(&format!("part {shard} of {key} ({label}): {found}"));
        self.tally.add(key, &done.found, false);
        Some(case.predicted(&done.brief.ranked))
    }
}

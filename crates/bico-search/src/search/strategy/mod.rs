//! Strategies: which configs to measure next, given the ranking and what was measured so far.

mod adaptive;
mod annealing;
mod ordered;
mod random;

use super::{Configs, Outcome, Prior, Row, Shard};
use crate::rank::Ranked;
use adaptive::{Adaptive, Choice};
use annealing::Annealing;
use bico_core::Lists;
use ordered::Ordered;
use random::Random;
use std::collections::HashSet;

/// The strategy of a tunable that names none.
pub const DEFAULT: &str = "adaptive";

/// Makes a strategy from its seed.
type Make = fn(u64) -> Box<dyn Strategy>;

/// Every strategy by its name.
const ALL: [(&str, Make); 6] = [
    ("adaptive", |seed| {
        Box::new(Adaptive::new(Choice::Gain, seed))
    }),
    ("annealing", |seed| Box::new(Annealing::new(seed))),
    ("guided", |_| {
        Box::new(Ordered {
            name: "guided",
            config: |view, place| view.ranked.order.get(place as usize).copied(),
            place: 0,
        })
    }),
    ("random", |seed| Box::new(Random::new(seed))),
    ("sequential", |_| {
        Box::new(Ordered {
            name: "sequential",
            config: |view, place| (place < view.configs.len()).then_some(place),
            place: 0,
        })
    }),
    ("ucb", |seed| Box::new(Adaptive::new(Choice::Bound, seed))),
];

/// Chooses the next configs.
///
/// What it proposes depends on nothing but its seed and the view, never on the clock or the budget.
/// So the trail of a budget is the beginning of that of a larger one.
pub trait Strategy {
    /// Its name in `budget(strategy = ..)`.
    fn name(&self) -> &'static str;

    /// Up to `ahead` (at least 1) configs, the one to measure next first. The others are what it
    /// would measure after that as far as it knows now: they are prepared, and asked for again.
    /// Configs that were measured or are under way are passed over; an empty answer ends the search, once nothing is
    /// under way.
    fn next(&mut self, view: &View<'_>, ahead: usize) -> Vec<Proposal>;

    /// Whether another evaluation no longer pays, by what [`Strategy::next`] saw last; a search that
    /// may stop early ends then. `None` where the strategy cannot tell: then a plateau decides.
    fn is_done(&self) -> Option<bool> {
        None
    }
}

/// A config that a strategy wants measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// Which.
    pub config: u64,
    /// Why, in a word or two, where there is more to say than its rank.
    pub why: Option<String>,
}

impl From<u64> for Proposal {
    fn from(config: u64) -> Proposal {
        Proposal { config, why: None }
    }
}

/// What a strategy sees.
pub struct View<'a> {
    /// The configs.
    pub configs: &'a dyn Configs,
    /// The ranking.
    pub ranked: &'a Ranked,
    /// What was measured, in order. Configs that the strategy did not ask for are among them.
    pub trials: &'a [(u64, Outcome)],
    /// What other devices' measurements say.
    pub priors: &'a [Prior],
    /// What is under way: begun in this order, and not measured yet.
    pub pending: &'a [u64],
    /// How many configs may be begun before another one is measured.
    pub free: usize,
    /// The part of the configs that may be proposed.
    pub shard: Option<Shard>,
    pub(super) measured: &'a HashSet<u64>,
    /// The trail so far: what trials took.
    pub(super) rows: &'a [Row],
}

impl View<'_> {
    /// Whether a config was measured.
    pub fn is_measured(&self, config: u64) -> bool {
        self.measured.contains(&config)
    }

    /// Whether a config belongs to the part of the space that is searched.
    pub fn has(&self, config: u64) -> bool {
        self.shard.is_none_or(|shard| shard.has(config))
    }

    /// Whether a config may be proposed: it is of the part that is searched, was not measured, and is not under way.
    pub fn is_open(&self, config: u64) -> bool {
        self.has(config) && !self.is_measured(config) && !self.pending.contains(&config)
    }
}

/// The names of all strategies. Those that an attribute may name are fewer: some are here to be
/// compared with.
pub fn names() -> Vec<&'static str> {
    ALL.iter().map(|(name, _)| *name).collect_vec()
}

/// The strategy of this name.
///
/// # Errors
///
/// Names the strategies that there are.
pub fn by_name(name: &str, seed: u64) -> Result<Box<dyn Strategy>, String> {
    let known = ALL.iter().find(|(known, _)| *known == name);
    known.map(|(_, make)| make(seed)).ok_or_else(|| {
        let names = names().join(", ");
        format!("unknown strategy `{name}`: use one of {names}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_to_strategies_that_bear_them() {
        for (name, _) in ALL {
            assert_eq!(by_name(name, 0).unwrap().name(), name);
        }
        assert!(by_name(DEFAULT, 0).is_ok());
        let error = by_name("gudied", 0).err().unwrap();
        assert_eq!(
            error,
            "unknown strategy `gudied`: use one of adaptive, annealing, guided, random, sequential, ucb"
        );
    }
}

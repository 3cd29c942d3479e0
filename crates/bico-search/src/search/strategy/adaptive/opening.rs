//! The opening: what is measured before there is anything to learn from.

use super::pool::Pool;
use super::{Proposal, View};
use crate::ascending;
use crate::search::Outcome;
use crate::search::learn::Feature;
use bico_core::Lists;

/// Configs of the opening without any ranking: less leaves the model blind, more is wasted (`scripts/folds`).
pub(super) const BLIND: usize = 3;
/// How many of them are near the top of a ranking, where there is one. All of them there would be better with good
/// rankings (0.97 for 0.96 of the optimum after 20) and worse with poor ones (0.83 for 0.85).
const RANKED: usize = 4;
/// The opening is spread over so many of the ranking's first configs, for each that it takes.
const TOP: usize = 20;
/// Why the others of the opening are measured.
const FAR: &str = "far from the others";
/// Configs that are measured to try what no trial of another device varied.
const PROBES: usize = 4;

impl Pool {
    /// The first configs.
    pub(super) fn begin(&mut self, view: &View<'_>) -> Vec<Proposal> {
        let is_blind = self.prediction.is_none();
        self.open(view, if is_blind { BLIND } else { RANKED })
    }

    /// So many configs more: the top of the ranking and what lies farthest from it near the top; without a ranking what lies
    /// far apart.
    pub(super) fn open(&mut self, view: &View<'_>, count: usize) -> Vec<Proposal> {
        if self.prediction.is_none() {
            return self.spread(view, count, FAR);
        }
        let order = view.ranked.order.iter();
        let open = order.filter(|config| view.is_open(**config));
        let begun = self.opened;
        self.opened += count;
        let places = open
            .take(TOP * self.opened)
            .filter_map(|config| self.place(*config));
        let places: Vec<usize> = places.filter(|place| !self.hopeless[*place]).collect_vec();
        let pending = view.pending.iter();
        let mut chosen: Vec<usize> = pending.filter_map(|c| self.place(*c)).collect_vec();
        let before = chosen.len();
        for count in begun..self.opened {
            let near = &places[..places.len().min(TOP * count.max(1))];
            let next = match count {
                0 => near.first().copied(),
                _ => self.farthest(near, &chosen),
            };
            chosen.extend(next);
        }
        let why = |count: usize| match count {
            0 => "the top-ranked".to_string(),
            _ => format!("among the top {}", TOP * count),
        };
        let ranked = chosen[before..].iter().zip(begun..);
        let ranked = ranked.map(|(place, count)| self.proposal(*place, why(count)));
        ranked.collect_vec()
    }

    /// The best trial with one feature changed that none of other devices' trials varied: winners of other devices
    /// may agree in what is wrong here. Features with few levels come first: they are switches.
    pub(super) fn probe(&self, view: &View<'_>) -> Vec<Proposal> {
        let tried = super::bet::tried(view);
        let tried: Vec<usize> = tried.filter_map(|config| self.place(config)).collect_vec();
        let timed = |(config, outcome): &(u64, Outcome)| Some((outcome.sample()?.seconds, *config));
        let best = view.trials.iter().filter_map(timed);
        let best = best.min_by(|a, b| a.0.total_cmp(&b.0));
        let Some((best, from)) = best.and_then(|(_, best)| Some((best, self.place(best)?))) else {
            return Vec::new();
        };
        let near = view.configs.neighbours(best).into_iter();
        let mut near: Vec<usize> = near
            .filter(|config| view.is_open(*config))
            .filter_map(|config| self.place(config))
            .filter(|place| !self.hopeless[*place])
            .collect_vec();
        ascending(&mut near, &|place| self.table.distance(from, *place));
        let constant = |feature: &&Feature| {
            let mut codes = tried.iter().map(|place| feature.codes[*place]);
            codes.all(|code| code == feature.codes[from])
        };
        let features = self.table.features.iter();
        let mut features: Vec<&Feature> = features.filter(constant).collect_vec();
        ascending(&mut features, &|feature| feature.levels.len() as f64);
        let mut probes: Vec<usize> = Vec::new();
        for Feature { codes, .. } in features {
            let changed = near.iter().find(|place| codes[**place] != codes[from]);
            probes.extend(changed.filter(|place| !probes.contains(place)));
        }
        let why = "the best so far with a value not tried before";
        let probes = probes.iter().take(PROBES);
        probes
            .map(|place| self.proposal(*place, why.into()))
            .collect_vec()
    }
}

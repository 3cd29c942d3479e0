//! The bet that what is fast on other devices is fast here, and when it is lost.

use super::{Proposal, View};
use crate::search::{Outcome, Prior};
use bico_core::Lists;
use bico_core::sorted::sort_by;
use std::collections::HashSet;

/// Trials of other devices that are measured, more of them while each is a new best.
const PORTFOLIO: usize = 5;
/// Winners of other devices are near each other there. Where most of them are so much slower here than the best,
/// they say little.
const DOUBTFUL: f64 = 1.3;
/// After so many trials in a row that promised a gain and gave none the model was misled.
const IDLE: u32 = 12;

/// How the bet stands.
#[derive(Debug)]
pub(super) struct Bet {
    /// The best time when it was last asked.
    best: f64,
    /// How many trials there were then.
    trials: usize,
    /// Whether what none of those trials varied was tried.
    probed: bool,
    idle: u32,
}

/// What to do next.
pub(super) enum Step {
    /// Measure another trial of the device whose trials do best here.
    Follow(Proposal),
    /// Try what none of those trials varied.
    Probe,
    /// Ask the model.
    Learn,
    /// Search as if nothing was known of other devices.
    Lost,
}

impl Bet {
    pub(super) fn new() -> Bet {
        Bet {
            best: f64::INFINITY,
            trials: 0,
            probed: false,
            idle: 0,
        }
    }

    /// What to do now that all that was planned is measured; `promising` is whether the model expected anything of it.
    pub(super) fn next(&mut self, view: &View<'_>, promising: bool) -> Step {
        // With many hands more is asked for than has come out.
        let is_new = view.trials.len() > self.trials;
        self.trials = view.trials.len();
        let all = view.trials.iter().map(|(_, outcome)| seconds(outcome));
        let best = all.fold(f64::INFINITY, f64::min);
        let better = best < self.best;
        self.best = best;
        let doubtful = is_doubtful(view, best);
        if !self.probed {
            let under_way = of_others(view, view.pending).count();
            let begun = tried(view).count() + under_way;
            let few = !doubtful && begun < PORTFOLIO;
            let none = view.trials.is_empty();
            if let Some(next) = follow(view).filter(|_| better || few || none) {
                return Step::Follow(next);
            }
            // What these say decides.
            if under_way > 0 || none {
                return Step::Learn;
            }
        } else if better || !promising {
            self.idle = 0;
        } else if is_new {
            self.idle += 1;
        }
        if doubtful || self.idle >= IDLE {
            return Step::Lost;
        }
        match std::mem::replace(&mut self.probed, true) {
            false => Step::Probe,
            true => Step::Learn,
        }
    }
}

/// The configs of other devices' trials that were measured here.
pub(super) fn tried<'a>(view: &'a View<'_>) -> impl Iterator<Item = u64> + 'a {
    of_others(view, view.trials.iter().map(|(config, _)| config))
}

/// Those of these configs that are among other devices' trials.
fn of_others<'a>(
    view: &'a View<'_>,
    configs: impl IntoIterator<Item = &'a u64>,
) -> impl Iterator<Item = u64> {
    let is_known = |config: &u64| {
        let mut all = view.priors.iter().flat_map(|prior| &prior.trials);
        all.any(|(known, _)| known == config)
    };
    configs.into_iter().copied().filter(is_known)
}

/// The winner of each other device, the nearest first.
pub(super) fn winners(view: &View<'_>) -> Vec<Proposal> {
    let mut priors: Vec<&Prior> = view.priors.iter().collect_vec();
    sort_by(&mut priors, &|a, b| a.kinship.cmp(&b.kinship));
    let mut known = HashSet::new();
    let winners = priors.iter().filter_map(|prior| best_open(view, prior));
    let winners = winners.filter(|next| known.insert(next.config));
    winners.take(PORTFOLIO).collect_vec()
}

/// The next trial of the device whose best one here is the fastest.
fn follow(view: &View<'_>) -> Option<Proposal> {
    let best = |prior: &Prior| {
        let trials = prior.trials.iter();
        let here = trials.filter_map(|(config, _)| measured(view, *config));
        here.fold(f64::INFINITY, f64::min)
    };
    // Of equals the one of which less is under way.
    let begun = |prior: &Prior| {
        let trials = prior.trials.iter();
        trials
            .filter(|(config, _)| view.pending.contains(config))
            .count()
    };
    let priors = view.priors.iter();
    let next =
        priors.filter_map(|prior| Some((best(prior), begun(prior), best_open(view, prior)?)));
    let next = next.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    Some(next?.2)
}

/// The best trial of another device that was not measured here.
fn best_open(view: &View<'_>, prior: &Prior) -> Option<Proposal> {
    let is_open = |config: u64| config < view.configs.len() && view.is_open(config);
    let mut trials = prior.trials.iter().map(|(config, _)| *config).enumerate();
    let (rank, config) = trials.find(|(_, config)| is_open(*config))?;
    let place = match rank {
        0 => "the winner".to_string(),
        _ => format!("number {}", rank + 1),
    };
    let why = Some(format!("{place} on {}", prior.device));
    Some(Proposal { config, why })
}

/// Whether most of the other devices' winners are far from the best here.
fn is_doubtful(view: &View<'_>, best: f64) -> bool {
    let winners = view.priors.iter().filter_map(|prior| prior.trials.first());
    let winners = winners.filter_map(|(config, _)| measured(view, *config));
    let mut winners: Vec<f64> = winners.collect_vec();
    winners.sort_unstable_by(f64::total_cmp);
    let median = winners.get(winners.len().saturating_sub(1) / 2);
    median.is_some_and(|median| median.is_infinite() || *median > DOUBTFUL * best)
}

/// The time of a config that was measured here.
fn measured(view: &View<'_>, config: u64) -> Option<f64> {
    let trial = view.trials.iter().find(|(known, _)| *known == config);
    trial.map(|(_, outcome)| seconds(outcome))
}

/// Infinite where it failed.
fn seconds(outcome: &Outcome) -> f64 {
    let sample = outcome.sample();
    sample.map_or(f64::INFINITY, |sample| sample.seconds)
}

//! The configs that a binary carries for one combination of the problems' constants.

use super::served::Served;
use crate::tuner::cover::{Known, cover};
use crate::tuner::stored::Values;

/// What covers the devices that `served`, the problems with these constants, know, then what is predicted where none is
/// known.
pub(super) fn chosen(served: &[&Served<'_>]) -> Vec<Values> {
    let known = served.iter().flat_map(|served| {
        let marked = served.first.iter().chain(&served.top);
        let marked: Vec<Values> = marked.cloned().collect();
        let winners = served.winners.iter();
        winners.map(move |winner| Known {
            winner: winner.config.clone(),
            trials: winner.trials.clone(),
            marked: marked.clone(),
        })
    });
    let mut configs = cover(&known.collect::<Vec<_>>());
    for config in served.iter().flat_map(|served| served.predicted) {
        if !configs.contains(config) {
            configs.push(config.clone());
        }
    }
    configs
}

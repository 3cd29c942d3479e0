//! The configs that a binary carries for one combination of the problems' constants.

use super::served::Served;
use crate::tuner::cover::{Known, cover};
use crate::tuner::stored::Values;

/// The candidates of one variant.
#[derive(Debug, PartialEq)]
pub(super) struct Chosen {
    /// What covers the known devices, then what is predicted where none is known.
    pub configs: Vec<Values>,
    /// What was measured, and right, with the kernel as it is.
    pub verified: Vec<Values>,
}

impl Chosen {
    /// `served` are the problems with these constants.
    pub(super) fn new(served: &[&Served<'_>]) -> Chosen {
        let mut known = Vec::new();
        let mut verified = Vec::new();
        for served in served {
            for winner in &served.winners {
                verified.extend(winner.verified.iter().cloned());
                known.push(Known {
                    winner: winner.config.clone(),
                    trials: winner.trials.clone(),
                    marked: served.first.iter().chain(&served.top).cloned().collect(),
                });
            }
        }
        let mut configs = cover(&known);
        for config in served.iter().flat_map(|served| served.predicted) {
            if !configs.contains(config) {
                configs.push(config.clone());
            }
        }
        Chosen { configs, verified }
    }
}

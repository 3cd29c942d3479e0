//! Candidates and devices as the numbers by which the emitted data names them.

use super::served::Served;
use crate::emit::{EmittedCandidate, EmittedProblem};
use crate::tuner::stored::Values;
use bico_core::Lists;
use bico_core::device::DeviceKey;

/// Candidates and devices by number.
pub(super) struct Numbered<'a> {
    candidates: &'a [EmittedCandidate],
    /// Keys of the devices that won somewhere, in the order in which they were met.
    pub devices: Vec<DeviceKey>,
}

impl<'a> Numbered<'a> {
    pub(super) fn new(candidates: &'a [EmittedCandidate]) -> Numbered<'a> {
        Numbered {
            candidates,
            devices: Vec::new(),
        }
    }

    /// A problem with its winners, and the order in which its variant's candidates are tried.
    pub(super) fn problem(&mut self, served: &Served<'_>) -> EmittedProblem {
        let problem = served.problem;
        let variant = problem.variant as u16;
        let mut winners = Vec::new();
        let mut order = Vec::new();
        for winner in &served.winners {
            if let Some(candidate) = self.candidate(variant, &winner.known.winner) {
                winners.push((self.device(&winner.device), candidate));
                order.push(candidate);
            }
        }
        let all = self.candidates.iter().zip(0..);
        let all = all.filter(|(of, _)| of.variant == variant);
        order.extend(all.map(|(_, at)| at));
        let mut seen = vec![false; self.candidates.len()];
        order.retain(|candidate| !std::mem::replace(&mut seen[usize::from(*candidate)], true));
        let fallback = order.first().copied().unwrap_or(0);
        let marked = |config: &Option<Values>| {
            let known = config.as_ref().and_then(|of| self.candidate(variant, of));
            known.unwrap_or(fallback)
        };
        EmittedProblem {
            sizes: problem.sizes.clone(),
            consts: problem.scope.problem_consts.values().copied().collect_vec(),
            variant,
            first: marked(&served.first),
            top: marked(&served.top),
            winners,
            order,
        }
    }

    fn candidate(&self, variant: u16, config: &Values) -> Option<u16> {
        let fits = |c: &EmittedCandidate| c.variant == variant && c.values == *config;
        self.candidates.iter().position(fits).map(|i| i as u16)
    }

    fn device(&mut self, key: &DeviceKey) -> u16 {
        let known = self.devices.iter().position(|known| known == key);
        known.unwrap_or_else(|| {
            self.devices.push(key.clone());
            self.devices.len() - 1
        }) as u16
    }
}

//! What the data says of a problem, a candidate or a device, by its index.

use super::Tunable;
use crate::{Config, Value};
use bico_core::device::DeviceKey;

impl Tunable {
    /// The config of a candidate.
    pub(crate) fn config(&self, candidate: usize) -> Config {
        Config::new(self.data.parameters, self.data.candidates[candidate].values)
    }

    /// Sizes with their names.
    pub(crate) fn named(&self, sizes: &[i64]) -> Vec<(&'static str, i64)> {
        let names = self.data.sizes.iter().copied();
        names.zip(sizes.iter().copied()).collect()
    }

    /// A problem's constants with their names.
    pub(crate) fn consts(&self, problem: usize) -> Vec<(&'static str, Value)> {
        let values = self.data.problems[problem].consts.iter().copied();
        self.data.consts.iter().copied().zip(values).collect()
    }

    /// The key of a device of the data.
    pub(crate) fn device(&self, at: usize) -> DeviceKey {
        DeviceKey::new(self.data.devices[at])
    }

    /// Whether a candidate was verified for this very kernel.
    pub(crate) fn is_verified(&self, candidate: usize) -> bool {
        !self.data.unverified.contains(&(candidate as u16))
    }

    /// A problem with the constants that a candidate was built for: there is always one.
    #[inline(always)]
    pub(crate) fn problem_of(&self, candidate: usize) -> usize {
        let variant = self.data.candidates[candidate].variant;
        let mut problems = self.data.problems.iter();
        let problem = problems.position(|problem| problem.variant == variant);
        problem.unwrap_or(0)
    }

    /// The devices that a candidate won on, at any problem with the constants of this one.
    pub(crate) fn won_on(&self, candidate: usize, problem: usize) -> Vec<DeviceKey> {
        let variant = self.data.problems[problem].variant;
        let mut devices = Vec::new();
        for problem in self.data.problems {
            for (device, winner) in problem.winners {
                if problem.variant == variant && usize::from(*winner) == candidate {
                    devices.push(self.device((*device).into()));
                }
            }
        }
        devices
    }
}

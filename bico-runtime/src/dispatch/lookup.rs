//! What the data says of a problem, a candidate or a device, by its index.

use super::Tunable;
use crate::Config;
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

    /// The key of a device of the data.
    pub(crate) fn device(&self, at: impl Into<usize>) -> DeviceKey {
        DeviceKey::new(self.data.devices[at.into()])
    }

    /// Which combination of constants a problem is of.
    #[inline(always)]
    pub(crate) fn variant(&self, problem: usize) -> u16 {
        self.data.problems[problem].variant
    }

    /// A problem with the constants that a candidate was built for: there is always one.
    #[inline(always)]
    pub(crate) fn problem_of(&self, candidate: usize) -> usize {
        let variant = self.data.candidates[candidate].variant;
        let mut problems = self.data.problems.iter();
        let problem = problems.position(|problem| problem.variant == variant);
        problem.unwrap_or(0)
    }

    /// A problem's candidates, most promising first.
    pub(crate) fn order(&self, problem: usize) -> impl Iterator<Item = usize> + use<> {
        let order = self.data.problems[problem].order.iter();
        order.map(|&candidate| usize::from(candidate))
    }

    /// The devices that a candidate won on, at any problem with the constants of this one.
    pub(crate) fn won_on(
        &self,
        candidate: usize,
        problem: usize,
    ) -> impl Iterator<Item = DeviceKey> {
        let variant = self.variant(problem);
        let problems = self.data.problems.iter();
        let alike = problems.filter(move |problem| problem.variant == variant);
        let winners = alike.flat_map(|problem| problem.winners);
        winners
            .filter(move |(_, winner)| usize::from(*winner) == candidate)
            .map(|(device, _)| self.device(*device))
    }
}

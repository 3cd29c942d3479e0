//! Going without a candidate that cannot be compiled.

use super::Emission;
use bico_core::device::DeviceKey;

impl Emission {
    /// Whether the binary can do without a candidate: it is no winner of the devices `here`, and there is
    /// another one for the same constants.
    pub fn is_spare(&self, index: usize, here: &[DeviceKey]) -> bool {
        let variant = self.candidates[index].variant;
        let mut winners = self.problems.iter().flat_map(|problem| &problem.winners);
        let wins = winners.any(|(device, candidate)| {
            usize::from(*candidate) == index && here.contains(&self.devices[usize::from(*device)])
        });
        let same = self.candidates.iter().filter(|c| c.variant == variant);
        !wins && same.count() > 1
    }

    /// Takes a candidate out.
    pub fn remove(&mut self, index: usize) {
        self.candidates.remove(index);
        let gone = index as u16;
        let moved = |candidate: u16| candidate - u16::from(candidate > gone);
        for problem in &mut self.problems {
            problem.winners.retain(|(_, candidate)| *candidate != gone);
            problem.order.retain(|candidate| *candidate != gone);
            let winners = problem.winners.iter_mut().map(|(_, winner)| winner);
            for candidate in winners.chain(&mut problem.order) {
                *candidate = moved(*candidate);
            }
            let fallback = problem.order.first().copied().unwrap_or(0);
            for marked in [&mut problem.first, &mut problem.top] {
                *marked = match *marked == gone {
                    true => fallback,
                    false => moved(*marked),
                };
            }
        }
    }
}

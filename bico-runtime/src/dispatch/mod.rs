//! Which candidate serves a call: the hot path.
//!
//! A call finds its problem and reads that problem's slot: one atomic load and a branch once it is
//! settled. Sizes that no problem is near to have slots in a table of their own (`learn::Board`).
//! Everything else is cold and stands in `settle` and `learn`.

mod asked;

pub use asked::config_of;

use crate::data::{Data, Problem};
use crate::learn::{Board, Pull, slot};
use crate::rules::{Given, Rules, Scope};
use crate::settle;
use crate::target::{Call, Target};
use crate::{Choice, Config, Result};
use bico_core::device::Facts;
use core::fmt;
use core::sync::atomic::{AtomicU8, AtomicU32, Ordering};

/// One `#[bico::tunable]`: what the build knew of it, and what this process chose so far.
///
/// `gemm_tunable()` beside a wrapper `gemm` gives it.
#[derive(Clone, Copy)]
pub struct Tunable {
    pub(crate) data: &'static Data,
    pub(crate) rules: &'static Rules,
    pub(crate) logs: &'static [i64],
    pub(crate) slots: &'static [AtomicU32],
    pub(crate) able: &'static [AtomicU8],
    pub(crate) board: &'static Board,
    /// CUDA: what was decided on each GPU, in place of `slots`, `able` and `board`.
    #[cfg(feature = "cuda")]
    pub(crate) gpus: Option<&'static crate::gpu::States>,
}

/// Sizes of which one is further from a tuned problem's than this factor are not what it was tuned for.
const REACH: i64 = 4;

impl Tunable {
    /// Made by the macro: `logs` from [`logs`], one slot per problem, one `able` per candidate.
    pub const fn new(
        data: &'static Data,
        rules: &'static Rules,
        logs: &'static [i64],
        slots: &'static [AtomicU32],
        able: &'static [AtomicU8],
        board: &'static Board,
    ) -> Tunable {
        Tunable {
            data,
            rules,
            logs,
            slots,
            able,
            board,
            #[cfg(feature = "cuda")]
            gpus: None,
        }
    }

    /// The CPU, and what was decided for it.
    pub(crate) fn host(&self) -> Target {
        Target {
            tunable: *self,
            facts: bico_host::this_cpu(),
            key: bico_host::this_cpu_key(),
            driver: "",
            code: None,
        }
    }

    /// The candidate of a call once that is settled, and where its conditions hold. Whether a GPU could launch it is
    /// another question.
    #[inline(always)]
    pub(crate) fn settled(
        &self,
        device: impl FnOnce() -> &'static Facts,
        sizes: &[i64],
        given: Given<'_>,
    ) -> Option<usize> {
        if let Some(problem) = self.exact(sizes, given) {
            return slot::unwatched(self.slots[problem].load(Ordering::Relaxed));
        }
        let problem = self.nearest(sizes, given)?;
        let near = match self.near(problem, sizes) {
            true => slot::plain(self.slots[problem].load(Ordering::Relaxed)),
            false => None,
        };
        // Written out: as a closure it becomes a function of its own, and this one saves all registers for it.
        let candidate = match near {
            Some(candidate) => candidate,
            None => slot::unwatched(self.board.slot(self.data.problems[problem].variant, sizes))?,
        };
        let fits = !self.rules.sized || self.fits(device(), candidate, problem, sizes);
        fits.then_some(candidate)
    }

    /// Whether sizes are near enough to a problem's to be served by its winner.
    #[inline(always)]
    pub(crate) fn near(&self, problem: usize, sizes: &[i64]) -> bool {
        let mut near = true;
        for (&size, &tuned) in sizes.iter().zip(self.data.problems[problem].sizes) {
            let (least, most) = (size.min(tuned), size.max(tuned));
            near &= (most <= least.saturating_mul(REACH)) | (most == least);
        }
        near
    }

    /// The problem that a call belongs to: of those that the selecting arguments allow, the one of
    /// exactly these sizes, else the nearest.
    pub(crate) fn problem(&self, sizes: &[i64], given: Given<'_>) -> Result<usize> {
        let exact = self.exact(sizes, given);
        let problem = exact.or_else(|| self.nearest(sizes, given));
        problem.ok_or_else(|| settle::no_problem(self, given))
    }

    #[inline(always)]
    fn exact(&self, sizes: &[i64], given: Given<'_>) -> Option<usize> {
        // A plain loop: `position` is a function of its own where several callers share it, and
        // then knows nothing of these constants.
        for (i, problem) in self.data.problems.iter().enumerate() {
            if same(sizes, problem.sizes) && self.selected(problem, given) {
                return Some(i);
            }
        }
        None
    }

    /// The nearest in the logarithm of the sizes, the first in a tie.
    #[inline(always)]
    fn nearest(&self, sizes: &[i64], given: Given<'_>) -> Option<usize> {
        let problems = self.data.problems;
        if problems.len() == 1 && given.is_empty() {
            return Some(0);
        }
        let mut best = problems.len();
        let mut least = i64::MAX;
        for (i, problem) in problems.iter().enumerate() {
            let mut distance = 0;
            for (j, &size) in sizes.iter().enumerate() {
                let apart = log2(size) - self.logs[i * sizes.len() + j];
                distance += apart * apart;
            }
            // No short cut: without a jump this is a handful of instructions per problem.
            if (distance < least) & self.selected(problem, given) {
                least = distance;
                best = i;
            }
        }
        (best < problems.len()).then_some(best)
    }

    #[inline(always)]
    fn selected(&self, problem: &Problem, given: Given<'_>) -> bool {
        let mut selected = true;
        for (selector, &position) in given.iter().zip(self.rules.selectors) {
            selected &= selector.selects(problem.consts[position]);
        }
        selected
    }

    /// Whether every condition that names a size holds at these. One without a value does not.
    #[inline(never)]
    pub(crate) fn fits(
        &self,
        device: &Facts,
        candidate: usize,
        problem: usize,
        sizes: &[i64],
    ) -> bool {
        let scope = self.scope(device, candidate, problem, sizes);
        let mut sized = self.rules.require.iter().filter(|require| require.sized);
        sized.all(|require| (require.holds)(&scope) == Ok(true))
    }

    #[inline]
    pub(crate) fn scope<'a>(
        &self,
        device: &'a Facts,
        candidate: usize,
        problem: usize,
        sizes: &'a [i64],
    ) -> Scope<'a> {
        Scope {
            device,
            parameters: self.data.candidates[candidate].values,
            sizes,
            consts: self.data.problems[problem].consts,
            vector_bits: 0,
            registers: 0,
        }
    }

    /// [`scope_of`](Tunable::scope_of) on a given device.
    #[inline]
    pub(crate) fn scope_on<'a>(
        &self,
        device: &'a Facts,
        candidate: usize,
        sizes: &'a [i64],
    ) -> Scope<'a> {
        self.scope(device, candidate, self.problem_of(candidate), sizes)
    }
}

/// For wrappers.
#[doc(hidden)]
impl Tunable {
    /// The candidate that serves a call of exactly the sizes of a problem, where it won on this device.
    /// Settling tested the conditions at these sizes.
    #[inline(always)]
    pub fn settled_exactly(&self, sizes: &[i64], given: Given<'_>) -> Option<usize> {
        let problem = self.exact(sizes, given)?;
        slot::plain(self.slots[problem].load(Ordering::Relaxed))
    }

    /// The candidate that serves any other settled call: of sizes near to a problem's, or learned.
    /// Now and then a learned one is not told, for its time is to be looked at again.
    #[inline(always)]
    pub fn settled_otherwise(&self, sizes: &[i64], given: Given<'_>) -> Option<usize> {
        self.settled(bico_host::this_cpu, sizes, given)
    }

    /// What serves a call, and whether its time is wanted.
    pub fn pull(&self, sizes: &[i64], given: Given<'_>) -> Result<Pull> {
        Call::new(self.host(), sizes, given)?.pull(true)
    }

    /// The candidate with this config, where it can serve the call. It teaches nothing.
    pub fn pull_with(&self, config: &Config, sizes: &[i64], given: Given<'_>) -> Result<Pull> {
        let candidate = Call::new(self.host(), sizes, given)?.with_config(config)?;
        Ok(Pull::plain(candidate))
    }

    /// What serves calls of these sizes, and why; settles them.
    pub fn choice(&self, sizes: &[i64], given: Given<'_>) -> Result<Choice> {
        Call::new(self.host(), sizes, given)?.choice()
    }

    /// What names mean once a candidate is chosen, for `#[len(..)]`s and scratch lengths that name
    /// parameters.
    #[inline]
    pub fn scope_of<'a>(&self, candidate: usize, sizes: &'a [i64]) -> Scope<'a> {
        self.scope_on(bico_host::this_cpu(), candidate, sizes)
    }
}

impl fmt::Debug for Tunable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tunable({})", self.name())
    }
}

#[inline(always)]
fn same(a: &[i64], b: &[i64]) -> bool {
    // Not `a == b`: the lengths are constants here, and this becomes plain compares.
    let mut same = a.len() == b.len();
    for (x, y) in a.iter().zip(b) {
        same &= x == y;
    }
    same
}

/// The logarithm to base two with 16 binary digits after the point, plus a constant that no
/// difference shows: a float's exponent and fraction read as one number. That is linear between
/// powers of two, and off by 0.086 at most: far less than what tells two problems worth tuning apart.
/// Zero and numbers of another sign are very far.
#[inline(always)]
pub(crate) const fn log2(size: i64) -> i64 {
    ((size as f64).to_bits() >> 36) as i64
}

/// The logarithms of all problems' sizes, in a row: `L` is the number of both multiplied.
pub const fn logs<const L: usize>(data: &Data) -> [i64; L] {
    let mut logs = [0; L];
    let width = data.sizes.len();
    let mut i = 0;
    while i < L {
        logs[i] = log2(data.problems[i / width].sizes[i % width]);
        i += 1;
    }
    logs
}

/// Position in [`Data::consts`] of each of these names.
pub const fn find_consts<const K: usize>(data: &Data, names: [&str; K]) -> [usize; K] {
    let mut positions = [0; K];
    let mut i = 0;
    while i < K {
        let mut at = 0;
        while !same_text(data.consts[at], names[i]) {
            at += 1;
        }
        positions[i] = at;
        i += 1;
    }
    positions
}

const fn same_text(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_close_and_in_order() {
        let base = log2(1);
        for size in [1, 2, 3, 5, 100, 1000, 4095, 12_288, 1 << 40, i64::MAX] {
            let exact = (size as f64).log2();
            let ours = (log2(size) - base) as f64 / 65536.0;
            assert!((exact - ours).abs() < 0.087, "{size}: {exact} {ours}");
            assert!(log2(size) >= log2(size - 1));
        }
    }
}

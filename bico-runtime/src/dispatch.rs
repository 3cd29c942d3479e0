//! Which candidate serves a call: the hot path.
//!
//! A call finds its problem and reads that problem's slot: one atomic load and a branch once it is
//! settled. Sizes that no problem is near to have slots in a table of their own (`learn::Board`).
//! Everything else is cold and stands in `settle` and `learn`.

use crate::data::{Data, Problem};
use crate::learn::{Board, Pull, slot};
use crate::rules::{Rules, Scope, Selector};
use crate::settle;
use crate::target::Target;
use crate::{Choice, Config, Error, Result};
use bico_core::device::Facts;
use core::sync::atomic::{AtomicU8, AtomicU32, Ordering};

/// One `#[bico::tunable]`: what the build knew of it, and what this process chose so far.
///
/// `gemm_tunable()` beside a wrapper `gemm` gives it.
#[derive(Debug, Clone, Copy)]
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
            facts: bico_device::this_cpu(),
            key: bico_device::this_cpu_key(),
            driver: "",
            slots: self.slots,
            able: self.able,
            board: self.board,
            code: None,
        }
    }

    /// The tunable's key: the function's name, or what `name = ".."` says.
    pub fn name(&self) -> &'static str {
        self.data.key
    }

    /// The key of the device that serves its calls: of the CPU or, for a CUDA kernel, of the first GPU
    /// of this process.
    ///
    /// # Errors
    ///
    /// [`Error::NoDevice`] where there is no GPU for a CUDA kernel.
    pub fn device_key(&self) -> Result<&'static str> {
        #[cfg(feature = "cuda")]
        if self.gpus.is_some() {
            return crate::gpu::first_key();
        }
        Ok(bico_device::this_cpu_key().as_str())
    }

    /// The configs that this program carries, each once.
    pub fn candidates(&self) -> impl Iterator<Item = Config> + use<> {
        let data = self.data;
        let earlier = |i: usize| data.candidates.get(..i).unwrap_or_default();
        let fresh = move |&i: &usize| {
            let values = data.candidates[i].values;
            !earlier(i)
                .iter()
                .any(|candidate| candidate.values == values)
        };
        (0..data.candidates.len())
            .filter(fresh)
            .map(|i| Config::new(data.parameters, data.candidates[i].values))
    }

    /// What serves calls of these sizes (the integer arguments, in order), and why. For a CUDA kernel:
    /// on the first GPU of this process.
    ///
    /// # Errors
    ///
    /// [`Error::NoConfig`] where nothing does, [`Error::NoDevice`] where there is no GPU for a CUDA
    /// kernel.
    pub fn config_of(&self, sizes: &[i64]) -> Result<Choice> {
        self.count(sizes)?;
        #[cfg(feature = "cuda")]
        if self.gpus.is_some() {
            return self.choice_on(&crate::gpu::first()?, sizes, &[]);
        }
        self.choice(sizes, &[])
    }

    /// The first valid config of the space at the tuned problem nearest to these sizes: what one
    /// would run without tuning.
    ///
    /// # Errors
    ///
    /// [`Error::SizeCount`]
    pub fn first_valid(&self, sizes: &[i64]) -> Result<Config> {
        self.marked(sizes, |problem| problem.first)
    }

    /// The config that the ranking liked best at the tuned problem nearest to these sizes, before
    /// anything was measured.
    ///
    /// # Errors
    ///
    /// [`Error::SizeCount`]
    pub fn top_ranked(&self, sizes: &[i64]) -> Result<Config> {
        self.marked(sizes, |problem| problem.top)
    }

    /// The devices that this program knows, by their keys, each with its winner at the tuned problem
    /// nearest to these sizes.
    ///
    /// # Errors
    ///
    /// [`Error::SizeCount`]
    pub fn winners(&self, sizes: &[i64]) -> Result<Vec<(&'static str, Config)>> {
        self.count(sizes)?;
        let winners = self.data.problems[self.problem(sizes, &[])?].winners.iter();
        let named = |&(device, winner): &(u16, u16)| {
            let device = self.data.devices[usize::from(device)];
            (device, self.config(winner.into()))
        };
        Ok(winners.map(named).collect())
    }

    fn marked(&self, sizes: &[i64], index: fn(&Problem) -> u16) -> Result<Config> {
        self.count(sizes)?;
        let problem = &self.data.problems[self.problem(sizes, &[])?];
        let candidate = usize::from(index(problem));
        Ok(self.config(candidate))
    }

    pub(crate) fn count(&self, sizes: &[i64]) -> Result<()> {
        let expected = self.data.sizes;
        if sizes.len() == expected.len() {
            return Ok(());
        }
        Err(Error::SizeCount {
            tunable: self.data.key,
            expected,
            given: sizes.len(),
        })
    }

    /// The candidate that serves a call of exactly the sizes of a problem, where it won on this device.
    /// Settling tested the conditions at these sizes.
    #[doc(hidden)]
    #[inline(always)]
    pub fn settled_exactly(&self, sizes: &[i64], given: &[Selector<'_>]) -> Option<usize> {
        let problem = self.exact(sizes, given)?;
        slot::plain(self.slots[problem].load(Ordering::Relaxed))
    }

    /// The candidate that serves any other settled call: of sizes near to a problem's, or learned.
    /// Now and then a learned one is not told, for its time is to be looked at again.
    #[doc(hidden)]
    #[inline(always)]
    pub fn settled_otherwise(&self, sizes: &[i64], given: &[Selector<'_>]) -> Option<usize> {
        self.settled(self.slots, self.board, bico_device::this_cpu, sizes, given)
    }

    /// The candidate of a call on a given device, once that is settled and where its conditions hold.
    /// Whether a GPU could launch it is another question.
    #[cfg(feature = "cuda")]
    #[inline]
    pub(crate) fn settled_on(
        &self,
        on: &Target,
        sizes: &[i64],
        given: &[Selector<'_>],
    ) -> Option<usize> {
        self.settled(on.slots, on.board, || on.facts, sizes, given)
    }

    #[inline(always)]
    fn settled(
        &self,
        slots: &[AtomicU32],
        board: &Board,
        device: impl FnOnce() -> &'static Facts,
        sizes: &[i64],
        given: &[Selector<'_>],
    ) -> Option<usize> {
        if let Some(problem) = self.exact(sizes, given) {
            return slot::unwatched(slots[problem].load(Ordering::Relaxed));
        }
        let problem = self.nearest(sizes, given)?;
        let near = match self.near(problem, sizes) {
            true => slot::plain(slots[problem].load(Ordering::Relaxed)),
            false => None,
        };
        // Written out: as a closure it becomes a function of its own, and this one saves all registers for it.
        let candidate = match near {
            Some(candidate) => candidate,
            None => slot::unwatched(board.slot(self.data.problems[problem].variant, sizes))?,
        };
        let fits = !self.rules.sized || self.fits(device(), candidate, problem, sizes);
        fits.then_some(candidate)
    }

    /// What serves a call, and whether its time is wanted.
    #[doc(hidden)]
    pub fn pull(&self, sizes: &[i64], given: &[Selector<'_>]) -> Result<Pull> {
        settle::pull(self, self.host(), sizes, given, true)
    }

    /// The same for wrappers that have no short way: what is settled is not asked for twice.
    #[doc(hidden)]
    pub fn pull_settled(&self, sizes: &[i64], given: &[Selector<'_>]) -> Result<Pull> {
        match self.settled_otherwise(sizes, given) {
            Some(candidate) => Ok(Pull::plain(candidate)),
            None => self.pull(sizes, given),
        }
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

    /// The config of a candidate.
    pub(crate) fn config(&self, candidate: usize) -> Config {
        Config::new(self.data.parameters, self.data.candidates[candidate].values)
    }

    /// Sizes with their names.
    pub(crate) fn named(&self, sizes: &[i64]) -> Vec<(&'static str, i64)> {
        let names = self.data.sizes.iter().copied();
        names.zip(sizes.iter().copied()).collect()
    }

    /// The problem that a call belongs to: of those that the selecting arguments allow, the one of
    /// exactly these sizes, else the nearest.
    pub(crate) fn problem(&self, sizes: &[i64], given: &[Selector<'_>]) -> Result<usize> {
        let problem = self
            .exact(sizes, given)
            .or_else(|| self.nearest(sizes, given));
        problem.ok_or_else(|| settle::no_problem(self, given))
    }

    #[inline(always)]
    fn exact(&self, sizes: &[i64], given: &[Selector<'_>]) -> Option<usize> {
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
    fn nearest(&self, sizes: &[i64], given: &[Selector<'_>]) -> Option<usize> {
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
    fn selected(&self, problem: &Problem, given: &[Selector<'_>]) -> bool {
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

    /// The candidate with this config, where it can serve the call. It teaches nothing.
    #[doc(hidden)]
    pub fn pull_with(
        &self,
        config: &Config,
        sizes: &[i64],
        given: &[Selector<'_>],
    ) -> Result<Pull> {
        settle::with_config(self, self.host(), config, sizes, given).map(Pull::plain)
    }

    /// What serves calls of these sizes, and why; settles them.
    #[doc(hidden)]
    pub fn choice(&self, sizes: &[i64], given: &[Selector<'_>]) -> Result<Choice> {
        settle::choice(self, self.host(), sizes, given)
    }

    /// What names mean once a candidate is chosen, for `#[len(..)]`s and scratch lengths that name
    /// parameters.
    #[doc(hidden)]
    #[inline]
    pub fn scope_of<'a>(&self, candidate: usize, sizes: &'a [i64]) -> Scope<'a> {
        self.scope_on(bico_device::this_cpu(), candidate, sizes)
    }

    /// The same on a given device.
    #[inline]
    pub(crate) fn scope_on<'a>(
        &self,
        device: &'a Facts,
        candidate: usize,
        sizes: &'a [i64],
    ) -> Scope<'a> {
        let variant = self.data.candidates[candidate].variant;
        let mut problems = self.data.problems.iter();
        // Every candidate was built for the constants of some problem.
        let problem = problems
            .position(|problem| problem.variant == variant)
            .unwrap_or(0);
        self.scope(device, candidate, problem, sizes)
    }
}

/// What serves calls of these sizes, and why. See [`Tunable::config_of`].
///
/// # Errors
///
/// [`Error::NoConfig`] where nothing does, [`Error::NoDevice`] where there is no GPU for a CUDA kernel.
pub fn config_of(tunable: &Tunable, sizes: &[i64]) -> Result<Choice> {
    tunable.config_of(sizes)
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

//! Which candidate serves a call: the hot path.
//!
//! A call finds its problem and reads that problem's slot: one atomic load and a branch once it is
//! settled. Everything else is cold and stands in `settle`.

use crate::data::{Data, Problem};
use crate::device::Facts;
use crate::rules::{Rules, Scope, Selector};
use crate::settle;
use crate::target::Target;
use crate::{Choice, Config, Error, Result};
use core::sync::atomic::{AtomicU8, AtomicU32, Ordering};

/// One `#[bico::tunable]`: what the build knew of it, and what this process chose so far.
///
/// `gemm_tunable()` beside a wrapper `gemm` gives it.
#[derive(Debug)]
pub struct Tunable {
    pub(crate) data: &'static Data,
    pub(crate) rules: &'static Rules,
    pub(crate) logs: &'static [i64],
    pub(crate) slots: &'static [AtomicU32],
    pub(crate) able: &'static [AtomicU8],
    /// CUDA: what was decided on each GPU, in place of `slots` and `able`.
    #[cfg(feature = "cuda")]
    pub(crate) gpus: Option<&'static crate::gpu::States>,
}

/// A slot that is not settled yet. A settled one holds its candidate's index and one. Candidates are
/// `u16`: the upper half is free for a later state of a slot that still explores, which
/// [`Tunable::select`] then meets on the same branch.
pub(crate) const UNSETTLED: u32 = 0;

impl Tunable {
    /// Made by the macro: `logs` from [`logs`], one slot per problem, one `able` per candidate.
    pub const fn new(
        data: &'static Data,
        rules: &'static Rules,
        logs: &'static [i64],
        slots: &'static [AtomicU32],
        able: &'static [AtomicU8],
    ) -> Tunable {
        Tunable {
            data,
            rules,
            logs,
            slots,
            able,
            #[cfg(feature = "cuda")]
            gpus: None,
        }
    }

    /// The CPU, and what was decided for it.
    pub(crate) fn host(&self) -> Target<'_> {
        Target {
            facts: Facts::host(),
            key: Facts::host_key(),
            slots: self.slots,
            able: self.able,
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
        Ok(Facts::host_key())
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

    fn marked(&self, sizes: &[i64], index: fn(&Problem) -> u16) -> Result<Config> {
        self.count(sizes)?;
        let problem = &self.data.problems[self.problem(sizes, &[])?];
        let candidate = usize::from(index(problem));
        Ok(Config::new(
            self.data.parameters,
            self.data.candidates[candidate].values,
        ))
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

    /// The candidate that serves a call of exactly the sizes of a problem, once that is settled.
    /// Settling tested the conditions at these sizes.
    #[doc(hidden)]
    #[inline(always)]
    pub fn settled_exactly(&self, sizes: &[i64], given: &[Selector<'_>]) -> Option<usize> {
        self.settled(self.exact(sizes, given)?)
    }

    /// The candidate that serves a call of other sizes, once that is settled and where it fits.
    #[doc(hidden)]
    #[inline(always)]
    pub fn settled_nearest(&self, sizes: &[i64], given: &[Selector<'_>]) -> Option<usize> {
        let problem = self.nearest(sizes, given)?;
        let candidate = self.settled(problem)?;
        let fits = !self.rules.sized || self.fits(Facts::host(), candidate, problem, sizes);
        fits.then_some(candidate)
    }

    #[inline(always)]
    fn settled(&self, problem: usize) -> Option<usize> {
        settled(&self.slots[problem])
    }

    /// The candidate that serves a call.
    #[doc(hidden)]
    pub fn select(&self, sizes: &[i64], given: &[Selector<'_>]) -> Result<usize> {
        let settled = self.settled_exactly(sizes, given);
        match settled.or_else(|| self.settled_nearest(sizes, given)) {
            Some(candidate) => Ok(candidate),
            None => settle::select(self, &self.host(), sizes, given),
        }
    }

    /// The candidate that serves a call on a given device.
    pub(crate) fn select_on(
        &self,
        on: &Target<'_>,
        sizes: &[i64],
        given: &[Selector<'_>],
    ) -> Result<usize> {
        let problem = self.problem(sizes, given)?;
        let settled = self.settled_on(on, sizes, given);
        match settled.filter(|&candidate| settle::fits(self, on, candidate, problem, sizes)) {
            Some(candidate) => Ok(candidate),
            None => settle::select(self, on, sizes, given),
        }
    }

    /// The candidate of a call on a given device, once that is settled and where its conditions hold.
    /// Whether a GPU could launch it is another question.
    #[inline]
    pub(crate) fn settled_on(
        &self,
        on: &Target<'_>,
        sizes: &[i64],
        given: &[Selector<'_>],
    ) -> Option<usize> {
        if let Some(problem) = self.exact(sizes, given) {
            return settled(&on.slots[problem]);
        }
        let problem = self.nearest(sizes, given)?;
        let candidate = settled(&on.slots[problem])?;
        let fits = !self.rules.sized || self.fits(on.facts, candidate, problem, sizes);
        fits.then_some(candidate)
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

    /// The candidate with this config, where it can serve the call.
    #[doc(hidden)]
    pub fn with_config(
        &self,
        config: &Config,
        sizes: &[i64],
        given: &[Selector<'_>],
    ) -> Result<usize> {
        settle::with_config(self, &self.host(), config, sizes, given)
    }

    /// What serves calls of these sizes, and why; settles them.
    #[doc(hidden)]
    pub fn choice(&self, sizes: &[i64], given: &[Selector<'_>]) -> Result<Choice> {
        settle::choice(self, &self.host(), sizes, given)
    }

    /// What names mean once a candidate is chosen, for `#[len(..)]`s and scratch lengths that name
    /// parameters.
    #[doc(hidden)]
    #[inline]
    pub fn scope_of<'a>(&self, candidate: usize, sizes: &'a [i64]) -> Scope<'a> {
        self.scope_on(Facts::host(), candidate, sizes)
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

/// What a slot says.
#[inline(always)]
fn settled(slot: &AtomicU32) -> Option<usize> {
    slot.load(Ordering::Relaxed)
        .checked_sub(UNSETTLED + 1)
        .map(|candidate| candidate as usize)
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

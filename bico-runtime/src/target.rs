//! What a decision is taken for: the CPU of this program, or one of its GPUs.

use crate::device::{Facts, KernelLimits};
use core::sync::atomic::{AtomicU8, AtomicU32};

/// A device, and what has been decided for it.
pub(crate) struct Target<'a> {
    pub(crate) facts: &'a Facts,
    pub(crate) key: &'a str,
    /// One per problem: see [`UNSETTLED`](crate::dispatch::UNSETTLED).
    pub(crate) slots: &'a [AtomicU32],
    /// One per candidate: whether it can run here at all, once that is known.
    pub(crate) able: &'a [AtomicU8],
    /// On a GPU: the candidates' code. A CPU's is linked.
    pub(crate) code: Option<&'a dyn Code>,
}

/// The code of a tunable's candidates on one GPU.
pub(crate) trait Code {
    /// Makes a candidate's code ready for launches, unless it is already.
    fn load(&self, candidate: usize) -> Result<(), Refusal>;

    /// What a launch of it may ask for, once it is loaded.
    fn limits(&self, candidate: usize) -> Option<KernelLimits>;
}

/// Why a candidate's code did not load.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// For people.
    pub(crate) why: String,
    /// Whether it is the code's fault, so that there is no use in trying again.
    pub(crate) lasting: bool,
}

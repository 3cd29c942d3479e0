//! What a decision is taken for: the CPU of this program, or one of its GPUs.

use crate::learn::Board;
use bico_core::device::{DeviceKey, Facts, KernelLimits};
use core::sync::atomic::{AtomicU8, AtomicU32};

/// A device, and what has been decided for it.
#[derive(Clone, Copy)]
pub(crate) struct Target {
    pub(crate) facts: &'static Facts,
    pub(crate) key: &'static DeviceKey,
    /// The version of the device's driver; nothing on a CPU.
    pub(crate) driver: &'static str,
    /// One per problem: see [`slot`](crate::learn::slot).
    pub(crate) slots: &'static [AtomicU32],
    /// One per candidate: whether it can run here at all, once that is known.
    pub(crate) able: &'static [AtomicU8],
    /// What calls have taught.
    pub(crate) board: &'static Board,
    /// On a GPU: the candidates' code. A CPU's is linked.
    pub(crate) code: Option<&'static (dyn Code + Sync)>,
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

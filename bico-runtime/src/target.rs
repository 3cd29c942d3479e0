//! What a decision is taken for: the CPU of this program, or one of its GPUs, and a call there.

use crate::Result;
use crate::dispatch::Tunable;
use crate::rules::{Given, Scope};
use bico_core::device::{DeviceKey, Facts, KernelLimits};

/// A tunable on a device.
#[derive(Clone, Copy)]
pub(crate) struct Target {
    /// What it has decided is of this device.
    pub(crate) tunable: Tunable,
    pub(crate) facts: &'static Facts,
    pub(crate) key: &'static DeviceKey,
    /// The version of the device's driver; nothing on a CPU.
    pub(crate) driver: &'static str,
    /// On a GPU: the candidates' code. A CPU's is linked.
    pub(crate) code: Option<&'static (dyn Code + Sync)>,
}

/// A call of a tunable on a device.
#[derive(Clone, Copy)]
pub(crate) struct Call<'a> {
    pub(crate) on: Target,
    /// The problem that it belongs to.
    pub(crate) problem: usize,
    pub(crate) sizes: &'a [i64],
}

impl Target {
    /// A call of exactly the sizes of a problem.
    pub(crate) fn call_of(&self, problem: usize) -> Call<'static> {
        let sizes = self.tunable.data.problems[problem].sizes;
        let on = *self;
        Call { on, problem, sizes }
    }
}

impl<'a> Call<'a> {
    /// A call as a wrapper sees it.
    pub(crate) fn new(on: Target, sizes: &'a [i64], given: Given<'_>) -> Result<Call<'a>> {
        let problem = on.tunable.problem(sizes, given)?;
        Ok(Call { on, problem, sizes })
    }

    /// The combination of constants that it has.
    pub(crate) fn variant(&self) -> u16 {
        self.on.tunable.data.problems[self.problem].variant
    }

    /// Its problem's candidates, most promising first.
    pub(crate) fn order(&self) -> impl Iterator<Item = usize> + use<> {
        let order = self.on.tunable.data.problems[self.problem].order.iter();
        order.map(|&candidate| usize::from(candidate))
    }

    /// What names mean where a candidate serves it.
    pub(crate) fn scope(&self, candidate: usize) -> Scope<'a> {
        let Call { on, problem, sizes } = *self;
        on.tunable.scope(on.facts, candidate, problem, sizes)
    }

    /// Whether every condition that names a size holds.
    pub(crate) fn holds(&self, candidate: usize) -> bool {
        let Call { on, problem, sizes } = *self;
        on.tunable.fits(on.facts, candidate, problem, sizes)
    }
}

/// The code of a tunable's candidates on one GPU.
pub(crate) trait Code {
    /// Makes a candidate's code ready for launches, unless it is already.
    fn load(&self, candidate: usize) -> Result<(), Refusal>;

    /// What a launch of one of its passes may ask for, once it is loaded.
    fn limits(&self, candidate: usize, pass: usize) -> Option<KernelLimits>;
}

/// Why a candidate's code did not load.
#[derive(Clone)]
pub(crate) struct Refusal {
    /// For people.
    pub(crate) why: String,
    /// Whether it is the code's fault, so that there is no use in trying again.
    pub(crate) lasting: bool,
}

impl Refusal {
    /// One for good.
    pub(crate) fn lasting(why: String) -> Refusal {
        Refusal { why, lasting: true }
    }
}

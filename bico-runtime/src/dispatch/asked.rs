//! What a program may ask of a tunable.

use super::Tunable;
use crate::data::Problem;
use crate::{Choice, Config, Error, Result, Value};
use bico_core::Lists;
use bico_core::device::DeviceKey;

impl Tunable {
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
        Ok(bico_host::this_cpu_key().as_str())
    }

    /// The configs that this program carries, each once.
    pub fn candidates(&self) -> impl Iterator<Item = Config> + use<> {
        let tunable = *self;
        let candidates = tunable.data.candidates;
        let is_first = move |at: &usize| {
            let mut earlier = candidates[..*at].iter();
            earlier.all(|candidate| candidate.values != candidates[*at].values)
        };
        let first = (0..candidates.len()).filter(is_first);
        first.map(move |at| tunable.config(at))
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
        Ok(self.config(self.nearest_problem(sizes)?.first.into()))
    }

    /// The config that the ranking liked best at the tuned problem nearest to these sizes, before
    /// anything was measured.
    ///
    /// # Errors
    ///
    /// [`Error::SizeCount`]
    pub fn top_ranked(&self, sizes: &[i64]) -> Result<Config> {
        Ok(self.config(self.nearest_problem(sizes)?.top.into()))
    }

    /// The devices that this program knows, by their keys, each with its winner at the tuned problem
    /// nearest to these sizes.
    ///
    /// # Errors
    ///
    /// [`Error::SizeCount`]
    pub fn winners(&self, sizes: &[i64]) -> Result<Vec<(&'static str, Config)>> {
        let winners = self.nearest_problem(sizes)?.winners.iter();
        let named = |&(device, winner): &(u16, u16)| {
            let device = self.data.devices[usize::from(device)];
            (device, self.config(winner.into()))
        };
        Ok(winners.map(named).collect_vec())
    }

    /// The tuned problem that is nearest to these sizes.
    fn nearest_problem(&self, sizes: &[i64]) -> Result<&'static Problem> {
        self.count(sizes)?;
        Ok(&self.data.problems[self.problem(sizes, &[])?])
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
}

/// What the data says of a problem, a candidate or a device, by its index.
impl Tunable {
    /// The config of a candidate.
    pub(crate) fn config(&self, candidate: usize) -> Config {
        Config::new(self.data.parameters, self.data.candidates[candidate].values)
    }

    /// Sizes with their names.
    pub(crate) fn named(&self, sizes: &[i64]) -> Vec<(&'static str, i64)> {
        let names = self.data.sizes.iter().copied();
        names.zip(sizes.iter().copied()).collect_vec()
    }

    /// A problem's constants with their names.
    pub(crate) fn consts(&self, problem: usize) -> Vec<(&'static str, Value)> {
        let values = self.data.problems[problem].consts.iter().copied();
        self.data.consts.iter().copied().zip(values).collect_vec()
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

/// What serves calls of these sizes, and why. See [`Tunable::config_of`].
///
/// # Errors
///
/// [`Error::NoConfig`] where nothing does, [`Error::NoDevice`] where there is no GPU for a CUDA kernel.
pub fn config_of(tunable: &Tunable, sizes: &[i64]) -> Result<Choice> {
    tunable.config_of(sizes)
}

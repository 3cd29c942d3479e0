//! What a program may ask of a tunable.

use super::Tunable;
use crate::data::Problem;
use crate::{Choice, Config, Error, Result};

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
}

/// What serves calls of these sizes, and why. See [`Tunable::config_of`].
///
/// # Errors
///
/// [`Error::NoConfig`] where nothing does, [`Error::NoDevice`] where there is no GPU for a CUDA kernel.
pub fn config_of(tunable: &Tunable, sizes: &[i64]) -> Result<Choice> {
    tunable.config_of(sizes)
}

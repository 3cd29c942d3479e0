//! Checking a config without timing it.

use super::KernelMeasure;
use crate::measure::plan;
use bico_core::Value;
use bico_core::device::Dims;
use bico_search::search::Failure;

impl KernelMeasure<'_> {
    /// Runs a config once at small awkward sizes and at `more`, and checks all that it does. Gives the
    /// number of sizes: those that a `require` excludes are none of the kernel's, and neither are those
    /// that the reference takes too long for.
    ///
    /// # Errors
    ///
    /// What is wrong with it, and where.
    pub fn verify(&mut self, config: u64, more: &[Vec<Value>]) -> Result<usize, Failure> {
        let built = self.compiled(config)?;
        let mut checks = self.small_checks(config);
        for scalars in more {
            let plan = self.candidates.call(config, scalars);
            let Some(plan) = plan.map_err(Failure::Worker)? else {
                continue;
            };
            if plan.dims.as_ref().is_some_and(Dims::is_empty) {
                let label = plan::label(self.spec, scalars);
                let text = format!("`launch` gives no blocks or no threads at {label}");
                return Err(Failure::Unlaunchable(text));
            }
            checks.extend(self.check_if_possible(&plan, scalars));
        }
        if checks.is_empty() {
            return Ok(0);
        }
        let sizes = checks.len();
        self.trial(config, built.kernel, checks, None)?;
        Ok(sizes)
    }

    /// Without a reference: whether a verified config agrees with most of the others, as far as is known
    /// now.
    ///
    /// # Errors
    ///
    /// It does not.
    pub fn verdict(&self, config: u64) -> Result<(), Failure> {
        self.consensus.verdict(config)
    }
}

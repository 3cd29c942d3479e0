//! What the measuring side asks of whoever knows a tunable's configs.

use super::call::CallPlan;
use crate::compile::{Service, Unit};
use bico_core::Value;
use bico_core::device::Facts;
use bico_syntax::bind::{Allowed, SizesOf};

/// What the tuner knows of configs.
pub trait Candidates {
    /// How a config is compiled.
    ///
    /// # Errors
    ///
    /// An expression of the attribute cannot be evaluated.
    fn unit(&self, config: u64) -> Result<Unit, String>;

    /// The function of each pass.
    ///
    /// # Errors
    ///
    /// An expression cannot be evaluated.
    fn entries(&self, config: u64) -> Result<Vec<String>, String>;

    /// Some configs from all over the space.
    fn some(&self, _most: u64) -> Vec<u64> {
        Vec::new()
    }

    /// The integer parameters of a config, any of which may be a tile's side.
    fn tiles(&self, config: u64) -> Vec<i64>;

    /// The lengths of the buffers at these scalar arguments; `None` if a `require` excludes them.
    ///
    /// # Errors
    ///
    /// An expression cannot be evaluated at these sizes.
    fn call(&self, config: u64, scalars: &[Value]) -> Result<Option<CallPlan>, String>;

    /// Which sizes the conditions of a config allow; `None` where nobody knows.
    fn sizes(&self, _config: u64) -> Option<SizesOf<'_>> {
        None
    }

    /// How the function that fills buffers is compiled, and its name; `None` if there is none.
    ///
    /// # Errors
    ///
    /// An expression of the attribute cannot be evaluated.
    fn inputs(&self, _config: u64) -> Result<Option<(Unit, String)>, String> {
        Ok(None)
    }

    /// The same of the judge.
    ///
    /// # Errors
    ///
    /// An expression of the attribute cannot be evaluated.
    fn judge(&self, _config: u64) -> Result<Option<(Unit, String)>, String> {
        Ok(None)
    }

    /// How the reference is compiled, and its function; `None` if there is none. Where it shares the
    /// kernel's source, it is compiled as for `config`.
    ///
    /// # Errors
    ///
    /// An expression of the attribute cannot be evaluated.
    fn reference(&self, config: u64) -> Result<Option<(Unit, String)>, String>;

    /// Whether a reference that shares the kernel's source is the same for all configs.
    ///
    /// # Errors
    ///
    /// It depends on parameters, which the text names.
    fn reference_is_one(&self, _config: u64, _service: &Service) -> Result<(), String> {
        Ok(())
    }

    /// Of each scalar argument that is a `#[value]`: what it may be where the others are these. None may be.
    ///
    /// # Errors
    ///
    /// A range cannot be evaluated there, or is empty.
    fn values(&self, scalars: &[Value]) -> Result<Vec<Option<Allowed>>, String> {
        Ok(vec![None; scalars.len()])
    }

    /// Which of the tunable's kernels a config is of.
    fn kernel(&self, _config: u64) -> usize {
        0
    }

    /// How the function that calls the kernels while they are measured is compiled, and its name; `None` if there is none.
    ///
    /// # Errors
    ///
    /// An expression of the attribute cannot be evaluated.
    fn drive(&self, _config: u64) -> Result<Option<(Unit, String)>, String> {
        Ok(None)
    }

    /// What the kernel runs on, where it matters for whether it can be launched.
    fn device(&self) -> Option<&Facts> {
        None
    }
}

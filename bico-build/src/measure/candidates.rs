//! What measuring asks of whoever knows the configs.

use super::plan::CallPlan;
use crate::compile::Unit;
use bico_core::Value;
use bico_core::device::Facts;

/// What the tuner knows of configs.
pub trait Candidates {
    /// How a config is compiled.
    ///
    /// # Errors
    ///
    /// An expression of the attribute cannot be evaluated.
    fn unit(&self, config: u64) -> Result<Unit, String>;

    /// The kernel's function.
    ///
    /// # Errors
    ///
    /// The expression cannot be evaluated.
    fn entry(&self, config: u64) -> Result<String, String>;

    /// The integer parameters of a config, any of which may be a tile's side.
    fn tiles(&self, config: u64) -> Vec<i64>;

    /// The lengths of the buffers at these scalar arguments; `None` if a `require` excludes them.
    ///
    /// # Errors
    ///
    /// An expression cannot be evaluated at these sizes.
    fn call(&self, config: u64, scalars: &[Value]) -> Result<Option<CallPlan>, String>;

    /// How the reference is compiled, and its function; `None` if there is none. Where it shares the
    /// kernel's source, it is compiled as for `config`.
    ///
    /// # Errors
    ///
    /// An expression of the attribute cannot be evaluated.
    fn reference(&self, config: u64) -> Result<Option<(Unit, String)>, String>;

    /// What the kernel runs on, where it matters for whether it can be launched.
    fn device(&self) -> Option<&Facts> {
        None
    }
}

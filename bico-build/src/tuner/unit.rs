//! What the compiler is given for a config.

use crate::compile::{GpuTarget, GpuUnit, Unit};
use bico_bind::{Bound, SpaceError};
use bico_core::Value;
use std::path::Path;

/// What is compiled for a config: for a GPU its kernels are expressions of C++.
pub(super) fn unit(
    bound: &Bound<'_>,
    source: &Path,
    values: &[Value],
    target: Option<GpuTarget>,
) -> Result<Unit, SpaceError> {
    let instance = |target| {
        let expressions = bound.instances(values)?;
        let nvcc = bound.spec.nvcc;
        Ok(GpuUnit {
            target,
            expressions,
            nvcc,
        })
    };
    Ok(Unit {
        source: source.to_path_buf(),
        language: bound.spec.source.language,
        defines: bound.defines(values),
        flags: bound.flags(values),
        gpu: target.map(instance).transpose()?,
    })
}

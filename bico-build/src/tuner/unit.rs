//! What the compiler is given for a config.

use crate::compile::{GpuTarget, GpuUnit, Unit};
use bico_bind::{Bound, SpaceError};
use bico_core::Value;
use std::path::PathBuf;

/// What is compiled for a config, of the sources of the kernels: for a GPU its kernels are expressions of C++.
pub(super) fn unit(
    bound: &Bound<'_>,
    sources: &[PathBuf],
    values: &[Value],
    target: Option<GpuTarget>,
) -> Result<Unit, SpaceError> {
    let kernel = bound.kernel(values);
    let instance = |target| {
        let expressions = bound.instances(values)?;
        let nvcc = bound.spec.nvcc;
        Ok(GpuUnit {
            target,
            expressions,
            nvcc,
        })
    };
    let target = target.filter(|_| !bound.spec.kernels[kernel].host);
    Ok(Unit {
        source: sources[kernel].clone(),
        language: bound.spec.kernels[kernel].source.language,
        defines: bound.defines(values),
        flags: bound.flags(values),
        gpu: target.map(instance).transpose()?,
    })
}

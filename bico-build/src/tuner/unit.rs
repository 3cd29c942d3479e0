//! What the compiler is given for a config.

use crate::compile::{GpuTarget, GpuUnit, Unit};
use bico_core::{Lists, Value};
use bico_syntax::bind::{Bound, SpaceError};
use bico_syntax::{ConstKind, RustFunction};
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
    let target = targeted(bound, kernel, target);
    Ok(Unit {
        source: sources[kernel].clone(),
        language: bound.spec.kernels[kernel].source.language,
        defines: match &bound.spec.rust {
            Some(rust) => arguments(bound, rust, values),
            None => bound.defines(values),
        },
        flags: bound.flags(values),
        gpu: target.map(instance).transpose()?,
    })
}

/// What a kernel is compiled for, where others are for `target`.
pub(super) fn targeted(
    bound: &Bound<'_>,
    kernel: usize,
    target: Option<GpuTarget>,
) -> Option<GpuTarget> {
    let kernel = &bound.spec.kernels[kernel];
    let target = target.filter(|_| !kernel.host)?;
    // An older kind of code has none of the features that are asked for.
    let plain = !matches!(target, GpuTarget::Exact(_));
    let own = bound.facts.capability();
    let own = own.filter(|_| kernel.exact && plain);
    Some(own.map_or(target, GpuTarget::exact))
}

/// The const arguments of a Rust function for a config, as Rust writes them.
fn arguments(bound: &Bound<'_>, rust: &RustFunction, values: &[Value]) -> Vec<(String, String)> {
    let arguments = rust.consts.iter().filter_map(|of| {
        let name = &of.name.text;
        let at = bound.names().iter().position(|known| known == name)?;
        let written = match (values.get(at)?, of.kind) {
            (Value::Str(text), ConstKind::Char) => format!("{:?}", text.chars().next()?),
            (value, _) => value.to_string(),
        };
        Some((name.clone(), written))
    });
    arguments.collect_vec()
}

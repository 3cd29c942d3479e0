//! Stands for what GPUs need in a build without CUDA.

use super::Emission;
use crate::compile::{GpuTarget, Service};
use crate::emit::Host;
use crate::tuner::devices::Devices;
use crate::tuner::plan::Plan;
use crate::tuner::store::Store;
use bico_core::device::DeviceKey;
use bico_core::{Map, Set};
use bico_syntax::bind::SpaceError;
use bico_syntax::{Kernel, TunableSpec, needs_cuda};

pub(super) fn known(_: &Plan, _: &Store, _: &Devices) -> Map<DeviceKey, u16> {
    Map::default()
}

pub(super) fn targets(
    _: &Map<DeviceKey, u16>,
    _: &[&DeviceKey],
    _: &Kernel,
    _: u16,
    _: &Set<u16>,
) -> Vec<GpuTarget> {
    Vec::new()
}

pub(super) fn host(_: &TunableSpec, _: usize, _: &[String]) -> Result<Option<Host>, SpaceError> {
    Ok(None)
}

/// Nobody could compile a kernel of a GPU.
pub(super) fn fit(_: &Emission, plan: &Plan, _: &Service) -> Result<(), SpaceError> {
    let spec = &plan.found.spec;
    match spec.is_cuda() {
        true => Err(needs_cuda(spec.place())),
        false => Ok(()),
    }
}

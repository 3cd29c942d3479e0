//! For which GPUs a CUDA tunable's candidates are compiled.

use super::devices::Devices;
use super::plan::Plan;
use super::store::Store;
use crate::compile::GpuTarget;
use bico_core::device::{DeviceKey, Facts};
use bico_core::{Map, Set};

/// Where no GPU is known: the first runs on every GPU that current compilers and drivers know, the second
/// has what came after it and kernels are written around, asynchronous copies above all.
const UNKNOWN: [u16; 2] = [75, 80];

/// What is compiled for on a GPU of NVIDIA's: its compute capability, 89 for 8.9.
pub fn capability(facts: &Facts) -> Option<u16> {
    let Facts::Cuda(gpu) = facts else { return None };
    let capability = u16::try_from(gpu.compute_capability).ok();
    capability.filter(|capability| *capability > 0)
}

/// The GPUs that are known of one tunable, with their compute capabilities.
pub(super) fn known(plan: &Plan, store: &Store, local: &Devices) -> Map<DeviceKey, u16> {
    let entries = plan.entries(store).into_iter();
    let elsewhere = entries.filter_map(|(device, _)| store.facts(device));
    let here = local.of(plan.found.spec.language()).iter();
    let all = elsewhere.chain(here.map(|target| &target.facts));
    all.filter_map(|facts| Some((facts.key(), capability(facts)?)))
        .collect()
}

/// What is compiled of a candidate that wins on these devices, of those that are `known`: machine code for them, and
/// PTX for all other GPUs. That of the oldest known GPU runs on most, that of the newest serves those to
/// come, which may do more than the oldest.
pub(super) fn targets(known: &Map<DeviceKey, u16>, wins: &[&DeviceKey]) -> Vec<GpuTarget> {
    let mut cubins = Set::default();
    for key in wins {
        cubins.extend(known.get(*key).copied());
    }
    let mut targets = Vec::new();
    for capability in &cubins {
        targets.push(GpuTarget::Cubin(*capability));
    }
    let mut ptx = UNKNOWN.to_vec();
    if let (Some(oldest), Some(newest)) = (known.values().min(), known.values().max()) {
        ptx = vec![*oldest, *newest];
    }
    ptx.dedup();
    for capability in ptx {
        targets.push(GpuTarget::Ptx(capability));
    }
    targets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machine_code_where_it_wins_and_ptx_for_the_rest() {
        let keys = ["A", "B", "C"].map(DeviceKey::new);
        let known: Map<DeviceKey, u16> = keys.clone().into_iter().zip([80, 89, 90]).collect();
        assert_eq!(
            targets(&known, &[&keys[1]]),
            [GpuTarget::Cubin(89), GpuTarget::Ptx(80), GpuTarget::Ptx(90)]
        );
        assert_eq!(
            targets(&Map::default(), &[&keys[1]]),
            [GpuTarget::Ptx(75), GpuTarget::Ptx(80)]
        );
    }
}

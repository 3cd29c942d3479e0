//! For which GPUs a CUDA tunable's candidates are compiled.

use super::devices::Devices;
use super::plan::Plan;
use super::store::Store;
use crate::compile::GpuTarget;
use bico_core::device::{DeviceKey, Facts};
use std::collections::{BTreeMap, BTreeSet};

/// Where no GPU is known: the first runs on every GPU that current compilers and drivers know, the second
/// has what came after it and kernels are written around, asynchronous copies above all.
const UNKNOWN: [u16; 2] = [75, 80];

/// What is compiled for on a GPU of NVIDIA's: its compute capability, 89 for 8.9.
pub fn capability(facts: &Facts) -> Option<u16> {
    let Facts::Cuda(gpu) = facts else {
        return None;
    };
    u16::try_from(gpu.compute_capability)
        .ok()
        .filter(|capability| *capability > 0)
}

/// The GPUs that are known of one tunable, by compute capability.
pub(super) struct Architectures {
    /// Device key -> compute capability.
    known: BTreeMap<DeviceKey, u16>,
    all: BTreeSet<u16>,
}

impl Architectures {
    pub(super) fn new(plan: &Plan, store: &Store, local: &Devices) -> Architectures {
        let mut known = BTreeMap::new();
        let mut add = |facts: &Facts| {
            if let Some(capability) = capability(facts) {
                known.insert(facts.key(), capability);
            }
        };
        for problem in &plan.problems {
            for (device, _) in store.entries(plan.key(), &problem.key) {
                store.facts(device).into_iter().for_each(&mut add);
            }
        }
        let here = local.of(plan.found.spec.source.language);
        here.iter().for_each(|target| add(&target.facts));
        let all = known.values().copied().collect();
        Architectures { known, all }
    }

    /// What is compiled of a candidate that wins on these devices: machine code for them, and PTX for
    /// all other GPUs. That of the oldest known GPU runs on most, that of the newest serves those to
    /// come, which may do more than the oldest.
    pub(super) fn targets<'a>(&self, wins: impl Iterator<Item = &'a DeviceKey>) -> Vec<GpuTarget> {
        let cubins: BTreeSet<u16> = wins
            .filter_map(|key| self.known.get(key).copied())
            .collect();
        let mut ptx: BTreeSet<u16> = self.all.first().copied().into_iter().collect();
        ptx.extend(self.all.last());
        if ptx.is_empty() {
            ptx.extend(UNKNOWN);
        }
        let cubins = cubins.into_iter().map(GpuTarget::Cubin);
        cubins.chain(ptx.into_iter().map(GpuTarget::Ptx)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machine_code_where_it_wins_and_ptx_for_the_rest() {
        let keys = ["A", "B", "C"].map(DeviceKey::new);
        let known: BTreeMap<DeviceKey, u16> = keys.clone().into_iter().zip([80, 89, 90]).collect();
        let all = known.values().copied().collect();
        let architectures = Architectures { known, all };
        assert_eq!(
            architectures.targets([&keys[1]].into_iter()),
            [GpuTarget::Cubin(89), GpuTarget::Ptx(80), GpuTarget::Ptx(90)]
        );
        let none = Architectures {
            known: BTreeMap::new(),
            all: BTreeSet::new(),
        };
        assert_eq!(
            none.targets([&keys[1]].into_iter()),
            [GpuTarget::Ptx(75), GpuTarget::Ptx(80)]
        );
    }
}

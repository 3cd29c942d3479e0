//! For which GPUs a CUDA tunable's candidates are compiled, and what stands beside them.

use super::Emission;
use super::elsewhere::EARLIEST;
use crate::arguments::{kernel, parameters, passed, shim};
use crate::compile::{GpuTarget, Service};
use crate::emit::Host;
use crate::tuner::devices::Devices;
use crate::tuner::plan::Plan;
use crate::tuner::store::Store;
use bico_core::device::DeviceKey;
use bico_core::{Lists, Map, Set};
use bico_syntax::bind::SpaceError;
use bico_syntax::{Callee, Kernel, TunableSpec};

/// Where no GPU is known: the first runs on every GPU that current compilers and drivers know, the second
/// has what came after it and kernels are written around, asynchronous copies above all.
const UNKNOWN: [u16; 2] = [75, EARLIEST];

/// The GPUs that are known of one tunable, with their compute capabilities.
pub(super) fn known(plan: &Plan, store: &Store, local: &Devices) -> Map<DeviceKey, u16> {
    let entries = plan.entries(store).into_iter();
    let elsewhere = entries.filter_map(|(device, _)| store.facts(device));
    let here = local.of(plan.found.spec.language()).iter();
    let all = elsewhere.chain(here.map(|target| &target.facts));
    all.filter_map(|facts| Some((facts.key(), facts.capability()?)))
        .collect()
}

/// What is compiled of a kernel's config that wins on these devices, of those that are `known`: machine code for them, and
/// PTX for all other GPUs. That of the oldest known GPU runs on most, that of the newest serves those to
/// come, which may do more than the oldest. None is for less than the config's `least` compute capability. What wins
/// nowhere, and is carried for the sake of GPUs that it is `also` for, is compiled for them alone.
pub(super) fn targets(
    known: &Map<DeviceKey, u16>,
    wins: &[&DeviceKey],
    kernel: &Kernel,
    least: u16,
    also: &Set<u16>,
) -> Vec<GpuTarget> {
    if kernel.host {
        return Vec::new();
    }
    let mut cubins = Set::default();
    for key in wins {
        cubins.extend(known.get(*key).copied());
    }
    if kernel.exact {
        // Such code runs on GPUs of its own kind only.
        cubins.extend(also.iter().copied());
        return cubins.iter().map(|of| GpuTarget::exact(*of)).collect_vec();
    }
    let mut targets = Vec::new();
    for capability in &cubins {
        targets.push(GpuTarget::Cubin(*capability));
    }
    let usual = match (known.values().min(), known.values().max()) {
        _ if !also.is_empty() && wins.is_empty() => Vec::new(),
        (Some(oldest), Some(newest)) => vec![*oldest, *newest],
        _ => UNKNOWN.to_vec(),
    };
    let ptx = usual.iter().chain(also).map(|of| least.max(*of));
    for capability in Set::from_iter(ptx) {
        targets.push(GpuTarget::Ptx(capability));
    }
    targets
}

/// What a function of the host is linked with.
pub(super) fn host(
    spec: &TunableSpec,
    at: usize,
    entries: &[String],
) -> Result<Option<Host>, SpaceError> {
    let kernel = &spec.kernels[at];
    if !kernel.host {
        return Ok(None);
    }
    let shim = shim::source(entries, &passed(spec, Callee::Kernel(at)));
    let shim = shim.map_err(|why| SpaceError::new(kernel.source.path.span, why))?;
    Ok(Some(Host {
        shim,
        libraries: spec.libraries(kernel),
    }))
}

/// Whether a kernel of a GPU takes what the wrapper passes: where nothing was measured, nobody looked yet.
pub(super) fn fit(emission: &Emission, plan: &Plan, service: &Service) -> Result<(), SpaceError> {
    let spec = &plan.found.spec;
    let mut candidates = emission.candidates.iter();
    let Some(candidate) = candidates.find(|of| of.unit.gpu.is_some() && !of.targets.is_empty())
    else {
        return Ok(());
    };
    let role = kernel(candidate.kernel);
    parameters::check(service, &candidate.unit, spec, &role).map_err(|message| {
        let message = format!("`{}`: {message}", plan.key());
        SpaceError::new(spec.place(), message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use bico_search::space::fixture::spec;

    #[test]
    fn machine_code_where_it_wins_and_ptx_for_the_rest() {
        let spec = spec("space(A in [1])");
        let kernel = &spec.kernels[0];
        let keys = ["A", "B", "C"].map(DeviceKey::new);
        let known: Map<DeviceKey, u16> = keys.clone().into_iter().zip([80, 89, 90]).collect();
        let none = Set::default();
        assert_eq!(
            targets(&known, &[&keys[1]], kernel, 75, &none),
            [GpuTarget::Cubin(89), GpuTarget::Ptx(80), GpuTarget::Ptx(90)]
        );
        let mut exact = kernel.clone();
        exact.exact = true;
        assert_eq!(
            targets(&known, &[&keys[1], &keys[2]], &exact, 90, &none),
            [GpuTarget::Cubin(89), GpuTarget::Exact(90)]
        );
        assert_eq!(
            targets(&Map::default(), &[&keys[1]], kernel, 75, &none),
            [GpuTarget::Ptx(75), GpuTarget::Ptx(80)]
        );
        // It is no config of older ones.
        assert_eq!(
            targets(&known, &[&keys[2]], kernel, 90, &none),
            [GpuTarget::Cubin(90), GpuTarget::Ptx(90)]
        );
        // For GPUs that nothing of the locks' runs on.
        let also = Set::from_iter([75]);
        assert_eq!(
            targets(&known, &[], kernel, 75, &also),
            [GpuTarget::Ptx(75)]
        );
        let winner = targets(&known, &[&keys[2]], kernel, 75, &also);
        let ptx = [75, 80, 90].map(GpuTarget::Ptx);
        assert_eq!(winner, [&[GpuTarget::Cubin(90)], &ptx[..]].concat());
        let also = Set::from_iter([100]);
        assert_eq!(
            targets(&known, &[&keys[2]], &exact, 90, &also),
            [90, 100].map(GpuTarget::Exact)
        );
    }
}

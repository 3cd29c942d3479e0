//! From what the locks know to what the binary carries.

mod candidate;
mod elsewhere;
#[cfg(feature = "cuda")]
mod gpu;
#[cfg(not(feature = "cuda"))]
#[path = "without_cuda.rs"]
mod gpu;
mod numbered;
mod served;
#[cfg(test)]
mod tests;

pub(super) use served::Predicted;

use super::TuneError;
use super::devices::Devices;
use super::plan::{Plan, integer_sizes};
use super::store::Store;
use crate::compile::Service;
use crate::emit::{self, Emission, Emitted};
use crate::env::Env;
use bico_core::device::DeviceKey;
use bico_core::{Lists, Set};
use bico_syntax::bind::{Bound, SpaceError};
use bico_syntax::symbol;
use candidate::Candidates;
use elsewhere::{Chosen, see_to_others};
use numbered::Numbered;
use served::{Served, chosen};

/// Writes what the macro includes of one tunable; gives what the compiler warned of its winners here, too. `predicted`
/// holds, per problem, what is predicted where nothing is known.
pub(super) fn emit(
    env: &Env,
    plan: &Plan,
    store: &Store,
    devices: &Devices,
    predicted: &[Option<Predicted>],
    service: &Service,
) -> Result<(Emitted, Vec<String>), TuneError> {
    let shown = |error| plan.shown(env, &error);
    let common = Candidates {
        env,
        plan,
        store,
        devices,
        ambient: service.environment_flags(plan.found.spec.language()),
        known: gpu::known(plan, store, devices),
    };
    let mut emission = emission(&common, predicted).map_err(shown)?;
    if emission.candidates.is_empty() {
        let (key, trail) = (plan.key(), plan.trail(env));
        return Err(TuneError::plain(format!(
            "no config of `{key}` can be built into the program\n  = help: every config that was measured failed: see {}",
            trail.display()
        )));
    }
    let spec = &plan.found.spec;
    gpu::fit(&emission, plan, service).map_err(shown)?;
    let here = devices.keys(spec.language());
    loop {
        match emit::emit(&emission, &env.out_dir, service) {
            Ok(emitted) => return Ok((emitted, warnings(&emission, &here, service))),
            // Another device's config may need a newer compiler, a predicted one may not compile at
            // all: the others serve. This device's winners must be there.
            Err(error) => match error.candidate {
                Some(index) if emission.is_spare(index, &here) => emission.remove(index),
                _ => return Err(TuneError::new(error.to_string())),
            },
        }
    }
}

/// What the compiler warned of when it compiled the winners of these devices.
fn warnings(emission: &Emission, here: &[DeviceKey], service: &Service) -> Vec<String> {
    // A source that bico wrote is no business of its user.
    let mut warnings = Vec::new();
    for problem in emission.problems.iter().filter(|_| !emission.generated) {
        for (device, winner) in &problem.winners {
            if here.contains(&emission.devices[usize::from(*device)]) {
                let winner = &emission.candidates[usize::from(*winner)];
                warnings.extend(service.warnings(&winner.unit));
            }
        }
    }
    warnings
}

/// Puts together the emission of one tunable.
fn emission(
    common: &Candidates<'_>,
    predicted: &[Option<Predicted>],
) -> Result<Emission, SpaceError> {
    let (plan, store, env) = (common.plan, common.store, common.env);
    let spec = &plan.found.spec;
    let here = common.devices.keys(spec.language());
    // Of the sizes in between only the anchors.
    let mut problems = plan.problems.iter().zip(predicted).collect_vec();
    problems.retain(|(of, _)| !of.is_between() || !store.entries(plan.key(), &of.key).is_empty());
    let problems = problems.into_iter();
    let served = problems.map(|(of, predicted)| Served::new(plan, store, of, &here, predicted));
    let served = served.try_collect_vec()?;
    let mut candidates = Vec::new();
    for variant in 0..plan.variants.len() {
        let served = served.iter().filter(|s| s.problem.variant == variant);
        let served: Vec<&Served<'_>> = served.collect_vec();
        let Some(last) = served.last() else { continue };
        let facts = common.devices.facts(spec.language());
        let bound = Bound::new(spec, facts, &last.problem.scope)?;
        let mut chosen = chosen(&served).into_iter().map(Chosen::new).collect_vec();
        see_to_others(common, &served, &mut chosen);
        for config in chosen {
            candidates.push(common.candidate(&bound, variant, &served, config)?);
        }
    }
    let parameters = spec.parameters.iter();
    let mut libraries = Set::default();
    for candidate in &candidates {
        let kernel = &spec.kernels[candidate.kernel];
        // A function of the host brings its own along.
        let link = kernel.link.iter().filter(|_| !kernel.host);
        libraries.extend(link.map(|library| library.text.clone()));
    }
    let mut numbered = Numbered::new(&candidates);
    let layouts = spec.arguments.iter().filter_map(|own| own.kind.layout());
    let structures = layouts.filter(|layout| layout.structure.is_some());
    Ok(Emission {
        crate_path: spec.crate_path.clone(),
        key: spec.key.text.clone(),
        fingerprint: plan.found.fingerprint,
        hash: plan.hashes.kernel(),
        symbol: symbol(&env.package, &env.version, &spec.key.text),
        generated: spec.is_written(),
        gpu: spec.is_cuda(),
        ships_measured: spec.rust.as_ref().is_some_and(|own| own.ships_measured),
        parameters: parameters.map(|p| p.name.text.clone()).collect_vec(),
        sizes: integer_sizes(spec),
        consts: plan.variants[0].keys().cloned().collect_vec(),
        problems: served.iter().map(|of| numbered.problem(of)).collect_vec(),
        devices: numbered.devices,
        candidates,
        libraries: libraries.into_iter().collect_vec(),
        file_consts: plan.consts.clone().into_iter().collect_vec(),
        structures: structures.cloned().collect_vec(),
        passes: spec
            .kernels
            .iter()
            .map(|kernel| kernel.passes.len())
            .collect_vec(),
    })
}

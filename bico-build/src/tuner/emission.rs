//! From what the locks know to what the binary carries.

use super::architectures::Architectures;
use super::cover::{Known, cover};
use super::devices::Devices;
use super::plan::Plan;
use super::store::Store;
use super::unit::unit;
use crate::compile::Service;
use crate::emit::{Emission, EmittedCandidate, EmittedProblem, runs_on};
use crate::env::Env;
use crate::lock::{Config, Entry, Trial};
use bico_bind::{Bound, SpaceError, intern};
use bico_core::Value;
use bico_core::device::{DeviceKey, Facts};
use bico_syntax::{ArgumentKind, TunableSpec, symbol};
use std::path::Path;

/// The values of a config, in the order of the parameters.
pub type Values = Vec<Value>;

/// What is predicted for a problem that no lock knows: the configs, best first, and which of them is
/// the first valid one.
#[derive(Debug, Clone, Default)]
pub(super) struct Predicted {
    /// Best first; the first valid config is among them.
    pub configs: Vec<Values>,
    /// Index into `configs`.
    pub first: usize,
}

/// Which candidate serves whom at one problem, as values.
struct Served {
    winners: Vec<(DeviceKey, Values)>,
    first: Option<Values>,
    top: Option<Values>,
}

/// Puts together the emission of one tunable. `predicted` holds, per problem, what is predicted
/// where nothing is known.
pub(super) fn emission(
    env: &Env,
    plan: &Plan,
    store: &Store,
    local: &Devices,
    predicted: &[Option<Predicted>],
    service: &Service,
) -> Result<Emission, SpaceError> {
    let spec = &plan.found.spec;
    let facts = local.facts(spec.source.language);
    let here = local.keys(spec.source.language);
    // CFLAGS and the like may ask for features too; the author's flags come after them and win.
    let ambient = service.environment_flags(spec.source.language);
    let mut candidates: Vec<EmittedCandidate> = Vec::new();
    let mut served: Vec<Served> = Vec::new();
    let mut devices: Vec<DeviceKey> = Vec::new();
    for (problem, predicted) in plan.problems.iter().zip(predicted) {
        served.push(serve(plan, store, problem, &here, predicted.as_ref())?);
    }
    let architectures = Architectures::new(plan, store, local);
    for (variant, _) in plan.variants.iter().enumerate() {
        let mut known = Vec::new();
        let mut verified: Vec<Values> = Vec::new();
        let mut guessed = Vec::new();
        let mut scope = None;
        for ((problem, served), predicted) in plan.problems.iter().zip(&served).zip(predicted) {
            if problem.variant != variant {
                continue;
            }
            scope = Some(&problem.scope);
            for (device, winner) in &served.winners {
                let entry = store.entry(plan.key(), device, &problem.key);
                let trials = entry.map(|e| e.trials.as_slice()).unwrap_or_default();
                let fresh = entry.filter(|e| e.hashes.changed(&plan.hashes).is_empty());
                let right = fresh.into_iter().flat_map(self::trials);
                verified.extend(right.filter_map(|trial| values(spec, &trial.config)));
                known.push(Known {
                    winner: winner.clone(),
                    trials: trials
                        .iter()
                        .filter_map(|t| Some((values(spec, &t.config)?, t.seconds)))
                        .collect(),
                    marked: served.first.iter().chain(&served.top).cloned().collect(),
                });
            }
            if served.winners.is_empty() {
                guessed.extend(predicted.iter().flat_map(|p| p.configs.iter().cloned()));
            }
        }
        let Some(scope) = scope else {
            continue;
        };
        let bound = Bound::new(spec, facts, scope)?;
        let source = env.manifest_dir.join(&plan.found.source);
        let mut configs = cover(&known);
        for config in guessed {
            if !configs.contains(&config) {
                configs.push(config);
            }
        }
        for config in configs {
            let mut flags = ambient.clone();
            flags.extend(bound.flags(&config));
            let (needs, same_device) = match facts {
                Facts::Cpu(_) => runs_on(&flags),
                Facts::Cuda(_) => Default::default(),
            };
            let only_on = if same_device {
                measured_on(plan, store, spec, &config, &facts.key())
            } else {
                Vec::new()
            };
            let targets = match facts {
                Facts::Cpu(_) => Vec::new(),
                Facts::Cuda(_) => architectures.targets(won_by(&served, plan, variant, &config)),
            };
            let unit = unit(&bound, &source, &config, targets.first().copied())?;
            candidates.push(EmittedCandidate {
                verified: verified.contains(&config),
                variant: variant as u16,
                unit,
                targets,
                entry: bound.entry(&config)?,
                needs: needs.into_iter().map(str::to_string).collect(),
                only_on,
                values: config,
            });
        }
    }
    let index = |variant: usize, config: &Values| {
        candidates
            .iter()
            .position(|c| usize::from(c.variant) == variant && c.values == *config)
            .map(|i| i as u16)
    };
    let mut problems = Vec::new();
    for (problem, served) in plan.problems.iter().zip(&served) {
        let mut winners = Vec::new();
        let mut order = Vec::new();
        for (device, config) in &served.winners {
            let Some(candidate) = index(problem.variant, config) else {
                continue;
            };
            let number = devices.iter().position(|d| d == device).unwrap_or_else(|| {
                devices.push(device.clone());
                devices.len() - 1
            });
            winners.push((number as u16, candidate));
            if !order.contains(&candidate) {
                order.push(candidate);
            }
        }
        let rest = (0..candidates.len() as u16).filter(|i| {
            usize::from(candidates[usize::from(*i)].variant) == problem.variant
                && !order.contains(i)
        });
        let rest: Vec<u16> = rest.collect();
        order.extend(rest);
        let marked =
            |config: &Option<Values>| config.as_ref().and_then(|c| index(problem.variant, c));
        let fallback = order.first().copied().unwrap_or(0);
        problems.push(EmittedProblem {
            sizes: problem.sizes.clone(),
            consts: problem.scope.problem_consts.values().copied().collect(),
            variant: problem.variant as u16,
            first: marked(&served.first).unwrap_or(fallback),
            top: marked(&served.top).unwrap_or(fallback),
            winners,
            order,
        });
    }
    Ok(Emission {
        crate_path: spec.crate_path.clone(),
        key: spec.key.text.clone(),
        fingerprint: plan.found.fingerprint,
        hash: plan.hashes.kernel(),
        symbol: symbol(&env.package, &env.version, &spec.key.text),
        generated: spec.contraction.is_some(),
        parameters: spec
            .parameters
            .iter()
            .map(|p| p.name.text.clone())
            .collect(),
        sizes: integer_sizes(spec),
        consts: plan.variants[0].keys().cloned().collect(),
        candidates,
        problems,
        devices,
        file_consts: plan
            .consts
            .iter()
            .map(|(name, value)| (name.clone(), *value))
            .collect(),
    })
}

/// The devices that a config is the winner of, at any problem of these constants.
fn won_by<'a>(
    served: &'a [Served],
    plan: &'a Plan,
    variant: usize,
    config: &'a Values,
) -> impl Iterator<Item = &'a DeviceKey> {
    let problems = plan.problems.iter().zip(served);
    let problems = problems.filter(move |(problem, _)| problem.variant == variant);
    let winners = problems.flat_map(|(_, served)| &served.winners);
    winners
        .filter(move |(_, winner)| winner == config)
        .map(|(device, _)| device)
}

/// Whether the binary can do without a candidate: it is no winner of this device, and there is
/// another one for the same constants.
pub(super) fn is_spare(emission: &Emission, index: usize, here: &[DeviceKey]) -> bool {
    let variant = emission.candidates[index].variant;
    let wins = emission
        .problems
        .iter()
        .flat_map(|problem| &problem.winners)
        .any(|(device, candidate)| {
            usize::from(*candidate) == index
                && here.contains(&emission.devices[usize::from(*device)])
        });
    !wins
        && emission
            .candidates
            .iter()
            .filter(|c| c.variant == variant)
            .count()
            > 1
}

/// Takes a candidate out.
pub(super) fn remove(emission: &mut Emission, index: usize) {
    emission.candidates.remove(index);
    let gone = index as u16;
    let moved = |candidate: u16| {
        if candidate > gone {
            candidate - 1
        } else {
            candidate
        }
    };
    for problem in &mut emission.problems {
        problem.winners.retain(|(_, candidate)| *candidate != gone);
        problem.order.retain(|candidate| *candidate != gone);
        problem
            .winners
            .iter_mut()
            .for_each(|(_, candidate)| *candidate = moved(*candidate));
        problem
            .order
            .iter_mut()
            .for_each(|candidate| *candidate = moved(*candidate));
        let fallback = problem.order.first().copied().unwrap_or(0);
        for marked in [&mut problem.first, &mut problem.top] {
            *marked = if *marked == gone {
                fallback
            } else {
                moved(*marked)
            };
        }
    }
}

pub fn integer_sizes(spec: &TunableSpec) -> Vec<String> {
    let integers = spec.arguments.iter().filter(
        |argument| matches!(argument.kind, ArgumentKind::Scalar(element) if element.is_integer()),
    );
    integers
        .map(|argument| argument.name.text.clone())
        .collect()
}

/// The winners of all devices whose winner is still in the space, this device first.
fn serve(
    plan: &Plan,
    store: &Store,
    problem: &super::plan::ProblemPlan,
    here: &[DeviceKey],
    predicted: Option<&Predicted>,
) -> Result<Served, SpaceError> {
    let spec = &plan.found.spec;
    let mut served = Served {
        winners: Vec::new(),
        first: None,
        top: None,
    };
    let mut entries = store.entries(plan.key(), &problem.key);
    entries.sort_by_key(|(device, _)| !here.iter().any(|key| key == *device));
    for (device, entry) in entries {
        let Some(facts) = store.facts(device) else {
            continue;
        };
        let bound = Bound::new(spec, facts, &problem.scope)?;
        let valid = |trial: &Trial| {
            let values = values(spec, &trial.config)?;
            bound.rules().why_not(&values).is_none().then_some(values)
        };
        // A stale winner may have left the space; its runners-up are next best.
        let winner = std::iter::once(&entry.winner)
            .chain(&entry.trials)
            .find_map(valid);
        if let Some(winner) = winner {
            served.winners.push((device.clone(), winner));
        }
        served.first = served
            .first
            .or_else(|| entry.first.as_ref().and_then(valid));
        served.top = served.top.or_else(|| entry.ranked.as_ref().and_then(valid));
    }
    if served.winners.is_empty()
        && let Some(predicted) = predicted
    {
        served.first = predicted.configs.get(predicted.first).cloned();
        served.top = predicted.configs.first().cloned();
    }
    Ok(served)
}

/// The devices on which a config was measured; this one where nobody says.
fn measured_on(
    plan: &Plan,
    store: &Store,
    spec: &TunableSpec,
    config: &Values,
    this: &DeviceKey,
) -> Vec<DeviceKey> {
    let mut devices = Vec::new();
    for problem in &plan.problems {
        for (device, entry) in store.entries(plan.key(), &problem.key) {
            let same = |trial: &Trial| values(spec, &trial.config).as_ref() == Some(config);
            let measured = trials(entry).any(same);
            if measured && !devices.iter().any(|d| d == device) {
                devices.push(device.clone());
            }
        }
    }
    if devices.is_empty() {
        devices.push(this.clone());
    }
    devices
}

/// Every config that an entry names.
pub fn trials(entry: &Entry) -> impl Iterator<Item = &Trial> {
    std::iter::once(&entry.winner)
        .chain(&entry.trials)
        .chain(&entry.first)
        .chain(&entry.ranked)
}

/// A config of the lock in the order of the parameters; `None` if it has other parameters.
pub fn values(spec: &TunableSpec, config: &Config) -> Option<Values> {
    if config.len() != spec.parameters.len() {
        return None;
    }
    let value = |name: &str| {
        Some(match config.get(name)? {
            crate::lock::Value::Int(value) => Value::Int(*value),
            crate::lock::Value::Float(value) => Value::Float(*value),
            crate::lock::Value::Bool(value) => Value::Bool(*value),
            crate::lock::Value::Str(text) => Value::Str(intern(text)),
        })
    };
    spec.parameters
        .iter()
        .map(|p| value(&p.name.text))
        .collect()
}

/// A config as the lock holds it.
pub fn config(spec: &TunableSpec, values: &[Value]) -> Config {
    let names = spec.parameters.iter().map(|p| p.name.text.clone());
    names
        .zip(values.iter().map(|v| crate::lock::Value::from(*v)))
        .collect()
}

/// An entry of the committed lock that no search can have written.
pub struct Faulty {
    pub device: DeviceKey,
    pub problem: String,
    /// The first config that is wrong, with its line.
    pub error: crate::lock::Error,
}

/// Every config of the committed lock must belong to the tunable's space on its device, unless the
/// entry is stale: the lock is input from outside.
pub fn faults(plan: &Plan, store: &Store, path: &Path) -> Result<Vec<Faulty>, String> {
    let spec = &plan.found.spec;
    let mut faults = Vec::new();
    for problem in &plan.problems {
        for (device, problems) in store
            .committed
            .kernels
            .get(plan.key())
            .into_iter()
            .flatten()
        {
            let Some(entry) = problems.get(&problem.key) else {
                continue;
            };
            if !entry.hashes.changed(&plan.hashes).is_empty() {
                continue;
            }
            let Some(facts) = store.committed.devices.get(device) else {
                continue;
            };
            let bound = Bound::new(spec, facts, &problem.scope).map_err(|e| e.to_string())?;
            for trial in trials(entry) {
                let why = match values(spec, &trial.config) {
                    None => Some(format!(
                        "its parameters are not those of the tunable ({})",
                        spec.parameters
                            .iter()
                            .map(|p| p.name.text.as_str())
                            .collect::<Vec<_>>()
                            .join(", ")
                    )),
                    Some(values) => bound.rules().why_not(&values),
                };
                if let Some(why) = why {
                    let error =
                        crate::lock::Error::at(path, trial.place, format!("{}: {why}", plan.key()))
                            .help("undo the edit, or run `BICO=tune cargo build` to measure anew");
                    faults.push(Faulty {
                        device: device.clone(),
                        problem: problem.key.clone(),
                        error,
                    });
                    break;
                }
            }
        }
    }
    Ok(faults)
}

//! The winners of a package's `bico.lock`, with what a build without bico needs of them.

use super::Filter;
use crate::{Error, package};
use bico_build::env::Env;
use bico_build::lock::{self, Entry};
use bico_build::tuner::plan::Plan;
use bico_build::tuner::stored;
use bico_core::Value;
use bico_core::device::{DeviceKey, Dims, Facts};
use bico_syntax::bind::Bound;

/// What won for a tunable at one problem on one device.
#[derive(Debug, Clone)]
pub(crate) struct Winner {
    /// The tunable's key.
    pub(crate) key: String,
    /// The device's key.
    pub(crate) device: String,
    /// 90 for sm_90; `None` for a CPU.
    pub(crate) capability: Option<i64>,
    /// The problem's key.
    pub(crate) problem: String,
    /// The functions that a call runs.
    pub(crate) entries: Vec<String>,
    /// Parameters with their values.
    pub(crate) config: Vec<(String, Value)>,
    /// What the build defines: parameters that are no template arguments, and the problem's constants.
    pub(crate) defines: Vec<(String, String)>,
    /// The author's compiler flags.
    pub(crate) flags: Vec<String>,
    /// How each function is launched, on a GPU.
    pub(crate) launches: Vec<Dims>,
    /// Seconds of a call.
    pub(crate) seconds: f64,
    /// How it was verified.
    pub(crate) verified: String,
}

/// The winners that are asked for, by tunable in the order of the sources, then device, then problem as declared; and what
/// people should know of those that were left out.
///
/// # Errors
///
/// The package or its lock cannot be read, or nothing is left.
pub(crate) fn winners(
    env: &Env,
    only: &[String],
    filter: &Filter,
) -> Result<(Vec<Winner>, Vec<String>), Error> {
    let found = package::tunables(env, only)?;
    let lock = lock::load(&env.manifest_dir.join("bico.lock")).map_err(Error::work)?;
    let lock = lock.ok_or(
        "there is no bico.lock beside this Cargo.toml\n  = help: `cargo bico tune` writes one",
    )?;
    let devices: Vec<String> = lock.devices.keys().map(ToString::to_string).collect();
    let (mut winners, mut notes, mut there) = (Vec::new(), Vec::new(), Vec::new());
    for found in found {
        let key = &found.spec.key.text;
        for (device, problems) in lock.kernels.get(key).into_iter().flatten() {
            let places = problems.iter();
            there.extend(places.map(|(problem, _)| format!("{key} ({problem}) on {device}")));
            let meant = filter.has_device(device.as_str(), &devices);
            let Some(facts) = lock.devices.get(device).filter(|_| meant) else {
                continue;
            };
            let plan = Plan::new(found.clone(), &env.manifest_dir, facts)?;
            for problem in &plan.problems {
                let meant = filter.has_problem(&problem.key);
                let Some(entry) = problems.get(&problem.key).filter(|_| meant) else {
                    continue;
                };
                match winner(&plan, facts, device, &problem.key, entry) {
                    Ok(winner) => winners.push(winner),
                    Err(why) => notes.push(format!(
                        "{key} ({}) on {device} is left out: {why}; `cargo bico tune` there mends it",
                        problem.label
                    )),
                }
            }
        }
    }
    match winners.is_empty() {
        true => Err(none(&there, filter, notes)),
        false => Ok((winners, notes)),
    }
}

fn none(there: &[String], filter: &Filter, notes: Vec<String>) -> Error {
    let asked = filter.described();
    // Those that are meant and left out have notes.
    let there = if notes.is_empty() { there } else { &[] };
    let mut text = format!("bico.lock has no winner{asked} that can be exported");
    for note in notes {
        text += &format!("\n  = note: {note}");
    }
    Error::Work(text).help(Filter::help(there, "`cargo bico tune` finds some".into()))
}

fn winner(
    plan: &Plan,
    facts: &Facts,
    device: &DeviceKey,
    problem: &str,
    entry: &Entry,
) -> Result<Winner, String> {
    let changed = entry.hashes.changed(&plan.hashes);
    if !changed.is_empty() {
        return Err(format!("stale, changed since: {}", changed.join(", ")));
    }
    let spec = &plan.found.spec;
    let values = stored::values(spec, &entry.winner.config);
    let values = values.ok_or("its parameters are not those of the tunable")?;
    let known = plan.problems.iter().find(|known| known.key == problem);
    let scope = &known.ok_or("no such problem")?.scope;
    let told = |error: bico_syntax::bind::SpaceError| error.message;
    let bound = Bound::new(spec, facts, scope).map_err(told)?;
    if let Some(why) = bound.rules.why_not(&values) {
        return Err(format!("its config is not in the space: {why}"));
    }
    let passes = bound.passes(&values).map_err(told)?;
    let own = spec.kernels[bound.kernel(&values)].source.flags().len();
    let config = bico_core::own(bound.names(), &values);
    let config = config.map(|(name, value)| (name.to_string(), value));
    Ok(Winner {
        key: plan.key().to_string(),
        device: device.to_string(),
        capability: match facts {
            Facts::Cuda(facts) => Some(facts.compute_capability),
            Facts::Cpu(_) => None,
        },
        problem: problem.to_string(),
        entries: bound.entries(&values).map_err(told)?,
        config: config.collect(),
        defines: bound.defines(&values),
        flags: bound.flags(&values).split_off(own),
        launches: passes.iter().filter_map(|pass| pass.dims).collect(),
        seconds: entry.winner.seconds,
        verified: entry.verified.name(entry.rules),
    })
}

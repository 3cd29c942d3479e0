//! Trails of the parts of searches made into one: what `cargo bico merge` does with trails.
//!
//! Parts do not overlap, so that the joined trail is that of one search which measured the parts' configs in turns. Where
//! the device is here, the best are measured again in finals, against each other and on one machine, and the lock gets its
//! entry as from any search.

mod part;

use crate::live::{Display, Format};
use crate::names::plain;
use crate::{Error, package};
use bico_build::env::Env;
use bico_build::files::written;
use bico_build::lock::Config;
use bico_build::scan::Found;
use bico_build::tuner::devices::Devices;
use bico_build::tuner::plan::Plan;
use bico_build::tuner::{self, Asked, Joined, service, stored};
use bico_core::device::Facts;
use bico_search::space::Space;
use bico_syntax::bind::Bound;
use part::{Name, Part, Row};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

/// Joins trails, holds the finals of searches whose device is here, and says of which it is not.
///
/// # Errors
///
/// A trail is none of a part, of another kernel or another state of it, or parts do not belong together; or the finals fail.
pub(crate) fn join(env: Env, files: &[PathBuf]) -> Result<(), Error> {
    let mut parts: BTreeMap<Name, Vec<Part>> = BTreeMap::new();
    for file in files {
        for part in part::read(file)? {
            parts.entry(part.name.clone()).or_default().push(part);
        }
    }
    let found = package::tunables(&env, &[])?;
    let is_cuda = found.iter().any(|of| of.spec.is_cuda());
    let devices = Devices::find(&env, is_cuda, &service(&env));
    let (mut joined, mut elsewhere) = (Vec::new(), Vec::new());
    for (name, parts) in &parts {
        let found = tunable(&found, name, parts)?;
        let facts = devices.facts(found.spec.language());
        let plan = Plan::new(found.clone(), &env.manifest_dir, facts)?;
        fit(&plan, name, parts)?;
        whole(name, parts)?;
        let rows = in_turns(parts);
        let here = devices.of(found.spec.language()).iter();
        let mut here = here.map(|target| &target.facts);
        match here.find(|facts| facts.key().as_str() == name.device) {
            Some(facts) => joined.push(numbered(&plan, facts, name, rows)?),
            None => elsewhere.push((plan.trail(&env), name, rows)),
        }
    }
    for (trail, name, rows) in &elsewhere {
        put(trail, name, rows)?;
    }
    let result = match joined.is_empty() {
        true => Ok(()),
        false => finals(env, joined),
    };
    for (trail, name, rows) in &elsewhere {
        eprintln!(
            "note: {}: {} configs in {}, without finals and without an entry in bico.lock: {} is not here\n  = help: run the same command on a machine that has it, or with BICO_RUNNER=\"srun --gpus=1\" or the like",
            shown(name),
            rows.len(),
            trail.display(),
            plain(&name.device)
        );
    }
    result
}

/// `gemm (n=4) on NVIDIA H100 (sm_90)`
fn shown(name: &Name) -> String {
    let Name {
        kernel,
        problem,
        device,
    } = name;
    plain(&format!("{kernel} ({problem}) on {device}"))
}

fn tunable<'f>(found: &'f [Found], name: &Name, parts: &[Part]) -> Result<&'f Found, Error> {
    let known = found.iter().find(|of| of.spec.key.text == name.kernel);
    known.ok_or_else(|| {
        let keys: Vec<&str> = found.iter().map(|of| of.spec.key.text.as_str()).collect();
        let (file, kernel) = (
            plain(&parts[0].file.display().to_string()),
            plain(&name.kernel),
        );
        Error::Work(format!(
            "{file} is a trail of `{kernel}`, which the package does not have"
        ))
        .help(format!(
            "there are: {}; name another package by `--manifest-path`",
            keys.join(", ")
        ))
    })
}

/// Whether parts are of the kernel as it stands in the sources.
fn fit(plan: &Plan, name: &Name, parts: &[Part]) -> Result<(), Error> {
    let own = plan.hashes.kernel().to_string();
    if let Some(part) = parts.iter().find(|part| part.hash != own) {
        let file = plain(&part.file.display().to_string());
        return Err(Error::Work(format!(
            "{file} is of another state of `{}`: its source, space, launch or flags changed since",
            plan.key()
        ))
        .help("check out the sources that were tuned, or tune all parts again"));
    }
    if !plan.problems.iter().any(|of| of.key == name.problem) {
        let (key, problem) = (plan.key(), plain(&name.problem));
        return Err(Error::Work(format!(
            "`{key}` has no problem ({problem}) any more"
        )));
    }
    Ok(())
}

/// Whether parts are those of one search; warns of those that are not there.
fn whole(name: &Name, parts: &[Part]) -> Result<(), Error> {
    let of = parts[0].shard.of;
    let file = |part: &Part| plain(&part.file.display().to_string());
    let mut known: BTreeMap<u64, &Part> = BTreeMap::new();
    for part in parts {
        if part.shard.of != of {
            return Err(Error::Work(format!(
                "{} is part {} and {} part {}: they share configs, and do not belong together",
                file(&parts[0]),
                parts[0].shard,
                file(part),
                part.shard
            ))
            .help("name the trails of one job array only"));
        }
        if let Some(other) = known.insert(part.shard.number, part) {
            return Err(Error::Work(format!(
                "part {} of {} stands in {} and in {}",
                part.shard,
                shown(name),
                file(other),
                file(part)
            ))
            .help("name one of them"));
        }
    }
    let missing = (1..=of).filter(|number| !known.contains_key(number));
    let missing: Vec<String> = missing.map(|number| format!("{number}/{of}")).collect();
    if !missing.is_empty() {
        let (some, more) = missing.split_at(missing.len().min(16));
        let more = match more.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        eprintln!(
            "warning: {} has no part {}{more}: of their configs nothing is known, unless they have none",
            shown(name),
            some.join(", ")
        );
    }
    Ok(())
}

/// The rows of all parts, as if they had been measured in turns.
fn in_turns(parts: &[Part]) -> Vec<Row> {
    let mut parts: Vec<&Part> = parts.iter().collect();
    parts.sort_by_key(|part| part.shard.number);
    let most = parts.iter().map(|part| part.rows.len()).max().unwrap_or(0);
    let rows = (0..most).flat_map(|at| parts.iter().filter_map(move |part| part.rows.get(at)));
    rows.cloned().collect()
}

/// The rows with the numbers that their configs have on the device that is here.
fn numbered(plan: &Plan, facts: &Facts, name: &Name, rows: Vec<Row>) -> Result<Joined, Error> {
    let spec = &plan.found.spec;
    let problem = plan.problems.iter().find(|of| of.key == name.problem);
    let scope = problem.map(|of| of.scope.clone()).unwrap_or_default();
    let bound = Bound::new(spec, facts, &scope).map_err(Error::work)?;
    let space = Space::new(&bound).map_err(Error::work)?;
    let mut joined = Joined {
        key: name.kernel.clone(),
        problem: name.problem.clone(),
        device: name.device.clone(),
        configs: Vec::new(),
        seconds: rows.iter().map(Row::spent).fold(0.0, f64::max),
        rows: Vec::new(),
    };
    let mut left_out = 0;
    for mut row in rows {
        match number(spec, &space, &row) {
            Some(number) if !joined.configs.contains(&number) => {
                row.set("config", number);
                joined.configs.push(number);
                joined.rows.push(row.line());
            }
            _ => left_out += 1,
        }
    }
    if left_out > 0 {
        let name = shown(name);
        eprintln!("note: {name}: {left_out} configs are none of the space here, and are left out");
    }
    Ok(joined)
}

fn number(spec: &bico_syntax::TunableSpec, space: &Space, row: &Row) -> Option<u64> {
    let mut config = Config::default();
    for (name, value) in &row.values {
        config.insert(name.clone(), crate::exchange::stored(value)?);
    }
    space.index_of(&stored::values(spec, &config)?)
}

/// Writes rows into a trail in place of what it has of the same search.
fn put(trail: &std::path::Path, name: &Name, rows: &[Row]) -> Result<(), Error> {
    let text = std::fs::read_to_string(trail).unwrap_or_default();
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let head = format!(
        "{{\"problem\":{},\"device\":{},",
        quoted(&name.problem),
        quoted(&name.device)
    );
    let others = text
        .split_inclusive('\n')
        .filter(|line| !line.starts_with(&head));
    let mut text: String = others.collect();
    let mut best: Option<(u64, f64)> = None;
    for (row, evaluation) in rows.iter().zip(1..) {
        let mut row = row.clone();
        if let (Some(config), Some(seconds)) = (row.config(), row.seconds())
            && best.is_none_or(|(_, best)| seconds < best)
        {
            best = Some((config, seconds));
        }
        row.set("evaluation", evaluation);
        let best = best
            .map(|(config, seconds)| serde_json::json!({ "config": config, "seconds": seconds }));
        row.set("best", best.unwrap_or_default());
        let _ = writeln!(text, "{}", row.line());
    }
    written(trail, text.as_bytes()).map_err(Error::work)?;
    Ok(())
}

/// Holds the finals, and writes trails and entries as a search does.
fn finals(env: Env, joined: Vec<Joined>) -> Result<(), Error> {
    package::make_target(&env)?;
    for of in &joined {
        let count = of.configs.len();
        let name = format!("{} ({}) on {}", of.key, of.problem, of.device);
        eprintln!("{name}: {count} configs of its parts; the best are measured again");
    }
    let display = Display::new(Format::Human);
    let mut only: Vec<String> = joined.iter().map(|of| of.key.clone()).collect();
    only.dedup();
    let asked = Asked {
        only,
        joined,
        ..Asked::default()
    };
    let (warnings, result) = tuner::command(env, asked, display.listener());
    warnings.iter().for_each(|warning| display.warn(warning));
    Ok(result?)
}

//! What is known of a package's searches: their trails, else the best trials that the lock keeps.

use super::Filter;
use super::trail::{self, Parameters};
use crate::replay::{Entry, Record, Status, Table};
use crate::trail::{Trail, hash_now};
use crate::{Error, package};
use bico_build::env::Env;
use bico_build::lock::{self, Lock};
use bico_build::scan::Found;
use bico_build::tuner::plan::Plan;
use bico_build::tuner::stored;
use bico_core::Value;
use bico_search::space::Space;
use bico_syntax::bind::Bound;

/// The searches that are asked for, with notes for people.
///
/// # Errors
///
/// The package, its lock or a trail cannot be read, or nothing is there.
pub(crate) fn searches(
    env: &Env,
    only: &[String],
    filter: &Filter,
) -> Result<(Vec<Table>, Vec<String>), Error> {
    let found = package::tunables(env, only)?;
    let lock = lock::load(&env.manifest_dir.join("bico.lock")).map_err(Error::work)?;
    let lock = lock.unwrap_or_default();
    let (mut all, mut outdated) = (Vec::new(), Vec::new());
    for found in found {
        of_tunable(env, &lock, found, &mut all, &mut outdated)?;
    }
    let devices = all.iter().map(|table| &table.device);
    let devices = devices.chain(outdated.iter().map(|(_, trail)| &trail.device));
    let is_meant = filter.among(devices.cloned().collect());
    let mut notes = Vec::new();
    for (key, trail) in &outdated {
        let note = trail.note(key);
        notes.extend(note.filter(|_| is_meant(&trail.device, &trail.problem)));
    }
    let place = |table: &Table| format!("{} ({}) on {}", table.kernel, table.problem, table.device);
    let there: Vec<String> = all.iter().map(place).collect();
    all.retain(|table| is_meant(&table.device, &table.problem));
    for table in &mut all {
        let (of, notes_of) = (place(table), std::mem::take(&mut table.notes));
        notes.extend(notes_of.iter().map(|note| format!("{of}: {note}")));
    }
    if all.is_empty() {
        let error = Error::Work(format!("no search is known{}", filter.described()));
        let folder = env.trail_dir();
        let none = format!(
            "`cargo bico tune` makes one; its trail lies in {}",
            folder.display()
        );
        return Err(error.help(Filter::help(&there, none)));
    }
    Ok((all, notes))
}

fn of_tunable(
    env: &Env,
    lock: &Lock,
    found: Found,
    all: &mut Vec<Table>,
    outdated: &mut Vec<(String, Trail)>,
) -> Result<(), Error> {
    let key = found.spec.key.text.clone();
    let known = |device: &str, problem: &str| space(env, lock, &found, device, problem);
    let path = env
        .trail_dir()
        .join(format!("{}.jsonl", bico_syntax::file_stem(&key)));
    let first = all.len();
    if path.is_file() {
        let (now, mut gone) = (|| hash_now(env, &found), Vec::new());
        all.extend(trail::read(&path, &key, &known, &now, &mut gone)?);
        outdated.extend(gone.into_iter().map(|trail| (key.clone(), trail)));
    }
    for (device, problems) in lock.kernels.get(&key).into_iter().flatten() {
        for (problem, entry) in problems {
            let is = |of: &Table| of.device == device.as_str() && of.problem == *problem;
            if all[first..].iter().any(is) {
                continue;
            }
            let mut table = Table {
                kernel: key.clone(),
                device: device.to_string(),
                problem: problem.clone(),
                parameters: known(device.as_str(), problem).unwrap_or_default(),
                ..Table::default()
            };
            let listed = !table.parameters.is_empty();
            let mut rows: Vec<(Vec<Value>, f64)> = Vec::new();
            for trial in stored::trials(entry) {
                let Some(values) = stored::values(&found.spec, &trial.config) else {
                    continue;
                };
                if !rows.iter().any(|(known, _)| *known == values) {
                    rows.push((values, trial.seconds));
                }
            }
            if !listed {
                let names = found.spec.parameters.iter();
                table.parameters = names.map(|of| (of.name.text.clone(), Vec::new())).collect();
            }
            for (values, seconds) in rows {
                table
                    .rows
                    .extend(row(&mut table.parameters, &values, seconds, listed));
            }
            table.notes.push(format!(
                "there is no trail of it here, these are the best {} that bico.lock keeps",
                table.rows.len()
            ));
            all.push(table);
        }
    }
    Ok(())
}

/// A trial of the lock; `None` where its config is not in the space.
fn row(parameters: &mut Parameters, values: &[Value], seconds: f64, listed: bool) -> Option<Entry> {
    let mut config = Vec::with_capacity(values.len());
    for ((_, known), value) in parameters.iter_mut().zip(values) {
        let place = known.iter().position(|one| one == value);
        let place = place.or_else(|| {
            known.extend((!listed).then_some(*value));
            (!listed).then(|| known.len() - 1)
        });
        config.push(u32::try_from(place?).ok()?);
    }
    let record = Record {
        time: Some(seconds),
        status: Status::Ok,
        ..Record::default()
    };
    Some(Entry { config, record })
}

/// The parameters of a search with all values that they have in its space. `None` where the lock has no facts of the
/// device, or the space is not to be had.
fn space(env: &Env, lock: &Lock, found: &Found, device: &str, problem: &str) -> Option<Parameters> {
    let facts = lock.devices.get(device)?;
    let plan = Plan::new(found.clone(), &env.manifest_dir, facts).ok()?;
    let problem = plan.problems.iter().find(|known| known.key == problem)?;
    let bound = Bound::new(&plan.found.spec, facts, &problem.scope).ok()?;
    let space = Space::new(&bound).ok()?;
    let names = space.names().iter().enumerate();
    Some(
        names
            .map(|(at, name)| (name.clone(), space.values(at).to_vec()))
            .collect(),
    )
}

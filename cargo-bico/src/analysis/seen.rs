//! What is known of a tunable's searches: their trails, and what the lock keeps of others.

use super::place::Places;
use crate::analyse::{Enough, Measured, Search, Tried, enough};
use crate::exchange::stored as json;
use crate::trail::{self, Row, Trail};
use crate::{Error, names::plain};
use bico_build::env::Env;
use bico_build::lock::{Config, Kernel};
use bico_build::scan::Found;
use bico_build::tuner::stored;
use bico_core::{bare, own_name};
use bico_syntax::file_stem;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

/// All that is known of one problem on one device.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) search: Search,
    /// How much of the budget was enough, for each trail.
    pub(super) enough: Vec<Enough>,
    /// Rows of configs that are not the tunable's any more.
    pub(super) left_out: usize,
}

/// The trails of tunables that somebody named, by keys.
///
/// # Errors
///
/// A file is not there, or it cannot be told whose it is.
pub(crate) fn by_tunable(
    files: &[PathBuf],
    tunables: &[Found],
) -> Result<BTreeMap<String, Vec<PathBuf>>, Error> {
    let keys: Vec<&str> = tunables
        .iter()
        .map(|of| of.spec.key.text.as_str())
        .collect();
    let mut named: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for file in files {
        if !file.is_file() {
            let shown = plain(&file.display().to_string());
            return Err(Error::Usage(format!("there is no trail {shown}")));
        }
        let key = owner(file, &keys)?;
        named.entry(key.to_string()).or_default().push(file.clone());
    }
    Ok(named)
}

/// Whose trail a file is: by its name, as bico gives it, else of the only tunable.
fn owner<'k>(file: &Path, keys: &[&'k str]) -> Result<&'k str, Error> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let begins = |key: &&&str| name.starts_with(&format!("{}.", file_stem(key)));
    let longest = keys.iter().filter(begins).max_by_key(|key| key.len());
    match (longest, keys) {
        (Some(key), _) | (None, [key]) => Ok(key),
        (None, _) => {
            let (shown, all) = (plain(&file.display().to_string()), keys.join(", "));
            let error = Error::Usage(format!("{shown} does not say which kernel's trail it is"));
            Err(error.help(format!("name one kernel of {all} before it")))
        }
    }
}

/// The searches of a tunable: those of its own trail, of `files`, and what the lock has of others; and trails that are left out
/// as they are of another state of its kernel.
///
/// # Errors
///
/// A trail cannot be read.
pub(super) fn seen(
    env: &Env,
    places: &Places<'_>,
    locked: Option<&Kernel>,
    files: &[PathBuf],
) -> Result<(Vec<Seen>, Vec<Trail>), Error> {
    let spec = &places.found.spec;
    let own = format!("{}.jsonl", file_stem(&spec.key.text));
    let mut paths = vec![env.trail_dir().join(own)];
    for file in files {
        let same = |of: &PathBuf| of.canonicalize().ok() == file.canonicalize().ok();
        if !paths.iter().any(same) {
            paths.push(file.clone());
        }
    }
    let (mut all, mut outdated): (Vec<Seen>, _) = (Vec::new(), Vec::new());
    for path in &paths {
        let mut trails = trail::read(path)?.unwrap_or_default();
        // Another machine's headers are its own, and so is the hash.
        if *path == paths[0] {
            let now = || trail::hash_now(env, places.found);
            outdated = trail::take_outdated(&mut trails, &now);
        }
        for trail in trails {
            add(&mut all, places, trail);
        }
    }
    for (device, problems) in locked.into_iter().flatten() {
        for (problem, entry) in problems {
            let is =
                |of: &Seen| of.search.device == device.as_str() && of.search.problem == *problem;
            if !all.iter().any(is) {
                let mut search = Search {
                    problem: problem.clone(),
                    device: device.to_string(),
                    ..Search::default()
                };
                for trial in stored::trials(entry) {
                    let seconds = Some(trial.seconds);
                    let values = own_values(places, &search, &trial.config);
                    let known = |of: &Measured| Some(&of.values) == values.as_ref();
                    if !search.configs.iter().any(known) {
                        let config = values.map(|values| Measured { values, seconds });
                        search.configs.extend(config);
                    }
                }
                all.push(Seen {
                    search,
                    enough: Vec::new(),
                    left_out: 0,
                });
            }
        }
    }
    Ok((all, outdated))
}

/// Adds a trail to what is known of its problem and device.
fn add(all: &mut Vec<Seen>, places: &Places<'_>, trail: Trail) {
    let is = |of: &Seen| of.search.device == trail.device && of.search.problem == trail.problem;
    let at = all.iter().position(is).unwrap_or_else(|| {
        all.push(Seen {
            search: Search {
                problem: trail.problem.clone(),
                device: trail.device.clone(),
                configs: Vec::new(),
                is_whole: true,
            },
            enough: Vec::new(),
            left_out: 0,
        });
        all.len() - 1
    });
    let seen = &mut all[at];
    // What was measured last counts: the finals hold the best to it once more.
    let mut last: HashMap<u64, Option<f64>> = HashMap::new();
    for row in &trail.rows {
        last.insert(row.config, time(row));
    }
    let mut trials = Vec::new();
    for row in &trail.rows {
        let Some(seconds) = last.get(&row.config).copied() else {
            continue;
        };
        if !matches!(row.kind.as_str(), "final" | "judged") {
            trials.push(Tried {
                evaluation: row.evaluation,
                spent: row.spent,
                seconds,
            });
        }
        let Some(values) = values(places, &seen.search, row) else {
            seen.left_out += 1;
            continue;
        };
        let known = seen.search.configs.iter_mut();
        match { known }.find(|of| of.values == values) {
            // Another search measured it, too: the better time, for machines are slow at times.
            Some(known) => {
                known.seconds = match (known.seconds, seconds) {
                    (Some(a), Some(b)) => Some(a.min(b)),
                    (a, b) => a.or(b),
                }
            }
            None => seen.search.configs.push(Measured { values, seconds }),
        }
    }
    seen.enough.extend(enough(&trials));
}

fn time(row: &Row) -> Option<f64> {
    row.seconds.filter(|_| row.failure.is_none())
}

/// The values of a row's config, in the order of the parameters; `None` where the space has no such config.
fn values(places: &Places<'_>, search: &Search, row: &Row) -> Option<Vec<String>> {
    let mut config = Config::default();
    for (name, value) in &row.values {
        config.insert(name.clone(), json(value)?);
    }
    own_values(places, search, &config)
}

/// The same of a config as the lock holds it. A value is empty where the config's variant has no such parameter.
fn own_values(places: &Places<'_>, search: &Search, config: &Config) -> Option<Vec<String>> {
    let spec = &places.found.spec;
    let values = stored::values(spec, config)?;
    let place = places.at(&search.device, &search.problem);
    if place.is_some_and(|place| place.space.index_of(&values).is_none()) {
        return None;
    }
    let each = spec.parameters.iter().zip(&values);
    let shown = each.map(|(parameter, value)| {
        let own = own_name(&parameter.name.text, &values);
        own.map_or_else(String::new, |_| bare(*value))
    });
    Some(shown.collect())
}

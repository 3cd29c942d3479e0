//! What `cargo bico report` does: a package's trails and its lock as one HTML file that needs nothing else.
//!
//! ```text
//! search    a search as its trail tells it
//! promise   what its budget guarantees
//! chart     axes and marks, drawn
//! figures   the charts, with their findings and data
//! section   a tunable; a search
//! page      the whole file, with style sheet and script
//! text      what comes from outside, escaped
//! ```

mod chart;
mod figures;
mod page;
mod promise;
mod search;
mod section;
mod text;

#[cfg(test)]
mod tests;

pub(crate) use page::html;

use crate::names::{self, plain};
use crate::out::tell;
use crate::{Error, package, trail};
use bico_build::env::Env;
use bico_build::lock::{self, Kernel};
use bico_build::scan::Found;
use bico_core::device::DeviceKey;
use bico_syntax::file_stem;
use search::Search;

/// What a report is of.
pub(crate) struct Report {
    package: String,
    tunables: Vec<Tunable>,
}

/// A tunable.
struct Tunable {
    key: String,
    /// What the lock has of it.
    kernel: Kernel,
    /// The searches whose trails are there.
    searches: Vec<Search>,
    /// Where the trail is, or would be, as seen from the target folder.
    place: String,
    /// Whether the sources have it.
    is_found: bool,
    /// Its parameters, as the attribute lists them.
    parameters: Vec<String>,
}

fn parameters(found: &Found) -> Vec<String> {
    let parameters = found.spec.parameters.iter();
    parameters.map(|of| of.name.text.clone()).collect()
}

impl Report {
    /// Reads what there is of a package's tunables, `only` of those of these keys, if there are any.
    ///
    /// # Errors
    ///
    /// The package or its lock cannot be read, a trail is faulty, there is no such tunable, or there is nothing to report.
    pub(crate) fn new(env: &Env, only: &[String]) -> Result<Report, Error> {
        let lock = lock::load(&env.manifest_dir.join("bico.lock")).map_err(Error::work)?;
        let lock = lock.unwrap_or_default();
        let found = package::tunables(env, &[])?;
        let in_sources = found.iter().map(|found| found.spec.key.text.clone());
        let mut keys: Vec<String> = in_sources.chain(lock.kernels.keys().cloned()).collect();
        keys.sort();
        keys.dedup();
        names::known(
            names::LOCKED,
            "tunable",
            only,
            keys.iter().map(String::as_str),
        )?;
        keys.retain(|key| only.is_empty() || only.contains(key));
        let mut tunables = Vec::new();
        for key in keys {
            let spec = found.iter().find(|found| found.spec.key.text == key);
            let file = format!("{}.jsonl", file_stem(&key));
            let mut trails = trail::read(&env.trail_dir().join(&file))?.unwrap_or_default();
            let now = || trail::hash_now(env, spec?);
            trail::mark_outdated(&mut trails, &now);
            tell(trails.iter().filter_map(|trail| trail.note(&key)));
            let kernel = lock.kernels.get(&key).cloned().unwrap_or_default();
            let is_score = spec.is_some_and(|found| found.spec.score.is_some());
            let search = |trail: trail::Trail| {
                let device = kernel.get(&DeviceKey::new(trail.device.clone()));
                let entry = device.and_then(|problems| problems.get(&trail.problem));
                Search::new(trail, entry, is_score)
            };
            tunables.push(Tunable {
                searches: trails.into_iter().map(search).collect(),
                place: format!("bico/{}/{file}", env.package),
                is_found: spec.is_some(),
                parameters: spec.map(parameters).unwrap_or_default(),
                kernel,
                key,
            });
        }
        let is_empty = |of: &Tunable| of.kernel.keys().next().is_none() && of.searches.is_empty();
        if tunables.iter().all(is_empty) {
            let package = plain(&env.package);
            return Err(Error::Work(format!(
                "there is nothing to report of `{package}`: no bico.lock and no trail\n  = help: `cargo bico tune` measures its kernels, and leaves both"
            )));
        }
        Ok(Report {
            package: env.package.clone(),
            tunables,
        })
    }
}

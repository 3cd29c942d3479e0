//! Which hashes the package's sources have.

use super::Place;
use crate::{Error, package};
use bico_build::env::Env;
use bico_build::lock::{Entry, Hashes, Lock};
use bico_build::scan::Found;
use bico_build::tuner::plan::Plan;
use std::collections::BTreeMap;

/// What to do where they cannot be read.
const MEND: &str = "  = help: locks of different kernels are held against the sources: mend those first, then run `cargo bico merge` again";

/// A package's sources, read when they are asked for.
pub(crate) struct Sources {
    env: Env,
    found: Option<Vec<Found>>,
    /// Files in conflict: what they will be is not known.
    unmerged: Vec<String>,
    /// By tunable; `None` where there is none of that key.
    hashes: BTreeMap<String, Option<Hashes>>,
}

impl Sources {
    /// `unmerged` are files of which git holds several versions yet.
    pub(crate) fn new(env: Env, unmerged: Vec<String>) -> Sources {
        Sources {
            env,
            found: None,
            unmerged,
            hashes: BTreeMap::new(),
        }
    }

    /// Whether an entry is one of the kernel as it stands in the sources.
    ///
    /// # Errors
    ///
    /// They have a mistake.
    pub(crate) fn fit(&mut self, place: &Place, lock: &Lock, entry: &Entry) -> Result<bool, Error> {
        if !self.hashes.contains_key(&place.tunable) {
            let hashes = self.read(place, lock);
            let hashes = hashes.map_err(|error| {
                let error = error.to_string();
                Error::Work(format!("{}\n{MEND}", error.trim_end()))
            })?;
            self.hashes.insert(place.tunable.clone(), hashes);
        }
        let known = self.hashes.get(&place.tunable).and_then(Option::as_ref);
        Ok(known.is_some_and(|known| entry.hashes.changed(known).is_empty()))
    }

    fn read(&mut self, place: &Place, lock: &Lock) -> Result<Option<Hashes>, Error> {
        if !self.unmerged.is_empty() {
            let unmerged = self.unmerged.join("`, `");
            return Err(Error::Work(format!("`{unmerged}` is in conflict as well")));
        }
        let found = match self.found.take() {
            Some(found) => found,
            None => package::tunables(&self.env, &[])?,
        };
        let found = self.found.insert(found);
        let mut found = found.iter();
        let of = found.find(|found| found.spec.key.text == place.tunable);
        let (Some(of), Some(facts)) = (of, lock.devices.get(&place.device)) else {
            return Ok(None);
        };
        // The hashes are the same on any device.
        let plan = Plan::new(of.clone(), &self.env.manifest_dir, facts)?;
        Ok(Some(plan.hashes))
    }
}

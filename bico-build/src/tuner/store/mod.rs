//! Where results are kept: the committed lock, and what stays on this machine.
//!
//! A contributor's CPU that the committed lock does not know must not dirty it, so what `auto`
//! finds there is kept beside the build and in the user's cache, in the same format.

#[cfg(feature = "tune")]
mod keep;

use crate::env::{Env, Mode};
use crate::lock::{self, Entry, Lock};
use bico_core::device::{DeviceKey, Facts};
use std::path::PathBuf;
use std::time::SystemTime;

/// The committed lock and this machine's own.
// Where nothing is measured, nothing is kept.
#[cfg_attr(not(feature = "tune"), expect(dead_code))]
#[cfg_attr(feature = "workers", derive(Clone))]
pub struct Store {
    /// `bico.lock` beside `Cargo.toml`.
    pub committed: Lock,
    /// Whether that file is there.
    pub exists: bool,
    local: Lock,
    path: PathBuf,
    local_paths: Vec<PathBuf>,
    start: SystemTime,
    /// Why `bico.lock` cannot be written, where it should have been.
    pub(super) unwritable: Option<lock::Error>,
    /// Entries that go with the next result: key, device and problem.
    discarded: Vec<(String, DeviceKey, String)>,
    /// The only device of which it hears anything new, where others are tuned at the same time.
    device: Option<DeviceKey>,
}

impl Store {
    /// Reads the locks. Local files that cannot be read are somebody's leftovers and count as empty.
    pub fn open(env: &Env, start: SystemTime) -> Result<Store, lock::Error> {
        let path = env.manifest_dir.join("bico.lock");
        let committed = lock::load(&path)?;
        let state_dir = env.state_dir();
        let file = format!("{}.lock", env.package);
        let mut local_paths = vec![state_dir.join("local").join(&file)];
        let cache = env.cache_dir.as_ref();
        local_paths.extend(cache.map(|dir| dir.join("build").join(&file)));
        let mut local = Lock::default();
        // The nearer file wins: it is overlaid last.
        for path in local_paths.iter().rev() {
            if let Ok(Some(found)) = lock::load(path) {
                local.overlay(found);
            }
        }
        let known = committed.as_ref().map(|lock| &lock.kernels);
        // What stays on this machine stands in for a device that the lock lacks, never for the lock: a
        // deleted one is tuned and written again, and `locked` does not pass without one. But one that
        // cannot be written is not asked for again and again.
        let is_known = |key: &String| known.is_some_and(|known| known.get(key).is_some());
        let stands_in = matches!(env.mode, Mode::Auto | Mode::Off)
            && !local.kernels.keys().all(is_known)
            && lock::writable(&path).is_err();
        if !stands_in {
            local.kernels.retain(|key, _| is_known(key));
        }
        Ok(Store {
            unwritable: None,
            discarded: Vec::new(),
            device: None,
            exists: committed.is_some(),
            committed: committed.unwrap_or_default(),
            local,
            path,
            local_paths,
            start,
        })
    }

    /// The entry of a device: the committed one first.
    pub fn entry<'s>(&'s self, key: &str, device: &DeviceKey, problem: &str) -> Option<&'s Entry> {
        let find = |lock: &'s Lock| lock.kernels.get(key)?.get(device)?.get(problem);
        find(&self.committed).or_else(|| find(&self.local))
    }

    /// All entries of a problem with their device, committed ones first, one per device.
    pub fn entries(&self, key: &str, problem: &str) -> Vec<(&DeviceKey, &Entry)> {
        let mut found: Vec<(&DeviceKey, &Entry)> = Vec::new();
        for lock in [&self.committed, &self.local] {
            for (device, problems) in lock.kernels.get(key).into_iter().flatten() {
                if let Some(entry) = problems.get(problem)
                    && !found.iter().any(|(known, _)| *known == device)
                {
                    found.push((device, entry));
                }
            }
        }
        found
    }

    /// All entries of a tunable on a device with their problem, committed ones first, one per problem.
    #[cfg(feature = "tune")]
    pub(super) fn problems(&self, key: &str, device: &DeviceKey) -> Vec<(&str, &Entry)> {
        let mut found: Vec<(&str, &Entry)> = Vec::new();
        for lock in [&self.committed, &self.local] {
            let devices = lock.kernels.get(key);
            for (problem, entry) in devices.and_then(|of| of.get(device)).into_iter().flatten() {
                if !found.iter().any(|(known, _)| *known == problem) {
                    found.push((problem, entry));
                }
            }
        }
        found
    }

    /// Facts of a device that an entry names.
    pub(super) fn facts(&self, device: &DeviceKey) -> Option<&Facts> {
        let committed = self.committed.devices.get(device);
        committed.or_else(|| self.local.devices.get(device))
    }

    /// Forgets an entry. The committed file follows when the next result is written.
    pub(super) fn discard(&mut self, key: &str, device: &DeviceKey, problem: &str) {
        self.committed.remove(key, device, problem);
        self.local.remove(key, device, problem);
        let parts = (key.to_string(), device.clone(), problem.to_string());
        self.discarded.push(parts);
    }
}

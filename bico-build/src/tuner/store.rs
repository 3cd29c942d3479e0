//! Where results are kept: the committed lock, and what stays on this machine.
//!
//! A contributor's CPU that the committed lock does not know must not dirty it, so what `auto`
//! finds there is kept beside the build and in the user's cache, in the same format.

use crate::env::Env;
use crate::lock::{self, Entry, Lock};
use std::path::PathBuf;
use std::time::SystemTime;

/// The committed lock and this machine's own.
pub(super) struct Store {
    /// `bico.lock` beside `Cargo.toml`.
    pub committed: Lock,
    /// Whether that file is there.
    pub exists: bool,
    local: Lock,
    path: PathBuf,
    local_paths: Vec<PathBuf>,
    start: SystemTime,
}

/// Where a new result goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Home {
    /// Into `bico.lock`.
    Committed,
    /// It stays on this machine.
    Local,
}

impl Store {
    /// Reads the locks. Local files that cannot be read are somebody's leftovers and count as empty.
    pub(super) fn open(env: &Env, start: SystemTime) -> Result<Store, lock::Error> {
        let path = env.manifest_dir.join("bico.lock");
        let committed = lock::load(&path)?;
        let state_dir = env.state_dir();
        let file = format!("{}.lock", env.package);
        let mut local_paths = vec![state_dir.join("local").join(&file)];
        local_paths.extend(
            env.cache_dir
                .as_ref()
                .map(|dir| dir.join("build").join(&file)),
        );
        let mut local = Lock::default();
        // The nearer file wins: it is overlaid last.
        for path in local_paths.iter().rev() {
            if let Ok(Some(found)) = lock::load(path) {
                overlay(&mut local, found);
            }
        }
        let known = committed.as_ref().map(|lock| &lock.kernels);
        // What stays on this machine stands in for a device that the lock lacks, never for the lock: a
        // deleted one is tuned and written again, and `locked` does not pass without one.
        local
            .kernels
            .retain(|key, _| known.is_some_and(|known| known.contains_key(key)));
        Ok(Store {
            exists: committed.is_some(),
            committed: committed.unwrap_or_default(),
            local,
            path,
            local_paths,
            start,
        })
    }

    /// The entry of a device: the committed one first.
    pub(super) fn entry(&self, key: &str, device: &str, problem: &str) -> Option<&Entry> {
        find(&self.committed, key, device, problem)
            .or_else(|| find(&self.local, key, device, problem))
    }

    /// All entries of a problem with their device, committed ones first, one per device.
    pub(super) fn entries(&self, key: &str, problem: &str) -> Vec<(&str, &Entry)> {
        let mut found: Vec<(&str, &Entry)> = Vec::new();
        for lock in [&self.committed, &self.local] {
            for (device, problems) in lock.kernels.get(key).into_iter().flatten() {
                if let Some(entry) = problems.get(problem)
                    && !found.iter().any(|(known, _)| known == device)
                {
                    found.push((device, entry));
                }
            }
        }
        found
    }

    /// Facts of a device that an entry names.
    pub(super) fn facts(&self, device: &str) -> Option<&bico::device::Facts> {
        self.committed
            .devices
            .get(device)
            .or_else(|| self.local.devices.get(device))
    }

    /// Where `auto` puts a result: the committed lock, unless that knows the tunable on other
    /// devices only.
    pub(super) fn home(&self, key: &str, device: &str) -> Home {
        match self.committed.kernels.get(key) {
            Some(devices) if !devices.is_empty() && !devices.contains_key(device) => Home::Local,
            _ => Home::Committed,
        }
    }

    /// Keeps one result.
    pub(super) fn keep(
        &mut self,
        home: Home,
        key: &str,
        facts: &bico::device::Facts,
        problem: &str,
        entry: Entry,
    ) -> Result<(), lock::Error> {
        let device = facts.key();
        let insert = |lock: &mut Lock| {
            lock.devices.insert(device.clone(), facts.clone());
            let kernel = lock.kernels.entry(key.to_string()).or_default();
            kernel
                .entry(device.clone())
                .or_default()
                .insert(problem.to_string(), entry.clone());
        };
        match home {
            Home::Committed => {
                // The time is set back to the start of the run, so that the file, which cargo
                // watches, is not newer than the run that wrote it.
                let (lock, _) = lock::modify(&self.path, Some(self.start), insert)?;
                self.committed = lock;
                self.exists = true;
            }
            Home::Local => {
                insert(&mut self.local);
                for path in &self.local_paths {
                    // Kept on a best effort: a full or read-only cache must not fail a build.
                    let _ = keep_local(path, insert);
                }
            }
        }
        Ok(())
    }
}

fn keep_local(path: &std::path::Path, insert: impl Fn(&mut Lock)) -> Option<()> {
    std::fs::create_dir_all(path.parent()?).ok()?;
    if lock::load(path).is_err() {
        std::fs::remove_file(path).ok()?;
    }
    lock::modify(path, None, insert).ok()?;
    Some(())
}

fn find<'a>(lock: &'a Lock, key: &str, device: &str, problem: &str) -> Option<&'a Entry> {
    lock.kernels.get(key)?.get(device)?.get(problem)
}

fn overlay(below: &mut Lock, above: Lock) {
    below.devices.extend(above.devices);
    for (key, devices) in above.kernels {
        let kernel = below.kernels.entry(key).or_default();
        for (device, problems) in devices {
            kernel.entry(device).or_default().extend(problems);
        }
    }
}

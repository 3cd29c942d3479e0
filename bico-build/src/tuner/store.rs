//! Where results are kept: the committed lock, and what stays on this machine.
//!
//! A contributor's CPU that the committed lock does not know must not dirty it, so what `auto`
//! finds there is kept beside the build and in the user's cache, in the same format.

// A build that measures nothing needs a part of it.
#![cfg_attr(not(feature = "tune"), allow(dead_code))]

use crate::env::{Env, Mode};
use crate::lock::{self, Entry, Lock};
use bico_core::device::{DeviceKey, Facts};
use std::path::PathBuf;
use std::time::SystemTime;

/// The committed lock and this machine's own.
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
    unwritable: Option<lock::Error>,
    /// Entries that go with the next result: key, device and problem.
    discarded: Vec<(String, DeviceKey, String)>,
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
    pub fn open(env: &Env, start: SystemTime) -> Result<Store, lock::Error> {
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
        // deleted one is tuned and written again, and `locked` does not pass without one. But one that
        // cannot be written is not asked for again and again.
        let is_known = |key: &String| known.is_some_and(|known| known.contains_key(key));
        let stands_in = matches!(env.mode, Mode::Auto | Mode::Off)
            && !local.kernels.keys().all(is_known)
            && lock::writable(&path).is_err();
        if !stands_in {
            local.kernels.retain(|key, _| is_known(key));
        }
        Ok(Store {
            unwritable: None,
            discarded: Vec::new(),
            exists: committed.is_some(),
            committed: committed.unwrap_or_default(),
            local,
            path,
            local_paths,
            start,
        })
    }

    /// The entry of a device: the committed one first.
    pub fn entry(&self, key: &str, device: &DeviceKey, problem: &str) -> Option<&Entry> {
        find(&self.committed, key, device, problem)
            .or_else(|| find(&self.local, key, device, problem))
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

    /// Facts of a device that an entry names.
    pub(super) fn facts(&self, device: &DeviceKey) -> Option<&Facts> {
        self.committed
            .devices
            .get(device)
            .or_else(|| self.local.devices.get(device))
    }

    /// Finds out whether `bico.lock` can be written, before time is spent on what it shall hold.
    ///
    /// # Errors
    ///
    /// It cannot, and the mode asks for nothing else. Under `auto` results stay on this machine then.
    pub(super) fn try_write(&mut self, mode: Mode) -> Result<(), lock::Error> {
        match lock::writable(&self.path) {
            Err(error) if mode == Mode::Tune => {
                Err(error.help("`BICO=auto cargo build` keeps what it measures on this machine"))
            }
            other => {
                self.unwritable = other.err();
                Ok(())
            }
        }
    }

    /// Why results that belong into `bico.lock` stay on this machine, if they do.
    pub(super) fn unwritable(&self) -> Option<&str> {
        self.unwritable.as_ref().map(|error| error.message.as_str())
    }

    /// Where a result goes: `tune` writes it into the committed lock, `auto` too, unless that cannot be
    /// written, or knows the tunable on other CPUs only: every contributor has one. GPUs are few.
    pub(super) fn home(&self, mode: Mode, key: &str, facts: &Facts) -> Home {
        if self.unwritable.is_some() {
            return Home::Local;
        }
        match self.committed.kernels.get(key) {
            _ if mode == Mode::Tune || matches!(facts, Facts::Cuda(_)) => Home::Committed,
            Some(devices) if !devices.is_empty() && !devices.contains_key(&facts.key()) => {
                Home::Local
            }
            _ => Home::Committed,
        }
    }

    /// Forgets an entry of the committed lock. The file follows when the next result is written.
    pub(super) fn discard(&mut self, key: &str, device: &DeviceKey, problem: &str) {
        remove(&mut self.committed, key, device, problem);
        let parts = (key.to_string(), device.clone(), problem.to_string());
        self.discarded.push(parts);
    }

    /// Keeps one result.
    pub(super) fn keep(
        &mut self,
        home: Home,
        key: &str,
        facts: &Facts,
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
                let (lock, _) = lock::modify(&self.path, Some(self.start), |lock| {
                    for (key, device, problem) in self.discarded.drain(..) {
                        remove(lock, &key, &device, &problem);
                    }
                    insert(lock);
                })?;
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

fn find<'a>(lock: &'a Lock, key: &str, device: &DeviceKey, problem: &str) -> Option<&'a Entry> {
    lock.kernels.get(key)?.get(device)?.get(problem)
}

fn remove(lock: &mut Lock, key: &str, device: &DeviceKey, problem: &str) {
    let Some(devices) = lock.kernels.get_mut(key) else {
        return;
    };
    if let Some(problems) = devices.get_mut(device) {
        problems.remove(problem);
        if problems.is_empty() {
            devices.remove(device);
        }
    }
    if devices.is_empty() {
        lock.kernels.remove(key);
    }
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

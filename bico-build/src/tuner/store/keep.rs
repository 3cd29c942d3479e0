//! Where new results go, and how they get there.

use super::Store;
use crate::env::Mode;
use crate::lock::{self, Entry, Lock};
use bico_core::Map;
use bico_core::device::{DeviceKey, Facts};
use std::path::Path;

impl Store {
    /// One for a device whose results come while others' do: what was to be forgotten of it goes with those.
    #[cfg(feature = "workers")]
    pub(in crate::tuner) fn beside(&mut self, device: &DeviceKey) -> Store {
        let all = std::mem::take(&mut self.discarded).into_iter();
        let (own, others) = all.partition(|(_, of, _)| of == device);
        self.discarded = others;
        Store {
            discarded: own,
            device: Some(device.clone()),
            ..self.clone()
        }
    }

    /// Takes over what became of its device there.
    #[cfg(feature = "workers")]
    pub(in crate::tuner) fn join(&mut self, other: Store) {
        if let Some(device) = &other.device {
            take(&mut self.committed, other.committed, device);
            take(&mut self.local, other.local, device);
        }
        self.exists |= other.exists;
        self.discarded.extend(other.discarded);
    }

    /// This is in the file. What others wrote meanwhile is for other runs: searches do not depend on when it was.
    fn reread(&mut self, lock: Lock) {
        match &self.device {
            Some(device) => take(&mut self.committed, lock, device),
            None => self.committed = lock,
        }
    }

    /// Finds out whether `bico.lock` can be written, before time is spent on what it shall hold.
    ///
    /// # Errors
    ///
    /// It cannot, and the mode asks for nothing else. Under `auto` results stay on this machine then.
    pub(in crate::tuner) fn try_write(&mut self, mode: Mode) -> Result<(), lock::Error> {
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

    /// Keeps one result; says whether in `bico.lock`. `tune` writes it there, `auto` too, unless that cannot be
    /// written, or knows the tunable on other CPUs only: every contributor has one. GPUs are few.
    pub(in crate::tuner) fn keep(
        &mut self,
        mode: Mode,
        key: &str,
        facts: &Facts,
        problem: &str,
        entry: Entry,
    ) -> Result<bool, lock::Error> {
        let device = facts.key();
        let problems = Map::from_iter([(problem.to_string(), entry)]);
        let kernel = Map::from_iter([(device.clone(), problems)]);
        let result = Lock {
            devices: Map::from_iter([(device.clone(), facts.clone())]),
            kernels: Map::from_iter([(key.to_string(), kernel)]),
        };
        let known = self.committed.kernels.get(key);
        let only_others = known.is_some_and(|of| !of.is_empty() && of.get(&device).is_none());
        let is_cpu = matches!(facts, Facts::Cpu(_));
        if self.unwritable.is_some() || mode != Mode::Tune && is_cpu && only_others {
            for path in &self.local_paths {
                // Kept on a best effort: a full or read-only cache must not fail a build.
                let _ = keep_local(path, &result);
            }
            self.local.overlay(result);
            return Ok(false);
        }
        // The time is set back to the start of the run, so that the file, which cargo
        // watches, is not newer than the run that wrote it.
        let (lock, _) = lock::modify(&self.path, Some(self.start), |lock| {
            for (key, device, problem) in self.discarded.drain(..) {
                lock.remove(&key, &device, &problem);
            }
            lock.overlay(result);
        })?;
        self.reread(lock);
        self.exists = true;
        Ok(true)
    }

    /// Takes what was discarded out of `bico.lock`, where no result followed.
    pub(in crate::tuner) fn forget(&mut self) -> Result<(), lock::Error> {
        let discarded = std::mem::take(&mut self.discarded);
        if discarded.is_empty() || !self.exists || self.unwritable.is_some() {
            return Ok(());
        }
        let (lock, _) = lock::modify(&self.path, Some(self.start), |lock| {
            for (key, device, problem) in &discarded {
                lock.remove(key, device, problem);
            }
        })?;
        self.reread(lock);
        Ok(())
    }
}

/// Takes over what another lock says of a device.
fn take(lock: &mut Lock, mut from: Lock, device: &DeviceKey) {
    for (_, devices) in lock.kernels.iter_mut() {
        devices.retain(|known, _| known != device);
    }
    for (_, devices) in from.kernels.iter_mut() {
        devices.retain(|known, _| known == device);
    }
    lock.overlay(from);
    lock.kernels.retain(|_, devices| !devices.is_empty());
}

fn keep_local(path: &Path, result: &Lock) -> Option<()> {
    std::fs::create_dir_all(path.parent()?).ok()?;
    if lock::load(path).is_err() {
        std::fs::remove_file(path).ok()?;
    }
    lock::modify(path, None, |lock| lock.overlay(result.clone())).ok()?;
    Some(())
}

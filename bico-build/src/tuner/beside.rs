//! GPUs of several kinds at once: each is tuned by a run and on a thread of its own. These share what is written: the lock,
//! each tunable's trail and tables, and the list of what is unfinished.

use super::TuneError;
use super::asked::Asked;
use super::devices::{Devices, Target};
use super::jobs::Job;
use super::plan::Plan;
use super::policy::Action;
use super::quiet_service;
use super::run::{Measured, Run};
use super::session::{Shared, measure};
use super::store::Store;
use crate::compile::Service;
use crate::env::Env;
use crate::report::Listener;
use crate::scan::Limits;
use bico_core::Lists;
use bico_core::device::DeviceKey;
use std::panic::resume_unwind;
use std::thread;
use std::time::{Instant, SystemTime};

/// What one kind of GPU is tuned with.
struct Beside {
    env: Env,
    asked: Asked,
    listener: Box<dyn Listener>,
    shared: Shared,
    start: SystemTime,
    limits: Limits,
    device: DeviceKey,
    devices: Devices,
    store: Store,
}

impl Run {
    /// Measures what the jobs ask for: first on GPUs, if those are of several kinds, then all else.
    pub(super) fn measure_kinds(
        &mut self,
        service: &Service,
        mut limits: Limits,
        devices: &Devices,
        plans: &[Plan],
        mut jobs: Vec<Vec<Job<'_>>>,
        store: &mut Store,
    ) -> Result<Measured, TuneError> {
        let kinds = kinds(&jobs);
        if kinds.len() < 2 {
            return measure(self, service, limits, plans, &jobs, store);
        }
        let start = Instant::now();
        // Together they compile on as many cores as one would.
        let threads = (self.env.jobs / kinds.len()).max(1);
        let begun = kinds.iter().map(|target| {
            let device = target.facts.key();
            let one = Beside {
                env: Env {
                    jobs: threads,
                    ..self.env.clone()
                },
                asked: self.asked.clone(),
                listener: self.listener.beside(device.as_str()),
                shared: self.shared.clone(),
                start: self.start,
                limits,
                devices: devices.only(target),
                store: store.beside(&device),
                device,
            };
            thread::spawn(move || one.measure())
        });
        let begun = begun.collect_vec();
        let mut all = Vec::new();
        for thread in begun {
            let ended = thread.join();
            let (other, result) = ended.unwrap_or_else(|panic| resume_unwind(panic));
            store.join(other);
            all.push(result);
        }
        let all = all.into_iter().collect::<Result<Vec<_>, _>>()?;
        let done = kinds.iter().map(|target| target.facts.key()).collect_vec();
        leave(&mut jobs, &|device| !done.contains(device));
        limits.cap = (limits.cap - start.elapsed().as_secs_f64()).max(0.0);
        let mut measured = measure(self, service, limits, plans, &jobs, store)?;
        all.into_iter().for_each(|other| measured.join(other));
        Ok(measured)
    }
}

/// The GPUs on which something is measured, one of each kind.
fn kinds<'a>(jobs: &[Vec<Job<'a>>]) -> Vec<&'a Target> {
    let mut kinds: Vec<&Target> = Vec::new();
    for job in jobs.iter().flatten().filter(|job| job.measures()) {
        let target = job.target.filter(|of| of.facts.capability().is_some());
        let is_new = |of: &&Target| {
            !kinds
                .iter()
                .any(|known| known.facts.key() == of.facts.key())
        };
        kinds.extend(target.filter(is_new));
    }
    kinds
}

/// Leaves out what is not for these devices.
fn leave(jobs: &mut [Vec<Job<'_>>], is_meant: &dyn Fn(&DeviceKey) -> bool) {
    for job in jobs.iter_mut().flatten() {
        if !is_meant(&job.facts.key()) {
            job.actions.fill(Action::Use);
        }
    }
}

impl Beside {
    /// Does all that the run does for this device. What is read of sources stays on a thread, so it is read once more.
    fn measure(mut self) -> (Store, Result<Measured, TuneError>) {
        let mut run = Run {
            asked: self.asked,
            listener: self.listener,
            shared: self.shared,
            ..Run::new(self.env, self.start, Vec::new())
        };
        let result = run.scan().and_then(|(found, _)| {
            let service = quiet_service(&run.env);
            let plans = run.plan(found, &self.devices, &service)?;
            let mut jobs = run.decide(&plans, &self.store, &self.devices)?;
            leave(&mut jobs, &|device| *device == self.device);
            let store = &mut self.store;
            measure(&mut run, &service, self.limits, &plans, &jobs, store)
        });
        (self.store, result)
    }
}

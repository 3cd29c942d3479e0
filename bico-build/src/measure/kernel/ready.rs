//! A config that was compiled and is ready to run.

use super::KernelMeasure;
use crate::arguments::{passed, shim};
use crate::compile::{GpuEntry, Hash, Hasher, Unit, Upcoming};
use crate::measure::build::{self, Built};
use crate::measure::clock::COMPILING;
use crate::measure::drive::Driver;
use crate::measure::protocol::{Check, Loadable};
use bico_core::device::{CudaFacts, Dims, Facts};
use bico_core::model;
use bico_search::search::Failure;
use bico_syntax::Callee;
use std::sync::Arc;

/// A config that was compiled and is ready to run.
#[derive(Clone)]
pub(super) struct Ready {
    pub(super) kernel: Loadable,
    /// A hash of everything its behaviour depends on.
    pub(super) identity: Hash,
    /// A hash of its code.
    code: Hash,
    /// Small sizes, then the problem.
    pub(super) checks: Arc<Vec<Check>>,
}

impl KernelMeasure<'_> {
    /// Compiles a config and plans its checks.
    pub(super) fn make_ready(&mut self, config: u64) -> Result<Ready, Failure> {
        if let Some(ready) = self.ready.get(&config) {
            return Ok(ready.clone());
        }
        // The references it is checked against run while it is compiled in the background.
        let checks = self.checks(config)?;
        let before = self.clock.turn(COMPILING);
        let built = self.compiled(config);
        self.clock.turn(before);
        let built = built?;
        let mut identity = Hasher::new();
        identity.field(built.hash.to_string());
        for check in &checks {
            identity.field(check.timed.call.text());
        }
        let ready = Ready {
            kernel: built.kernel,
            identity: identity.finish(),
            code: built.hash,
            checks: checks.into(),
        };
        self.ready.insert(config, ready.clone());
        Ok(ready)
    }

    /// What a config that was compiled is at the problem's sizes: a hash of code, lengths, scratch and launch.
    pub(crate) fn seen(&self, config: u64) -> Option<Hash> {
        self.outline(config, self.ready.get(&config)?.code)
    }

    /// The same of any config, which is compiled if need be.
    pub(crate) fn made(&mut self, config: u64) -> Option<Hash> {
        if let Some(known) = self.seen(config) {
            return Some(known);
        }
        let code = self.compiled(config).ok()?.hash;
        self.outline(config, code)
    }

    fn outline(&self, config: u64, code: Hash) -> Option<Hash> {
        let plan = self.candidates.call(config, &self.problem).ok()??;
        Some(Hash::of(format!("{code} {plan:?}")))
    }

    /// What of a config can be made ahead of need, unless it is ready: its object, and of a CPU's kernel the library that a
    /// worker loads.
    pub(super) fn upcoming(&self, config: u64) -> Option<Upcoming> {
        if self.ready.contains_key(&config) {
            return None;
        }
        let unit = self.candidates.unit(config).ok()?;
        let shim = self.shim_ahead(config, &unit);
        Some(Upcoming {
            unit,
            shim: shim.map(|text| (text, self.settings.folder.clone())),
        })
    }

    /// The text of the shim that a config is linked with ahead of need. Where there is more to link than a unit and its shim,
    /// that waits until it is needed.
    pub(super) fn shim_ahead(&self, config: u64, unit: &Unit) -> Option<String> {
        let kernel = self.candidates.kernel(config);
        let is_linked = unit.has_shim()
            && self.spec.drive.is_none()
            && self.spec.libraries(&self.spec.kernels[kernel]).is_empty();
        let text = || {
            let passed = passed(self.spec, Callee::Kernel(kernel));
            shim::source(&self.candidates.entries(config).ok()?, &passed).ok()
        };
        is_linked.then(text).flatten()
    }

    /// Seconds that the compiler took for a config.
    pub(super) fn compiling(&self, config: u64) -> Option<f64> {
        let unit = self.candidates.unit(config).ok()?;
        Some(self.service.taken(&unit)?.as_secs_f64())
    }

    /// From now on configs whose compilers take much longer than others' fail, but for those that are spared, of each variant
    /// one at least.
    pub(crate) fn hurry(&mut self, spared: &[u64]) {
        let units = spared.iter().map(|config| self.candidates.unit(*config));
        self.hurry = Some(self.service.hurry(units.filter_map(Result::ok).collect()));
    }

    /// Compiles a config that the device can launch.
    pub(super) fn compiled(&mut self, config: u64) -> Result<Built, Failure> {
        let unit = self.candidates.unit(config).map_err(Failure::Worker)?;
        let entries = self.candidates.entries(config);
        let entries = entries.map_err(Failure::Worker)?;
        let kernel = self.candidates.kernel(config);
        let (spec, service, folder) = (self.spec, self.service, &self.settings.folder);
        let libraries = spec.libraries(&spec.kernels[kernel]);
        let driver = self.candidates.drive(config).map_err(Failure::Worker)?;
        let built = match driver {
            Some((driver, entry)) => {
                let driver = Driver {
                    unit: driver,
                    entry,
                };
                driver.build(service, &unit, spec, (&entries, &libraries), folder)?
            }
            None => {
                let passed = passed(spec, Callee::Kernel(kernel));
                build::build(service, &unit, &entries, &passed, &libraries, folder)?
            }
        };
        if let Some(resources) = built.entries.first().and_then(|of| of.resources) {
            self.resources.insert(config, resources);
        }
        match self.obstacle(config, &built) {
            Some(why) => Err(Failure::Unlaunchable(why)),
            None => Ok(built),
        }
    }

    /// Why the device cannot launch a config, now that its registers are known.
    fn obstacle(&self, config: u64, built: &Built) -> Option<String> {
        let plan = self.candidates.call(config, &self.problem).ok()??;
        let Some(Facts::Cuda(gpu)) = self.candidates.device() else {
            return None;
        };
        let passes = plan.passes.iter().zip(&built.entries).enumerate();
        let mut obstacles = passes.filter_map(|(at, (pass, code))| {
            let why = Self::obstacle_of(gpu, pass.dims?, code)?;
            let names = self.candidates.entries(config).ok()?;
            Some(match names.as_slice() {
                [_] => why,
                names => format!("`{}`: {why}", names.get(at)?),
            })
        });
        obstacles.next()
    }

    /// Why it cannot launch one pass.
    fn obstacle_of(gpu: &CudaFacts, dims: Dims, code: &GpuEntry) -> Option<String> {
        let resources = code.resources?;
        let threads = dims.threads();
        if let Some(most) = code.max_threads.filter(|most| threads > u64::from(*most)) {
            return Some(format!(
                "a block has {threads} threads, the kernel's `__launch_bounds__` says {most}"
            ));
        }
        let (registers, fixed) = (resources.registers.into(), resources.shared_bytes.into());
        model::obstacle(gpu, &dims, Some(registers), fixed)
    }
}

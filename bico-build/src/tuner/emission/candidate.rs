//! A config with all that compiling it takes.

use super::elsewhere::Chosen;
use super::gpu;
use super::served::Served;
use crate::compile::GpuTarget;
use crate::emit::{EmittedCandidate, runs_on};
use crate::env::Env;
use crate::lock::Trial;
use crate::tuner::devices::Devices;
use crate::tuner::plan::Plan;
use crate::tuner::store::Store;
use crate::tuner::stored::{Values, trials, values};
use crate::tuner::unit::unit;
use bico_core::device::{ACCELERATED, DeviceKey, Facts};
use bico_core::{Lists, Map};
use bico_syntax::bind::{Bound, SpaceError};
use std::path::PathBuf;

/// What the candidates of a tunable have in common.
pub(super) struct Candidates<'a> {
    pub env: &'a Env,
    pub plan: &'a Plan,
    pub store: &'a Store,
    pub devices: &'a Devices,
    /// `CFLAGS` and the like may ask for features too; the author's flags come after them and win.
    pub ambient: Vec<String>,
    /// The GPUs that are known of the tunable, with what is compiled for each.
    pub known: Map<DeviceKey, u16>,
}

impl Candidates<'_> {
    /// How a config is compiled, and where it may run. `served` are the problems with its constants.
    pub(super) fn candidate(
        &self,
        bound: &Bound<'_>,
        variant: usize,
        served: &[&Served<'_>],
        chosen: Chosen,
    ) -> Result<EmittedCandidate, SpaceError> {
        let Chosen { values, also } = chosen;
        let facts = bound.facts;
        let at = bound.kernel(&values);
        let kernel = &bound.spec.kernels[at];
        let mut flags = self.ambient.clone();
        flags.extend(bound.flags(&values));
        let ((needs, same_device), targets) = match facts {
            Facts::Cpu(_) => (runs_on(&flags), Vec::new()),
            Facts::Cuda(_) => {
                let wins = served.iter().flat_map(|served| served.won_by(&values));
                let least = self.devices.least(bound, &values);
                let wins = wins.collect_vec();
                let targets = gpu::targets(&self.known, &wins, kernel, least, &also);
                (Default::default(), targets)
            }
        };
        let only_on = same_device.then(|| self.measured_on(&values, &facts.key()));
        let sources = self.plan.found.sources.iter();
        let sources = sources.map(|source| self.env.manifest_dir.join(source));
        let sources: Vec<PathBuf> = sources.collect_vec();
        let mut winners = served.iter().flat_map(|served| &served.winners);
        let entries = bound.entries(&values)?;
        // Where nothing is compiled ahead, its source is for whichever GPU comes.
        let any = || GpuTarget::exact(facts.capability().unwrap_or(ACCELERATED));
        let target = targets.first().copied();
        let target = target.or_else(|| kernel.exact.then(any));
        Ok(EmittedCandidate {
            verified: winners.any(|winner| winner.verified.contains(&values)),
            variant: variant as u16,
            kernel: at,
            unit: unit(bound, &sources, &values, target)?,
            targets,
            exact: kernel.exact,
            host: gpu::host(bound.spec, at, &entries)?,
            entries,
            needs: needs.into_iter().map(str::to_string).collect_vec(),
            only_on: only_on.unwrap_or_default(),
            values,
        })
    }

    /// The devices on which a config was measured; `this` one where nobody says.
    fn measured_on(&self, config: &Values, this: &DeviceKey) -> Vec<DeviceKey> {
        let spec = &self.plan.found.spec;
        let same = |trial: &Trial| values(spec, &trial.config).as_ref() == Some(config);
        let mut devices = Vec::new();
        for (device, entry) in self.plan.entries(self.store) {
            if trials(entry).any(same) && !devices.contains(device) {
                devices.push(device.clone());
            }
        }
        if devices.is_empty() {
            devices.push(this.clone());
        }
        devices
    }
}

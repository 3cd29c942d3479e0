//! What is settled before any config is measured: the arguments, and the reference.

use super::KernelMeasure;
use crate::arguments::{KERNEL, REFERENCE, Role, parameters, passed, signature};
use crate::compile::Unit;
use crate::lock::Verified;
use crate::measure::build;
use crate::measure::client::{Client, Program};
use crate::measure::plan;
use crate::measure::protocol::{Inputs, Processor};
use crate::measure::reference::{Compiled, Outputs};
use bico_search::search::Failure;

impl KernelMeasure<'_> {
    /// Compares the wrapper's arguments with the kernel's, and computes the reference. `configs` are
    /// some valid ones; the first whose source compiles serves for both.
    ///
    /// # Errors
    ///
    /// They differ, or the reference is missing or at fault: mistakes that no config mends.
    pub fn prepare(&mut self, configs: &[u64]) -> Result<(), String> {
        let Some(config) = self.prepare_to_verify(configs)? else {
            return Ok(());
        };
        if let Err(Failure::Unlaunchable(why)) = self.planned(config, &self.problem) {
            return Err(why);
        }
        // The problem's own outputs now: if the reference is at fault, nothing else is worth doing.
        self.blames_reference = true;
        if self.reference.is_some()
            && let Ok(Some(plan)) = self.candidates.call(config, &self.problem)
        {
            let problem = self.problem.clone();
            match self.outputs(&plan, &problem, Inputs::Timed)? {
                Some(Outputs::File(_, seconds, None)) => self.reference_seconds = Some(seconds),
                Some(Outputs::File(_, _, Some(blank))) => {
                    let label = plan::label(self.spec, &problem);
                    let reference = self.reference.as_ref();
                    let why = reference.map(|of| of.says_nothing(&blank, &label));
                    return Err(why.unwrap_or(blank));
                }
                _ => self.verified = Verified::SmallSizes,
            }
        }
        self.blames_reference = false;
        Ok(())
    }

    /// Prepares for [`verify`](KernelMeasure::verify), without calling the reference. Gives the config
    /// whose source served.
    ///
    /// # Errors
    ///
    /// The arguments differ, or the reference is missing.
    pub fn prepare_to_verify(&mut self, configs: &[u64]) -> Result<Option<u64>, String> {
        bico_device::os::supported()?;
        let mut refused = None;
        let compiles = |config: &&u64| {
            let unit = self.candidates.unit(**config);
            unit.is_ok_and(|unit| match self.service.object(&unit) {
                Ok(_) => true,
                Err(error) => {
                    refused.get_or_insert((unit, error));
                    false
                }
            })
        };
        let compiled = configs.iter().find(compiles);
        if let (None, Some((unit, error))) = (compiled, refused)
            && unit.gpu.is_some()
        {
            // The reference stands in the same file: it is not to blame for it.
            return Err(format!(
                "the kernel in `{}` does not compile, in any of {} configs that were tried: {}",
                self.spec.source.path.text,
                configs.len(),
                error.summary
            ));
        }
        let Some(&config) = compiled.or(configs.first()) else {
            return Ok(None);
        };
        let unit = self.candidates.unit(config)?;
        let entries = self.candidates.entries(config)?;
        self.check_arguments(&unit, &entries, &KERNEL)?;
        self.blames_reference = true;
        self.prepare_reference(config)?;
        self.blames_reference = false;
        Ok(Some(config))
    }

    fn check_arguments(&self, unit: &Unit, entries: &[String], role: &Role) -> Result<(), String> {
        if unit.gpu.is_some() {
            return parameters::check(self.service, unit, self.spec, role);
        }
        let probes = self.settings.folder.join("probes");
        let mut passes = entries.iter().zip(passed(self.spec, role.callee));
        passes.try_for_each(|(entry, passed)| {
            signature::check(self.service, unit, entry, &passed, role, &probes)
        })
    }

    fn prepare_reference(&mut self, config: u64) -> Result<(), String> {
        let Some((unit, entry)) = self.candidates.reference(config)? else {
            return Ok(());
        };
        let passed = passed(self.spec, REFERENCE.callee);
        let entries = std::slice::from_ref(&entry);
        self.check_arguments(&unit, entries, &REFERENCE)?;
        let folder = &self.settings.folder;
        let built = build::build(self.service, &unit, entries, &passed, folder);
        let built = built.map_err(|failure| match failure {
            Failure::Compile(why) => format!(
                "the reference `{entry}` in `{}` does not compile: {why}",
                unit.source.display()
            ),
            other => other.parts().1.to_string(),
        })?;
        // A reference in C runs on the CPU, whatever the kernel runs on.
        if unit.gpu.is_none() && self.settings.program.processor != Processor::Cpu {
            let program = Program {
                processor: Processor::Cpu,
                ..self.settings.program.clone()
            };
            self.on_cpu = Some(Client::new(program));
        }
        self.candidates.reference_is_one(config, self.service)?;
        self.reference = Some(Compiled {
            name: entry,
            built,
            folder: self.settings.folder.join("references"),
            seconds: self.settings.reference_seconds,
        });
        self.verified = Verified::Reference;
        Ok(())
    }
}

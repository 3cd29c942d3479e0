//! What is settled before any config is measured: the arguments, and the reference.

use super::KernelMeasure;
use crate::arguments::{INPUTS, KERNEL, REFERENCE, Role, parameters, passed, signature};
use crate::compile::Unit;
use crate::lock::Verified;
use crate::measure::build;
use crate::measure::client::{Client, Program};
use crate::measure::plan;
use crate::measure::protocol::{Inputs, Processor};
use crate::measure::reference::{Compiled, Outputs};
use bico_search::search::Failure;
use bico_syntax::Callee;

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
        // The problem's own inputs and outputs now: if a function is at fault, nothing else is worth doing.
        if let Ok(Some(plan)) = self.candidates.call(config, &self.problem) {
            let problem = self.problem.clone();
            self.blamed = self.spec.inputs.as_ref().map(|inputs| inputs.path.span);
            self.called(&plan, &problem, Callee::Kernel, Inputs::Timed)?;
            self.blamed = self.spec.verify.reference.as_ref().map(|of| of.span);
            match self.outputs(&plan, &problem, Inputs::Timed)? {
                None => {}
                Some(Outputs::File(_, seconds, None)) => self.reference_seconds = Some(seconds),
                Some(Outputs::File(_, _, Some(blank))) => {
                    let label = plan::label(self.spec, &problem);
                    let reference = self.reference.as_ref();
                    let why = reference.map(|of| of.says_nothing(&blank, &label));
                    return Err(why.unwrap_or(blank));
                }
                Some(Outputs::Slow) => self.verified = Verified::SmallSizes,
            }
        }
        self.blamed = None;
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
        let entry = self.candidates.entry(config)?;
        self.check_arguments(&unit, &entry, &KERNEL)?;
        self.blamed = self.spec.inputs.as_ref().map(|inputs| inputs.path.span);
        if let Some((unit, entry)) = self.candidates.inputs(config)? {
            self.inputs = Some(self.function(&unit, &entry, &INPUTS)?);
        }
        self.blamed = self.spec.verify.reference.as_ref().map(|of| of.span);
        if let Some((unit, entry)) = self.candidates.reference(config)? {
            let reference = self.function(&unit, &entry, &REFERENCE)?;
            self.candidates.reference_is_one(config, self.service)?;
            self.reference = Some(reference);
            self.verified = Verified::Reference;
        }
        self.blamed = None;
        Ok(Some(config))
    }

    fn check_arguments(&self, unit: &Unit, entry: &str, role: &Role) -> Result<(), String> {
        if unit.gpu.is_some() {
            return parameters::check(self.service, unit, self.spec, role);
        }
        let passed = passed(self.spec, role.callee);
        let probes = self.settings.folder.join("probes");
        signature::check(self.service, unit, entry, &passed, role, &probes)
    }

    /// One of the author's functions, compiled.
    fn function(&mut self, unit: &Unit, entry: &str, role: &Role) -> Result<Compiled, String> {
        self.check_arguments(unit, entry, role)?;
        let passed = passed(self.spec, role.callee);
        let folder = &self.settings.folder;
        let name = format!("the {} `{entry}`", role.name);
        let built = build::build(self.service, unit, entry, &passed, folder);
        let built = built.map_err(|failure| match failure {
            Failure::Compile(why) => {
                format!(
                    "{name} in `{}` does not compile: {why}",
                    unit.source.display()
                )
            }
            other => other.parts().1.to_string(),
        })?;
        // One in C runs on the CPU, whatever the kernel runs on.
        let on_cpu = unit.gpu.is_none() && self.settings.program.processor != Processor::Cpu;
        if on_cpu && self.on_cpu.is_none() {
            let program = Program {
                processor: Processor::Cpu,
                ..self.settings.program.clone()
            };
            self.on_cpu = Some(Client::new(program));
        }
        Ok(Compiled {
            name,
            help: role.help,
            built,
            on_cpu,
            folder: folder.join("references"),
            seconds: self.settings.reference_seconds,
        })
    }
}

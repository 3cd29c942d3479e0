//! What is settled before any config is measured: the arguments, and the reference.

use super::KernelMeasure;
use crate::arguments::names::Order;
#[cfg(feature = "cuda")]
use crate::arguments::parameters;
use crate::arguments::{INPUTS, JUDGE, REFERENCE, Role, kernel, names, passed, shim, signature};
use crate::compile::{Service, Shim, Unit, Upcoming};
use crate::lock::Verified;
use crate::measure::build::{self, Built};
use crate::measure::client::{Client, Program};
use crate::measure::drive::Driver;
use crate::measure::plan;
use crate::measure::protocol::{Inputs, Judging, Processor, Reply, Request};
use crate::measure::reference::{Compiled, Outputs};
use bico_core::Lists;
use bico_search::search::{Failure, LOOK_AHEAD};
use bico_syntax::{Callee, Language};

/// Configs at most that a judge is tried on, until one of them is right.
const MOST_TRIED: usize = 4;

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
            let callee = Callee::Kernel(plan.kernel);
            self.called(&plan, &problem, callee, Inputs::Timed)?;
            self.blamed = self.spec.verify.reference.as_ref().map(|of| of.span);
            match self.first_outputs(&plan, &problem)? {
                None => {}
                Some(Outputs::File(_, run)) => {
                    let label = plan::label(self.spec, &problem);
                    let reference = self.reference.as_ref();
                    if let Some(blank) = run.blank {
                        let why = reference.map(|of| of.says_nothing(&blank, &label));
                        return Err(why.unwrap_or(blank));
                    }
                    let faint = run.faint.filter(|_| self.judge.is_none());
                    self.faint = reference
                        .zip(faint)
                        .map(|(of, faint)| of.says_little(&faint, &label));
                    self.reference_seconds = Some(run.seconds);
                }
                Some(Outputs::Slow) if self.judge.is_some() => {
                    let name = self.reference.as_ref().map_or("", |of| &of.name);
                    let seconds = self.settings.reference_seconds;
                    return Err(format!(
                        "{name} takes more than {seconds} s at the problem's sizes, and the judge is given what it gives"
                    ));
                }
                Some(Outputs::Slow) => self.verified = Verified::SmallSizes,
            }
        }
        self.blamed = self.spec.verify.judge.as_ref().map(|judge| judge.path.span);
        self.try_judge(configs)?;
        self.blamed = None;
        Ok(())
    }

    /// Whether the judge, if there is one, tells right from wrong.
    fn try_judge(&mut self, configs: &[u64]) -> Result<(), String> {
        let Some((name, _)) = self.judge.clone() else {
            return Ok(());
        };
        for config in configs.iter().take(MOST_TRIED) {
            let kernel = match self.reference.is_some() {
                true => Ok(None),
                false => self.compiled(*config).map(|built| Some(built.kernel)),
            };
            let check = self.problem_check(*config, &[Inputs::Others]);
            let (Ok(kernel), Ok(check)) = (kernel, check) else {
                continue;
            };
            let judging = Judging {
                terms: self.terms(plan::memory_of(&check.timed) + plan::fences(&check.timed.call)),
                check,
                kernel,
            };
            match self.ask(&Request::Judge(judging)) {
                Ok(Reply::Judged(Ok(None))) => return Ok(()),
                Ok(Reply::Judged(Ok(Some(fault)))) => return Err(format!("{name} {fault}")),
                Ok(Reply::Judged(Err(Failure::Worker(text)))) => return Err(text),
                // Others may be right.
                Ok(Reply::Judged(Err(_))) => {}
                Ok(other) => return Err(other.unexpected()),
                Err(ended) => ended.blames(&name)?,
            }
        }
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
        // While the first is compiled and the reference runs, so are the others: they are likely to be measured.
        let together = Service::ahead(self.spec.language());
        let expected = configs.iter().take(self.expected);
        let beside = expected.skip(1).take(LOOK_AHEAD.max(together));
        let beside = beside.filter_map(|config| self.upcoming(*config));
        let first = configs.first().into_iter();
        let first = first.flat_map(|config| self.with_the_first(*config));
        let beside = first.map(Upcoming::from).chain(beside);
        self.service.announce_linked(beside.collect_vec());
        let (compiled, refused) = self.first_that_compiles(configs);
        if let Some((unit, why)) = &refused
            && (unit.gpu.is_some() || unit.language == Language::Rust)
        {
            return Err(why.clone());
        }
        let Some(&config) = compiled.or(configs.first()) else {
            return Ok(None);
        };
        // Of each variant one.
        let mut seen: Vec<usize> = Vec::new();
        for config in [&[config], configs].concat() {
            let of = self.candidates.kernel(config);
            if seen.contains(&of) {
                continue;
            }
            let unit = self.candidates.unit(config)?;
            if seen.is_empty() || self.service.object(&unit).is_ok() {
                seen.push(of);
                let entries = self.candidates.entries(config)?;
                self.blamed = Some(self.spec.kernels[of].source.path.span);
                self.check_arguments(&unit, &entries, &kernel(of))?;
            }
        }
        self.blamed = self.spec.drive.as_ref().map(|drive| drive.path.span);
        if let Some((unit, entry)) = self.candidates.drive(config)? {
            let entries = self.candidates.entries(config)?;
            let probes = self.settings.folder.join("probes");
            Driver { unit, entry }.check(self.service, self.spec, &entries, &probes)?;
        }
        self.blamed = self.spec.inputs.as_ref().map(|inputs| inputs.path.span);
        if let Some((unit, entry)) = self.candidates.inputs(config)? {
            self.inputs = Some(self.function(&unit, &entry, &INPUTS)?);
        }
        self.blamed = self.spec.verify.reference.as_ref().map(|of| of.span);
        if let Some((unit, entry)) = self.candidates.reference(config)? {
            let same = refused.filter(|(of, _)| of.source == unit.source);
            let reference = self.function(&unit, &entry, &REFERENCE);
            let reference = reference.map_err(|why| match same {
                Some((_, of_kernel)) => {
                    self.blamed = Some(self.spec.kernels[0].source.path.span);
                    of_kernel
                }
                None => why,
            })?;
            self.candidates.reference_is_one(config, self.service)?;
            self.reference = Some(reference);
            self.verified = Verified::Reference;
        }
        self.blamed = self.spec.verify.judge.as_ref().map(|judge| judge.path.span);
        if let Some((unit, entry)) = self.candidates.judge(config)? {
            let (name, built) = self.built(&unit, &entry, &JUDGE)?;
            self.judge = Some((name, built.kernel));
            if self.reference.is_none() {
                self.verified = Verified::Judge;
            }
        }
        self.blamed = None;
        Ok(Some(config))
    }

    /// What else is compiled before the reference runs: the checks of its arguments and of the kernel's, and their shims.
    fn with_the_first(&self, config: u64) -> Vec<Unit> {
        let (of, folder) = (&self.candidates, &self.settings.folder);
        let probes = folder.join("probes");
        let probe = |unit: &Unit, entries: &[String], role: Role| {
            let passes = entries.iter().zip(passed(self.spec, role.callee));
            let probe = passes.map(|(entry, passed)| {
                signature::first_probe(self.service, unit, entry, &passed, &probes)
            });
            probe.flatten().collect_vec()
        };
        let shim = |text: Option<String>| {
            let shim = Shim {
                text: &text?,
                libraries: &[],
                folder,
            };
            shim.unit().ok()
        };
        let mut units = Vec::new();
        let mut own = None;
        if let (Ok(unit), Ok(entries)) = (of.unit(config), of.entries(config)) {
            units.extend(probe(&unit, &entries, kernel(of.kernel(config))));
            own = shim(self.shim_ahead(config, &unit));
        }
        if let Ok(Some((unit, entry))) = of.reference(config) {
            let entries = [entry];
            units.extend(probe(&unit, &entries, REFERENCE));
            let text = shim::source(&entries, &passed(self.spec, Callee::Reference));
            units.extend(shim(text.ok().filter(|_| unit.has_shim())));
        }
        // That of the first config is needed last.
        units.extend(own);
        units
    }

    /// The first of these configs whose source compiles; where none does, that of the first, and what is said of it: a reference
    /// that stands in the same file is not to blame.
    fn first_that_compiles<'c>(
        &self,
        configs: &'c [u64],
    ) -> (Option<&'c u64>, Option<(Unit, String)>) {
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
        let refused = refused.filter(|_| compiled.is_none());
        let refused = refused.map(|(unit, error)| {
            let why = format!(
                "the kernel in `{}` does not compile, in any of {} configs that were tried: {}",
                self.spec.kernels[0].source.path.text,
                configs.len(),
                error.summary
            );
            (unit, why)
        });
        (compiled, refused)
    }

    /// Notes where the kernel has the wrapper's arguments in another order, by their names.
    fn look_at_order(&mut self, unit: &Unit, entries: &[String], role: &Role) {
        if unit.language == Language::Rust {
            return;
        }
        let order = || names::order(self.service, self.spec, unit, entries, role);
        match role.callee {
            Callee::Kernel(_) => {
                if let Order::Another(theirs, ours) = order() {
                    self.misplaced = Some(format!(
                        "the kernel has `{theirs}` where the wrapper passes `{ours}`, and the wrapper passes its `{theirs}` elsewhere. A reference with the same order cannot tell whether that is right; `args(..)` says that it is"
                    ));
                }
            }
            // Results are held against one that has them in the wrapper's.
            Callee::Reference if self.misplaced.is_some() && order() == Order::Ours => {
                self.misplaced = None;
            }
            _ => {}
        }
    }

    fn check_arguments(
        &mut self,
        unit: &Unit,
        entries: &[String],
        role: &Role,
    ) -> Result<(), String> {
        self.look_at_order(unit, entries, role);
        #[cfg(feature = "cuda")]
        if unit.gpu.is_some() {
            return parameters::check(self.service, unit, self.spec, role);
        }
        if unit.language == Language::Rust {
            // rustc has compared them.
            return Ok(());
        }
        let probes = self.settings.folder.join("probes");
        let mut passes = entries.iter().zip(passed(self.spec, role.callee));
        passes.try_for_each(|(entry, passed)| {
            signature::check(self.service, unit, entry, &passed, role, &probes)
        })
    }

    /// One of the author's functions, and what it is called.
    fn built(&mut self, unit: &Unit, entry: &str, role: &Role) -> Result<(String, Built), String> {
        let entries = &[entry.to_string()];
        self.check_arguments(unit, entries, role)?;
        let passed = passed(self.spec, role.callee);
        let folder = &self.settings.folder;
        let name = format!("the {} `{entry}`", role.name);
        let libraries = self.spec.libraries(&self.spec.kernels[0]);
        let built = build::build(self.service, unit, entries, &passed, &libraries, folder);
        match built {
            Ok(built) => Ok((name, built)),
            // The function itself compiles, and is in the same file.
            Err(Failure::Compile(why)) if unit.language == Language::Rust => Err(format!(
                "{name} does not get what the function gets: {why}\n  = help: it has the same arguments, without const parameters"
            )),
            Err(Failure::Compile(why)) => Err(format!(
                "{name} in `{}` does not compile: {why}",
                unit.source.display()
            )),
            Err(other) => Err(other.parts().1.to_string()),
        }
    }

    /// One that gives something before any kernel runs.
    pub(super) fn function(
        &mut self,
        unit: &Unit,
        entry: &str,
        role: &Role,
    ) -> Result<Compiled, String> {
        let (name, built) = self.built(unit, entry, role)?;
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
            unit: unit.clone(),
            built,
            on_cpu,
            folder: self.settings.folder.join("references"),
            seconds: self.settings.reference_seconds,
        })
    }
}

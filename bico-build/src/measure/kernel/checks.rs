//! The sizes at which a config is checked, and what is right there.

use super::KernelMeasure;
use crate::measure::awkward;
use crate::measure::plan::{self, CallPlan};
use crate::measure::protocol::Check;
use crate::measure::reference::Outputs;
use bico_core::Value;
use bico_core::device::{Dims, Facts};
use bico_core::model;
use bico_search::search::Failure;
use std::time::Instant;

impl KernelMeasure<'_> {
    /// Small sizes that the config allows.
    pub(super) fn small_checks(&mut self, config: u64) -> Vec<Check> {
        let mut checks = Vec::new();
        for scalars in awkward::sizes(&self.problem, &self.candidates.tiles(config)) {
            if checks.len() == plan::MOST_SIZES {
                break;
            }
            // What cannot be evaluated there is no size of the kernel.
            let Ok(Some(plan)) = self.candidates.call(config, &scalars) else {
                continue;
            };
            let mut lengths = plan.buffers.iter().chain(&plan.scratch);
            if lengths.all(|length| *length <= plan::LARGEST_BUFFER) {
                checks.extend(self.check_if_possible(&plan, &scalars));
            }
        }
        checks
    }

    /// Small sizes that the config allows, then the problem.
    pub(super) fn checks(&mut self, config: u64) -> Result<Vec<Check>, Failure> {
        let mut checks = self.small_checks(config);
        let problem = self.problem.clone();
        let plan = self.candidates.call(config, &problem);
        let excluded = || Failure::Worker("a `require` excludes the problem's sizes".into());
        let plan = plan.map_err(Failure::Worker)?.ok_or_else(excluded)?;
        if let Some(dims) = plan.dims.filter(Dims::is_empty) {
            return Err(Failure::Unlaunchable(format!(
                "`launch` gives a grid of {:?} blocks of {:?} threads: nothing would run",
                dims.grid, dims.block
            )));
        }
        let check = self.check(&plan, &problem);
        let (mut check, _) = check.map_err(Failure::Worker)?;
        let hang = self.settings.hang_seconds;
        let allowed = |seconds| hang.max(3.0 * seconds + 1.0);
        check.allow = self.reference_seconds.map_or(hang, allowed);
        checks.push(check);
        Ok(checks)
    }

    /// A check, unless the reference takes too long there or is at fault.
    pub(super) fn check_if_possible(
        &mut self,
        plan: &CallPlan,
        scalars: &[Value],
    ) -> Option<Check> {
        match self.check(plan, scalars) {
            Ok((check, is_slow)) => (!is_slow).then_some(check),
            Err(text) => {
                self.fault.get_or_insert(text);
                None
            }
        }
    }

    /// A check against the reference, if there is one; and whether that takes too long to be asked.
    fn check(&mut self, plan: &CallPlan, scalars: &[Value]) -> Result<(Check, bool), String> {
        let mut check = Check {
            label: plan::label(self.spec, scalars),
            call: plan::call(self.spec, plan, scalars, true, self.settings.seed)?,
            reference: None,
            opinions: Vec::new(),
            save: None,
            allow: self.settings.hang_seconds,
        };
        let outputs = self.outputs(plan, scalars)?;
        let is_slow = matches!(outputs, Some(Outputs::Slow));
        if let Some(Outputs::File(path, seconds)) = outputs {
            check.reference = Some(path);
            check.allow = check.allow.min(20.0 * seconds + 1.0);
        }
        Ok((check, is_slow))
    }

    /// The reference's outputs at some sizes; `None` without a reference.
    pub(super) fn outputs(
        &mut self,
        plan: &CallPlan,
        scalars: &[Value],
    ) -> Result<Option<Outputs>, String> {
        let Some(reference) = &self.reference else {
            return Ok(None);
        };
        let start = Instant::now();
        let label = plan::label(self.spec, scalars);
        let call = plan::call(self.spec, plan, scalars, false, self.settings.seed)?;
        if let Some((dims, Facts::Cuda(gpu))) = call.dims.zip(self.candidates.device()) {
            let obstacle = match dims.is_empty() {
                true => Some("its grid or its block is empty".to_string()),
                false => model::obstacle(gpu, &dims, None, 0),
            };
            if let Some(why) = obstacle {
                let name = &reference.name;
                return Err(format!(
                    "the reference `{name}` cannot be launched at {label}: {why}"
                ));
            }
        }
        let client = self.on_cpu.as_mut().unwrap_or(&mut self.client);
        let result = reference.outputs(client, &call, &label);
        self.excluded += start.elapsed().as_secs_f64();
        result.map(Some)
    }
}

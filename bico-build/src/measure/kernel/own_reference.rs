//! What the reference gives when it is compiled as a config is. A dependence on tuned parameters is looked for in its source
//! before anything runs; what a compiler's own features hide there shows in its results.

use super::KernelMeasure;
use crate::arguments::REFERENCE;
use crate::measure::plan;
use crate::measure::protocol::{Case, Check, Inputs, Reply, Request, Trial};
use bico_search::search::Failure;
use bico_syntax::Callee;

impl KernelMeasure<'_> {
    /// What is to be said where the reference, compiled with the parameters of one of these configs, gives something else at the
    /// problem's sizes than what all configs are held against.
    pub fn differing_reference(
        &mut self,
        mut configs: impl Iterator<Item = u64>,
    ) -> Option<String> {
        let ours = self.reference.as_ref().filter(|of| !of.on_cpu)?;
        let (config, (unit, entry)) = configs.find_map(|config| {
            let theirs = self.candidates.reference(config).ok()??;
            (theirs.0 != ours.unit).then_some((config, theirs))
        })?;
        let theirs = self.function(&unit, &entry, &REFERENCE).ok()?;
        let check = self.reference_check(config).ok()?;
        check.timed.reference.as_ref()?;
        let memory = plan::memory_of(&check.timed) + plan::fences(&check.timed.call);
        let request = Request::Trial(Trial {
            kernel: theirs.built.kernel,
            checks: vec![check],
            timing: None,
            terms: self.terms(memory),
        });
        match self.ask(&request) {
            Ok(Reply::Tried(Err(failure))) if failure.is_wrong() => Some(format!(
                "the reference `{entry}` is not the same for all configs: with the parameters of one that is not right it gives something else ({failure})\n  = help: fix what it is compiled with by `verify(reference = \"{entry}\", .., with(..))`"
            )),
            _ => None,
        }
    }

    /// The reference as it is called at the problem's sizes, held against what it gave there.
    pub(super) fn reference_check(&mut self, config: u64) -> Result<Check, Failure> {
        let missing = || Failure::Worker("there is no reference".into());
        let Check {
            label,
            timed,
            allow,
            ..
        } = self.problem_check(config, &[])?;
        let problem = self.problem.clone();
        let plan = self.planned(config, &problem)?.ok_or_else(missing)?;
        let call = self.called(&plan, &problem, Callee::Reference, Inputs::Timed);
        let call = call.map_err(Failure::Worker)?.ok_or_else(missing)?;
        Ok(Check {
            label,
            timed: Case {
                call: call.into(),
                judge: None,
                opinions: Vec::new(),
                save: None,
                ..timed
            },
            others: Vec::new(),
            blank: None,
            allow,
        })
    }
}

//! A tunable's configs as a compiler sees them, on a GPU that need not be here.

use super::architectures::capability;
use super::plan::{Plan, render};
use super::spread::spread;
use super::subject::Subject;
use crate::compile::{GpuTarget, Unit};
use crate::measure::Candidates;
use crate::report::assignment;
use crate::scan::Found;
use crate::space::{Space, SpaceError};
use bico_core::device::{Dims, Facts};
use std::path::Path;

/// One problem of a CUDA tunable.
pub(crate) struct Units {
    /// Valid configs.
    pub(crate) valid: u64,
    /// Some of them.
    pub(crate) configs: Vec<Chosen>,
    /// The reference, where it is a kernel too.
    pub(crate) reference: Option<(Unit, String)>,
}

/// One config.
pub(crate) struct Chosen {
    /// Its values, for people.
    pub(crate) name: String,
    /// How it is compiled.
    pub(crate) unit: Unit,
    /// How it is launched.
    pub(crate) dims: Option<Dims>,
}

/// At most `count` configs of each problem, spread evenly over their numbers, the first and the last
/// among them.
///
/// # Errors
///
/// An expression of the attribute cannot be evaluated: a text in rustc's manner.
pub(crate) fn units(
    found: Found,
    root: &Path,
    facts: &Facts,
    count: u64,
) -> Result<Vec<Units>, String> {
    let plan = Plan::new(found, root, facts)?;
    let shown = |error: SpaceError| render(&plan.found, root, &error);
    let spec = &plan.found.spec;
    let mut all = Vec::new();
    for problem in &plan.problems {
        let space = Space::new(spec, facts, &problem.scope).map_err(shown)?;
        // Code for the GPU itself, or none: PTX would not tell what it takes.
        let target = capability(facts).map(GpuTarget::Cubin);
        let subject = Subject::new(spec, root, facts, problem, &space, target).map_err(shown)?;
        let scalars = subject.scalars();
        let mut configs = Vec::new();
        for config in spread(space.len(), count) {
            configs.push(Chosen {
                name: assignment(space.names(), &space.config(config)),
                unit: subject.unit(config)?,
                dims: subject.call(config, &scalars)?.and_then(|call| call.dims),
            });
        }
        let reference = match space.is_empty() {
            true => None,
            false => subject.reference(0)?,
        };
        all.push(Units {
            valid: space.len(),
            configs,
            reference: reference.filter(|(unit, _)| unit.gpu.is_some()),
        });
    }
    Ok(all)
}

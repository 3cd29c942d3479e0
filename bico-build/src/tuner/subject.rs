//! What is measured: one tunable at one problem, as the measuring side asks about it.

use super::kernel::{Call, Kernel};
use crate::compile::{GpuTarget, GpuUnit, Unit};
use crate::measure::{CallPlan, Candidates, ScalarValue};
use bico_bind::{Scope, SpaceError};
use bico_core::Value;
use bico_core::device::Facts;
use bico_search::space::Space;
use bico_syntax::{ArgumentKind, Language, ReferenceKind, TunableSpec};
use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;

/// A set of sizes, and what calls at them look like.
type Sized = (Vec<ScalarValue>, Rc<Call>);

/// One tunable at one problem.
pub struct Subject<'a> {
    spec: &'a TunableSpec,
    root: &'a Path,
    facts: &'a Facts,
    scope: &'a Scope,
    space: &'a Space,
    /// What is compiled to be measured on a GPU.
    target: Option<GpuTarget>,
    kernel: Kernel,
    /// Expressions are compiled once for each set of sizes; all configs are checked at the same few.
    calls: RefCell<Vec<Sized>>,
}

impl<'a> Subject<'a> {
    pub fn new(
        spec: &'a TunableSpec,
        root: &'a Path,
        facts: &'a Facts,
        scope: &'a Scope,
        space: &'a Space,
        target: Option<GpuTarget>,
    ) -> Result<Subject<'a>, SpaceError> {
        let kernel = Kernel::new(spec, root, scope, facts)?;
        let calls = RefCell::default();
        Ok(Subject {
            spec,
            root,
            facts,
            scope,
            space,
            target,
            kernel,
            calls,
        })
    }

    /// The problem's scalar arguments, in order.
    pub fn scalars(&self) -> Vec<ScalarValue> {
        scalars(self.spec)
            .into_iter()
            .filter_map(|name| self.scope.get(name).and_then(scalar))
            .collect()
    }

    fn at(&self, sizes: &[ScalarValue]) -> Result<Rc<Call>, SpaceError> {
        let known = self
            .calls
            .borrow()
            .iter()
            .find(|(s, _)| s == sizes)
            .map(|(_, call)| Rc::clone(call));
        if let Some(call) = known {
            return Ok(call);
        }
        let mut scope = self.scope.clone();
        for (name, value) in scalars(self.spec).into_iter().zip(sizes) {
            let value = match *value {
                ScalarValue::Int(value) => Value::Int(value),
                ScalarValue::Float(value) => Value::Float(value),
                ScalarValue::Bool(value) => Value::Bool(value),
            };
            scope.sizes.insert(name.to_string(), value);
        }
        let call = Rc::new(Call::new(self.spec, &scope, self.facts)?);
        self.calls
            .borrow_mut()
            .push((sizes.to_vec(), Rc::clone(&call)));
        Ok(call)
    }
}

/// Names of the scalar arguments, in order.
pub fn scalars(spec: &TunableSpec) -> Vec<&str> {
    let scalars = spec
        .arguments
        .iter()
        .filter(|argument| matches!(argument.kind, ArgumentKind::Scalar(_)));
    scalars
        .map(|argument| argument.name.text.as_str())
        .collect()
}

fn scalar(value: Value) -> Option<ScalarValue> {
    match value {
        Value::Int(value) => Some(ScalarValue::Int(value)),
        Value::Float(value) => Some(ScalarValue::Float(value)),
        Value::Bool(value) => Some(ScalarValue::Bool(value)),
        Value::Str(_) => None,
    }
}

impl Candidates for Subject<'_> {
    fn unit(&self, config: u64) -> Result<Unit, String> {
        let values = self.space.config(config);
        match self.target {
            Some(target) => {
                let unit = self.kernel.gpu_unit(&values, target);
                unit.map_err(|error| error.message)
            }
            None => Ok(self.kernel.unit(&values)),
        }
    }

    fn device(&self) -> Option<&Facts> {
        Some(self.facts)
    }

    fn entry(&self, config: u64) -> Result<String, String> {
        self.kernel
            .entry(&self.space.config(config))
            .map_err(|error| error.message)
    }

    fn tiles(&self, config: u64) -> Vec<i64> {
        let values = self.space.config(config).into_iter();
        values
            .filter_map(|value| match value {
                Value::Int(tile) => Some(tile),
                _ => None,
            })
            .collect()
    }

    fn call(&self, config: u64, sizes: &[ScalarValue]) -> Result<Option<CallPlan>, String> {
        let values = self.space.config(config);
        let plan = || -> Result<Option<CallPlan>, SpaceError> {
            let call = self.at(sizes)?;
            if !call.allows(&values)? {
                return Ok(None);
            }
            Ok(Some(CallPlan {
                buffers: call.lengths(&values)?,
                scratch: call.scratch(&values)?,
                dims: call.dims(&values)?,
                reference_dims: call.reference_dims(&values)?,
            }))
        };
        plan().map_err(|error| error.message)
    }

    fn reference(&self, config: u64) -> Result<Option<(Unit, String)>, String> {
        let Some(reference) = &self.spec.verify.reference else {
            return Ok(None);
        };
        // Any config will do that compiles: what a reference computes does not depend on parameters.
        let mut unit = self.kernel.unit(&self.space.config(config));
        Ok(Some(match &reference.kind {
            ReferenceKind::Entry(entry) => {
                unit.gpu = self.target.map(|target| GpuUnit {
                    target,
                    expression: entry.clone(),
                });
                (unit, entry.clone())
            }
            ReferenceKind::File { path, entry } => {
                let consts = &self.scope.problem_consts;
                unit.source = self.root.join(path);
                unit.language = Language::C;
                unit.defines.retain(|(name, _)| consts.contains_key(name));
                unit.flags.clear();
                (unit, entry.clone())
            }
        }))
    }
}

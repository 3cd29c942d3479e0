//! What is measured: one tunable at one problem, as the measuring side asks about it.

use super::unit::unit;
use crate::compile::{GpuTarget, GpuUnit, Service, Unit};
use crate::measure::{CallPlan, Candidates};
use bico_bind::{Allowed, Bound, SizeRules, SizesOf, SpaceError};
use bico_core::Value;
use bico_core::device::Facts;
use bico_search::space::Space;
use bico_syntax::{Language, ReferenceKind};
use std::cell::{OnceCell, RefCell};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// A set of sizes, and the tunable there.
type Sized<'a> = (Vec<Value>, Rc<Bound<'a>>);

/// One tunable at one problem.
pub struct Subject<'a> {
    root: &'a Path,
    source: PathBuf,
    bound: &'a Bound<'a>,
    space: &'a Space,
    /// What is compiled to be measured on a GPU.
    target: Option<GpuTarget>,
    /// Expressions are compiled once for each set of sizes; all configs are checked at the same few.
    others: RefCell<Vec<Sized<'a>>>,
    /// The conditions, as long as no size is given.
    sizes: OnceCell<Option<SizeRules>>,
}

impl<'a> Subject<'a> {
    /// `source` is the kernel's file; `root`, the package's folder, is what a reference's path is relative to.
    pub fn new(
        root: &'a Path,
        source: &Path,
        bound: &'a Bound<'a>,
        space: &'a Space,
        target: Option<GpuTarget>,
    ) -> Subject<'a> {
        Subject {
            root,
            source: root.join(source),
            bound,
            space,
            target,
            others: RefCell::default(),
            sizes: OnceCell::new(),
        }
    }

    /// The problem's scalar arguments, in order.
    pub fn scalars(&self) -> Vec<Value> {
        self.bound.scalars()
    }

    fn at(&self, sizes: &[Value]) -> Result<Rc<Bound<'a>>, SpaceError> {
        let mut others = self.others.borrow_mut();
        if let Some((_, bound)) = others.iter().find(|(known, _)| known == sizes) {
            return Ok(Rc::clone(bound));
        }
        let bound = Rc::new(self.bound.at(sizes)?);
        others.push((sizes.to_vec(), Rc::clone(&bound)));
        Ok(bound)
    }
}

impl Candidates for Subject<'_> {
    fn unit(&self, config: u64) -> Result<Unit, String> {
        let values = self.space.config(config);
        Ok(unit(self.bound, &self.source, &values, self.target)?)
    }

    fn device(&self) -> Option<&Facts> {
        Some(self.bound.facts)
    }

    fn entry(&self, config: u64) -> Result<String, String> {
        Ok(self.bound.entry(&self.space.config(config))?)
    }

    fn tiles(&self, config: u64) -> Vec<i64> {
        let integer = |value| match value {
            Value::Int(tile) => Some(tile),
            _ => None,
        };
        let values = self.space.config(config).into_iter();
        values.filter_map(integer).collect()
    }

    fn values(&self, scalars: &[Value]) -> Result<Vec<Option<Allowed>>, String> {
        Ok(self.at(scalars)?.values()?)
    }

    fn call(&self, config: u64, sizes: &[Value]) -> Result<Option<CallPlan>, String> {
        let values = self.space.config(config);
        let call = self.at(sizes)?;
        if !call.rules.allow(&values)? {
            return Ok(None);
        }
        Ok(Some(CallPlan {
            buffers: call.lengths(&values)?,
            scratch: call.scratch(&values)?,
            passed: call.passed(&values)?,
            dims: call.dims(&values)?,
            reference_dims: call.reference_dims(&values)?,
        }))
    }

    fn sizes(&self, config: u64) -> Option<SizesOf<'_>> {
        let rules = self.sizes.get_or_init(|| self.bound.size_rules().ok());
        Some(rules.as_ref()?.of(&self.space.config(config)))
    }

    fn reference(&self, config: u64) -> Result<Option<(Unit, String)>, String> {
        let Some(reference) = &self.bound.spec.verify.reference else {
            return Ok(None);
        };
        // Any config will do that compiles: what a reference computes does not depend on parameters, or only on
        // those that have other values for it.
        let values = self.space.config(config);
        let values = self.bound.reference_values(&values)?;
        let mut unit = unit(self.bound, &self.source, &values, None)?;
        let entry = match &reference.kind {
            ReferenceKind::Entry(entry) => {
                unit.gpu = self.target.map(|target| GpuUnit {
                    target,
                    expression: entry.clone(),
                    nvcc: self.bound.spec.nvcc,
                });
                entry
            }
            ReferenceKind::File { path, entry } => {
                let consts = &self.bound.scope.problem_consts;
                unit.source = self.root.join(path);
                unit.language = Language::C;
                unit.defines.retain(|(name, _)| consts.contains_key(name));
                unit.flags = self.bound.spec.source.folders();
                entry
            }
        };
        Ok(Some((unit, entry.clone())))
    }

    fn reference_is_one(&self, config: u64, service: &Service) -> Result<(), String> {
        let none = || "there is no reference".to_string();
        let unit = |config| Ok(self.reference(config)?.ok_or_else(none)?.0);
        super::reference::check(self.bound, self.space, config, &unit, service)
    }
}

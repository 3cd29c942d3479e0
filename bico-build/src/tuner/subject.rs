//! What is measured: one tunable at one problem, as the measuring side asks about it.

use super::unit::{targeted, unit};
use crate::compile::{GpuTarget, GpuUnit, Hash, Service, Unit};
use crate::files::could_not;
use crate::measure::{CallPlan, Candidates, Stored, npy};
use bico_core::device::Facts;
use bico_core::{Lists, Value};
use bico_search::space::Space;
use bico_syntax::bind::{Allowed, Bound, SizeRules, SizesOf, SpaceError};
use bico_syntax::{Argument, CFunction, Language, Layout, ReferenceKind};
use std::cell::{OnceCell, RefCell};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// A set of sizes, and the tunable there.
type Sized<'a> = (Vec<Value>, Rc<Bound<'a>>);

/// One tunable at one problem.
pub struct Subject<'a> {
    root: &'a Path,
    sources: Vec<PathBuf>,
    bound: &'a Bound<'a>,
    space: &'a Space,
    /// What is compiled to be measured on a GPU.
    target: Option<GpuTarget>,
    /// Expressions are compiled once for each set of sizes; all configs are checked at the same few.
    others: RefCell<Vec<Sized<'a>>>,
    /// The conditions, as long as no size is given.
    sizes: OnceCell<Option<SizeRules>>,
    /// The files that buffers are filled from at the problem's sizes, and their elements.
    files: OnceCell<Vec<Option<(Stored, u64)>>>,
}

impl<'a> Subject<'a> {
    /// `sources` are the kernels' files; `root`, the package's folder, is what a reference's path is relative to.
    pub fn new(
        root: &'a Path,
        sources: &[PathBuf],
        bound: &'a Bound<'a>,
        space: &'a Space,
        target: Option<GpuTarget>,
    ) -> Subject<'a> {
        Subject {
            root,
            sources: sources.iter().map(|source| root.join(source)).collect_vec(),
            bound,
            space,
            target,
            others: RefCell::default(),
            sizes: OnceCell::new(),
            files: OnceCell::new(),
        }
    }

    /// The problem's scalar arguments, in order.
    pub fn scalars(&self) -> Vec<Value> {
        self.bound.scalars()
    }

    /// Whether the files that buffers are filled from are what a config needs.
    ///
    /// # Errors
    ///
    /// One is missing, is no array of such elements, or not as long as its buffer.
    pub(super) fn check_files(&self, config: u64) -> Result<(), SpaceError> {
        let lengths = self.bound.lengths(&self.space.config(config))?;
        self.stored(&lengths).map(drop)
    }

    /// The files that buffers of these lengths are filled from at the problem's sizes.
    fn stored(&self, lengths: &[u64]) -> Result<Vec<Option<Stored>>, SpaceError> {
        let files = match self.files.get() {
            Some(files) => files,
            None => {
                let found = self.bound.spec.buffers().map(|buffer| self.file(buffer));
                let found = found.try_collect_vec()?;
                self.files.get_or_init(|| found)
            }
        };
        let mut stored = Vec::with_capacity(files.len());
        for ((file, len), argument) in files.iter().zip(lengths).zip(self.bound.spec.buffers()) {
            let numbers = argument.kind.layout().map_or(1, Layout::numbers) as u64;
            if let (Some((_, elements)), Some(path)) = (file, argument.kind.file())
                && *elements != len.saturating_mul(numbers)
            {
                let len = len.saturating_mul(numbers);
                let (name, sizes) = (&argument.name.text, self.bound.scope.describe());
                let message = format!(
                    "`{}` has {elements} elements, `{name}` has {len} ({sizes})",
                    path.text
                );
                return Err(SpaceError::new(path.span, message));
            }
            stored.push(file.as_ref().map(|(stored, _)| stored.clone()));
        }
        Ok(stored)
    }

    fn file(&self, buffer: &Argument) -> Result<Option<(Stored, u64)>, SpaceError> {
        let (Some(name), Some(element)) = (
            buffer.kind.file(),
            buffer.kind.layout().and_then(Layout::element),
        ) else {
            return Ok(None);
        };
        let path = self.root.join(&name.text);
        let found = npy::open(&path, element).and_then(|array| {
            let content = std::fs::read(&path).map_err(could_not("read", &path))?;
            let stored = Stored {
                offset: array.offset,
                content: Hash::of(content),
                path,
            };
            Ok(Some((stored, array.len)))
        });
        found.map_err(|why| SpaceError::new(name.span, why))
    }

    /// How a file in C that goes with the kernel is compiled: without parameters.
    fn unit_in_c(&self, config: u64, path: &str) -> Result<Unit, SpaceError> {
        let values = self.space.config(config);
        let mut unit = unit(self.bound, &self.sources, &values, None)?;
        unit.source = self.root.join(path);
        let consts = &self.bound.scope.problem_consts;
        unit.language = Language::of(path).unwrap_or(Language::C);
        unit.defines.retain(|(name, _)| consts.contains_key(name));
        unit.flags = self.bound.spec.kernels[0].source.folders();
        Ok(unit)
    }

    fn in_c(
        &self,
        config: u64,
        function: Option<&CFunction>,
    ) -> Result<Option<(Unit, String)>, String> {
        let made = |of: &CFunction| Ok((self.unit_in_c(config, &of.path.text)?, of.entry.clone()));
        function.map(made).transpose()
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
        Ok(unit(self.bound, &self.sources, &values, self.target)?)
    }

    fn device(&self) -> Option<&Facts> {
        Some(self.bound.facts)
    }

    fn kernel(&self, config: u64) -> usize {
        self.bound.kernel(&self.space.config(config))
    }

    fn entries(&self, config: u64) -> Result<Vec<String>, String> {
        Ok(self.bound.entries(&self.space.config(config))?)
    }

    fn some(&self, most: u64) -> Vec<u64> {
        super::reference::spread(self.space.len(), most).collect_vec()
    }

    fn tiles(&self, config: u64) -> Vec<i64> {
        let integer = |value| match value {
            Value::Int(tile) => Some(tile),
            _ => None,
        };
        let values = self.space.config(config).into_iter();
        values.filter_map(integer).collect_vec()
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
        let buffers = call.lengths(&values)?;
        // A buffer without elements needs none.
        let fillings = call.fillings().into_iter().zip(&buffers);
        let fillings =
            fillings.map(|(filling, len)| filling.or(if *len == 0 { Ok(None) } else { Err(()) }));
        let Ok(fillings) = fillings.try_collect_vec() else {
            return Ok(None);
        };
        let stored = match call.scope.sizes == self.bound.scope.sizes {
            true => self.stored(&buffers)?,
            false => Vec::new(),
        };
        Ok(Some(CallPlan {
            kernel: call.kernel(&values),
            buffers,
            fillings,
            stored,
            scratch: call.scratch(&values)?,
            passes: call.passes(&values)?,
            reference_dims: call.reference_dims(&values)?,
        }))
    }

    fn sizes(&self, config: u64) -> Option<SizesOf<'_>> {
        let rules = self.sizes.get_or_init(|| self.bound.size_rules().ok());
        Some(rules.as_ref()?.of(&self.space.config(config)))
    }

    fn inputs(&self, config: u64) -> Result<Option<(Unit, String)>, String> {
        self.in_c(config, self.bound.spec.inputs.as_ref())
    }

    fn drive(&self, config: u64) -> Result<Option<(Unit, String)>, String> {
        self.in_c(config, self.bound.spec.drive.as_ref())
    }

    fn judge(&self, config: u64) -> Result<Option<(Unit, String)>, String> {
        self.in_c(config, self.bound.spec.verify.judge.as_ref())
    }

    fn reference(&self, config: u64) -> Result<Option<(Unit, String)>, String> {
        let Some(reference) = &self.bound.spec.verify.reference else {
            return Ok(None);
        };
        // Any config will do that compiles: what a reference computes does not depend on parameters, or only on
        // those that have other values for it.
        let values = self.space.config(config);
        let values = self.bound.reference_values(&values)?;
        let mut unit = unit(self.bound, &self.sources, &values, None)?;
        let entry = match &reference.kind {
            ReferenceKind::Entry(entry) => {
                if self.bound.spec.rust.is_some() {
                    unit.defines.clear();
                }
                let kernel = self.bound.kernel(&values);
                unit.gpu = targeted(self.bound, kernel, self.target).map(|target| GpuUnit {
                    target,
                    expressions: vec![entry.clone()],
                    nvcc: self.bound.spec.nvcc,
                });
                entry
            }
            ReferenceKind::File { path, entry } => {
                unit = self.unit_in_c(config, path)?;
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

//! A package's tunables outside of a build: their configs as compiled code and as arguments, for the command and
//! for programs that launch kernels themselves, such as benches.
//!
//! ```no_run
//! use cargo_bico::Features;
//! use cargo_bico::opened::Package;
//!
//! # fn f(facts: bico_core::device::Facts) -> Result<(), cargo_bico::Error> {
//! let package = Package::open("kernels/Cargo.toml".as_ref(), &Features::All, facts)?;
//! for tunable in package.tunables()? {
//!     for problem in tunable.problems() {
//!         let configs = tunable.at(problem)?;
//!         let first = configs.space().config(0);
//!         println!("{}: {:?}", tunable.key(), configs.call(&first)?.passes[0].dims);
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! The program's `main` calls [`run_if_compiler`] first: it is started again as the compiling process.

use crate::{Error, Features, package};
use bico_build::compile::{GpuTarget, Service, Unit};
use bico_build::env::{Env, Mode};
use bico_build::lock::{self, Lock, problem_key};
use bico_build::measure::{self, Candidates};
use bico_build::scan::Found;
use bico_build::tuner::plan::{Plan, label, render};
use bico_build::tuner::subject::Subject;
use bico_build::tuner::{service, stored};
use bico_core::Value;
use bico_core::device::{Dims, Facts};
use bico_search::space::Space;
use bico_syntax::Language;
use bico_syntax::bind::{Bound, Scope, SpaceError};
use std::path::Path;

pub use bico_build::compile::{GpuKernel, run_if_compiler};
pub use bico_build::measure::{Argument, Buffer};

/// A package, as a GPU sees it.
pub struct Package {
    pub(crate) env: Env,
    pub(crate) facts: Facts,
    pub(crate) service: Service,
    /// What kernels are compiled to; where there is none, what the compiler can do best for the GPU.
    pub(crate) target: Option<GpuTarget>,
}

impl Package {
    /// Reads a manifest. What is compiled is kept in the target folder, as a build's is.
    ///
    /// # Errors
    ///
    /// The manifest cannot be read, is no package's or has not these features.
    pub fn open(manifest: &Path, features: &Features, facts: Facts) -> Result<Package, Error> {
        let env = package::env(manifest, features, Mode::Off)?;
        package::make_target(&env)?;
        Ok(Package {
            service: service(&env),
            env,
            facts,
            target: None,
        })
    }

    /// Its CUDA tunables, in the order of files and lines.
    ///
    /// # Errors
    ///
    /// A mistake in the sources, in rustc's manner.
    pub fn tunables(&self) -> Result<Vec<Tunable<'_>>, Error> {
        let found = package::tunables(&self.env, &[])?.into_iter();
        let found = found.filter(|found| found.spec.is_cuda());
        let Package {
            env,
            service,
            facts,
            target,
        } = self;
        found
            .map(|found| Tunable::new(env, service, facts, *target, found))
            .collect()
    }

    /// Its `bico.lock`; empty where there is none.
    ///
    /// # Errors
    ///
    /// The file is faulty.
    pub fn lock(&self) -> Result<Lock, Error> {
        let lock = lock::load(&self.env.manifest_dir.join("bico.lock"));
        Ok(lock.map_err(Error::work)?.unwrap_or_default())
    }

    /// The CUDA compiler that is used, and its version.
    ///
    /// # Errors
    ///
    /// There is none.
    pub fn compiler(&self) -> Result<String, Error> {
        let compiler = self.service.compiler(Language::Cuda);
        compiler.map_err(|error| Error::Work(error.summary))
    }
}

/// One tunable, as a device sees it.
pub struct Tunable<'a> {
    pub(crate) env: &'a Env,
    pub(crate) service: &'a Service,
    facts: &'a Facts,
    target: Option<GpuTarget>,
    pub(crate) plan: Plan,
}

impl<'a> Tunable<'a> {
    /// Evaluates its problems.
    ///
    /// # Errors
    ///
    /// An expression cannot be evaluated, or a source cannot be read: a text in rustc's manner.
    pub(crate) fn new(
        env: &'a Env,
        service: &'a Service,
        facts: &'a Facts,
        target: Option<GpuTarget>,
        found: Found,
    ) -> Result<Tunable<'a>, Error> {
        Ok(Tunable {
            plan: Plan::new(found, &env.manifest_dir, facts)?,
            env,
            service,
            facts,
            target,
        })
    }

    /// Its key.
    pub fn key(&self) -> &str {
        self.plan.key()
    }

    /// The attribute's problems. Others come of them by [`Scope::with_size`].
    pub fn problems(&self) -> impl Iterator<Item = &Scope> {
        let problems = self.plan.problems.iter().filter(|of| !of.is_between());
        problems.map(|problem| &problem.scope)
    }

    /// The configs at some sizes, one at least.
    ///
    /// # Errors
    ///
    /// An expression cannot be evaluated, or no config is valid: a text for people.
    pub fn at(&self, scope: &Scope) -> Result<Configs<'_>, Error> {
        let configs = self.configs(scope)?;
        let Some(why) = configs.space.why_empty() else {
            return Ok(configs);
        };
        let (key, sizes) = (self.key(), scope.describe());
        let message = format!("the space of `{key}` is empty at ({sizes}): {why}");
        Err(Error::Work(message))
    }

    /// The configs at some sizes, if there are any.
    ///
    /// # Errors
    ///
    /// An expression cannot be evaluated.
    pub(crate) fn configs(&self, scope: &Scope) -> Result<Configs<'_>, Error> {
        let spec = &self.plan.found.spec;
        let shown = |error| self.shown(&error);
        let bound = Bound::new(spec, self.facts, scope).map_err(shown)?;
        let space = Space::new(&bound).map_err(shown)?;
        Ok(Configs {
            tunable: self,
            problem: problem_key(scope),
            bound,
            space,
        })
    }

    /// A mistake in an expression, shown on its place in the source.
    pub(crate) fn shown(&self, error: &SpaceError) -> Error {
        Error::Work(render(&self.plan.found, &self.env.manifest_dir, error))
    }
}

const INVALID: &str = "the config is not valid here";

/// The configs of a tunable at some sizes.
pub struct Configs<'a> {
    tunable: &'a Tunable<'a>,
    problem: String,
    pub(crate) bound: Bound<'a>,
    space: Space,
}

/// A config's kernels, or the reference, ready to be loaded and launched.
#[derive(Debug)]
pub struct Call {
    /// The compiled code.
    pub kernel: GpuKernel,
    /// What is launched, in order.
    pub passes: Vec<Pass>,
}

/// A launch of one kernel.
#[derive(Debug)]
pub struct Pass {
    /// The kernel's name in the compiled code.
    pub entry: String,
    /// How it is launched.
    pub dims: Dims,
    /// What it is launched with.
    pub arguments: Vec<Argument>,
}

impl Configs<'_> {
    /// Their numbers and values.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The sizes as the lock names them.
    pub fn problem(&self) -> &str {
        &self.problem
    }

    /// The sizes and constants for people, in the order of the arguments.
    pub(crate) fn label(&self) -> String {
        label(self.bound.spec, &self.bound.scope, &self.problem)
    }

    /// What a lock knows to be the best here; of another problem's winners where it does not know these sizes, the
    /// first that is valid here. `None` where there is none, or the kernel has changed since.
    pub fn winner(&self, lock: &Lock) -> Option<Vec<Value>> {
        let plan = &self.tunable.plan;
        let devices = lock.kernels.get(plan.key())?;
        let entries = devices.get(&self.tunable.facts.key())?;
        let here = entries.get(&self.problem);
        here.into_iter()
            .chain(entries.values())
            .filter(|entry| entry.hashes.changed(&plan.hashes).is_empty())
            .filter_map(|entry| stored::values(&plan.found.spec, &entry.winner.config))
            .find(|values| self.space.index_of(values).is_some())
    }

    /// Compiles configs in the background, for calls to come.
    pub fn announce(&self, configs: &[Vec<Value>]) {
        let subject = self.subject();
        let units = configs
            .iter()
            .filter_map(|config| subject.unit(self.space.index_of(config)?).ok());
        self.tunable.service.announce(units.collect());
    }

    /// A config's kernel.
    ///
    /// # Errors
    ///
    /// The config is not valid, or does not compile.
    pub fn call(&self, config: &[Value]) -> Result<Call, Error> {
        let number = self.space.index_of(config).ok_or(INVALID)?;
        let subject = self.subject();
        let unit = subject.unit(number)?;
        self.compiled(&subject, number, &unit, false)
    }

    /// The reference; `None` where it is no CUDA kernel.
    ///
    /// # Errors
    ///
    /// It does not compile.
    pub fn reference(&self) -> Result<Option<Call>, Error> {
        let subject = self.subject();
        match subject.reference(0)? {
            Some((unit, _)) if unit.gpu.is_some() => {
                self.compiled(&subject, 0, &unit, true).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// The configs as the compiler and the measuring side ask about them.
    pub(crate) fn subject(&self) -> Subject<'_> {
        let Tunable {
            env,
            service,
            facts,
            target,
            plan,
        } = self.tunable;
        let best = || {
            facts
                .capability()
                .map(|of| service.target(of, self.bound.spec.nvcc))
        };
        let (root, sources) = (&env.manifest_dir, &plan.found.sources);
        Subject::new(
            root,
            sources,
            &self.bound,
            &self.space,
            target.or_else(best),
        )
    }

    fn compiled(
        &self,
        subject: &Subject<'_>,
        config: u64,
        unit: &Unit,
        reference: bool,
    ) -> Result<Call, Error> {
        let scalars = subject.scalars();
        let plan = subject.call(config, &scalars)?.ok_or(INVALID)?;
        let launches: Vec<Dims> = match reference {
            true => plan.reference_dims.into_iter().collect(),
            false => plan.launches().copied().collect(),
        };
        let kernel = self.tunable.service.kernel(unit).map_err(Error::work)?;
        let spec = &self.tunable.plan.found.spec;
        let arguments = measure::arguments(spec, &plan, &scalars, reference)?;
        let passes = kernel.entries.iter().zip(launches).zip(arguments);
        let passes = passes.map(|((entry, dims), arguments)| Pass {
            entry: entry.name.clone(),
            dims,
            arguments,
        });
        Ok(Call {
            passes: passes.collect(),
            kernel,
        })
    }
}

#[cfg(test)]
mod tests;

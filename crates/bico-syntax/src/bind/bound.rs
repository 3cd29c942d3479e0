//! A tunable at one problem on one device: the one form that all that is asked of a config goes through.

use crate::bind::flags::vector_bits;
use crate::bind::launch::Extents;
use crate::bind::pass::{BoundPass, PassPlan};
use crate::bind::{Expression, Rules, Scope, SpaceError, written};
use crate::{ArgumentKind, Arithmetic, Expr, FlagPart, Launch, ReferenceKind, TunableSpec};
use bico_core::device::Facts;
use bico_core::{Lists, Set, Value, model};
use std::cell::OnceCell;
use std::rc::Rc;

/// What an attribute says, evaluated for one problem on one device. Every question about a config is asked here,
/// with the values of its parameters in declaration order.
///
/// ```
/// use bico_syntax::bind::{Bound, Scope};
/// use bico_core::Value::Int;
///
/// let attribute = "source = \"k.c\", space(T in [1, 2, 4]), require(T <= n), problem(n = 2), flags = [\"-DU={T}\"]";
/// let item = "fn k(#[len(n * T)] x: &[f32], #[len(n)] y: &mut [f32], n: u32) -> bico::Result<()>;";
/// let wrapper = bico_syntax::parse(attribute.parse()?, item.parse()?).expect("a tunable");
/// let facts = bico_core::device::Facts::Cuda(bico_core::device::CudaFacts::typical("a GPU", "", 80));
/// let scope = Scope::new(&wrapper.spec, &wrapper.spec.problems[0], &facts, &Default::default())?;
/// let bound = Bound::new(&wrapper.spec, &facts, &scope)?;
/// assert_eq!(bound.lengths(&[Int(4)])?, [8, 2]);
/// assert_eq!(bound.flags(&[Int(4)]), ["-DU=4"]);
/// assert!(bound.rules.why_not(&[Int(4)]).is_some(), "T <= n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Bound<'a> {
    /// What the attribute says.
    pub spec: &'a TunableSpec,
    /// The device.
    pub facts: &'a Facts,
    /// The problem: what names stand for besides parameters.
    pub scope: Scope,
    /// Which values are a config.
    pub rules: Rc<Rules>,
    /// Those of each kernel.
    passes: Vec<Vec<BoundPass<'a>>>,
    /// Elements of each buffer argument, then of each scratch buffer; the bytes of one.
    buffers: Vec<(Expression, usize)>,
    /// How many of them are arguments.
    arguments: usize,
    pub(crate) reference_launch: Option<Extents>,
    /// A config of the first variant, whose source has the reference, once somebody asked for it.
    pub(crate) referring: OnceCell<Vec<Value>>,
    /// The parameters that the reference has values of its own for.
    pub(crate) with: Vec<(usize, Value)>,
    flops: Option<Expression>,
    bytes: Option<Expression>,
    /// Threads that a call of a kernel on the CPU runs on, where the author says.
    pub threads: Option<u64>,
    /// The config that would run without bico, valid or not.
    pub default: Option<Vec<Value>>,
    /// The author's own ranking, higher is better.
    pub score: Option<Expression>,
    /// `budget_scale`: what else a config costs.
    pub scale: Option<Expression>,
}

impl<'a> Bound<'a> {
    /// Compiles all expressions of `spec`. On a GPU what it can launch at all (threads of a block, shared memory) are
    /// conditions besides the author's own.
    ///
    /// # Errors
    ///
    /// A name or device field that nobody knows, or a domain that cannot be evaluated.
    pub fn new(
        spec: &'a TunableSpec,
        facts: &'a Facts,
        scope: &Scope,
    ) -> Result<Bound<'a>, SpaceError> {
        let rules = Rules::new(spec, facts, scope)?;
        let compile = |expr: &Expr, arithmetic| {
            Expression::compile(expr, arithmetic, &rules.names, scope, facts)
        };
        let integer = |expr: &Expr| compile(expr, Arithmetic::Integer);
        let real = |expr: Option<&Expr>| match expr {
            Some(expr) => compile(expr, Arithmetic::Real).map(Some),
            None => Ok(None),
        };
        let mut buffers = Vec::new();
        for argument in &spec.arguments {
            if let ArgumentKind::Buffer { layout, len, .. } = &argument.kind {
                buffers.push((integer(len)?, layout.size()));
            }
        }
        let arguments = buffers.len();
        for scratch in &spec.scratch {
            buffers.push((integer(&scratch.len)?, scratch.element.size()));
        }
        let mut passes = Vec::new();
        for kernel in &spec.kernels {
            let own = kernel.passes.iter();
            let own = own.map(|pass| BoundPass::new(pass, &compile));
            passes.push(own.try_collect_vec()?);
        }
        let reference = spec.verify.reference.as_ref();
        // Without a launch of its own it gets the kernel's.
        let reference_launch = reference
            .filter(|reference| matches!(reference.kind, ReferenceKind::Entry(_)))
            .and_then(|of| of.launch.as_ref().or(spec.kernels[0].launches().next()));
        let extents = |launch: Option<&Launch>| match launch {
            Some(launch) => Extents::new(launch, &integer).map(Some),
            None => Ok(None),
        };
        let mut with = Vec::new();
        for (name, value) in reference.into_iter().flat_map(|of| &of.with) {
            let at = rules.names.iter().position(|known| *known == name.text);
            let value = integer(value)?.eval(&[])?;
            with.extend(at.map(|at| (at, value)));
        }
        let default = spec.default.as_ref();
        let default = default
            .map(|config| rules.given(config, &integer))
            .transpose()?;
        let threads = spec.threads.as_ref().map(|expr| {
            let threads = integer(expr)?;
            match threads.count(&[])? {
                0 => Err(threads.error("a kernel runs on one thread at least", &[])),
                count => Ok(count),
            }
        });
        Ok(Bound {
            with,
            default,
            threads: threads.transpose()?,
            passes,
            referring: OnceCell::new(),
            buffers,
            arguments,
            reference_launch: extents(reference_launch)?,
            flops: real(spec.work.flops.as_ref())?,
            bytes: real(spec.work.bytes.as_ref())?,
            score: real(spec.score.as_ref())?,
            scale: real(spec.budget_scale.as_ref().map(|scale| &scale.expr))?,
            spec,
            facts,
            scope: scope.clone(),
            rules: Rc::new(rules),
        })
    }

    /// This tunable on this device, at other values of its scalar arguments (in their order).
    ///
    /// # Errors
    ///
    /// An expression cannot be evaluated, as in [`Bound::new`].
    pub fn at(&self, sizes: &[Value]) -> Result<Bound<'a>, SpaceError> {
        let mut scope = self.scope.clone();
        for (name, value) in scalars(self.spec).into_iter().zip(sizes) {
            let map = match scope.values.contains_key(name) {
                true => &mut scope.values,
                false => &mut scope.sizes,
            };
            map.insert(name.to_string(), *value);
        }
        let other = Bound::new(self.spec, self.facts, &scope)?;
        other.refers_as(self);
        Ok(other)
    }

    /// The parameters, in declaration order.
    pub fn names(&self) -> &[String] {
        &self.rules.names
    }

    /// The problem's scalar arguments, in order.
    pub fn scalars(&self) -> Vec<Value> {
        let names = scalars(self.spec).into_iter();
        names.filter_map(|name| self.scope.get(name)).collect_vec()
    }

    /// The function of each pass, for a config.
    ///
    /// # Errors
    ///
    /// An `entry` cannot be evaluated, or is no string.
    pub fn entries(&self, values: &[Value]) -> Result<Vec<String>, SpaceError> {
        let passes = self.passes[self.kernel(values)].iter();
        passes.map(|pass| pass.entry(values)).try_collect_vec()
    }

    /// The kernel of each pass as an expression of CUDA C++: `gemm`, `gemm<64, 8>`.
    ///
    /// # Errors
    ///
    /// An `entry` cannot be evaluated, or is no string.
    pub fn instances(&self, values: &[Value]) -> Result<Vec<String>, SpaceError> {
        let parameter = |name: &str| self.parameter(name, values);
        let passes = self.passes[self.kernel(values)].iter();
        passes
            .map(|pass| pass.instance(values, &parameter))
            .try_collect_vec()
    }

    fn parameter(&self, name: &str, values: &[Value]) -> Option<Value> {
        let at = self.names().iter().position(|known| known == name)?;
        values.get(at).copied()
    }

    /// The macros that a config defines: its parameters, then the problem's constants.
    pub fn defines(&self, values: &[Value]) -> Vec<(String, String)> {
        let kernel = &self.spec.kernels[self.kernel(values)];
        // Parameters of the C++ template get none.
        let parameters = self.names().iter().zip(values);
        let parameters = parameters.filter(|(name, _)| !kernel.is_templated(name));
        let parameters = parameters.filter_map(|(name, value)| Some((kernel.sees(name)?, value)));
        let consts = self.scope.problem_consts.iter();
        let all = parameters.chain(consts.map(|(name, value)| (name.as_str(), value)));
        let define = |(name, value): (&str, &Value)| (name.to_string(), written(*value));
        all.map(define).collect_vec()
    }

    /// The compiler flags for a config: what follows from the sources, then the author's.
    pub fn flags(&self, values: &[Value]) -> Vec<String> {
        let kernel = &self.spec.kernels[self.kernel(values)];
        let mut flags = kernel.source.flags();
        for parts in self.spec.flags_of(kernel) {
            let mut flag = String::new();
            for part in parts {
                match part {
                    FlagPart::Text(text) => flag.push_str(text),
                    FlagPart::Name(name) => {
                        let value = self.parameter(name, values);
                        let value = value.or_else(|| self.scope.get(name));
                        flag.push_str(&value.map(written).unwrap_or_default());
                    }
                }
            }
            flags.push(flag);
        }
        flags
    }

    /// Elements of the buffer arguments, in order.
    ///
    /// # Errors
    ///
    /// A length that cannot be evaluated.
    pub fn lengths(&self, values: &[Value]) -> Result<Vec<u64>, SpaceError> {
        let arguments = self.buffers[..self.arguments].iter();
        arguments
            .map(|(len, _)| len.count(values))
            .try_collect_vec()
    }

    /// Elements of the scratch buffers, in order.
    ///
    /// # Errors
    ///
    /// A length that cannot be evaluated.
    pub fn scratch(&self, values: &[Value]) -> Result<Vec<u64>, SpaceError> {
        let scratch = self.buffers[self.arguments..].iter();
        scratch.map(|(len, _)| len.count(values)).try_collect_vec()
    }

    /// A buffer argument that has no elements, whatever the config.
    ///
    /// # Errors
    ///
    /// A length that cannot be evaluated.
    pub fn empty_buffer(&self) -> Result<Option<&'a str>, SpaceError> {
        let arguments = self.spec.arguments.iter();
        let buffers = arguments.filter(|a| matches!(a.kind, ArgumentKind::Buffer { .. }));
        for (argument, (len, _)) in buffers.zip(&self.buffers) {
            if len.depends().is_empty() && len.count(&[])? == 0 {
                return Ok(Some(&argument.name.text));
            }
        }
        Ok(None)
    }

    /// What a call runs, in order.
    ///
    /// # Errors
    ///
    /// An extent, or a value of `args`, that cannot be evaluated, or is more than a launch can have.
    #[inline]
    pub fn passes(&self, values: &[Value]) -> Result<Vec<PassPlan>, SpaceError> {
        let passes = self.passes[self.kernel(values)].iter();
        passes.map(|pass| pass.plan(values)).try_collect_vec()
    }

    /// Floating-point operations and bytes of one call, where the author says.
    ///
    /// # Errors
    ///
    /// An expression that cannot be evaluated.
    #[inline]
    pub fn amounts(&self, values: &[Value]) -> Result<(Option<f64>, Option<f64>), SpaceError> {
        let number = |e: &Option<Expression>| e.as_ref().map(|e| e.number(values)).transpose();
        Ok((number(&self.flops)?, number(&self.bytes)?))
    }

    /// What the performance model knows of a config.
    ///
    /// # Errors
    ///
    /// An expression that cannot be evaluated.
    #[inline]
    pub fn work(&self, values: &[Value]) -> Result<model::Work, SpaceError> {
        let (flops, bytes) = self.amounts(values)?;
        let mut footprint = 0.0;
        for (at, (len, size)) in self.buffers.iter().enumerate() {
            let bytes = len.count(values)? as f64 * *size as f64;
            footprint += if at < self.moved() { bytes } else { 0.0 };
        }
        let (level, launch) = match (self.facts, self.leading(self.kernel(values))) {
            (Facts::Cpu(cpu), _) => (cpu.level.as_str(), None),
            (Facts::Cuda(_), None) => ("", None),
            (Facts::Cuda(_), Some(launch)) => ("", Some(launch.model(values)?)),
        };
        Ok(model::Work {
            flops,
            bytes,
            footprint,
            vector_bits: vector_bits(&self.flags(values), level),
            launch,
        })
    }

    /// The launch that the model goes by: that of the first pass, which has the bulk of the work where it is divided. That
    /// of the last, such as one block that sums up, would make all configs look alike.
    #[inline]
    fn leading(&self, kernel: usize) -> Option<&Extents> {
        self.passes[kernel].first()?.launch.as_ref()
    }

    /// How many buffers a call brings from memory, for all that is known. Scratch of a CPU's kernel is there to stay in a
    /// cache, so that a small one says nothing for a config; on a GPU it lies in memory.
    fn moved(&self) -> usize {
        match self.facts {
            Facts::Cpu(_) => self.arguments,
            Facts::Cuda(_) => self.buffers.len(),
        }
    }

    /// The parameters that [`Bound::work`] depends on, ascending.
    #[inline]
    pub fn work_depends(&self) -> Set<usize> {
        let gpu = matches!(self.facts, Facts::Cuda(_));
        let mut depends: Set<usize> = Set::default();
        // Which variant it is says by which launch and flags to go.
        depends.extend(self.spec.has_variants().then_some(0));
        for kernel in 0..self.passes.len() {
            let launch = self.leading(kernel).filter(|_| gpu);
            depends.extend(launch.map(Extents::depends).unwrap_or_default());
        }
        let lengths = self.buffers.iter().map(|(len, _)| len);
        for expression in self.flops.iter().chain(&self.bytes).chain(lengths) {
            depends.extend(expression.depends().iter().copied());
        }
        let kernels = self.spec.kernels.iter();
        let flags = kernels.flat_map(|kernel| self.spec.flags_of(kernel));
        for part in flags.flatten() {
            if let FlagPart::Name(name) = part {
                depends.extend(self.names().iter().position(|known| known == name));
            }
        }
        depends
    }
}

/// Names of the scalar arguments, in order.
pub fn scalars(spec: &TunableSpec) -> Vec<&str> {
    let scalars = spec.arguments.iter();
    let scalars = scalars.filter(|argument| argument.kind.by_value().is_some());
    scalars.map(|of| of.name.text.as_str()).collect_vec()
}

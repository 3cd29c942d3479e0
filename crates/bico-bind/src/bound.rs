//! A tunable at one problem on one device: the one form that all that is asked of a config goes through.

use crate::flags::{Flags, vector_bits};
use crate::launch::{Extents, limits};
use crate::{Expression, Rules, Scope, SpaceError, written};
use bico_core::device::{Dims, Facts};
use bico_core::{Value, model};
use bico_syntax::{ArgumentKind, Arithmetic, Expr, ReferenceKind, TunableSpec};

/// What an attribute says, evaluated for one problem on one device. Every question about a config is asked here,
/// with the values of its parameters in declaration order.
///
/// ```
/// use bico_bind::{Bound, Scope};
/// use bico_core::Value::Int;
///
/// let attribute = "source = \"k.c\", space(T in [1, 2, 4]), require(T <= n), problem(n = 2), flags = [\"-DU={T}\"]";
/// let item = "fn k(#[len(n * T)] y: &mut [f32], n: u32) -> bico::Result<()>;";
/// let wrapper = bico_syntax::parse(attribute.parse()?, item.parse()?).expect("a tunable");
/// let facts = bico_core::device::Facts::Cuda(bico_core::device::CudaFacts::typical("a GPU", "", 80));
/// let scope = Scope::new(&wrapper.spec, &wrapper.spec.problems[0], &facts, &Default::default())?;
/// let bound = Bound::new(&wrapper.spec, &facts, &scope)?;
/// assert_eq!(bound.lengths(&[Int(4)])?, [8]);
/// assert_eq!(bound.flags(&[Int(4)]), ["-DU=4"]);
/// assert!(bound.rules().why_not(&[Int(4)]).is_some(), "T <= n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Bound<'a> {
    spec: &'a TunableSpec,
    facts: &'a Facts,
    scope: Scope,
    rules: Rules,
    /// The kernel's function.
    entry: Expression,
    /// Parameters of the C++ template, which get no `-D`.
    template: Vec<usize>,
    flags: Flags,
    /// Elements of each buffer argument, then of each scratch buffer; and the bytes of one.
    buffers: Vec<(Expression, usize)>,
    /// How many of them are arguments.
    arguments: usize,
    launch: Option<Extents>,
    reference_launch: Option<Extents>,
    flops: Option<Expression>,
    bytes: Option<Expression>,
    score: Option<Expression>,
    scale: Option<Expression>,
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
        let mut rules = Rules::new(spec, facts, scope)?;
        let compile = |expr: &Expr, arithmetic| {
            Expression::compile(expr, arithmetic, &rules.names, scope, facts)
        };
        let integer = |expr: &Expr| compile(expr, Arithmetic::Integer);
        let real = |expr: Option<&Expr>| {
            let compiled = expr.map(|expr| compile(expr, Arithmetic::Real));
            compiled.transpose()
        };
        let mut buffers = Vec::new();
        for argument in &spec.arguments {
            if let ArgumentKind::Buffer { element, len, .. } = &argument.kind {
                buffers.push((integer(len)?, element.size()));
            }
        }
        let arguments = buffers.len();
        for scratch in &spec.scratch {
            buffers.push((integer(&scratch.len)?, scratch.element.size()));
        }
        let reference = spec.verify.reference.as_ref();
        // Without a launch of its own it gets the kernel's.
        let reference_launch = reference
            .filter(|reference| matches!(reference.kind, ReferenceKind::Entry(_)))
            .and_then(|reference| reference.launch.as_ref().or(spec.launch.as_ref()));
        let extents = |launch: Option<&bico_syntax::Launch>| {
            let compiled = launch.map(|launch| Extents::new(launch, &integer));
            compiled.transpose()
        };
        let template = spec.template.iter();
        let template = template.filter_map(|name| rules.names.iter().position(|n| *n == name.text));
        let mut limited = Vec::new();
        if let (Facts::Cuda(_), Some(launch)) = (facts, &spec.launch) {
            for limit in limits(launch) {
                limited.push(integer(&limit)?);
            }
        }
        let bound = Bound {
            entry: integer(&spec.entry)?,
            template: template.collect(),
            flags: Flags::new(spec, &rules.names, scope),
            buffers,
            arguments,
            launch: extents(spec.launch.as_ref())?,
            reference_launch: extents(reference_launch)?,
            flops: real(spec.work.flops.as_ref())?,
            bytes: real(spec.work.bytes.as_ref())?,
            score: real(spec.score.as_ref())?,
            scale: real(spec.budget_scale.as_ref().map(|scale| &scale.expr))?,
            spec,
            facts,
            scope: scope.clone(),
            rules: Rules::default(),
        };
        rules.add(limited);
        Ok(Bound { rules, ..bound })
    }

    /// This tunable on this device, at other values of its scalar arguments (in their order).
    ///
    /// # Errors
    ///
    /// An expression cannot be evaluated, as in [`Bound::new`].
    pub fn at(&self, sizes: &[Value]) -> Result<Bound<'a>, SpaceError> {
        let mut scope = self.scope.clone();
        for (name, value) in scalars(self.spec).into_iter().zip(sizes) {
            scope.sizes.insert(name.to_string(), *value);
        }
        Bound::new(self.spec, self.facts, &scope)
    }

    /// What the attribute says.
    pub fn spec(&self) -> &'a TunableSpec {
        self.spec
    }

    /// The device.
    pub fn facts(&self) -> &'a Facts {
        self.facts
    }

    /// The problem: what names stand for besides parameters.
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// Which values are a config.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The parameters, in declaration order.
    pub fn names(&self) -> &[String] {
        &self.rules.names
    }

    /// The problem's scalar arguments, in order.
    pub fn scalars(&self) -> Vec<Value> {
        let names = scalars(self.spec).into_iter();
        names.filter_map(|name| self.scope.get(name)).collect()
    }

    /// The kernel's function for a config.
    ///
    /// # Errors
    ///
    /// `entry` cannot be evaluated, or is no string.
    pub fn entry(&self, values: &[Value]) -> Result<String, SpaceError> {
        match self.entry.eval(values)? {
            Value::Str(name) => Ok(name.to_string()),
            other => Err(SpaceError::new(
                self.entry.span(),
                format!(
                    "`{}` must give the name of a function, not {other}",
                    self.entry.text()
                ),
            )),
        }
    }

    /// The kernel as an expression of CUDA C++: `gemm`, `gemm<64, 8>`.
    ///
    /// # Errors
    ///
    /// `entry` cannot be evaluated, or is no string.
    pub fn instance(&self, values: &[Value]) -> Result<String, SpaceError> {
        let entry = self.entry(values)?;
        if self.template.is_empty() {
            return Ok(entry);
        }
        let arguments = self.template.iter().filter_map(|at| values.get(*at));
        // A string names a type in a template argument, and a boolean is one.
        let arguments = arguments.map(|value| match value {
            Value::Bool(value) => value.to_string(),
            other => written(*other),
        });
        let arguments: Vec<String> = arguments.collect();
        Ok(format!("{entry}<{}>", arguments.join(", ")))
    }

    /// The macros that a config defines: its parameters, then the problem's constants.
    pub fn defines(&self, values: &[Value]) -> Vec<(String, String)> {
        let parameters = self.names().iter().zip(values).enumerate();
        let parameters = parameters
            .filter(|(index, _)| !self.template.contains(index))
            .map(|(_, (name, value))| (name, value));
        let consts = &self.scope.problem_consts;
        let all = parameters.chain(consts);
        all.map(|(name, value)| (name.clone(), written(*value)))
            .collect()
    }

    /// The author's compiler flags for a config.
    pub fn flags(&self, values: &[Value]) -> Vec<String> {
        self.flags.of(values)
    }

    /// Elements of the buffer arguments, in order.
    ///
    /// # Errors
    ///
    /// A length that cannot be evaluated.
    pub fn lengths(&self, values: &[Value]) -> Result<Vec<u64>, SpaceError> {
        let arguments = self.buffers[..self.arguments].iter();
        arguments.map(|(len, _)| len.count(values)).collect()
    }

    /// Elements of the scratch buffers, in order.
    ///
    /// # Errors
    ///
    /// A length that cannot be evaluated.
    pub fn scratch(&self, values: &[Value]) -> Result<Vec<u64>, SpaceError> {
        let scratch = self.buffers[self.arguments..].iter();
        scratch.map(|(len, _)| len.count(values)).collect()
    }

    /// A buffer argument that has no elements, whatever the config.
    ///
    /// # Errors
    ///
    /// A length that cannot be evaluated.
    pub fn empty_buffer(&self) -> Result<Option<&'a str>, SpaceError> {
        let buffers = self.spec.arguments.iter();
        let buffers = buffers.filter(|a| matches!(a.kind, ArgumentKind::Buffer { .. }));
        for (argument, (len, _)) in buffers.zip(&self.buffers) {
            if len.depends().is_empty() && len.count(&[])? == 0 {
                return Ok(Some(&argument.name.text));
            }
        }
        Ok(None)
    }

    /// How the kernel is launched on a GPU.
    ///
    /// # Errors
    ///
    /// An extent that cannot be evaluated, or is more than a launch can have.
    pub fn dims(&self, values: &[Value]) -> Result<Option<Dims>, SpaceError> {
        let launch = self.launch.as_ref();
        launch.map(|launch| launch.dims(values)).transpose()
    }

    /// How the reference is launched, where it is a kernel.
    ///
    /// # Errors
    ///
    /// `launch` cannot be evaluated, as in [`Bound::dims`].
    pub fn reference_dims(&self, values: &[Value]) -> Result<Option<Dims>, SpaceError> {
        let launch = self.reference_launch.as_ref();
        launch.map(|launch| launch.dims(values)).transpose()
    }

    /// Floating-point operations and bytes of one call, where the author says.
    ///
    /// # Errors
    ///
    /// An expression that cannot be evaluated.
    pub fn amounts(&self, values: &[Value]) -> Result<(Option<f64>, Option<f64>), SpaceError> {
        let number = |e: &Option<Expression>| e.as_ref().map(|e| e.number(values)).transpose();
        Ok((number(&self.flops)?, number(&self.bytes)?))
    }

    /// What the performance model knows of a config.
    ///
    /// # Errors
    ///
    /// An expression that cannot be evaluated.
    pub fn work(&self, values: &[Value]) -> Result<model::Work, SpaceError> {
        let (flops, bytes) = self.amounts(values)?;
        let mut footprint = 0.0;
        for (len, size) in &self.buffers {
            footprint += len.count(values)? as f64 * *size as f64;
        }
        let (level, launch) = match (self.facts, &self.launch) {
            (Facts::Cpu(cpu), _) => (cpu.level.as_str(), None),
            (Facts::Cuda(_), None) => ("", None),
            (Facts::Cuda(_), Some(launch)) => ("", Some(launch.model(values)?)),
        };
        let flags = self.flags(values);
        Ok(model::Work {
            flops,
            bytes,
            footprint,
            vector_bits: vector_bits(flags.iter().map(String::as_str), level),
            launch,
        })
    }

    /// The parameters that [`Bound::work`] depends on, ascending.
    pub fn work_depends(&self) -> Vec<usize> {
        let launch = match self.facts {
            Facts::Cpu(_) => None,
            Facts::Cuda(_) => self.launch.as_ref(),
        };
        let expressions = self.flops.iter().chain(&self.bytes);
        let expressions = expressions
            .chain(self.buffers.iter().map(|(len, _)| len))
            .chain(launch.into_iter().flat_map(Extents::expressions));
        let mut depends: Vec<usize> = expressions
            .flat_map(|e| e.depends().iter().copied())
            .chain(self.flags.depends())
            .collect();
        depends.sort_unstable();
        depends.dedup();
        depends
    }

    /// The author's own ranking, higher is better.
    pub fn score(&self) -> Option<&Expression> {
        self.score.as_ref()
    }

    /// `budget_scale`: what else a config costs.
    pub fn scale(&self) -> Option<&Expression> {
        self.scale.as_ref()
    }
}

/// Names of the scalar arguments, in order.
pub fn scalars(spec: &TunableSpec) -> Vec<&str> {
    let scalars = spec.arguments.iter();
    let scalars = scalars.filter(|argument| matches!(argument.kind, ArgumentKind::Scalar(_)));
    scalars
        .map(|argument| argument.name.text.as_str())
        .collect()
}

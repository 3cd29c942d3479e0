//! One tunable at one problem: what a config means for the compiler, and for a call.

use crate::compile::{GpuTarget, GpuUnit, Unit};
use bico_bind::written;
use bico_bind::{Expression, Scope, SpaceError};
use bico_core::Value;
use bico_core::device::{Dims, Facts};
use bico_syntax::{ArgumentKind, Arithmetic, Expr, FlagPart, ReferenceKind, TunableSpec};
use std::path::Path;

/// The compiler's side of a tunable at a problem: it depends on the problem's constants, not on its
/// sizes.
#[derive(Debug)]
pub(super) struct Kernel {
    names: Vec<String>,
    unit: Unit,
    flags: Vec<Vec<FlagPart>>,
    scope: Scope,
    entry: Expression,
    /// Parameters of the C++ template, which get no `-D`.
    template: Vec<usize>,
}

impl Kernel {
    pub(super) fn new(
        spec: &TunableSpec,
        root: &Path,
        scope: &Scope,
        facts: &Facts,
    ) -> Result<Kernel, SpaceError> {
        let names: Vec<String> = spec
            .parameters
            .iter()
            .map(|p| p.name.text.clone())
            .collect();
        let entry = Expression::compile(&spec.entry, Arithmetic::Integer, &names, scope, facts)?;
        let template = spec
            .template
            .iter()
            .filter_map(|name| names.iter().position(|n| *n == name.text))
            .collect();
        Ok(Kernel {
            unit: Unit {
                source: root.join(&spec.source.path.text),
                language: spec.source.language,
                defines: Vec::new(),
                flags: Vec::new(),
                gpu: None,
            },
            flags: spec.flags.iter().map(|flag| flag.parts.clone()).collect(),
            scope: scope.clone(),
            names,
            entry,
            template,
        })
    }

    /// What is compiled for a config.
    pub(super) fn unit(&self, values: &[Value]) -> Unit {
        let mut unit = self.unit.clone();
        let parameters = self.names.iter().zip(values).enumerate();
        unit.defines = parameters
            .filter(|(index, _)| !self.template.contains(index))
            .map(|(_, (name, value))| (name.clone(), written(*value)))
            .collect();
        let consts = &self.scope.problem_consts;
        unit.defines.extend(
            consts
                .iter()
                .map(|(name, value)| (name.clone(), written(*value))),
        );
        unit.flags = self.flags(values);
        unit
    }

    /// What is compiled for a config on a GPU: its kernel as an expression of C++.
    pub(super) fn gpu_unit(&self, values: &[Value], target: GpuTarget) -> Result<Unit, SpaceError> {
        let mut expression = self.entry(values)?;
        if !self.template.is_empty() {
            let arguments = self.template.iter().filter_map(|at| values.get(*at));
            let arguments: Vec<String> = arguments.map(|value| template(*value)).collect();
            expression = format!("{expression}<{}>", arguments.join(", "));
        }
        let gpu = Some(GpuUnit { target, expression });
        Ok(Unit {
            gpu,
            ..self.unit(values)
        })
    }

    /// The author's flags for a config.
    pub(super) fn flags(&self, values: &[Value]) -> Vec<String> {
        let value = |name: &String| {
            let parameter = self
                .names
                .iter()
                .position(|n| n == name)
                .and_then(|i| values.get(i));
            parameter.copied().or_else(|| self.scope.get(name))
        };
        self.flags
            .iter()
            .map(|parts| {
                parts
                    .iter()
                    .map(|part| match part {
                        FlagPart::Text(text) => text.clone(),
                        FlagPart::Name(name) => value(name).map(written).unwrap_or_default(),
                    })
                    .collect()
            })
            .collect()
    }

    /// The kernel's function for a config.
    pub(super) fn entry(&self, values: &[Value]) -> Result<String, SpaceError> {
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
}

/// A value as a template argument: strings name types.
fn template(value: Value) -> String {
    match value {
        Value::Bool(value) => value.to_string(),
        other => written(other),
    }
}

/// Extents of a launch.
#[derive(Debug)]
struct Launch {
    grid: Vec<Expression>,
    block: Vec<Expression>,
    shared: Option<Expression>,
}

impl Launch {
    /// The extents for a config.
    fn dims(&self, values: &[Value]) -> Result<Dims, SpaceError> {
        let extents = |list: &[Expression]| -> Result<[u32; 3], SpaceError> {
            let mut extents = [1; 3];
            for (extent, expression) in extents.iter_mut().zip(list) {
                *extent = number(expression, values)?;
            }
            Ok(extents)
        };
        Ok(Dims {
            grid: extents(&self.grid)?,
            block: extents(&self.block)?,
            shared: match &self.shared {
                Some(shared) => number(shared, values)?,
                None => 0,
            },
        })
    }
}

fn number(expression: &Expression, values: &[Value]) -> Result<u32, SpaceError> {
    let count = expression.count(values)?;
    u32::try_from(count).map_err(|_| {
        SpaceError::new(
            expression.span(),
            format!(
                "`{}` is {count}, more than a launch can have",
                expression.text()
            ),
        )
    })
}

/// Lengths and conditions of calls at one set of sizes.
#[derive(Debug)]
pub(super) struct Call {
    /// Elements of each buffer argument, in the order of the arguments.
    lengths: Vec<Expression>,
    /// Elements of each scratch buffer.
    scratch: Vec<Expression>,
    /// The conditions that may name sizes.
    require: Vec<Expression>,
    /// How a GPU launches the kernel, and its reference.
    launch: Option<Launch>,
    reference_launch: Option<Launch>,
}

impl Call {
    pub(super) fn new(
        spec: &TunableSpec,
        scope: &Scope,
        facts: &Facts,
    ) -> Result<Call, SpaceError> {
        let names: Vec<String> = spec
            .parameters
            .iter()
            .map(|p| p.name.text.clone())
            .collect();
        let compile =
            |expr: &Expr| Expression::compile(expr, Arithmetic::Integer, &names, scope, facts);
        let launch = |launch: &bico_syntax::Launch| -> Result<Launch, SpaceError> {
            let list = |list: &[Expr]| list.iter().map(compile).collect::<Result<Vec<_>, _>>();
            Ok(Launch {
                grid: list(&launch.grid)?,
                block: list(&launch.block)?,
                shared: launch.shared.as_ref().map(compile).transpose()?,
            })
        };
        let reference = spec.verify.reference.as_ref();
        // Without a launch of its own it gets the kernel's.
        let reference_launch = reference
            .filter(|reference| matches!(reference.kind, ReferenceKind::Entry(_)))
            .and_then(|reference| reference.launch.as_ref().or(spec.launch.as_ref()));
        let lengths = spec
            .arguments
            .iter()
            .filter_map(|argument| match &argument.kind {
                ArgumentKind::Buffer { len, .. } => Some(compile(len)),
                _ => None,
            });
        Ok(Call {
            lengths: lengths.collect::<Result<_, _>>()?,
            scratch: spec
                .scratch
                .iter()
                .map(|s| compile(&s.len))
                .collect::<Result<_, _>>()?,
            require: spec.require.iter().map(compile).collect::<Result<_, _>>()?,
            launch: spec.launch.as_ref().map(launch).transpose()?,
            reference_launch: reference_launch.map(launch).transpose()?,
        })
    }

    /// Whether a config may be called at these sizes.
    pub(super) fn allows(&self, values: &[Value]) -> Result<bool, SpaceError> {
        for require in &self.require {
            if !require.test(values)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// How the kernel is launched on a GPU.
    pub(super) fn dims(&self, values: &[Value]) -> Result<Option<Dims>, SpaceError> {
        self.launch
            .as_ref()
            .map(|launch| launch.dims(values))
            .transpose()
    }

    /// The same of the reference.
    pub(super) fn reference_dims(&self, values: &[Value]) -> Result<Option<Dims>, SpaceError> {
        let launch = self.reference_launch.as_ref();
        launch.map(|launch| launch.dims(values)).transpose()
    }

    /// Elements of the buffer arguments.
    pub(super) fn lengths(&self, values: &[Value]) -> Result<Vec<u64>, SpaceError> {
        self.lengths
            .iter()
            .map(|length| length.count(values))
            .collect()
    }

    /// Elements of the scratch buffers.
    pub(super) fn scratch(&self, values: &[Value]) -> Result<Vec<u64>, SpaceError> {
        self.scratch
            .iter()
            .map(|length| length.count(values))
            .collect()
    }
}

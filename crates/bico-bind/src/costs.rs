//! What the attribute says of the work of one call, ready to be evaluated for many configs.

use crate::flags::vector_bits;
use crate::{Expression, Scope, SpaceError};
use bico_core::Value;
use bico_core::device::Facts;
use bico_core::model;
use bico_syntax::{ArgumentKind, Arithmetic, Expr, FlagPart, TunableSpec};

/// `work`, the buffers' sizes and the flags of a tunable at one problem.
#[derive(Debug, Clone)]
pub struct Costs {
    flops: Option<Expression>,
    bytes: Option<Expression>,
    /// Elements of each buffer, and the bytes of one.
    buffers: Vec<(Expression, usize)>,
    flags: Vec<Vec<Part>>,
    level: String,
    /// How a GPU launches it.
    launch: Option<Launch>,
}

#[derive(Debug, Clone)]
struct Launch {
    grid: Vec<Expression>,
    block: Vec<Expression>,
    shared: Option<Expression>,
}

#[derive(Debug, Clone)]
enum Part {
    Text(String),
    Parameter(usize),
}

impl Costs {
    /// Compiles what the attribute says.
    ///
    /// # Errors
    ///
    /// A name that nobody knows.
    pub fn new(spec: &TunableSpec, facts: &Facts, scope: &Scope) -> Result<Costs, SpaceError> {
        let names: Vec<String> = spec
            .parameters
            .iter()
            .map(|parameter| parameter.name.text.clone())
            .collect();
        let compile =
            |expr: &Expr, arithmetic| Expression::compile(expr, arithmetic, &names, scope, facts);
        let real = |expr: &Option<Expr>| {
            expr.as_ref()
                .map(|expr| compile(expr, Arithmetic::Real))
                .transpose()
        };
        let mut buffers = Vec::new();
        for argument in &spec.arguments {
            if let ArgumentKind::Buffer { element, len, .. } = &argument.kind {
                buffers.push((compile(len, Arithmetic::Integer)?, element.size()));
            }
        }
        for scratch in &spec.scratch {
            buffers.push((
                compile(&scratch.len, Arithmetic::Integer)?,
                scratch.element.size(),
            ));
        }
        let part = |part: &FlagPart| match part {
            FlagPart::Text(text) => Part::Text(text.clone()),
            FlagPart::Name(name) => match names.iter().position(|known| known == name) {
                Some(parameter) => Part::Parameter(parameter),
                None => Part::Text(scope.get(name).map(written).unwrap_or_default()),
            },
        };
        let flags = spec
            .flags
            .iter()
            .map(|flag| flag.parts.iter().map(part).collect())
            .collect();
        let integers = |list: &[Expr]| -> Result<Vec<Expression>, SpaceError> {
            list.iter()
                .map(|expr| compile(expr, Arithmetic::Integer))
                .collect()
        };
        let (level, launch) = match (facts, &spec.launch) {
            (Facts::Cpu(cpu), _) => (cpu.level.clone(), None),
            (Facts::Cuda(_), None) => (String::new(), None),
            (Facts::Cuda(_), Some(launch)) => {
                let shared = launch.shared.as_ref();
                let launch = Launch {
                    grid: integers(&launch.grid)?,
                    block: integers(&launch.block)?,
                    shared: shared
                        .map(|expr| compile(expr, Arithmetic::Integer))
                        .transpose()?,
                };
                (String::new(), Some(launch))
            }
        };
        Ok(Costs {
            flops: real(&spec.work.flops)?,
            bytes: real(&spec.work.bytes)?,
            buffers,
            flags,
            level,
            launch,
        })
    }

    /// The parameters that any of it depends on, ascending.
    pub fn depends(&self) -> Vec<usize> {
        let expressions = self
            .flops
            .iter()
            .chain(&self.bytes)
            .chain(self.buffers.iter().map(|(len, _)| len))
            .chain(self.launch.iter().flat_map(|launch| {
                let extents = launch.grid.iter().chain(&launch.block);
                extents.chain(&launch.shared)
            }));
        let mut depends: Vec<usize> = expressions
            .flat_map(|e| e.depends().iter().copied())
            .collect();
        depends.extend(self.flags.iter().flatten().filter_map(|part| match part {
            Part::Parameter(parameter) => Some(*parameter),
            Part::Text(_) => None,
        }));
        depends.sort_unstable();
        depends.dedup();
        depends
    }

    /// What the model knows of a config with these values.
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
        let flags: Vec<String> = self
            .flags
            .iter()
            .map(|parts| {
                parts
                    .iter()
                    .map(|part| match part {
                        Part::Text(text) => text.clone(),
                        Part::Parameter(parameter) => written(values[*parameter]),
                    })
                    .collect()
            })
            .collect();
        let vector_bits = vector_bits(flags.iter().map(String::as_str), &self.level);
        Ok(model::Work {
            flops,
            bytes,
            footprint,
            vector_bits,
            launch: self
                .launch
                .as_ref()
                .map(|launch| launch.at(values))
                .transpose()?,
        })
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
}

impl Launch {
    fn at(&self, values: &[Value]) -> Result<model::Launch, SpaceError> {
        let mut blocks = 1.0;
        let mut grid_width = None;
        for extent in &self.grid {
            let extent = extent.count(values)? as f64;
            grid_width = grid_width.or(Some(extent));
            blocks *= extent;
        }
        let mut threads = 1u64;
        for extent in &self.block {
            threads = threads.saturating_mul(extent.count(values)?);
        }
        let count = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        let first = self.block.first().map(|width| width.count(values));
        let shared = self.shared.as_ref().map(|shared| shared.count(values));
        Ok(model::Launch {
            blocks,
            grid_width,
            threads: count(threads),
            width: count(first.transpose()?.unwrap_or(1)),
            shared_bytes: count(shared.transpose()?.unwrap_or(0)),
            ..model::Launch::default()
        })
    }
}

/// A value as the compiler sees it, in a flag or a `-D`: booleans as 0 and 1, strings bare.
pub fn written(value: Value) -> String {
    match value {
        Value::Bool(v) => i32::from(v).to_string(),
        Value::Str(text) => text.into(),
        other => other.to_string(),
    }
}
